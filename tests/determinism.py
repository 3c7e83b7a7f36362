"""Hold runs against each other that differ in nothing but where they are made: equal bytes are owed, whatever that is.

    python tests/determinism.py

Hash seed, locale, time zone, cores, threads of libraries, `-O`, both kernels, modules compiled and interpreted
(`support.saved_runs`, by the bytes of the files), and a sweep by each launcher that is installed. What another Python
does is for `experiments.validation.behaviour`, whose figures one keeps and another compares.

The exit status is 1 where something differs. It takes a minute.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.append(str(PROJECT))  # as `tests/experiments` is in the way of what is installed in place

from support.saved_runs import composed, saved_runs  # noqa: E402

FIRST_CORE = {min(os.sched_getaffinity(0))}
SURROUNDINGS = {
    "another hash seed": {"PYTHONHASHSEED": "12345"},
    "no hash seed": {"PYTHONHASHSEED": "0"},
    "locale C": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "locale C.UTF-8": {"LC_ALL": "C.UTF-8"},
    "time zone of Kathmandu": {"TZ": "Asia/Kathmandu"},
    "threads of libraries": {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4", "ARROW_IO_THREADS": "3"},
    "interpreted": {"SSDSIM_INTERPRETED": "1"},
}
SWEEP = [
    *("stack=pa_ssd", "hardware=pa_ssd_small", "precondition=fill", "workload=synthetic", "workload.requests=300"),
    *("record=[requests]", "plot=false", "--multirun", "seed=1,2"),
]
LAUNCHERS = {
    "joblib": ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"],
    "submitit_local": ["hydra/launcher=submitit_local"],
}
SWEEP_FILES = ("*/requests.parquet", "*/timeseries.parquet", "*/latency.parquet")


class FailedError(Exception):
    """A program that did not end well, with what it printed."""


def run(command: list[str], folder: Path, cores: set[int] | None = None, **environment: str) -> str:
    """Return what `command` printed in `folder`, whose modules it imports, on these cores; raise `FailedError`."""
    paths = os.pathsep.join(map(str, (folder, folder / "tests")))
    inherited = {key: value for key, value in os.environ.items() if key not in ("SSDSIM_INTERPRETED", "PYTHONHASHSEED")}
    narrowed: Callable[[], None] | None = None if cores is None else lambda: os.sched_setaffinity(0, cores)
    done = subprocess.run(
        command,
        cwd=folder,
        env=inherited | {"PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=narrowed,
    )
    if done.returncode:
        raise FailedError(f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def sums(python: list[str], folder: Path, *words: str, cores: set[int] | None = None, **environment: str) -> dict:
    """Return the checksums of the saved runs."""
    return json.loads(run([*python, "-m", "support.saved_runs", *words], folder, cores, **environment))


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Return the names of what is not equal."""
    return [name for name in sorted({*found, *expected}) if found.get(name) != expected.get(name)]


def comma_locale(folder: Path) -> dict[str, str]:
    """Return the environment of a locale with a decimal comma, made in `folder`; empty if it cannot be made."""
    made = folder / "de_DE.UTF-8"
    if not shutil.which("localedef"):
        return {}
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], capture_output=True, check=False)
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"} if made.exists() else {}


def surroundings(python: list[str], expected: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what differs in each of the surroundings, by name."""
    for name, environment in SURROUNDINGS.items():
        yield name, differing(sums(python, PROJECT, **environment), expected)
    with tempfile.TemporaryDirectory(prefix="ssdsim-locale-") as place:
        if environment := comma_locale(Path(place)):
            yield "locale with a decimal comma", differing(sums(python, PROJECT, **environment), expected)
        else:
            print("A locale with a decimal comma: left out, as localedef makes none.")
    yield "one core", differing(sums(python, PROJECT, cores=FIRST_CORE), expected)
    with tempfile.TemporaryDirectory(prefix="ssdsim-runs-") as place:
        saved_runs(Path(place), composed())
        yield "python -O", differing(sums([*python, "-O"], PROJECT, "--like", place), expected)
    yield "kernel simpy", differing(sums(python, PROJECT, "--kernel", "simpy"), expected)


def swept(folder: Path, overrides: list[str]) -> dict[str, str]:
    """Return the files of a sweep that every launcher owes, by name."""
    run([sys.executable, "-m", "experiments", *SWEEP, *overrides, f"hydra.sweep.dir={folder}"], PROJECT)
    return {
        str(file.relative_to(folder)): file.read_bytes().hex() for each in SWEEP_FILES for file in folder.glob(each)
    }


def launchers(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what differs by launcher."""
    expected = swept(folder / "none", [])
    if len(expected) != 2 * len(SWEEP_FILES):
        raise FailedError(f"a sweep wrote {sorted(expected)}.")
    for name, overrides in LAUNCHERS.items():
        if find_spec(f"hydra_plugins.hydra_{name.partition('_')[0]}_launcher") is None:
            print(f"Launcher {name}: left out, as it is not installed.")
            continue
        yield f"launcher {name}", differing(swept(folder / name, overrides), expected)


def told(each: Iterator[tuple[str, list[str]]]) -> bool:
    """Print what is found, as it is found; return whether all is equal."""
    equal = True
    for name, differs in each:
        print(f"{name}: {'equal' if not differs else 'differs in ' + ', '.join(differs)}", flush=True)
        equal = equal and not differs
    return equal


def main() -> int:
    """Compare all."""
    expected = sums([sys.executable], PROJECT, PYTHONHASHSEED="1")
    print(f"{len(expected)} files.")
    equal = told(surroundings([sys.executable], expected))
    with tempfile.TemporaryDirectory(prefix="ssdsim-determinism-") as place:
        equal &= told(launchers(Path(place)))
    return 0 if equal else 1


if __name__ == "__main__":
    raise SystemExit(main())
