"""Agreement with MQSim and SSDSim on two planes a die, where only statistics are known.

The page `TWO_PLANES.md` of the reference folder has tables of what the two answered to generated workloads; these are
generated anew here, on the same device. Response times are held against the tables to the digit that is printed, as are
the numbers of multi-plane commands.
"""

import csv
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ssdsim.command.compose import composed
from ssdsim.metrics.result import Result
from ssdsim.run.simulation import simulate

NAME = "TWO_PLANES.md"
PAGE = 8192
FOOTPRINT = 65_536
"""Pages that the workloads touch; all of them are written beforehand, in order, where any is read."""

REQUESTS = 20_000
RATES = {
    "R2d": 19_200,
    "R2a": 24_000,
    "R2e": 38_500,
    "R2b": 48_000,
    "R2f": 51_300,
    "R2c": 64_000,
    "R3": 10_000,
    "R4": 2_500,
    "W2a": 7_600,
    "W2b": 12_200,
    "W3": 1_900,
    "W4": 475,
    "M1": 15_300,
}
"""Requests a second. That of R2c is not told: of the rates near its throughput, this one has its response times."""

SPACED = {"R1": 100, "W1": 50}
"""Those that come one by one."""

PAGES = {"R3": 4, "R4": 16, "W3": 4, "W4": 16}
FILL_GAP_NS, IDLE_NS = 100_000, 10**9
SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
SIMULATORS = {"mq_B": "mqsim", "ss_B20": "ssdsim"}
OVERRIDES = {"mqsim": [], "ssdsim": ["flash.multi_plane=[program]"]}


@attrs.frozen
class Check:
    """One figure of ours beside theirs, as printed, and whether they agree."""

    run: str
    name: str
    theirs: str
    ours: str
    agrees: bool


def stored(path: Path, kind: type) -> list[Any]:
    """Return the rows of a table of what simulators answered, each as one of a `kind`."""
    types: dict[str, Any] = {field.name: field.type for field in attrs.fields(kind)}
    with path.open(newline="", encoding="utf-8") as file:
        return [kind(**{name: types[name](text) for name, text in row.items()}) for row in csv.DictReader(file)]


def tables(page: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of all tables on a page of Markdown, by the names of their columns."""
    names: list[str] = []
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            names = []
        elif not names:
            names = cells
        elif not re.fullmatch(r"[-|: ]+", line):
            yield dict(zip(names, cells, strict=True))


def requests_of(name: str, seed: int) -> Iterator[tuple[int, str, int, int]]:
    """Yield arrival in ns, operation, first page and pages of the requests of workload `name`."""
    draws, seconds, pages = random.Random(seed), 0.0, PAGES.get(name, 1)
    for _ in range(REQUESTS):
        seconds += 1 / SPACED[name] if name in SPACED else draws.expovariate(RATES[name])
        slot = draws.randrange(FOOTPRINT // pages)  # requests do not overlap in part: they lie in slots of their size
        is_read = name[0] == "R" or (name[0] == "M" and draws.random() < 0.5)
        yield round(seconds * 1e9), "R" if is_read else "W", slot * pages, pages


def replayed(path: Path, overrides: list[str]) -> Result:
    """Replay a trace of ssdsim's own on a queue so deep that no request waits for admission."""
    config = composed(["host.queue_depth=1000000", "workload=trace", "workload.format=ssdsim_csv", *overrides])
    return simulate(attrs.evolve(config, workload=attrs.evolve(config.workload, path=str(path))))


def run(rows: list[str], overrides: list[str]) -> Result:
    """Replay the rows of a trace on an empty device."""
    with tempfile.TemporaryDirectory() as folder:
        return replayed(written(rows, Path(folder)), ["precondition=none", *overrides])


def written(rows: Iterable[str], folder: Path) -> Path:
    """Write the rows of a trace of ssdsim's own to a file in `folder`, and return its path."""
    path = folder / "trace.csv"
    path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]) + "\n")
    return path


def row(arrival_ns: int, op: str, page: int, pages: int = 1) -> str:
    """Return a row of a trace."""
    return f"{arrival_ns},{op},{page * PAGE},{pages * PAGE}"


def two_planes(name: str, simulator: str, seed: int, kernel: str) -> tuple[Result, int]:
    """Run workload `name` as `simulator` does on two planes a die; return the result, and when it began in ns.

    One read follows the workload, so that programs that nobody waits for come to their end.
    """
    reads = name[0] in "RM"  # where pages are read, all are written beforehand
    start = FOOTPRINT * FILL_GAP_NS + IDLE_NS if reads else 0
    rows = [row(page * FILL_GAP_NS, "W", page) for page in range(FOOTPRINT if reads else 0)]
    rows += [row(start + arrival, op, page, pages) for arrival, op, page, pages in requests_of(name, seed)]
    rows.append(row(start + 2 * max(arrival for arrival, *_ in requests_of(name, seed)), "R", 0))  # all is done by then
    device = [f"hardware=reference_{simulator}", f"flash={simulator}", "hardware.planes_per_die=2"]
    return run(rows, [*device, "record=[requests,commands]", f"kernel={kernel}", *OVERRIDES[simulator]]), start


def statistics(response_ns: np.ndarray) -> dict[str, str]:
    """Return the statistics of response times, in microseconds with three decimals."""
    us = np.sort(response_ns) / 1000
    figures = {"mean": us.mean(), "min": us[0], "max": us[-1], "std": us.std()}
    figures |= {name: us[int(share * len(us))] for name, share in SHARES.items()}
    return {name: f"{value:.3f}" for name, value in figures.items()} | {"n": str(len(us))}


def joined_commands(commands: pa.Table) -> Counter[tuple[str, int]]:
    """Return how many commands there were of each operation and number of planes; those of a die never overlap."""
    names = ("op", "array_start_ns", "channel", "chip", "die")
    planes = Counter(zip(*(commands[name].to_pylist() for name in names), strict=True))
    return Counter((op, many) for (op, *_), many in planes.items())


def two_plane_checks(folder: Path, kernel: str, only: str | None = None) -> Iterator[Check]:
    """Yield the check of each figure of each run on two planes, or of one of them."""
    by_run: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in tables(folder / NAME):
        if "run" in row and only in (None, row["run"]):  # tables of other things have no run
            by_run[row["run"]].append(row)
    for run_name, rows in by_run.items():
        kind, name, seed = run_name.rsplit("_", 2)
        result, start = two_planes(name, SIMULATORS[kind], int(seed), kernel)
        requests, commands = result.requests, result.commands
        last = pc.max(requests["arrival_ns"]).as_py()
        requests, commands = (
            # without the read that follows
            table.filter(pc.and_(pc.greater_equal(table[column], start), pc.less(table[column], last)))
            for table, column in ((requests, "arrival_ns"), (commands, "queued_ns"))
        )
        counts, planes = joined_commands(commands), {"single": 1, "2-plane": 2, "two-plane": 2}
        joined = {f"{word} {op}s": str(counts[op, many]) for op in ("read", "program") for word, many in planes.items()}
        for theirs in rows:
            ours = joined
            if "op" in theirs:
                ours = statistics(requests.filter(pc.equal(requests["op"], theirs["op"]))["response_ns"].to_numpy())
            place = f"{run_name} {theirs['op']}" if "op" in theirs else run_name
            for figure in [figure for figure in theirs if figure in ours]:
                yield Check(place, figure, theirs[figure], ours[figure], theirs[figure] == ours[figure])
