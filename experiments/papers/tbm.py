"""The experiments of the TBM paper.

A. Tavakkol, P. Mehrvarzy, H. Sarbazi-Azad, "TBM: Twin Block Management Policy to Enhance the Utilization of
Plane-Level Parallelism in SSDs" (IEEE Computer Architecture Letters 15(2), 2016).

The device is that of the paper's Table 1 with fewer blocks a plane, and then fewer pages a block; an erase takes as
much less, so that erases of a page take as long. It has the paper's spare space and is empty at first. Volumes are
pages written, in units of the device's pages; Figs. 2 and 6 go on until 10, Fig. 7 until 2. Collection starts below 2
percent of a plane's pages, so when about the capacity has been written, and goes before the host's traffic. Host and
collection write to the same active block: only so does collection make the planes' write points part (Fig. 3c).

At the trace's own times the device is mostly idle, so that all systems serve the same requests a second. IOPS are
therefore those of the same requests sent as fast as the queue of 32 takes them, called saturated, as are Figs. 2 and
6, where response times count from admission. Those of Fig. 7 are at the trace's own times, from arrival, and all there
is of what comes after a volume of 1.25; in Figs. 2 and 6, early is up to a volume of 0.75, late from 8 on.

PostMark is real: the trace of Microsoft's SSD extension for DiskSim has the numbers of the table. The six others are
synthetic. What the table leaves out follows from rules that were stated before anything was run by them:

- Footprint: all that the user has, 240 of the device's 256 GiB, the only amount of data that the paper names.
- Times: those fitted to the piece of the trace itself or of its like (`experiments/papers/arrivals.tsv`), at the mean
  rate of the table: Financial1 for fin1, DevelopmentToolsRelease for Exchange and TPC-E, and for MSR's volumes prxy_0.
- Sizes and places: those of MSR's pieces, tilted to the mean of the table (`experiments/papers/_traces.py`).

A real trace is run on a device that holds all that it touches. A synthetic trace writes twice the device's pages, in
which no request comes twice; all are repeated as often as a run needs.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from math import ceil
from pathlib import Path

import attrs
import numpy as np

from ssdsim.command import PROJECT
from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result
from ssdsim.workload import WRITE, open_workload

from ..study import command
from ..study.formulas import Numbers, above, below, known, largest
from ..study.paper import Figure, Given, Measure, Measures, Paper, Part, Run, config_of
from ..study.trace_files import made_once, replayed
from . import _traces
from ._traces import FITTED, PAGE_KIB, ZIPF_THETA, Sizes, msr_sizes, whole_about

# The device.

PLANES, BLOCKS, PAGES, ERASE_US = 64, 2048, 256, 5000.0
# With fewer in a plane, spare space and threshold could not both be the paper's: collection needs two free blocks.
FEWEST_BLOCKS, FEWEST_PAGES = 128, 16

SPARE = 1 / 16  # of 256 GiB: the user has 240
GC_THRESHOLD = 0.02
FULLEST = 0.75  # of the user's space, what a real trace fills at most: on a fuller device nothing but collection counts

# What all systems share. Planes are given at dispatch, as by SSDSim, free blocks in order of address (section 3), and
# moved pages join at equal indices alone.
COMMON = [
    *("precondition=none", "host.queue_depth=32", "scheduler.policy=paq", "flash.multi_plane=[read,program,erase]"),
    *("ftl/gc=rga", "ftl.plane_allocation_at=dispatch", "ftl.free_blocks=next", "ftl.gc.joins=same_page"),
]


def device(scale: Fraction, data_pages: int = 0) -> list[str]:
    """Return the overrides of the paper's device at `scale`; it holds `data_pages` of a real trace."""
    blocks = max(round(BLOCKS * scale), FEWEST_BLOCKS)
    pages = round(PAGES * scale * BLOCKS / blocks)
    if not FEWEST_PAGES <= pages <= PAGES:
        least = BLOCKS * PAGES // (FEWEST_BLOCKS * FEWEST_PAGES)
        raise ConfigError(f"--scale={scale}: leaves {pages} pages a block; take at least 1/{least}.")
    return [
        "hardware=tbm",
        f"hardware.blocks_per_plane={max(blocks, ceil(data_pages / FULLEST / (PLANES * pages * (1 - SPARE))))}",
        f"hardware.pages_per_block={pages}",
        f"hardware.erase_us={ERASE_US * pages / PAGES:g}",
        f"hardware.over_provisioning={SPARE}",
        *("ftl.active_blocks=shared", "ftl.gc.trigger=free_pages"),
        *(f"ftl.gc.{level}_threshold={GC_THRESHOLD}" for level in ("soft", "hard")),
    ]


@cache
def hardware_of(overrides: tuple[str, ...]) -> HardwareConfig:
    """Return the geometry of a device."""
    return composed([*overrides, "workload=synthetic"]).hardware


def pages_of(hardware: HardwareConfig) -> int:
    """Return the pages of a device."""
    return hardware.planes * hardware.pages_per_plane


# The systems, without and with TBM.


def _system(stack: str, allocation: str, bac: bool = False) -> list[str]:
    return [f"stack={stack}", f"ftl.plane_allocation={allocation}", f"ftl.bac={str(bac).lower()}"]


SYSTEMS = {
    **{name: _system("baseline", name.lower()) for name in ("F", "D", "F2")},
    **{f"{name}+BAC": _system("baseline", name.lower(), bac=True) for name in ("F", "D")},
    **{f"{name}+TBM": _system("tbm", name.lower()) for name in ("F", "D", "F2")},
    **{f"{name}+BAC+TBM": _system("tbm", name.lower(), bac=True) for name in ("F", "D")},
}
BASE = {"F+TBM": "F", "D+TBM": "D", "F2+TBM": "F"}  # what each is held against; F2 against F, as the paper does
# Figs. 2 and 6; F2 is left out there, since the paper calls its results almost identical to F's.
WITHOUT_TBM, WITH_TBM = ("F", "D", "F+BAC", "D+BAC"), ("F+TBM", "D+TBM", "F+BAC+TBM", "D+BAC+TBM")
OF_FIGURE_7, OF_LONG_RUN = ("F", "D", *BASE), (*WITHOUT_TBM, *WITH_TBM)


# The loads of Table 1.

ROUND, LONG_RUN = 2.0, 10.0  # capacities that a synthetic trace and the longest runs write
MOST_S = 60 * 86400  # simulated seconds of those: at full size, gaps are shortened to that, unseen by idle devices
AT_ONCE = "workload.speedup=1e6"  # requests come so fast that the queue of the device is always full
SHOWN = "prj-0"  # the workload of Figs. 2 and 6


@attrs.frozen
class Published:
    """A row of Table 1, the sizes that make up its means, and what the pieces of real traces tell of its like."""

    write_share: float
    write_kib: float
    gap_ms: float
    read_sizes: Sizes
    write_sizes: Sizes
    piece: str = "prxy_0"
    """Whose arrivals it has."""
    zipf_theta: float = ZIPF_THETA
    align_kib: float = PAGE_KIB

    def config(self, hardware: HardwareConfig, footprint: float, volume: float) -> SyntheticConfig:
        """Return a workload that writes `volume` times the device's pages, to `footprint` of it; it has no sizes."""
        pages_a_write = 1 + (self.write_kib - self.align_kib) / hardware.page_kib
        requests = volume * pages_of(hardware) / pages_a_write / self.write_share
        common = SyntheticConfig(
            requests=round(requests),
            read_share=1 - self.write_share,
            pattern="zipf",
            zipf_theta=self.zipf_theta,
            align_kib=self.align_kib,
            footprint=min(footprint / (1 - SPARE), 1.0),
            rate_iops=max(1000 / self.gap_ms, requests * LONG_RUN / volume / MOST_S),
        )
        return attrs.evolve(common, **FITTED.get(self.piece, {}))


def _msr(write_share: float, read_kib: float, write_kib: float, gap_ms: float) -> Published:
    return Published(write_share, write_kib, gap_ms, msr_sizes(read_kib), msr_sizes(write_kib))


TABLE_1 = {
    "tpce": Published(0.08, 8.4, 0.3, {8: 1.0}, whole_about(8.4, 4), "DevelopmentToolsRelease", align_kib=0.5),
    "prn-0": _msr(0.89, 22.9, 9.7, 108.3),
    "prn-1": _msr(0.25, 22.5, 11.7, 53.8),
    "exch": attrs.evolve(_msr(0.72, 16.8, 15.9, 1.1), piece="DevelopmentToolsRelease", zipf_theta=0.25),
    "fin1": Published(0.77, 3.8, 8.2, whole_about(2.3, 1), whole_about(3.8, 1), "Financial1", 0.7, 0.5),
    "prj-0": _msr(0.88, 17.9, 40.9, 143.2),
}
POST = PROJECT.parent / "shared" / "traces" / "data" / "postmark.msr-ssdmodel.disksim.xz"


def synthetic(name: str, volume: float, given: Given) -> tuple[list[str], float]:
    """Return the overrides of a row of Table 1 on its device, and what the trace writes, in capacities."""
    on, row = device(given.scale), TABLE_1[name]
    row = attrs.evolve(row, piece=given.options.get("arrivals", row.piece))
    hardware, footprint = hardware_of(tuple(on)), float(given.options.get("footprint", 1 - SPARE))
    config, sizes = row.config(hardware, footprint, volume), (row.read_sizes, row.write_sizes)
    asked = config, *sizes, hardware.capacity_bytes, PAGE_KIB * 1024, given.seed
    return [*on, *made_once(name, given.folder, _traces.requests, *asked)], volume


def real(path: Path, given: Given) -> tuple[list[str], float]:
    """Return the overrides of a whole trace on a device that holds it, and what it writes, in capacities."""
    page_bytes = hardware_of(tuple(device(given.scale))).page_bytes
    touched, written = pages_touched(path, page_bytes)
    on = device(given.scale, touched)
    return [*on, *replayed(path)], written / pages_of(hardware_of(tuple(on)))


@cache
def pages_touched(path: Path, page_bytes: int) -> tuple[int, int]:
    """Return the pages that a trace touches, and how many it writes."""
    load, written = open_workload(TraceConfig(path=str(path)), 2**60, page_bytes, 0), 0
    marks = np.zeros(load.describe()["addresses"]["extent_bytes"] // page_bytes + 2, np.int32)
    for chunk in load.chunks():
        first, last = chunk.offset_bytes // page_bytes, (chunk.offset_bytes + chunk.size_bytes - 1) // page_bytes
        # one more from the first page on, one fewer behind the last
        np.add.at(marks, first, 1)
        np.add.at(marks, last + 1, -1)
        written += int(((last - first + 1) * (chunk.op == WRITE)).sum())
    return int(np.count_nonzero(marks.cumsum() > 0)), written


# The runs.

LONG, SATURATED, TIMELY = "long", "saturated", "timely"
PARTS = {SATURATED: Part(("F", "D", "F2", *BASE)), TIMELY: Part(OF_FIGURE_7), LONG: Part(OF_LONG_RUN, [SHOWN])}


def overrides(run: Run, given: Given) -> list[str] | None:
    """Return the overrides of a run, None if PostMark's trace is not there."""
    volume = LONG_RUN if run.part == LONG else float(given.options.get("volume", ROUND))
    path = given.traces.get(run.load.lower())
    if path is None and run.load in TABLE_1:
        load, written = synthetic(run.load, min(volume, ROUND), given)
    elif (path or POST).is_file():
        load, written = real(path or POST, given)
    else:
        return None
    repeat = f"workload.repeat={max(ceil(volume / written - 0.01), 1)}"
    is_timely = run.part == TIMELY or given.options.get("times") == "own"
    return [*COMMON, f"seed={given.seed}", *SYSTEMS[run.system], *load, repeat, *([] if is_timely else [AT_ONCE])]


# Measures: a run is a course over the volume written, of which there is a span.

SPANS = {
    "_early": (0.0, 0.75),  # before collection starts
    "_late": (8.0, np.inf),  # in which the long run is long
    "": (1.25, np.inf),  # when collection has gone through a fair part of the blocks
    **{f"_{part}": (part - 1.0, float(part)) for part in range(1, round(LONG_RUN) + 1)},
}
COURSE = [str(part) for part in range(1, round(LONG_RUN) + 1)]
JOINED = {"writes": ("host_programs_joined", "host_programs"), "reads": ("host_reads_joined", "host_reads")}
COLUMNS = ["time_s", "window_s", "reads", "writes", "read_response_us", "write_response_us", "queue_depth"]
COLUMNS += ["host_page_writes", "gc_collections", *JOINED["writes"], *JOINED["reads"]]


def _course(result: Result) -> dict[str, np.ndarray]:
    """Return the columns of a run by window, with the `volume` at its end and the `window_s` since the one before."""
    series = result.timeseries
    columns = {name: np.nan_to_num(series[name].to_numpy().astype(float)) for name in COLUMNS}
    columns["volume"] = np.cumsum(columns["host_page_writes"]) / pages_of(config_of(result.folder).hardware)
    columns["window_s"] = np.diff(columns["time_s"] + columns["window_s"], prepend=0.0)
    return columns


def between(result: Result, key: str, span: str) -> float | None:
    """Return a figure between two volumes, None for one of nothing that happened."""
    course = _course(result)
    (start, end), volume = SPANS[span], course["volume"]
    within = (volume > start) & (volume <= end)

    def total(*names: str) -> float:
        return float(np.prod([course[name][within] for name in names], axis=0).sum())

    requests = total("reads") + total("writes")
    response_us = total("reads", "read_response_us") + total("writes", "write_response_us")
    part, whole = {
        "response": (response_us, 1000 * requests),  # ms from arrival
        "queued": (1000 * total("queue_depth", "window_s"), requests),  # ms from admission
        "iops": (requests, total("window_s")),
        "collections": (1000 * total("gc_collections"), total("host_page_writes")),
        **{key: (100 * total(joined), total(every)) for key, (joined, every) in JOINED.items()},
    }[key]
    return part / whole if whole else None


def first_collection(result: Result) -> float | None:
    """Return the volume at which collection starts, None if it does not."""
    course = _course(result)
    collected = np.flatnonzero(course["gc_collections"])
    return float(course["volume"][collected[0]]) if len(collected) else None


def erases_joined(result: Result) -> float | None:
    """Return the percent of erases that are of several planes."""
    share = result.summary["multi_plane"]["erase_share"]
    return None if share is None else 100 * share


def moves(result: Result) -> float | None:
    """Return the pages that collection moves for each block that it erases."""
    erased = sum(result.summary["flash"]["erases"].values())
    return result.summary["gc"]["page_moves"] / erased if erased else None


OF_A_SPAN = ("iops", "response", "queued", "collections", *JOINED)
MEASURES: Measures = {
    **{f"{key}{span}": partial(between, key=key, span=span) for key in OF_A_SPAN for span in SPANS},
    **{measure.__name__: measure for measure in (first_collection, erases_joined, moves)},
}


# The words of formulas, each of measures.


def farthest(numbers: Numbers) -> float:
    """Return the number that is the farthest from 0, with its sign, of those known."""
    return float(max(known(numbers), key=abs, default=np.nan))


def rise(early: Measure, late: Measure, system: str) -> Numbers:
    """Return by how many percent a figure rises from early to late in the long run."""
    return above(late(system, SHOWN, LONG), early(system, SHOWN, LONG))


def lower(measure: Measure, system: str, base: str) -> Numbers:
    """Return by how many percent `system` is below `base` in the long run."""
    return below(measure(system, SHOWN, LONG), measure(base, SHOWN, LONG))


def and_largest(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers of the workloads, and the largest of them."""
    return np.append(numbers, largest(numbers))


def more_writes(writes: Measure, system: str) -> Numbers:
    """Return by how many points of the page writes more of a system are multi-plane than of its base."""
    return writes(system) - writes(BASE[system])


def gain(measure: Measure, system: str, loads: str | None = None) -> Numbers:
    """Return by how many percent a system has more than its base, saturated."""
    return above(measure(system, loads), measure(BASE[system], loads))


def saved(measure: Measure, system: str, part: str, loads: str | None = None) -> Numbers:
    """Return by how many percent a system has less than its base."""
    return below(measure(system, loads, part), measure(BASE[system], loads, part))


def _long_run(number: int, key: str, what: str, systems: Sequence[str]) -> Figure:
    parts = {system: [f"{key}_{part}('{system}', SHOWN, LONG)" for part in COURSE] for system in systems}
    columns = {system: f"[{', '.join(of_parts)}]" for system, of_parts in parts.items()}
    return Figure(f"Fig. {number} ({key}): {what} of {SHOWN} by the volume written", columns, COURSE, lines=True)


def _of_figure_7(what: str, formula: str) -> Figure:
    return Figure(f"Fig. 7 ({what}", {system: formula.format(f"'{system}'") for system in BASE}, WITH_LARGEST)


LONG_RUN_OF = {
    "queued": "response time, ms",
    "collections": "collections per 1000 pages",
    **{key: f"multi-plane {key}, percent" for key in JOINED},
}
WITH_LARGEST = [*TABLE_1, "post", "largest"]

FIGURES = [
    *(
        _long_run(number, key, what, systems)
        for number, systems in ((2, WITHOUT_TBM), (6, WITH_TBM))
        for key, what in LONG_RUN_OF.items()
    ),
    _of_figure_7("IOPS): IOPS raised over those without TBM, percent", "and_largest(gain(iops, {}))"),
    _of_figure_7("response): response time lowered by TBM, percent", "and_largest(saved(response, {}, TIMELY))"),
    _of_figure_7(
        "writes): multi-plane writes over those without TBM, in points", "and_largest(more_writes(writes, {}))"
    ),
    _of_figure_7("moves): pages moved a block erased, raised by TBM, percent", "and_largest(gain(moves, {}))"),
]

PAPER = Paper(globals(), Fraction(1, 256), 3, [*TABLE_1, "post"], PARTS, overrides, MEASURES, FIGURES)
main = partial(command.main, PAPER)

if __name__ == "__main__":
    sys.exit(main())
