"""Build the sdist, from that the wheel, and use what a fresh environment has of it in an empty folder.

`python tests/wheel.py` needs what `.[dev]` installs and what pip gets from its index, takes a minute or two, and prints
one line if all is well. `--wheel FILE` takes a wheel that is there instead. As the sdist has every source that the
project has, what was built of them in `build/release` is not built again; without that, nothing is optimised. That
pyproject.toml names what a build takes is shown by `pip install -e .`, which builds apart from what is installed.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[1]
RELEASE = PROJECT / "build" / "release"
SMALL = ["hardware.blocks_per_plane=64", "workload.limit=500"]
POLICY = """\
from ssdsim.host.arbitration import Arbitration


class First(Arbitration):
    def choose(self):
        return next((each for each in self.streams if each.ready()), None)
"""
PRESET = """\
from ssdsim import load_config, preset, simulate

config = preset("pa_ssd", **{"hardware.blocks_per_plane": 64, "workload.limit": 500})
simulate(config, "from_python", progress=True)
assert load_config("from_python") == config
"""


def run(what: str, command: list[str | Path], folder: Path, status: int = 0, **environment: str) -> str:
    """Return what `command` printed in `folder`; if it ends with another status, print that and end."""
    inherited = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SSDSIM_INTERPRETED")}
    done = subprocess.run(
        command,
        cwd=folder,
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != status:
        print(done.stdout)
        sys.exit(f"{what}: exit status {done.returncode}, not {status}.")
    return done.stdout


def check(holds: bool, told: str) -> None:
    """End with a sentence if something does not hold."""
    if not holds:
        sys.exit(f"{told}.")


def sources() -> set[str]:
    """Return all that modules are built of."""
    return {
        path.relative_to(PROJECT).as_posix()
        for kind in ("py", "pyx", "pxd")
        for path in (PROJECT / "ssdsim").rglob(f"*.{kind}")
    }


def built(folder: Path) -> Path:
    """Return the wheel built from the sdist, in which there is every source, but no generated C."""
    run("The sdist", [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, PROJECT], folder)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    check(not [name for name in names if name.endswith((".c", ".so"))], "The sdist has generated files")
    lacking = (sources() | {"setup.py", "conf/config.yaml", "tests/conftest.py", "traces/record.py"}) - names
    check(not lacking, f"The sdist lacks {', '.join(sorted(lacking))}")
    shutil.unpack_archive(sdist, folder)
    unpacked, quick = folder / sdist.name.removesuffix(".tar.gz"), {"SSDSIM_QUICK_BUILD": "1"}
    if RELEASE.exists():  # pip would unpack the sdist with new times, and all would be built again
        shutil.copytree(RELEASE, unpacked / RELEASE.relative_to(PROJECT))
        quick = {}
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, unpacked]
    run("The wheel", pip, folder, **quick)
    (wheel,) = folder.glob("*.whl")
    return wheel


def use(wheel: Path, folder: Path) -> None:
    """Install `wheel` in a fresh environment and use it as the README says, and a little beyond."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    top = {name.partition("/")[0] for name in names}
    packages = {name for name in top if not name.endswith(".dist-info")}
    check(packages == {"ssdsim", "experiment", "experiments"}, f"At the top of the wheel: {top}")
    venv.create(folder / "venv", with_pip=True)
    python, command = (folder / "venv" / "bin" / name for name in ("python", "ssdsim"))
    # as a container does
    words = shlex.split(re.findall(r"^RUN pip (.+?) &&", (PROJECT / ".ci" / "Containerfile").read_text(), re.M)[0])
    asked = [str(wheel.parent) if word == "/wheels" else word for word in words]
    run("Installing", [python, "-m", "pip", *asked], folder)
    empty = folder / "empty"
    empty.mkdir()
    run("The default experiment", [command], empty)
    (summary,) = empty.glob("results/*/*/summary.json")
    check(json.loads(summary.read_text())["workload"]["path"].startswith(str(folder)), "Another trace was replayed")
    check("usage: ssdsim " in run("Help", [command, "--help"], empty), "The help names another command")
    (empty / "mine.csv").write_text("arrival_ns,op,offset_bytes,size_bytes\n0,write,0,4096\n")
    (empty / "mine.py").write_text(POLICY)
    run("A trace of one's own", [command, *SMALL, "workload.path=mine.csv"], empty)
    run("A policy of one's own", [command, *SMALL, "host.arbitration=mine.First"], empty)
    run("A new policy", [command, "new", "victim", "begun"], empty)
    run("The new policy", [command, *SMALL, "ftl.gc.victim=begun.Begun"], empty)
    told = run("A sweep", [command, *SMALL, "--multirun", "seed=1,2", "ftl/gc=greedy", "stack=baseline"], empty)
    check("against it" in told, "A sweep has no table")
    at_once = ["--multirun", "seed=3,4", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "hydra.run.dir=swept"]
    told = run("A sweep on two cores", [command, *SMALL, *at_once], empty)
    check("against it" in told, "A sweep on two cores has no table")
    run("Its page", [command, "report", "swept"], empty)
    check("<h2>Results</h2>" in (empty / "swept" / "report.html").read_text(), "A sweep has no page")
    check("did you mean" in run("A mistake", [command, "stack=basline"], empty, status=2), "A mistake is not told")
    run("Presets in Python", [python, "-c", PRESET], empty)
    run("The same run again", [command, "--config", "from_python", "hydra.run.dir=again"], empty)
    check("spd," in run("The papers", [command, "papers", "--help"], empty), "The papers are not listed")
    run("A study", [python, "-m", "ssdsim", "papers", "tbm", "--help"], empty)
    for name in ("experiment", "experiments"):
        run("The module", [python, "-m", name, "presets", "stack"], empty)
    run("A paper", [python, "-m", "ssdsim.experiments.papers.tbm", "--help"], empty)
    told = run("The help of a verb", [command, "compare", "--help"], empty)
    check("usage: ssdsim compare" in told, "The help of compare is another's")


def main() -> None:
    """Build and use."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--wheel", type=Path, help="a wheel that is there, not to build one")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ssdsim-wheel-") as place:
        folder = Path(place)
        use(options.wheel.resolve() if options.wheel else built(folder), folder)
    print(f"The wheel works ({time.monotonic() - began:.0f} s).")


if __name__ == "__main__":
    main()
