"""What it costs to start: the CPU time of a run of a few requests in that of importing the libraries it needs.

    python -m experiments.validation.start_up

Each is a process of its own, from its start to its end, in turn with the others: medians of ratios. All have their
bytecode.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import ssdsim

LIBRARIES = ["-c", "import hydra, omegaconf, numpy, pyarrow"]
RUN = [
    "-m",
    "ssdsim.command",
    "hardware=tlc_4g",
    "precondition=fill",
    "workload=synthetic",
    "workload.requests=100",
    "workload.queue_depth=4",
]
TAKEN = ("OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "SSDSIM_INTERPRETED")
"""Variables that would change what is measured."""


def cpu_s(arguments: list[str], folder: str) -> float:
    """Return the CPU time that Python takes with these `arguments`, from its start to its end, in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in TAKEN}
    project = str(Path(ssdsim.__file__).parents[1])
    path = os.pathsep.join(filter(None, [project, os.environ.get("PYTHONPATH")]))
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(rounds: int) -> float:
    """Return the CPU time of a run in that of its libraries."""
    with TemporaryDirectory() as folder:
        run = [*RUN, "hydra.run.dir=run", "overwrite=true"]
        pairs = [[cpu_s(arguments, folder) for arguments in (LIBRARIES, run)] for _ in range(rounds + 1)]
    return statistics.median(run_s / libraries_s for libraries_s, run_s in pairs[1:])  # the first writes bytecode


def show(rounds: int) -> None:
    """Measure, and print a line."""
    print(f"start-up / import hydra, omegaconf, numpy, pyarrow: {ratio(rounds):.2f}")


def main() -> None:
    """Measure a start for a user."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="runs of each (default: 9)")
    show(parser.parse_args().rounds)


if __name__ == "__main__":
    main()
