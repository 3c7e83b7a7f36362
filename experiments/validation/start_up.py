"""What it costs to start: the CPU time of a run of a few requests in that of importing NumPy and pyarrow.

    python -m experiments.validation.start_up

Each is a process of its own, from its start to its end, in turn with the others: medians of ratios. All have their
bytecode. A run finds its composition, or that of its presets, or Hydra composes it.
"""

import argparse
import os
import statistics
import subprocess
import sys
from itertools import count
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import ssdsim

LIBRARIES = ["-c", "import numpy, pyarrow"]
RUN = ["-m", "ssdsim.command", "workload=synthetic", "workload.requests=100", "workload.queue_depth=4"]
TAKEN = ("OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "SSDSIM_INTERPRETED")
"""Variables that would change what is measured."""


def cpu_s(arguments: list[str], folder: str, cache: str = "cache") -> float:
    """Return the CPU time that Python takes with these `arguments`, from its start to its end, in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in TAKEN}
    project = str(Path(ssdsim.__file__).parents[1])
    path = os.pathsep.join(filter(None, [project, os.environ.get("PYTHONPATH")]))
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": path, "XDG_CACHE_HOME": str(Path(folder, cache))},
        capture_output=True,
        check=True,
    )
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratios(rounds: int) -> list[float]:
    """Return the ratios of a run whose composition is kept, of one with other values, and of one with other presets."""
    with TemporaryDirectory() as folder:
        run, seeds = [*RUN, "hydra.run.dir=run", "overwrite=true"], count(2)
        for arguments in (LIBRARIES, run):
            cpu_s(arguments, folder)  # once before, which writes bytecode and composition
        measured = []
        for _ in range(rounds):
            new = [*run, f"seed={next(seeds)}"]
            seconds = [cpu_s(arguments, folder) for arguments in (LIBRARIES, run, new)]
            measured.append([*seconds, cpu_s(new, folder, new[-1])])
    return [statistics.median(one[number] / one[0] for one in measured) for number in (1, 2, 3)]


def show(rounds: int) -> None:
    """Measure, and print a line."""
    kept, values, presets = ratios(rounds)
    print(
        f"start-up / import numpy, pyarrow: {kept:.2f}; of a command line with new values: {values:.2f}; with new "
        f"presets: {presets:.2f}"
    )


def main() -> None:
    """Measure a start for a user."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="runs of each (default: 9)")
    show(parser.parse_args().rounds)


if __name__ == "__main__":
    main()
