"""How many instructions a request takes, counted by valgrind: the same on a busy machine as on an idle one.

    python -m experiments.validation.instructions           # beside the figures that are kept in instructions.json
    python -m experiments.validation.instructions --check   # fails where one is more than 5 percent above the kept one
    python -m experiments.validation.instructions --keep    # writes them there

A longer and a shorter run of the same work are counted, and the difference divided by that of their requests. Figures
are those of a Python, a machine, a compiler and a Cython, and compared with no others.
"""

import argparse
import json
import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import attrs

from ssdsim._core import kernel
from ssdsim.config import SimulationConfig
from ssdsim.report.text import TextTable
from ssdsim.run.simulation import simulate

from .equal_work import WORK

KEPT = Path(__file__).with_suffix(".json")
MOST = 1.05
"""The most that a figure may be of the kept one."""
SHORT, LONG = 5_000, 25_000
"""Requests of the two runs."""

Figures = Mapping[str, int]

COUNTED: Mapping[str, Callable[[int, Path], SimulationConfig]] = {
    **WORK,
    "G1, untimed": lambda requests, folder: attrs.evolve(WORK["G1, collecting"](requests, folder), timing="off"),
}


def build() -> str:
    """Return the build that the figures depend on besides the source: Python, machine, compilers of the modules."""
    made = Path(kernel.__file__.replace("kernel.", "utility.")).read_text("latin-1")
    compilers = {f"{name} {major}" for name, major in re.findall(r"(GCC|clang)[^\0]*? (\d+)\.", made)}
    cython = {f"Cython {major}.{minor}" for major, minor in re.findall(r"_cython_(\d+)_(\d+)", made)}
    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    return ", ".join([python, platform.machine(), *sorted(compilers), *cython])


def measured() -> Figures | None:
    """Return the instructions a request of each work, or None without valgrind.

    Raise RuntimeError with what valgrind or a run said if one fails.
    """
    if not shutil.which("valgrind"):
        return None
    with TemporaryDirectory() as place:
        runs = product(COUNTED.values(), (SHORT, LONG))
        configs = [work(requests, Path(mkdtemp(dir=place))) for work, requests in runs]
        pickled = Path(place, "configs")
        pickled.write_bytes(pickle.dumps(configs))
        # instructions alone: simulated caches would be counted for nothing
        counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={place}/%p.count"]
        command = [*counter, sys.executable, "-m", f"{__package__}.instructions", "--count", str(pickled)]
        # hashes and threads that change from run to run change the count
        fixed = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "SSDSIM_INTERPRETED": ""}
        done = subprocess.run(command, env=fixed, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"valgrind or a run under it failed:\n{done.stderr}")
        texts = [Path(place, f"{process}.count").read_text() for process in done.stdout.split()]
    counts = [int(re.findall(r"^summary: (\d+)", text, re.MULTILINE)[0]) for text in texts]
    pairs = zip(COUNTED, counts[::2], counts[1::2], strict=True)  # short and long in turn, as they were made
    return {name: round((longer - shorter) / (LONG - SHORT)) for name, shorter, longer in pairs}


def run_each(pickled: Path) -> None:
    """Run each configuration of a file once, as no first run is to count, then in a process whose number it prints."""
    configs = pickle.loads(pickled.read_bytes())
    for config in configs:
        simulate(config)
    for config in configs:
        if not (process := os.fork()):
            simulate(config)
            os._exit(0)  # nothing that the end of a process does is counted
        if os.waitpid(process, 0)[1]:
            sys.exit("A run failed.")
        print(process)


def kept() -> dict[str, Figures]:
    """Return the kept figures by the build that they are of."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def verdict(figures: Figures, before: Figures) -> str | None:
    """Return a sentence on what speaks against `figures`, or None."""
    if figures.keys() != before.keys():
        return f"Other work is counted than figures are kept of in {KEPT.name}; --keep keeps them."
    # over, not below: what is cheaper is no fault
    dearer = [f"{name} by {figures[name] / old - 1:.1%}" for name, old in before.items() if figures[name] > MOST * old]
    told = f"A request takes over {MOST - 1:.0%} more instructions than kept: {', '.join(dearer)}; if it must, --keep."
    return told if dearer else None


def show() -> tuple[Figures, Figures] | None:
    """Count, and print the figures beside the kept ones; return both, or None without valgrind."""
    figures = measured()
    if figures is None:
        print("Instructions are not counted: valgrind is not installed.")
        return None
    before = kept().get(build(), {})
    table = TextTable("", "instructions", "kept", "ratio", title="A request, instructions counted by valgrind")
    for name, figure in figures.items():
        old = before.get(name)
        table.add_row(name, f"{figure:,}", *(("", "") if old is None else (f"{old:,}", f"{figure / old:.3f}")))
    print(table)
    if not before:
        print(f"No figures are kept of {build()}; --keep keeps these.")
    return figures, before


def main(arguments: list[str] | None = None) -> None:
    """Count and show; keep or check if asked."""
    told = __doc__.partition("\n\n")[0]
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.instructions", description=told)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--keep", action="store_true", help=f"write the figures to {KEPT.name}")
    what.add_argument("--check", action="store_true", help="fail where one is over 5 percent above the kept one")
    what.add_argument("--count", type=Path, help=argparse.SUPPRESS)  # the runs that valgrind counts
    options = parser.parse_args(arguments)
    if options.count:
        run_each(options.count)
        return
    if not (shown := show()):
        return
    figures, before = shown
    if options.keep:
        KEPT.write_text(json.dumps(kept() | {build(): figures}, indent=4) + "\n")
    # without kept figures of the build there is nothing to check
    elif options.check and before and (against := verdict(figures, before)):
        sys.exit(against)


if __name__ == "__main__":
    main()
