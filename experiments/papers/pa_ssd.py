"""The experiments of the PA-SSD paper.

W. Zhang, Q. Cao, H. Jiang, J. Yao, "Improving Overall Performance of TLC SSD by Exploiting Dissimilarity of Flash
Pages" (IEEE TPDS 31(2), 2020).

The device is that of the paper's Table 1 with fewer planes a chip, and from two on fewer blocks a plane: a chip does
one thing at a time, so that its planes are capacity alone. The workloads of Table 2 send it as small a share of their
requests at their own rate, so that pages of a type run out at the same point of a trace. They are synthetic, with the
counts, sizes and shares of Table 2. What it does not tell is taken from pieces of real traces:

- The mean rate is the number of requests over the duration that the trace's publisher gives: Microsoft's last 24
  hours, but 6 for the file server (Kavalanekar et al., IISWC 2008); Financial1 spans 12.1 hours.
- Arrivals are those fitted (`experiments/papers/arrivals.tsv`), by a rule that was stated before they were run, to the
  piece of the trace itself for tFin and tDTR; the six others have those of tDTR's, the only one of Microsoft's
  servers, but for tDAP and tExch. The text has more than ten requests in the device's queue under tDAP, as sQD makes
  more of its writes fast (6.1, Fig. 14), and long queues of the chips under tExch (6.2); with tDTR's arrivals they
  have next to none, so they have those of MSR 20-80, the one piece that gives them any.
- A rush, a level of a second or more, keeps the device busy for at most 0.6 of its time, with all page types written
  alike: the middle of the loads that the fit looks at (0.3 to 0.9). What is fitted is above that under tMSFS alone,
  where writes would come faster than the device programs them.
- A large write is one that touches more than one page (5.2), so all requests start on multiples of 4 KiB: no small
  write crosses a page, and every large one, of whole pages, does.
- Addresses follow Zipf's law, with the exponent of the writes of Financial1's piece, and of tDTR's for all of
  Microsoft's. The footprint is a third of the bytes moved, at most a quarter of the device; the pieces have 0.2 and
  0.7.

So they know bursts and rushes of up to some minutes, but neither hours of rush nor any tie of size, address and time.
Fig. 6 has aligned writes at random places of a twentieth of a small device, so that collection finds blocks without
valid pages: moved pages would take turns of their own in the active block, which the closed forms do not know.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import attrs
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdsim.command.compose import composed
from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result

from ..study import command
from ..study.formulas import Numbers, below, every, mean, over
from ..study.paper import Figure, Given, Measure, Measures, Paper, Part, Run
from ..study.trace_files import made_once, replayed
from . import _traces
from ._traces import FITTED, Sizes, between, whole_about

# The device and the schemes.

PLANES, BLOCKS = 16, 384  # planes a chip and blocks a plane of the paper's device (Table 1)
FEWEST_PLANES, FEWEST_BLOCKS = 2, 32
PAGE_KIB, SMALL_KIB = 8, 4  # the latter is the most common small request, and what all start on multiples of

SCHEMES = {"sU": "uniform", "sLF": "lsb_first", "sSB": "size_based", "sQD": "queue_depth", "sUB": "utilization"}
# Section 5.3; sHG needs hints that the traces lack, and sWB without a buffer is sLF.
COMBINED = ["sU", "sLF", "sSB+sU", "sSB+sUB", "sQD+sU", "sQD+sUB"]
REORDERED = [name for name in COMBINED if name != "sLF"]  # those that the paper combines with PAS
BEST = FASTEST = "sQD+sUB+PAS"

# Planes are found by static striping: with round robin all stand at the same page type, and pages of a write would not
# be of independent types on the baseline, as Section 3 has them. How many requests are in the device at once the paper
# does not say (5): this is deep enough for ten to be few (sQD), and for writes to be passed 10 and 20 times (PAS).
# Collection moves page by page, as SSDSim does: a block programs its pages in order, so that of several moved at once
# those of the slowest type would stand before a write of the host.
COMMON = ["precondition=aged", "ftl.plane_allocation=CWDP", "host.queue_depth=256", "ftl.gc.moves_in_flight=1"]


def _page_type_aware(name: str) -> list[str]:
    types = ",".join(SCHEMES[scheme] for scheme in name.removesuffix("+PAS").split("+"))
    reorders = str(name.endswith("+PAS")).lower()
    return ["stack=pa_ssd", f"ftl.page_type=[{types}]", f"scheduler.page_type_aware={reorders}"]


AWARE = [*COMBINED, *(f"{name}+PAS" for name in REORDERED)]
SYSTEMS = {"baseline": ["stack=baseline", "ftl.active_blocks=shared"]} | {s: _page_type_aware(s) for s in AWARE}


def device(scale: Fraction) -> list[str]:
    """Return the overrides of the paper's device at a scale: fewer planes before fewer blocks."""
    planes = max(round(PLANES * scale), FEWEST_PLANES)
    blocks = round(PLANES * BLOCKS // planes * scale)
    if blocks < FEWEST_BLOCKS:
        raise ConfigError(f"--scale={scale}: leaves {blocks} blocks a plane; take at least 1/96.")
    # two free blocks to collect with, three active ones beside the data: of few that is more than the paper's spare
    hard = max(0.05, 2.001 / blocks)
    return [
        *("hardware=pa_ssd", f"hardware.planes_per_die={planes}", f"hardware.blocks_per_plane={blocks}"),
        f"hardware.over_provisioning={max(0.15, 4 / blocks + hard):.6f}",
        f"ftl.gc.hard_threshold={hard:.6f}",
    ]


@cache
def capacity_bytes(scale: Fraction) -> int:
    """Return the bytes that the host sees of the device at a scale."""
    return composed(device(scale)).hardware.capacity_bytes


# The loads of Table 2, from light to heavy.

RUSH_S, BUSY = 1.0, 0.6
CHIPS, PROGRAM_US = 16, (500, 2000 + 100, 5500 + 200)  # with the reads of a wordline that is not buffered (5.1)
PAGES_A_SECOND = CHIPS * 1e6 / (sum(PROGRAM_US) / 3 + PAGE_KIB * 1024 * 0.003)


@attrs.frozen
class Published:
    """A row of Table 2, how many hours the trace spans, and what pieces tell of its like."""

    requests: int
    write_share: float
    read_gib: float
    write_gib: float
    large_share: float
    hours: float
    piece: str = "DevelopmentToolsRelease"
    """Whose arrivals it has."""
    zipf_theta: float = 0.25

    def config(self, scale: Fraction, busy: float, longer: float = 1.0) -> SyntheticConfig:
        """Return `scale` times its requests, without sizes, whose rushes keep the device at most so `busy`."""
        gib = self.read_gib + self.write_gib
        common = SyntheticConfig(
            requests=max(round(self.requests * scale), 1),
            read_share=1 - self.write_share,
            align_kib=SMALL_KIB,
            pattern="zipf",
            zipf_theta=self.zipf_theta,
            footprint=min(gib * 2**30 * float(scale) / 3 / capacity_bytes(scale), 0.25),
            rate_iops=self.requests / (self.hours * 3600),
        )
        return attrs.evolve(common, **self.arrivals(busy, longer))

    def arrivals(self, busy: float, longer: float = 1.0) -> dict[str, Any]:
        """Return the keys fitted to its piece, its rushes within what keeps the device `busy`, and so much `longer`."""
        fitted = FITTED.get(self.piece, {})
        pages = sum(share * -(-size // PAGE_KIB) for size, share in self.sizes[1].items())
        most = busy * PAGES_A_SECOND / (self.requests * self.write_share * pages / (self.hours * 3600))

        def kept(level: dict[str, float]) -> dict[str, float]:
            is_rush = level["length_s"] >= RUSH_S
            kept = {"traffic": min(level["traffic"], most * level["share"]), "length_s": level["length_s"] * longer}
            return level | kept if is_rush else level

        return fitted | {"write_levels": [kept(level) for level in fitted.get("write_levels", [])]}

    @property
    def sizes(self) -> tuple[Sizes, Sizes]:
        """Sizes of reads and writes in KiB, with their shares."""
        read_kib = self.read_gib * 2**20 / (self.requests * (1 - self.write_share))
        pages = self.write_gib * 2**20 / PAGE_KIB / (self.requests * self.write_share)
        reads = whole_about(read_kib, SMALL_KIB if read_kib >= SMALL_KIB else SMALL_KIB // 2)
        return reads, write_sizes(pages, self.large_share)


def write_sizes(pages: float, large_share: float) -> dict[int, float]:
    """Return sizes in KiB with their shares, of mean `pages`, of which `large_share` are of two pages or more.

    Small writes are of `SMALL_KIB`, and the others of the two numbers of whole pages that make up the mean; if that is
    too much even with two pages, some of the small ones are half as long.
    """
    mean_kib, two = pages * PAGE_KIB, 2 * PAGE_KIB
    large = (mean_kib - SMALL_KIB * (1 - large_share)) / large_share
    if large >= two:
        small_sizes, large_sizes = {SMALL_KIB: 1.0}, whole_about(large, PAGE_KIB)
    else:
        small = (mean_kib - two * large_share) / (1 - large_share)
        small_sizes, large_sizes = between(SMALL_KIB // 2, SMALL_KIB, small), {two: 1.0}
    return {
        **{size: share * (1 - large_share) for size, share in small_sizes.items()},
        **{size: share * large_share for size, share in large_sizes.items()},
    }


TABLE_2 = {
    "tFin": Published(5_334_987, 0.77, 2.7, 14.6, 0.06, 12.1, "Financial1", 0.7),
    "tRA": Published(2_214_073, 0.90, 2.3, 15.6, 0.12, 24),
    "tDAP": Published(1_086_729, 0.44, 36.2, 44.1, 0.32, 24, "MSR 20-80"),
    "tRBESS": Published(5_250_996, 0.82, 97.0, 47.9, 0.30, 24),
    "tDTR": Published(18_195_701, 0.32, 252.1, 176.1, 0.53, 24),
    "tExch": Published(7_450_837, 0.46, 37.4, 41.3, 0.17, 24, "MSR 20-80"),
    "tMSFS": Published(29_345_085, 0.33, 200.9, 102.3, 0.10, 6),
    "tBS": Published(11_873_555, 0.49, 149.8, 166.2, 0.67, 24),
}
HEAVY = ("tMSFS", "tBS")
LIGHT = [name for name in TABLE_2 if name not in HEAVY]

# Fig. 11: three writes of different page types that come to one chip at once, by what the host says for a write to get
# a page of a type (sHG), after some written one by one, for there to be a page of each type to program. 16 pages lie
# between one and the next of the same plane: the small device has 4 chips of 4 planes.
HINTS = {"LSB": "low", "CSB": "normal", "MSB": "idle"}
WRITE_ORDERS = ("MSB CSB LSB", "CSB MSB LSB", "LSB CSB MSB")
BEFORE, STRIDE, APART_NS = ("LSB",) * 8 + ("CSB",) * 4, 16, 10**9
SMALL_DEVICE = ["hardware=pa_ssd_small", "stack=pa_ssd", "precondition=none", "scheduler.page_type_aware=false"]


def order(name: str, given: Given) -> list[str]:
    """Return the overrides that replay the writes of an order."""
    types, size = [*BEFORE, *name.split()], PAGE_KIB * 1024
    rows = [
        f"{APART_NS * min(place, len(BEFORE))},write,{STRIDE * size * place},{size},{HINTS[page_type]}"
        for place, page_type in enumerate(types)
    ]
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / f"{name.replace(' ', '_')}.csv"
    header = "arrival_ns,op,offset_bytes,size_bytes,access_latency"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return replayed(path)


# The runs.

MAIN, ROUNDS, BLIND, ORDERS = "figures", "three rounds", "writes of the baseline", "orders of three writes"
SIZES = [f"{pages} pages" for pages in range(1, 9)]  # of the writes of Fig. 6
PARTS = {
    MAIN: Part([*SYSTEMS]),
    ROUNDS: Part(("baseline", "sLF", "sQD+sU", "sQD+sUB"), ["tMSFS"]),
    BLIND: Part(["baseline"], SIZES),
    ORDERS: Part(["in turn"], WRITE_ORDERS),
}


def overrides(run: Run, given: Given) -> list[str]:
    """Return the overrides of a run."""
    if run.part == ORDERS:
        return [*SMALL_DEVICE, "ftl.page_type=[host_guided,uniform]", "record=[requests]", *order(run.load, given)]
    common = [*COMMON, f"seed={given.seed}", *SYSTEMS[run.system]]
    if run.part == BLIND:
        blind = ["hardware=pa_ssd_small", "workload=synthetic", "workload.align_kib=8", "workload.requests=20000"]
        size = f"workload.size_kib={PAGE_KIB * int(run.load.split()[0])}"
        return [*common, *blind, "workload.read_share=0", "workload.footprint=0.05", size]
    repeat = ["workload.repeat=3", "record=[requests]"] if run.part == ROUNDS else []
    return [*common, *device(given.scale), *trace(run.load, given), *repeat]


def trace(name: str, given: Given) -> list[str]:
    """Return the overrides that replay the share of a workload that goes with the size of the device."""
    row = TABLE_2[name]
    row = attrs.evolve(row, piece=given.options.get("arrivals", row.piece).replace("_", " "))
    longer = float(given.scale) if given.options.get("rushes") == "scaled" else 1.0
    config = row.config(given.scale, float(given.options.get("busy", BUSY)), longer)
    if path := given.traces.get(name.lower()):
        return [*replayed(path), f"workload.limit={config.requests}"]
    asked = config, *row.sizes, capacity_bytes(given.scale), PAGE_KIB * 1024, given.seed
    return made_once(name, given.folder, _traces.requests, *asked)


# Measures.

SPEEDS = ("fast", "medium", "slow")
LSB_A_BLOCK = 384 // 3  # LSB pages of a block (Table 1), at every scale
MEAN_PROGRAM_US = (500 + 2000 + 5500) / 3


def response_us(result: Result, op: str = "write", key: str = "mean") -> float | None:
    """Return a number of the response time's distribution, None without requests."""
    requests = result.summary["requests"][op]
    return requests["response_us"][key] if requests["count"] else None


def usable_lsb(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return hours and the free LSB pages at the ends of windows, without the block that a plane keeps to collect."""
    series = result.timeseries
    hours = (series["time_s"].to_numpy() + series["window_s"].to_numpy()) / 3600
    kept = len(result.summary["utilization"]["plane"]) * LSB_A_BLOCK
    return hours, series["free_lsb"].to_numpy().astype(float) - kept


COURSE = tuple(range(1, 25))
"""The parts of a run, of equal length, that figures show one after the other: quarters of an hour of tMSFS."""


def _in_part(result: Result, part: int) -> np.ndarray:
    """Return the mask of the windows that end within a part of a run."""
    hours, _ = usable_lsb(result)
    return np.ceil(hours / hours[-1] * len(COURSE)) == part


def response_in(result: Result, part: int) -> float | None:
    """Return the mean response time in milliseconds of the writes that are completed in a part of a run."""
    series, within = result.timeseries, _in_part(result, part)
    writes, response = (series[name].to_numpy()[within] for name in ("writes", "write_response_us"))
    return float(np.nan_to_num(writes * response).sum() / writes.sum() / 1000) if writes.sum() else None


def free_lsb_in(result: Result, part: int) -> float | None:
    """Return the percent of the LSB pages for use that are left at the end of a part of a run."""
    _, usable = usable_lsb(result)
    within = np.flatnonzero(_in_part(result, part))
    return 100 * float(usable[within[-1]] / usable[0]) if len(within) else None


def lasted(result: Result, used_up: float) -> float:
    """Return the percent of the run after which less than `used_up` percent of the LSB pages were left for use."""
    hours, usable = usable_lsb(result)
    spent = np.flatnonzero(usable < used_up / 100 * usable[0])
    return 100 * float(hours[spent[0]] / hours[-1]) if len(spent) else 100.0


def left(result: Result) -> float:
    """Return the percent of the LSB pages for use that are left at the fewest, in the first two of three rounds."""
    hours, usable = usable_lsb(result)
    return 100 * float(usable[hours <= 2 / 3 * hours[-1]].min() / usable[0])


def third_round(result: Result) -> float:
    """Return the mean response time of the writes in the last of three rounds, in microseconds."""
    assert result.folder is not None
    columns, writes = ["id", "response_ns"], [("op", "=", "write")]
    table = pq.read_table(result.folder / "requests.parquet", columns=columns, filters=writes)
    begin = sum(result.summary["requests"][op]["count"] for op in ("read", "write")) // 3 * 2
    return float(pc.mean(table["response_ns"].filter(pc.greater_equal(table["id"], begin))).as_py() / 1000)


def speed(result: Result, name: str) -> float:
    """Return the percent of writes that are of one of `SPEEDS`."""
    return 100 * (result.summary["page_types"][name] or 0.0)


MEASURES: Measures = {
    "write": response_us,
    "read": partial(response_us, op="read"),
    "deviation": partial(response_us, key="std"),
    **{name: partial(speed, name=name) for name in SPEEDS},
    "success": lambda result: 100 * (result.summary["page_types"]["success_rate"] or 0.0),
    "pages": lambda result: result.summary["host_page_writes"],
    "collections": lambda result: result.summary["gc"]["collections"],
    "third_round": third_round,
    **{f"response_{part}": partial(response_in, part=part) for part in COURSE},
    **{f"free_lsb_{part}": partial(free_lsb_in, part=part) for part in COURSE},
    "last_three": lambda result: result.requests["response_ns"].to_numpy()[-3:].mean(),
    # less than 3 percent of the LSB pages count as used up, as some planes are written less
    "lasted": partial(lasted, used_up=3),
    **{f"lasted_{percent}": partial(lasted, used_up=percent) for percent in (10, 25)},
    "left": left,
}


# The words of formulas, each of measures.

Loads = str | Sequence[str] | None


def saved(measure: Measure, system: str, loads: Loads = None, base: str = "baseline") -> Numbers:
    """Return by how many percent a system lowers a measure of `base`."""
    return below(measure(system, loads), measure(base, loads))


def average(measure: Measure, system: str, loads: Loads = None, base: str = "baseline") -> float:
    """Return the mean reduction over workloads, all of which have to be there."""
    return mean(every(saved(measure, system, loads, base)))


def times(measure: Measure, system: str) -> float:
    """Return how many times as fast a system is, by the mean of its reductions."""
    return 1 / (1 - average(measure, system) / 100)


def least_but(measure: Measure, system: str, load: str) -> Numbers:
    """Return the least of the schemes other than `system`."""
    return np.min([measure(name, load) for name in COMBINED if name != system])


def over_third(third_round: Measure, systems: Sequence[str]) -> Numbers:
    """Return the response times of the third round of tMSFS over the baseline's."""
    return [over(third_round(system, "tMSFS", ROUNDS), third_round("baseline", "tMSFS", ROUNDS)) for system in systems]


def in_all(rates: Measure, weights: Measure, system: str) -> Numbers:
    """Return a rate of all workloads together."""
    return (rates(system) * weights(system)).sum() / weights(system).sum()


def at_worst(rates: Measure, _: Measure, system: str) -> Numbers:
    """Return the lowest rate of a workload."""
    return np.min(rates(system))


def _over_baseline(measure: str) -> dict[str, str]:
    return {name: f"over({measure}('{name}'), {measure}('baseline'))" for name in COMBINED}


def _course(measure: str, load: str) -> dict[str, str]:
    systems = ("baseline", "sU", "sLF", "sQD+sU", "sQD+sUB")
    parts = {name: [f"{measure}_{part}('{name}', '{load}')" for part in COURSE] for name in systems}
    return {name: f"[{', '.join(of_parts)}]" for name, of_parts in parts.items()}


WITHOUT_PAS, PARTS_OF_RUN = ["baseline", *COMBINED], [str(part) for part in COURSE]
LASTING = PARTS[ROUNDS].systems

FIGURES = [
    Figure(
        "Fig. 6: blind writes by their pages, percent",
        {s: f"{s}('baseline', SIZES, BLIND)" for s in SPEEDS},
        SIZES,
        lines=True,
    ),
    Figure(
        "Fig. 11: mean response of three writes over that of MSB CSB LSB",
        {"in turn": "over(last_three('in turn', WRITE_ORDERS, ORDERS), last_three('in turn', 'MSB CSB LSB', ORDERS))"},
        WRITE_ORDERS,
    ),
    Figure("Fig. 13a: mean write response time over the baseline's", _over_baseline("write"), averaged=True),
    Figure("Fig. 13b: mean read response time over the baseline's", _over_baseline("read"), averaged=True),
    Figure(
        "Fig. 14: fast, medium and slow writes of tDAP, percent",
        {name: f"[{name}(system, 'tDAP') for system in WITHOUT_PAS]" for name in SPEEDS},
        WITHOUT_PAS,
    ),
    Figure(
        "Fig. 15: sub-requests given the page type specified, percent",
        {"all workloads": "[in_all(success, pages, system) for system in COMBINED]"},
        COMBINED,
    ),
    Figure(
        "Table 3: reduction of the write response time by PAS, percent",
        {f"{name}+PAS": f"saved(write, '{name}+PAS', base='{name}')" for name in REORDERED},
        averaged=True,
    ),
    *(
        Figure(f"Fig. {number}: {load} over time, {what}", _course(measure, load), PARTS_OF_RUN, lines=True)
        for number, load, measure, what in (
            ("16a (left)", "tFin", "response", "write response time, ms"),
            ("16a (right)", "tFin", "free_lsb", "LSB pages left, percent"),
            ("16b (left)", "tMSFS", "response", "write response time, ms"),
            ("16b (right)", "tMSFS", "free_lsb", "LSB pages left, percent"),
        )
    ),
    Figure(
        "Fig. 17: write response time of the third round of tMSFS over the baseline's",
        {"third round": "over_third(third_round, LASTING)"},
        LASTING,
    ),
]

PAPER = Paper(globals(), Fraction(1, 16), 5, [*TABLE_2], PARTS, overrides, MEASURES, FIGURES)
main = partial(command.main, PAPER)

if __name__ == "__main__":
    sys.exit(main())
