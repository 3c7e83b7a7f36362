"""The experiments of the PCFTL paper.

W. Wang, T. Xie, "PCFTL: A Plane-Centric Flash Translation Layer Utilizing Copy-Back Operations" (IEEE Transactions on
Parallel and Distributed Systems, 2015).

The device is the paper's (Table 1) with fewer blocks a plane; requests, footprints, write cache and DFTL's cached map
are scaled along. Each plane works by itself: while two are collected, two others serve requests (3.3, Fig. 7). None is
collected in idle time; a write waits for the collection that it causes; a transfer takes 25 us (Table 1) whatever the
page, of which there are always 64 a block; 32 GB are four times the blocks. The device starts full down to where
collection begins, a third of it valid, what is read first; that third was fitted to the valid pages in victims.

The five workloads are synthetic, the presets of those names, with the shares, rates, mean sizes and durations of Table
2, and footprints such that as many of the pages written were written before; each says in its file what it is made of.

How uneven they are over planes follows from a rule, stated before anything was run by it. The paper gives standard
deviations in pages for TPC-C alone (5.3): under DLOOP 4,961 of the 19,302 page writes that Table 2 makes of each
plane, a coefficient of variation of 25.7 percent, and 661 under PCFTL. So it cannot be popular pages that make planes
uneven: these stay in their plane under PCFTL too. It has to be the page numbers themselves: of the 64 KiB that make a
round of the 32 planes, some parts are in use more often than others. In all five, requests therefore start at the
places of such a round with frequencies that rise in a straight line, as steeply as gives the pages written, by their
number modulo the planes, TPC-C's coefficient; which data is popular does not depend on it.

DFTL cannot carry TPC-C with pages of 2 KiB: its response time grows for as long as requests come, so that none is held
against the paper.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import ceil

import attrs
import numpy as np

from ssdsim.command.compose import composed
from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result
from ssdsim.workload import Chunk, SyntheticWorkload

from ..study import command
from ..study.formulas import Numbers, below
from ..study.paper import Figure, Given, Measure, Measures, Paper, Part, Run, config_of
from ..study.trace_files import made_once

# The device and the translation layers.

BLOCKS, PAGE_KIB = 2048, 2  # of a plane, and the pages that they are of; with larger pages there are fewer blocks
PLANES, PAGES_PER_BLOCK = 32, 64
FEWEST_BLOCKS, FEWEST_SPARE = 16, 3

BASE, RIVAL, OURS = SYSTEMS = "DFTL", "DLOOP", "PCFTL"
# Active blocks of a plane, however many blocks it has; DFTL has one for pages of its map.
HELD = {BASE: 2, RIVAL: 1, OURS: 1}

USED = Fraction(4, 5)  # of the extra blocks, those that collection works with (5.3)
TRANSFER_NS = 25_000  # for a page of any size, as in Table 1
CMT_KIB = 2048  # DFTL's cached mapping table: as much DRAM as PCFTL's write cache. The paper does not say
SEARCH_NS = 2  # of a page of the write cache: its search costs something (5.6), but less than hits gain, as a rule

# No request waits for the host queue, pages are copied back wherever a collection gains anything (3.3, 3.4), and only
# planes that are not collected serve requests (3.3). Whatever is to be kept free, the write that takes it wins it back,
# so that none collects in idle time (3.5, Fig. 9). A third of the pages that the device is filled with hold data.
COMMON = [
    *("hardware=pcftl", "hardware.dies_per_chip=8", "hardware.planes_per_die=1", "host.queue_depth=1024"),
    *("precondition=fill", "precondition.valid_reads=true", "precondition.valid_share=0.333333"),
    *("ftl.gc.copyback_waste=1", "ftl.gc.yields_to_reads=false", "ftl.gc.holds_writes=true"),
]
ALONE = ["ftl.gc.background_threshold=null", "ftl.partial_write=pad"]

KEPT, FREE, LATE = "kept", "free", "late"
FEWEST_EXTRA = 3


@attrs.frozen
class Setting:
    """What Table 1 varies: the page in KiB, the extra blocks in percent, the write cache in MiB, and the capacity.

    The paper's words on extra blocks leave open what `pool` says: there are the four fifths that collection works with
    (5.3), and it keeps all of them free, as its threshold is their number (3.5; kept); or all are there, free at first,
    and it keeps four fifths (free); or the four fifths are free at first, and it keeps as many as there are of the
    fewest (late).
    """

    page_kib: int = PAGE_KIB
    extra: int = FEWEST_EXTRA
    cache_mib: float = 2
    pool: str = KEPT
    times: int = 1

    @property
    def blocks(self) -> int:
        """Blocks of a plane of the whole device."""
        return self.times * BLOCKS * PAGE_KIB // self.page_kib

    def extra_blocks(self, scale: Fraction, system: str) -> int:
        """Return the extra blocks of a plane: as many as leave the share of spare ones that the whole device has."""
        all_extra = ceil(Fraction(self.extra, 100) * self.blocks)
        used = ceil(USED * all_extra)
        spare = max(round(scale * (used - HELD[system])), FEWEST_SPARE)
        return HELD[system] + spare + (round(scale * (all_extra - used)) if self.pool == FREE else 0)

    def device(self, given: Given, system: str) -> list[str]:
        """Return the overrides of a system on the device."""
        scale, options = given.scale, given.options
        blocks, extra = round(self.blocks * scale), self.extra_blocks(scale, system)
        if blocks < FEWEST_BLOCKS:
            raise ConfigError(f"--scale={scale}: leaves {blocks} blocks a plane; take at least 1/16.")
        search_ns = float(float(options.get("search_ns", SEARCH_NS)) / scale)  # a smaller cache takes as long
        of_system = {
            BASE: [f"ftl.mapping.cache_kib={max(round(float(options.get('map_kib', CMT_KIB)) * scale), 1)}"],
            OURS: [f"buffer.size_mib={float(self.cache_mib * scale)!r}", f"buffer.search_ns={search_ns!r}"],
        }
        return [
            *COMMON,
            *(f"stack={system.lower()}", *ALONE, f"seed={given.seed}", f"hardware.page_kib={self.page_kib}"),
            *(f"hardware.blocks_per_plane={blocks}", f"hardware.extra_blocks={extra}"),
            f"hardware.bus_ns_per_byte={TRANSFER_NS / (1024 * self.page_kib)!r}",
            *of_system.get(system, []),
            *([] if self.pool == KEPT else self._free_at_first(scale, system, blocks / (blocks + extra))),
        ]

    def _free_at_first(self, scale: Fraction, system: str, fill_share: float) -> list[str]:
        """Return the overrides for extra blocks that are free at first, of which collection keeps some."""
        kept = attrs.evolve(self, extra=FEWEST_EXTRA if self.pool == LATE else self.extra, pool=KEPT)
        threshold = kept.extra_blocks(scale, system) - HELD[system]
        thresholds = [f"ftl.gc.{level}_threshold={threshold}" for level in ("soft", "hard")]
        return ["ftl.gc.trigger=free_blocks", *thresholds, f"precondition.fill_share={fill_share!r}"]


# The settings of the figures, that of the device of 32 GB, and that at the paper's size, by the names of parts.
DEFAULT, WHOLE, LARGER = "2 KiB", "whole", "32 GB"
PAGES = {f"{size} KiB": Setting(page_kib=size) for size in (2, 4, 8, 16)}
EXTRA = {f"extra {share} %": Setting(extra=share, pool=FREE) for share in (3, 10, 20, 30)}
CACHES = {f"cache {size} MiB": Setting(cache_mib=size) for size in (0.25, 0.5, 1, 2, 4)}
SETTINGS = {**PAGES, **EXTRA, **CACHES, LARGER: Setting(times=4), WHOLE: Setting()}
FEWEST, MOST = "extra 3 %", "extra 30 %"

# The loads of Table 2.

LOADS = ["Fin1", "Fin2", "Exchange", "Build", "TPC-C"]
# Of the page writes of planes under TPC-C and DLOOP, which 5.3 gives in pages, in those that Table 2 makes of a plane:
# requests/s, s, writes, pages of 2 KiB, planes.
VARIATION = 4961 / (3635 * 120 * 0.354 * 4 / 32)

# Footprints of presets whose requests overlap less where places are not alike: the share of updates is the table's.
FOOTPRINTS = {"Exchange": 0.17, "Build": 0.0485}

PARTS = {
    **{name: Part([OURS] if name in CACHES else SYSTEMS) for name in SETTINGS},
    WHOLE: Part(SYSTEMS, ["TPC-C"]),
}


def overrides(run: Run, given: Given) -> list[str]:
    """Return the overrides of a run."""
    if run.part == WHOLE:
        given = attrs.evolve(given, scale=Fraction(1))
    setting = attrs.evolve(SETTINGS[run.part], pool=given.options.get("pool", SETTINGS[run.part].pool))
    return [*setting.device(given, run.system), *trace(run.load, given)]


def trace(name: str, given: Given) -> list[str]:
    """Return the overrides that replay one of the five, with as many of its requests as the device has blocks."""
    is_even = given.options.get("places") == "even"
    config, capacity = _preset(name, tuple(Setting().device(attrs.evolve(given, options={}), RIVAL)))
    footprint = config.footprint if is_even else FOOTPRINTS.get(name, config.footprint)
    config = attrs.evolve(config, requests=max(round(config.requests * given.scale), 1), footprint=footprint)
    asked = config, capacity, given.seed, 0.0 if is_even else slope(config, VARIATION)
    return made_once(name, given.folder, chunks, *asked)


@cache
def _preset(name: str, on: tuple[str, ...]) -> tuple[SyntheticConfig, int]:
    made = composed([*on, f"workload={name.lower().replace('-', '')}"])
    return made.workload, made.hardware.capacity_bytes


def chunks(config: SyntheticConfig, capacity: int, seed: int, rise: float) -> Iterator[Chunk]:
    """Yield the requests of `config`, moved to places of which some are in use more often than others."""
    made = SyntheticWorkload(config, capacity, PAGE_KIB * 1024, seed)
    align, count = made.describe()["align_bytes"], made.describe()["slots"]
    slots = uneven(count, PLANES * PAGE_KIB * 1024 // align, rise)
    for chunk in made.chunks():
        yield attrs.evolve(chunk, offset_bytes=slots[chunk.offset_bytes // align] * align)


def uneven(count: int, places: int, rise: float) -> np.ndarray:
    """Return `count` slots in ascending order; those of a place in their round are in use in the first so many rounds.

    How many rise in a straight line from place to place, from 1 - `rise` to 1 + `rise` times the mean.
    """
    rounds = count / places * (1 + rise * _line(places))
    return np.flatnonzero(np.arange(int(rounds.max()) + 1)[:, None] < rounds)[:count]


def slope(config: SyntheticConfig, variation: float) -> float:
    """Return the rise that gives the pages written, by their number modulo the planes, this coefficient of variation.

    A request of several pages evens them out, so that where these are large the starts have to be more uneven.
    """
    sizes = config.size_kib if isinstance(config.size_kib, Mapping) else {config.size_kib: 1.0}
    step = int((config.align_kib or PAGE_KIB) / PAGE_KIB)
    line = _line(PLANES // step)
    flat, tilted = np.zeros(PLANES), np.zeros(PLANES)
    for size, share in sizes.items():
        for place, height in enumerate(line):
            pages = (place * step + np.arange(size // PAGE_KIB)) % PLANES
            flat[pages] += share
            tilted[pages] += share * height
    return float(variation * flat.mean() / tilted.std())


def _line(places: int) -> np.ndarray:
    return (2 * np.arange(places) + 1) / places - 1


# Measures.


def served_ms(result: Result) -> float:
    """Return the mean time in milliseconds that requests wait for the flash, behind collections that others caused."""
    served = [result.summary["requests"][op] for op in ("read", "write")]
    total_us = sum(op["count"] * op["response_us"]["mean"] for op in served if op["count"])
    return total_us / (1000 * sum(op["count"] for op in served))


def response_ms(result: Result) -> float:
    """Return the mean response time in milliseconds: a write waits for the collection that it causes (Fig. 9)."""
    count = sum(result.summary["requests"][op]["count"] for op in ("read", "write"))
    return served_ms(result) + sum(result.summary["gc"]["cost_us"].values()) / (1000 * count)


def not_copied(result: Result) -> float | None:
    """Return the percent of the pages that collection moves that copying back would have gained nothing by."""
    moves = result.summary["gc"]["page_moves"]
    return 100 * (moves - result.summary["flash"]["copybacks"]["gc"]) / moves if moves else None


def wasted(result: Result) -> float:
    """Return the pages wasted for parity in percent of the pages that the host sees (5.5)."""
    hardware = config_of(result.folder).hardware
    return 100 * result.summary["wasted_pages"] / (hardware.blocks_per_plane * PAGES_PER_BLOCK * PLANES)


def variation(result: Result) -> float:
    """Return SDWPP in percent of the pages that the host asks to be written, a plane."""
    summary = result.summary
    return 100 * summary["page_writes_per_plane_std"] * PLANES / summary["requested_page_writes"]


def valid(result: Result) -> float | None:
    """Return the percent of valid pages in victims."""
    share = result.summary["gc"]["victim_valid_share"]
    return None if share is None else 100 * share


MEASURES: Measures = {
    "response": response_ms,
    "paged": response_ms,  # of Fig. 10, for choices that are about that alone
    "served": served_ms,
    "sdwpp": lambda result: result.summary["page_writes_per_plane_std"],
    "collections": lambda result: result.summary["gc"]["collections"],
    **{measure.__name__: measure for measure in (not_copied, wasted, variation, valid)},
}


# The words of formulas, each of measures.

Loads = str | Sequence[str] | None


def carried(measure: Measure, system: str, part: str = DEFAULT, loads: Loads = None) -> Numbers:
    """Return a measure, but no response time of what DFTL cannot carry."""
    asked = LOADS if loads is None else [loads] if isinstance(loads, str) else loads
    is_small = part in (DEFAULT, LARGER, *EXTRA)
    is_time = measure.name in ("response", "paged", "served")
    overloaded = [is_time and system == BASE and is_small and load == "TPC-C" for load in asked]
    numbers = np.where(overloaded, np.nan, measure(system, asked, part))
    return numbers[0] if isinstance(loads, str) else numbers


def saved(measure: Measure, system: str, base: str, part: str = DEFAULT, loads: Loads = None) -> Numbers:
    """Return by how many percent a system lowers a measure of `base`."""
    return below(carried(measure, system, part, loads), carried(measure, base, part, loads))


def cases(
    measure: Measure, system: str, base: str, parts: Sequence[str] = tuple(PAGES), loads: Loads = None
) -> list[Numbers]:
    """Return those reductions in several parts."""
    return [saved(measure, system, base, part, loads) for part in parts]


def fall(measure: Measure, system: str, part: str, later: str, loads: Loads = None) -> Numbers:
    """Return by how many percent a measure is lower in another part."""
    return below(carried(measure, system, later, loads), carried(measure, system, part, loads))


def steps(measure: Measure, parts: Sequence[str], system: str, loads: Loads = None) -> list[Numbers]:
    """Return the falls of a measure from each part to the next."""
    return [fall(measure, system, part, later, loads) for part, later in pairwise(parts)]


def leads(numbers: Numbers, load: str) -> list[Numbers]:
    """Return the excesses of a load over each of the others."""
    return [numbers[LOADS.index(load)] - number for name, number in zip(LOADS, numbers, strict=True) if name != load]


def of_dftl(sdwpp: Measure, part: str, system: str) -> Numbers:
    """Return the reduction of SDWPP from DFTL's with the smallest pages, as Fig. 10 has it."""
    return below(carried(sdwpp, system, part), carried(sdwpp, BASE))


def _by_setting(title: str, formula: str, settings: str, averaged: bool = False) -> Figure:
    columns = {s: f"[{formula.format(repr(s))} for load in LOADS for part in {settings}]" for s in SYSTEMS}
    rows = [f"{load}, {part}" for load in LOADS for part in globals()[settings]]
    return Figure(title, columns, rows, averaged=averaged)


def _by_cache(title: str, measure: str) -> Figure:
    ours = f"carried({measure}, OURS, {{}}, {{!r}})"
    columns = {
        load: f"[over({ours.format('part', load)}, {ours.format('SMALLEST', load)}) for part in CACHES]"
        for load in LOADS
    }
    return Figure(title, columns, [*CACHES], lines=True)


SMALLEST, OTHERS = "cache 0.25 MiB", (RIVAL, OURS)

FIGURES = [
    _by_setting("Fig. 10 (ms): response time by the size of a page, ms", "carried(response, {}, part, load)", "PAGES"),
    _by_setting(
        "Fig. 10 (response): response time over DFTL's with the same page",
        "over(carried(response, {}, part, load), carried(response, BASE, part, load))",
        "PAGES",
        averaged=True,
    ),
    _by_setting(
        "Fig. 10 (SDWPP): SDWPP over DFTL's with pages of 2 KiB",
        "over(carried(sdwpp, {}, part, load), carried(sdwpp, BASE, DEFAULT, load))",
        "PAGES",
        averaged=True,
    ),
    _by_setting(
        "Fig. 11 (response): response time by the extra blocks, ms", "carried(response, {}, part, load)", "EXTRA"
    ),
    _by_setting("Fig. 11 (collections): collections by the extra blocks", "collections({}, load, part)", "EXTRA"),
    _by_setting("Fig. 11 (SDWPP): SDWPP by the extra blocks, page writes", "sdwpp({}, load, part)", "EXTRA"),
    Figure(
        "Fig. 12: collections over DFTL's",
        {system: f"over(collections('{system}'), collections(BASE))" for system in OTHERS},
        averaged=True,
    ),
    Figure(
        "Fig. 13: wasted pages, and valid pages in victims, percent", {"wasted": "wasted(OURS)", "valid": "valid(OURS)"}
    ),
    _by_cache("Fig. 14: response time by the size of the write cache, over the smallest's", "response"),
    _by_cache("Fig. 15: SDWPP by the size of the write cache, over the smallest's", "sdwpp"),
    Figure(
        "Fig. 11 (TPC-C): SDWPP of TPC-C at the paper's size, percent of a plane's writes",
        {system: f"variation('{system}', 'TPC-C', WHOLE)" for system in SYSTEMS},
        ["TPC-C"],
    ),
]

PAPER = Paper(globals(), Fraction(1, 8), 5, LOADS, PARTS, overrides, MEASURES, FIGURES)
main = partial(command.main, PAPER)

if __name__ == "__main__":
    sys.exit(main())
