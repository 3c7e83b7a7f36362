"""Agreement with MQSim and SSDSim, request by request: `python -m experiments.validation.agreement`.

Every file of the reference folder is a trace with one more column for each simulator: the response time that it gave
each request (`arrival_ns,op,offset_bytes,size_bytes,mqsim_ns,ssdsim_ns`, plain or compressed). Each is replayed on the
device that `hardware=reference_*` and `flash=*` describe, and held against that column to the nanosecond. Before that
come single requests on an idle device, whose times are sums written below; after it devices drawn at random, of which
checksums are stored (`agreement_devices` beside this), and two planes and MQSim's collection, of which only statistics
are known (`agreement_statistics`, `agreement_collection`).
"""

import argparse
import lzma
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from math import inf
from pathlib import Path

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.csv

from ssdsim.command import PROJECT
from ssdsim.errors import SsdsimError, TraceError
from ssdsim.report.text import TextTable

from . import agreement_collection, agreement_devices
from .agreement_collection import Compared, Run, compared
from .agreement_devices import Drawn, Stored, device_of, ours
from .agreement_statistics import NAME, PAGE, Check, replayed, stored, two_plane_checks, written

FOLDER = PROJECT.parent / "shared" / "reference"
STORED = PROJECT / "docs" / "data"
SIMULATORS = ("mqsim", "ssdsim")

DRAWN: dict[str, tuple[str, Callable[[Stored], Drawn]]] = {
    "": (agreement_devices.NAME, device_of),
    " of several dies a chip": (agreement_devices.CHIPS, partial(device_of, of_chips=True)),
    " with a link": (agreement_devices.LINKED, agreement_devices.linked),
    " with bursts": (agreement_devices.BURSTS, agreement_devices.bursts),
    " with a DRAM": (agreement_devices.DRAM, agreement_devices.cached),
    " that collects": (agreement_devices.COLLECTING, agreement_devices.collecting),
}
"""The kinds of devices drawn at random: the file of the answers, and the device of an answer."""

ENOUGH = 0.999
"""Share of equal response times below which the command fails."""

TRANSFER = 24_576  # ns: 8192 bytes at 3 ns each
HALF = TRANSFER // 2
CHIP, CHANNEL = 4, 1
"""Pages from one to the next chip of a channel, and to the next channel: the device is striped channel first."""


@attrs.frozen
class Case:
    """Requests on an idle device (arrival in ns, operation, page, pages or part of one) and what the last takes."""

    name: str
    rows: list[tuple[int, str, int, float]]
    expected_ns: dict[str, int]


READ = {"mqsim": 290 + 75_020 + TRANSFER, "ssdsim": 21 + 75_000 + TRANSFER}
BEHIND_A_PROGRAM = {
    "mqsim": 361 + TRANSFER + 500_000 - 100_000 + READ["mqsim"],
    "ssdsim": 21 + TRANSFER + 500_000 - 100_000 + READ["ssdsim"],
}
HALF_WRITE = {"mqsim": 361 + HALF + 500_000, "ssdsim": 21 + HALF}

CASES = [
    Case("8 KiB read", [(0, "R", 0, 1)], READ),
    Case("8 KiB write", [(0, "W", 0, 1)], {"mqsim": 361 + TRANSFER + 500_000, "ssdsim": 21 + TRANSFER}),
    Case("32 KiB aligned read", [(0, "R", 0, 4)], READ),
    Case(
        "128 KiB aligned read",
        [(0, "R", 0, 16)],
        {
            # both chips read together, their data crosses one after the other, and all that twice
            "mqsim": 2 * (290 + 75_020 + 2 * TRANSFER),
            # as the first data leaves, its chip's second read is commanded, and only then does the other chip's data go
            "ssdsim": 2 * (21 + 75_000 + TRANSFER) + 21 + TRANSFER,
        },
    ),
    Case(
        "128 KiB aligned write",
        [(0, "W", 0, 16)],
        {
            # two programs a chip, the second chip one transfer behind the first
            "mqsim": 2 * (361 + TRANSFER + 500_000) + 361 + TRANSFER,
            # complete with the transfer of the second chip's second page, when its first has been programmed
            "ssdsim": 2 * (21 + TRANSFER) + 500_000 + 21 + TRANSFER,
        },
    ),
    Case("read 100 us after a program on its chip began", [(0, "W", 8, 1), (100_000, "R", 0, 1)], BEHIND_A_PROGRAM),
    Case("read 100 us after one of the same page began", [(0, "W", 0, 1), (100_000, "R", 0, 1)], BEHIND_A_PROGRAM),
    Case("read while the other chip of its channel programs", [(0, "W", CHIP, 1), (100_000, "R", 0, 1)], READ),
    Case(
        "read 1 us after a read on the other chip",
        [(0, "R", 0, 1), (1_000, "R", CHIP, 1)],
        {"mqsim": 290 + 75_020 + 2 * TRANSFER - 1_000, "ssdsim": 21 + 75_000 + 2 * TRANSFER - 1_000},
    ),
    Case(
        "4 KiB read of a full page",
        [(0, "R", 0, 0.5)],
        {"mqsim": 290 + 75_020 + HALF, "ssdsim": 21 + 75_000 + TRANSFER},
    ),
    Case(
        "4 KiB write onto a full page",
        [(0, "W", 0, 1), (2_000_000, "W", 0, 0.5)],
        {
            # both read the other half; one programs what is new, the other the merged page
            "mqsim": 290 + 75_020 + HALF + 361 + HALF + 500_000,
            "ssdsim": 21 + 75_000 + HALF + 21 + TRANSFER,
        },
    ),
    Case("4 KiB first write", [(0, "W", 0, 0.5)], HALF_WRITE),
    Case("4 KiB written again, a page with no more", [(0, "W", 0, 0.5), (2_000_000, "W", 0, 0.5)], HALF_WRITE),
]


def responses(path: Path, simulator: str, kernel: str) -> np.ndarray:
    """Return the response time in nanoseconds of every request of the trace at `path`, in the order of `simulator`."""
    device = [f"hardware=reference_{simulator}", f"flash={simulator}", f"kernel={kernel}", "record=requests"]
    # room for every page that is read, and the rest empty: nothing is collected
    filled = ["precondition=fill", "precondition.fill_share=0.2", "precondition.valid_share=0"]
    return replayed(path, [*device, *filled]).requests["response_ns"].to_numpy()


def unloaded(case: Case, simulator: str, kernel: str) -> int:
    """Return the response time of the last request of `case`, in nanoseconds."""
    rows = [f"{arrival},{op},{page * PAGE},{round(pages * PAGE)}" for arrival, op, page, pages in case.rows]
    with tempfile.TemporaryDirectory() as folder:
        return int(responses(written(rows, Path(folder)), simulator, kernel)[-1])


@attrs.frozen
class Agreement:
    """How one workload's response times compare with a simulator's; times in nanoseconds."""

    requests: int
    equal: int
    largest: int
    our_mean: float
    their_mean: float


def compare(path: Path, simulator: str, kernel: str) -> Agreement:
    """Replay the reference file at `path` and compare each request."""
    theirs = reference(path)[f"{simulator}_ns"].to_numpy()
    ours = responses(path, simulator, kernel)
    difference = np.abs(ours - theirs)
    counts = len(ours), int(np.count_nonzero(difference == 0)), int(difference.max())
    return Agreement(*counts, float(ours.mean()), float(theirs.mean()))


def reference(path: Path) -> pa.Table:
    """Return the table of a reference file."""
    try:
        if path.suffix != ".xz":
            return pyarrow.csv.read_csv(path)
        with lzma.open(path) as source:
            return pyarrow.csv.read_csv(source)
    except (OSError, lzma.LZMAError, pa.ArrowInvalid) as error:
        raise TraceError(f"{path}: cannot be read as a table: {error}.") from None


def files(folder: Path) -> list[Path]:
    """Return the reference files in `folder`."""
    files = sorted(path for path in folder.glob("*.csv*") if path.is_file())
    if not files:
        raise TraceError(f"{folder}: holds no reference file (*.csv, plain or compressed); name another with --folder.")
    return files


def main(arguments: list[str] | None = None) -> int:
    """Print all tables; return 0 if all agree, 1 if not, 2 for a folder that cannot be used."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}.agreement", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the reference files lie")
    parser.add_argument("--stored", type=Path, default=STORED, help="where answers to drawn devices and loads lie")
    parser.add_argument("--kernel", choices=["compiled", "simpy", "both"], default="both")
    options = parser.parse_args(arguments)
    kernels = ["compiled", "simpy"] if options.kernel == "both" else [options.kernel]
    try:
        agree = print_unloaded(kernels) & print_loaded(options.folder, kernels)
        for title, (name, device) in DRAWN.items():
            if is_there(f"drawn device{title}", options.stored / name):
                agree &= print_devices(f"drawn device{title}", stored(options.stored / name, Stored), device, kernels)
        if is_there("two planes", options.folder / NAME):
            agree &= print_checks("two planes", two_plane_checks(options.folder, kernels[0]))
        if is_there("collection", options.stored / agreement_collection.NAME):
            runs = stored(options.stored / agreement_collection.NAME, Run)
            agree &= print_collection(compared(runs, kernels[0]))
        return 0 if agree else 1
    except SsdsimError as error:
        print(error, file=sys.stderr)
        return error.exit_status


def is_there(title: str, path: Path) -> bool:
    """Return whether there is such a file, and if not tell what is not compared for it."""
    if not path.is_file():
        print(f"{title}: not compared, as {path.parent} has no {path.name}")
    return path.is_file()


def printed(table: TextTable, rows: Iterable[tuple[bool, Sequence[str]]]) -> bool:
    """Print rows, each with whether ours agrees there, in a table, and return whether all do."""
    agree = True
    for agrees, cells in rows:
        agree &= agrees
        table.add_row(*cells)
    print(table)
    return agree


def print_unloaded(kernels: list[str]) -> bool:
    """Print the single requests and return whether all are as summed up."""
    table = TextTable("unloaded, us", *(f"{name} {what}" for name in SIMULATORS for what in ("expected", "ours")))

    def rows() -> Iterator[tuple[bool, list[str]]]:
        for case in CASES:
            agrees, cells = True, [case.name]
            for simulator in SIMULATORS:
                times_ns = {unloaded(case, simulator, kernel) for kernel in kernels}
                agrees &= times_ns == {case.expected_ns[simulator]}  # both kernels give one time, and that one
                cells += [f"{case.expected_ns[simulator] / 1000:.3f}", ", ".join(f"{ns / 1000:.3f}" for ns in times_ns)]
            yield agrees, cells

    return printed(table, rows())


def print_loaded(folder: Path, kernels: list[str]) -> bool:
    """Print our response times beside those of each simulator in each file, and return whether enough are equal."""
    heads = ("as", "kernel", "requests", "equal", "largest difference, us", "our mean, us", "theirs, us")

    def rows() -> Iterator[tuple[bool, list[str]]]:
        for path, simulator, kernel in product(files(folder), SIMULATORS, kernels):
            if f"{simulator}_ns" in reference(path).column_names:
                workload, agreement = path.name.partition(".")[0], compare(path, simulator, kernel)
                counts = [f"{agreement.requests:,}", f"{agreement.equal:,}"]
                times = [f"{ns / 1000:.3f}" for ns in (agreement.largest, agreement.our_mean, agreement.their_mean)]
                yield agreement.equal >= ENOUGH * agreement.requests, [workload, simulator, kernel, *counts, *times]

    return printed(TextTable("workload", *heads), rows())


def print_devices(
    title: str, answers: Iterable[Stored], device_of: Callable[[Stored], Drawn], kernels: list[str]
) -> bool:
    """Print the devices drawn at random whose answers are given, and return whether ours are theirs."""

    def rows() -> Iterator[tuple[bool, list[str]]]:
        for theirs in answers:
            device = device_of(theirs)
            for kernel in kernels:
                equal = ours(theirs, device, kernel) == theirs  # the checksum and all that it is of
                told = [theirs.simulator, str(theirs.seed), str(theirs.at_once), kernel, f"{theirs.requests:,}"]
                yield equal, [device.name, *told, "yes" if equal else "no"]

    return printed(TextTable(title, "as", "seed", "at once", "kernel", "requests", "all equal"), rows())


def print_checks(title: str, checks: Iterable[Check]) -> bool:
    """Print a row for each run with the figures that differ, and return whether none does and there is any."""
    by_run: dict[str, list[Check]] = {}
    for check in checks:
        by_run.setdefault(check.run, []).append(check)

    def rows() -> Iterator[tuple[bool, list[str]]]:
        for run, of_run in by_run.items():
            means = next(([check.theirs, check.ours] for check in of_run if check.name.startswith("mean")), ["", ""])
            wrong = [f"{check.name}: {check.ours}, not {check.theirs}" for check in of_run if not check.agrees]
            counts = [str(len(of_run)), str(len(of_run) - len(wrong))]
            yield not wrong, [run, *counts, *means, "; ".join(wrong) or "nothing"]

    table = TextTable(title, "figures", "agree", "mean us, theirs", "ours", "what differs")
    return printed(table, rows()) and bool(by_run)  # nothing compared is no agreement


def print_collection(comparisons: Iterable[Compared]) -> bool:
    """Print each figure of collection beside MQSim's, and return whether all are within what is claimed."""
    figures = ("figure", "theirs", "ours", "percent", "single runs", "claimed")

    def rows() -> Iterator[tuple[bool, list[str]]]:
        for c in comparisons:
            claimed = "nothing" if c.within == inf else f"within {c.within:.0%}"
            values = [f"{c.theirs:,.5g}", f"{c.ours:,.5g}", f"{c.difference:+.1%}", f"{c.least:+.1%} to {c.most:+.1%}"]
            yield c.agrees, [c.device, f"{c.rate:,}", str(c.seeds), c.figure, *values, claimed]

    return printed(TextTable("collection, as MQSim", "requests/s", "seeds", *figures), rows())


if __name__ == "__main__":
    sys.exit(main())
