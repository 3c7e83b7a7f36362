"""The experiments of the SPD paper.

C. Gao, L. Shi, K. Liu, C. J. Xue, J. Yang, Y. Zhang, "Boosting the Performance of SSDs via Fully Exploiting the Plane
Level Parallelism" (IEEE TPDS 31(9), 2020).

The device is that of the paper's Table 1 with fewer blocks a plane. A run is the first part of a trace, over the whole
footprint and with the paper's buffer, 1 percent of that (but at least two pages of every plane's: with fewer there
would often be no die with enough dirty pages for a die write, 4.2.2). A slot of the buffer is free from eviction on,
as in SSDSim, which the paper builds on; the buffer is full when a run begins. Without GC the device is half full, give
or take 2 percent of a plane; with GC it is warmed up as in Section 5.1, which triggers collection immediately: what
collection wants because of that alone is counted, too. Pages of a collection move one after another (2.3) or row after
row (4.3.1), and those of TwinBlk in turn (6.2). A write that comes to a die being collected waits until its die wants
no more. Fig. 24 is at four times the scale: of the smallest device one more active block would take a 32nd of a plane.

The eleven workloads are synthetic, with the numbers of Table 2; what the table leaves out is that of pieces of such
volumes (`experiments/papers/_traces.py`), but for these:

- Requests. The reads are their volume over their mean size, and all requests follow with the share of writes. So five
  of the traces have 2.0 million requests and three 1.0 million: the paper cut them there. The volume written that
  follows is within 2.2 percent of the table's but for PRN_1. There 10.9 GB of 11.4 KB would be 43 percent of the
  requests, not 32.1; with 7.0 GB the trace has 2.0 million like the others, so that is taken.
- Arrivals come at two levels, in rushes and in bursts within these, by a rule that was stated before any run: a volume
  has those fitted to its own piece, if that is of ten thousand requests and lasts for minutes (prxy_0), and the others
  those of the one other such piece (20-80); lengths in seconds are kept, and the mean rate is the volume's.
- Rates are those of the volumes: the mean interarrival times of prn_0, prn_1 and proj_0 that the TBM paper gives, the
  requests of hm_0 (3.99 million) and prxy_0 (12.5 million) over their week, and for the others, whose number of
  requests no source at hand gives, those of the table over a week, which is too few if the paper cut them.

Reductions and rises are in percent of Baseline-D's, and averages are over its eleven workloads, where nothing else is
said. Where the text has words and no number, a difference called similar is within 5 percent, multi-plane commands
rise largely by 10 percent of the page writes, and planes are not well used up to 50. What means nothing by the paper's
own words are 1.203 percent of read latencies (6.2) and 1.92 of hit ratios (6.1).

Figs. 18 to 20 contradict each other: if 18.2 percent of the time is blocked, and 27.1 percent of that is saved, the
write latency falls by 4.9 percent, and not by 23.2. So no device can have all three.
"""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial

import attrs
import numpy as np

from ssdsim.command.compose import composed
from ssdsim.command.from_python import spelled
from ssdsim.config import HardwareConfig, SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result

from ..study import command
from ..study.formulas import Numbers, below, count, every, largest, mean
from ..study.paper import Figure, Given, Measure, Measures, Paper, Part, Run
from ..study.trace_files import made_once, replayed
from . import _traces
from ._traces import FITTED, PAGE_KIB, ZIPF_THETA, msr_sizes

# The device and the schemes.

BLOCKS = 2048  # a plane of the whole device (Table 1)
FEWEST_BLOCKS = 32  # 7 percent of fewer are too few for collection to work with

SYSTEMS = {
    "Baseline-D": ["stack=baseline_d"],
    "Baseline-P": ["stack=baseline_p"],
    "TwinBlk": ["stack=twinblk"],
    "SuperPage": ["stack=superpage"],
    "ParaGC": ["stack=paragc"],
    "SPD": ["stack=spd"],
    "SPD+": ["stack=spd_plus"],
}
BASE, PLUS = "Baseline-D", "SPD+"
GROUPING = ("TwinBlk", "SuperPage", "ParaGC")  # the rivals that collect blocks of several planes
RIVALS = ("Baseline-D", "Baseline-P", *GROUPING)
# Without collection ParaGC is Baseline-D, and SPD+ is SPD.
UNCOLLECTED = ("Baseline-D", "Baseline-P", "TwinBlk", "SuperPage", "SPD")

# What systems have beside their stacks: blocks for hot and for cold data (6.5 (4)), or DFTL's mapping (6.5 (3)).
MORE = {"": [], ", hot and cold": ["ftl.active_blocks=hot_cold"], ", DFTL": ["ftl/mapping=dftl"]}
APART = [f"{name}{more}" for more in ("", ", hot and cold") for name in (BASE, "SPD", PLUS)]
MAPPED = [f"{name}{more}" for more in ("", ", DFTL") for name in (BASE, "SPD")]

# Section 6: half full of outdated data and what is read, so that no plane comes to collect; or warmed up (5.1).
HALF_FULL = [
    *("precondition=fill", "precondition.fill_share=0.48", "precondition.fill_share_to=0.52"),
    *("precondition.valid_share=0", "precondition.whole_blocks=false", "precondition.full_buffer=true"),
]
WARM = ["precondition=spd_warm"]


@cache
def geometry(blocks: int) -> HardwareConfig:
    """Return the geometry of the device with so many blocks a plane."""
    return composed(["hardware=spd", f"hardware.blocks_per_plane={blocks}", *SYSTEMS[BASE]]).hardware


# The loads of Table 2.

WEEK_S = 7 * 24 * 3600  # what the traces of MSR Cambridge span
GB = 2**30


@attrs.frozen
class Published:
    """A row of Table 2, and the volume's mean rate if it is known."""

    write_share: float
    footprint_gb: float
    read_gb: float
    read_kb: float
    write_kb: float
    known_rate: float | None = None
    piece: str = "MSR 20-80"  # whose arrivals it has

    @property
    def requests(self) -> float:
        """The requests of the trace."""
        return self.read_gb * 2**20 / self.read_kb / (1 - self.write_share)

    @property
    def rate_iops(self) -> float:
        """The mean rate of the volume."""
        return self.known_rate or self.requests / WEEK_S


TABLE_2 = {
    "HM_0": Published(0.679, 1.35, 6.9, 11.2, 11.6, 3.99e6 / WEEK_S),
    "PRN_0": Published(0.937, 2.93, 3.0, 24.8, 11.6, 1 / 0.1083),
    "PRN_1": Published(0.321, 5.16, 31.4, 24.2, 11.4, 1 / 0.0538),
    "RSR_0": Published(0.907, 0.31, 1.8, 15.0, 12.6),
    "STG_0": Published(0.769, 0.28, 7.4, 33.6, 12.6),
    "PROJ_0": Published(0.829, 1.58, 7.2, 21.9, 35.7, 1 / 0.1432),
    "PROJ_3": Published(0.0489, 1.86, 21.6, 11.9, 29.9),
    "SRC2_0": Published(0.886, 0.52, 1.9, 12.2, 11.0),
    "TS_0": Published(0.826, 0.57, 4.9, 17.5, 11.8),
    "PRXY_0": Published(0.9706, 0.17, 0.27, 9.6, 6.2, 12.5e6 / WEEK_S, "prxy_0"),
    "WDEV_0": Published(0.799, 0.34, 3.2, 16.5, 12.1),
}
# Workloads that the text names together: SPD gains over 15 percent, TwinBlk nothing, collection blocks little.
LIKE_BASELINE = ("RSR_0", "STG_0", "TS_0", "PRXY_0")
SLIGHT = ("PRN_0", "PRN_1", "TS_0")

# Figs. 21 and 23: their one workload, and the sizes of its buffer in MiB; Fig. 24: the workloads of its larger scale.
ONE, SIZES = "RSR_0", ("0.25", "0.5", "1", "2", "4", "8", "16")
SEPARATED_LOADS = ("HM_0", "RSR_0", "TS_0")

# The runs.

FREE, GC, FOUR, BUFFERS = "without GC", "with GC", "four planes", "buffers"
MAPPINGS, SEPARATED = "mappings", "separated"
PARTS = {
    FREE: Part(UNCOLLECTED),
    GC: Part([*SYSTEMS]),
    FOUR: Part((BASE, "Baseline-P", "SPD")),
    BUFFERS: Part(UNCOLLECTED, SIZES),
    MAPPINGS: Part(MAPPED, [ONE]),
    SEPARATED: Part(APART, SEPARATED_LOADS),
}
LARGER = 4  # times the scale of the other figures that Fig. 24 is run at


def overrides(run: Run, given: Given) -> list[str]:
    """Return the overrides of a run."""
    scale = min(LARGER * given.scale, Fraction(1)) if run.part == SEPARATED else given.scale
    blocks = round(BLOCKS * scale)
    if blocks < FEWEST_BLOCKS:
        raise ConfigError(
            f"--scale={scale}: leaves {blocks} blocks a plane; take at least 1/{BLOCKS // FEWEST_BLOCKS}."
        )
    name = ONE if run.part == BUFFERS else run.load
    least_mib = 2 * geometry(blocks).planes * geometry(blocks).page_bytes / 2**20
    buffer_mib = float(run.load) if run.part == BUFFERS else max(0.01 * TABLE_2[name].footprint_gb * 2**10, least_mib)
    system, comma, kind = run.system.partition(",")
    return [
        "host.queue_depth=1024",  # no request waits for the host queue, which the paper's simulator does not have
        *(WARM if run.part in (GC, SEPARATED) else HALF_FULL),
        *(f"seed={given.seed}", *SYSTEMS[system], *MORE[f"{comma}{kind}"]),
        # Section 6.5 (2): multi-plane commands of four planes for SPD, of planes 0 and 1 or 2 and 3 for the others
        *(["flash.plane_groups=2"] if run.part == FOUR and system != "SPD" else []),
        *("hardware=spd", f"hardware.blocks_per_plane={blocks}", *trace(name, blocks, scale, given)),
        *("buffer.footprint_share=null", f"buffer.size_mib={buffer_mib:.6f}"),
        *(["hardware.planes_per_die=4"] if run.part == FOUR else []),
        # as many pages in a quarter of the dies, those of Section 4.2.2
        *(_fewer_dies(blocks) if given.options.get("dies") == "32" else []),
    ]


def _fewer_dies(blocks: int) -> list[str]:
    return ["hardware.channels=8", "hardware.chips_per_channel=4", f"hardware.blocks_per_plane={4 * blocks}"]


def trace(name: str, blocks: int, scale: Fraction, given: Given) -> list[str]:
    """Return the overrides that replay the first part of a workload, whole pages on multiples of 4 KiB."""
    row, capacity = TABLE_2[name], geometry(blocks).capacity_bytes
    requests = max(round(row.requests * scale), 1)
    if path := given.traces.get(name.lower()):
        return [*replayed(path), f"workload.limit={requests}"]
    config = SyntheticConfig(
        requests=requests,
        read_share=1 - row.write_share,
        pattern="zipf",
        zipf_theta=ZIPF_THETA,
        align_kib=PAGE_KIB,
        footprint=min(row.footprint_gb * GB / capacity, 1.0),
        rate_iops=row.rate_iops,
    )
    asked = config, msr_sizes(row.read_kb), msr_sizes(row.write_kb), capacity, PAGE_KIB * 1024, given.seed
    made = made_once(name, given.folder, _traces.requests, *asked)
    if given.options.get("arrivals") == "Poisson":
        return made
    fitted = [f"workload.{key}={spelled(value)}" for key, value in FITTED[row.piece].items()]
    return [*made, *fitted, f"workload.rate_iops={row.rate_iops:.6g}"]


# Measures.

GC_PARTS = ("read", "write", "transfer", "erase")
CASES = ("single", "unaligned", "parallel")  # the paper's cases 1, 3 and 4 (Section 3)


def latency(result: Result, op: str) -> float | None:
    """Return the mean response time of reads or writes in milliseconds."""
    served = result.summary["requests"][op]
    return served["response_us"]["mean"] / 1000 if served["count"] else None


def case(result: Result, name: str) -> float | None:
    """Return the percent of page writes of one of `CASES`, of those that are of any."""
    cases = result.summary["multi_plane"]["cases"] or {}
    total = sum(cases.get(kind) or 0 for kind in CASES)
    return 100 * (cases.get(name) or 0) / total if total else None


def most_planes(result: Result) -> float:
    """Return the most planes at work when an eviction is complete, in percent of all."""
    return 100 * result.summary["planes_at_work"]["max"] / (2 * len(result.summary["utilization"]["die"]))


def gc_cost(result: Result) -> float:
    """Return the seconds that collection took, of its commands and transfers."""
    return sum(result.summary["gc"]["cost_us"][part] for part in GC_PARTS) / 1e6


def gc_part(result: Result, part: str) -> float | None:
    """Return the milliseconds that a collection takes in the mean for one of `GC_PARTS`."""
    gc = result.summary["gc"]
    return gc["cost_us"][part] / 1000 / gc["collections"] if gc["collections"] else None


def quotient(result: Result, part: Callable[[Result], float], whole: Callable[[Result], float]) -> float | None:
    """Return a quotient of two measures, None over nothing."""
    return part(result) / whole(result) if whole(result) else None


def percent(result: Result, group: str, key: str) -> float | None:
    """Return a share of the summary in percent."""
    share = result.summary[group][key]
    return None if share is None else 100 * share


def of_gc(key: str, factor: float = 1.0) -> Callable[[Result], float]:
    """Return the measure of a number of collection."""
    return lambda result: factor * result.summary["gc"][key]


MEASURES: Measures = {
    "write": partial(latency, op="write"),
    "read": partial(latency, op="read"),
    "joined": partial(percent, group="multi_plane", key="write_share"),
    **{name: partial(case, name=name) for name in CASES},
    "planes": lambda result: result.summary["planes_at_work"]["mean"],
    "most_planes": most_planes,
    "hits": partial(percent, group="buffer", key="hit_ratio"),
    "collections": of_gc("collections"),
    "erases": lambda result: sum(result.summary["flash"]["erases"].values()),
    "gc_cost": gc_cost,
    "gc_each": partial(quotient, part=lambda result: 1000 * gc_cost(result), whole=of_gc("collections")),
    **{f"cost_{part}": partial(gc_part, part=part) for part in GC_PARTS},
    "gc_writes": partial(quotient, part=lambda result: result.summary["gc"]["cost_us"]["write"] / 1e4, whole=gc_cost),
    "blocked": partial(quotient, part=of_gc("blocked_write_us", 100), whole=of_gc("write_us")),
    "blocked_each": partial(quotient, part=of_gc("blocked_write_us", 0.001), whole=of_gc("blocked_writes")),
}


# The words of formulas, each of measures.

Loads = str | Sequence[str] | None


def correlation(ours: Numbers, theirs: Numbers) -> float:
    """Return the correlation of two measures over the workloads at which both are known, if both vary."""
    both = np.array([ours, theirs])[:, ~np.isnan(ours + theirs)]
    varies = both.shape[1] > 1 and (both.min(axis=1) < both.max(axis=1)).all()
    return float(np.corrcoef(both)[0, 1]) if varies else np.nan


def saved(measure: Measure, system: str, part: str = FREE, base: str = BASE, loads: Loads = None) -> Numbers:
    """Return by how many percent a system lowers a measure of `base`."""
    return below(measure(system, loads, part), measure(base, loads, part))


def lead(measure: Measure, rivals: Sequence[str], part: str) -> float:
    """Return SPD's average reduction less the largest of the rivals'."""
    return mean(saved(measure, "SPD", part)) - largest(mean(saved(measure, rival, part)) for rival in rivals)


def wins(measure: Measure, rivals: Sequence[str], part: str = FREE) -> float:
    """Return the number of workloads under which SPD's measure is below those of all rivals."""
    return count(np.min([saved(measure, "SPD", part, rival) for rival in rivals], axis=0))


def apart(numbers: Callable[[Sequence[str]], Numbers], loads: Sequence[str]) -> float:
    """Return the mean of numbers under some loads, all of which are known, less that under the others."""
    return mean(every(numbers(loads))) - mean(numbers([load for load in TABLE_2 if load not in loads]))


def _over_base(measure: str, systems: Sequence[str], part: str, base: str = BASE) -> dict[str, str]:
    others = [system for system in systems if system != base]
    return {system: f"over({measure}('{system}', part={part}), {measure}('{base}', part={part}))" for system in others}


def _by_load(title: str, columns: dict[str, str]) -> Figure:
    return Figure(title, columns, averaged=True)


COLLECTING = [*SYSTEMS][:-1]  # those of Figs. 13 to 17
WITH_MAPPINGS = [f"{name}{more}" for name in MAPPED[:2] for more in ("", ", DFTL")]

FIGURES = [
    _by_load("Fig. 2: page writes alone, unaligned and parallel, percent", {name: f"{name}(BASE)" for name in CASES}),
    _by_load("Fig. 9: write latency without GC over Baseline-D's", _over_base("write", UNCOLLECTED, "FREE")),
    _by_load("Fig. 10: page writes by multi-plane commands, percent", {s: f"joined('{s}')" for s in UNCOLLECTED}),
    _by_load("Table 3: read latency without GC over Baseline-D's", _over_base("read", UNCOLLECTED, "FREE")),
    _by_load("Fig. 11 (mean): planes at work over Baseline-D's", _over_base("planes", UNCOLLECTED, "FREE")),
    _by_load("Fig. 11 (most): most planes at work, percent of all", {s: f"most_planes('{s}')" for s in UNCOLLECTED}),
    _by_load("Fig. 12: hit ratio of the buffer, percent", {name: f"hits('{name}')" for name in UNCOLLECTED}),
    _by_load("Fig. 13: write latency with GC over Baseline-D's", _over_base("write", COLLECTING, "GC")),
    _by_load("Fig. 14: total cost of collection over Baseline-D's", _over_base("gc_cost", COLLECTING, "GC")),
    _by_load("Table 4: read latency with GC over Baseline-D's", _over_base("read", COLLECTING, "GC")),
    Figure(
        "Fig. 15: cost a collection, ms",
        {cost: f"[mean(cost_{cost}(system, part=GC)) for system in COLLECTING]" for cost in GC_PARTS},
        COLLECTING,
    ),
    _by_load("Fig. 16: collections over Baseline-D's", _over_base("collections", COLLECTING, "GC")),
    _by_load("Fig. 17: erased blocks over Baseline-D's", _over_base("erases", COLLECTING, "GC")),
    _by_load("Fig. 18: time of SPD's page writes that collection blocks, percent", {"SPD": "blocked('SPD', part=GC)"}),
    _by_load("Fig. 19: write latency of SPD+ over SPD's", _over_base("write", [PLUS], "GC", "SPD")),
    _by_load(
        "Fig. 20: mean time of a blocked page write of SPD+ over SPD's", _over_base("blocked_each", [PLUS], "GC", "SPD")
    ),
    Figure(
        "Fig. 21: write latency of RSR_0 by the MiB of the buffer, over Baseline-D's with the smallest",
        {name: f"over(write('{name}', SIZES, BUFFERS), write(BASE, '0.25', BUFFERS))" for name in UNCOLLECTED},
        SIZES,
        lines=True,
    ),
    _by_load(
        "Fig. 22: write latency with four planes a die over Baseline-D's",
        _over_base("write", PARTS[FOUR].systems, "FOUR"),
    ),
    Figure(
        "Fig. 23: write latency of RSR_0 over Baseline-D's, by page and by DFTL",
        {ONE: "[over(write(name, ONE, MAPPINGS), write(BASE, ONE, MAPPINGS)) for name in WITH_MAPPINGS]"},
        WITH_MAPPINGS,
    ),
    Figure(
        "Fig. 24: write latency with and without hot and cold blocks over Baseline-D's",
        {
            name: f"over(write('{name}', SEPARATED_LOADS, SEPARATED), write(BASE, SEPARATED_LOADS, SEPARATED))"
            for name in APART[1:]
        },
        SEPARATED_LOADS,
        averaged=True,
    ),
]

PAPER = Paper(globals(), Fraction(1, 64), 5, [*TABLE_2], PARTS, overrides, MEASURES, FIGURES)
main = partial(command.main, PAPER)

if __name__ == "__main__":
    sys.exit(main())
