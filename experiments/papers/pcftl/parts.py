"""The runs of the study: all workloads under what Table 1 varies, by system, and what the paper leaves open."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs

from ...study.runs import Runs
from ...study.study import Choice, Value
from .held import FEWEST, by_page, responses
from .measures import carried, served_ms
from .systems import (
    BASE,
    BY_DIE,
    CACHES,
    EXTRA,
    KEPT,
    LARGER,
    LATE,
    OURS,
    PAGES,
    RIVAL,
    SEARCH_NS,
    SYSTEMS,
    WHOLE,
    Device,
    Setting,
)
from .workloads import TABLE_2, Load, loads, pieces

PIECES = "pieces"

LONG = "Fin1"
"""Takes as long as all others together."""


@attrs.frozen
class Plan:
    """What is run under a seed: workloads on the device."""

    device: Device
    loads: Mapping[str, Load]
    folder: Path

    def of(
        self, settings: Mapping[str, Setting], systems: Iterable[str] = SYSTEMS, more: Sequence[str] = ()
    ) -> dict[str, Runs]:
        """Return the parts of systems under settings."""
        return {f"{name}, {system}": self.runs(at, system, more) for name, at in settings.items() for system in systems}

    def runs(self, setting: Setting, system: str, more: Sequence[str] = ()) -> Runs:
        """Return the runs of a system under all workloads."""
        return {
            f"{name}/{system}": [*self.device.overrides(setting, system, load.whole), *load.overrides, *more]
            for name, load in self.loads.items()
        }

    def figures(self) -> dict[str, Runs]:
        """Return the parts of the paper's figures."""
        return self.of(CACHES, [OURS]) | self.of(PAGES | EXTRA | LARGER)

    def made(self, even_places: bool = False, reused: bool = False) -> "Plan":
        """Return the same with workloads that are made otherwise."""
        names = [name for name in self.loads if name in TABLE_2]
        return attrs.evolve(self, loads=loads(self.device, names, self.folder, even_places, reused))

    def short(self) -> "Plan":
        """Return the same without the workload that takes as long as all others, if there are others."""
        others = {name: load for name, load in self.loads.items() if name != LONG}
        return attrs.evolve(self, loads=others or self.loads)

    def choices(self) -> list[Choice]:
        """Return the choices that the paper leaves open, with the runs of each other value."""
        short = self.short()
        return [
            self.of_map(),
            short.of_planes(),
            short.of_places(),
            self.of_chips(),
            self.of_search(),
            self.of_idle_time(),
            short.of_extra_blocks(),
            short.of_fill(),
            self.of_workloads(),
            WAITING,
        ]

    def of_map(self) -> Choice:
        """Return the choice of the size of DFTL's mapping cache."""
        sizes = {f"{kib} KiB": [self.device.map_cache(kib)] for kib in (64, 512)}
        whole = {"the whole map in memory": ["ftl.mapping.scheme=page"]}
        return Choice(
            "Cache of DFTL's map",
            "DRAM that is limited (2.1); no size is given. Ours has as much as PCFTL's write cache.",
            "2 MiB",
            {name: Value(self.of(PAGES, [BASE], more)) for name, more in (sizes | whole).items()},
        )

    def of_planes(self) -> Choice:
        """Return the choice of commands for planes of a die, also along with the mapping cache."""
        small = [*BY_DIE, self.device.map_cache(64)]
        return Choice(
            "Planes of a die",
            "While two planes are collected, two others serve requests (3.3, Fig. 7); the simulator has commands for "
            "several planes of a die (4.2).",
            "each by itself",
            {
                "one command a die": Value(self.of(PAGES, more=BY_DIE)),
                "one command a die, 64 KiB of cache for DFTL's map": Value(
                    self.of(PAGES, [BASE], small) | self.of(PAGES, [RIVAL, OURS], BY_DIE)
                ),
            },
            [*self.loads],
        )

    def of_places(self) -> Choice:
        """Return where DLOOP puts neighbouring pages."""
        places = ["ftl.plane_allocation=CWDP"]
        return Choice(
            "DLOOP's places",
            "By logical addresses (2.1); whether planes or channels come first is not said.",
            "planes before channels",
            {"channels before planes": Value(self.of(PAGES, [RIVAL], places))},
            [*self.loads],
        )

    def of_chips(self) -> Choice:
        """Return where DFTL writes."""
        by_plane = ["ftl.plane_allocation=CWDP", "ftl.gc.scope=unit", "ftl.gc.moves=controller"]
        return Choice(
            "DFTL's places",
            "One active block a chip (3.3); but under TPC-C its SDWPP is nearly that of DLOOP (5.3).",
            "one active block a chip",
            {"one a plane, by logical addresses": Value(self.of(PAGES, [BASE], by_plane))},
        )

    def of_search(self) -> Choice:
        """Return the choice of the time of a step of the search in the write cache."""
        return Choice(
            "Search of the write cache",
            "A scan of a linked list (3.1), the cost of which may outweigh more hits (5.6); no time is given.",
            f"{SEARCH_NS} ns a page",
            {f"{ns} ns a page": Value(self.of(PAGES | CACHES, [OURS], [self.device.search(ns)])) for ns in (0, 5)},
        )

    def of_idle_time(self) -> Choice:
        """Return the choice of collection in idle time, also along with a small mapping cache."""
        always = ["ftl.gc.background_threshold=1"]
        both = self.of(PAGES, [BASE, OURS], always)
        small = self.of(PAGES, [BASE], [*always, self.device.map_cache(64)])
        beside = by_page(carried(served_ms))
        return Choice(
            "Collection in idle time",
            "PCFTL and conventional collection have it (3.3), PCFTL's algorithm has not (Fig. 9). All extra blocks are "
            "kept free (3.5): the write that takes one wins it back, and leaves nothing to do in idle time.",
            "none",
            {
                "DFTL and PCFTL": Value(both, beside),
                "all": Value(both | self.of(PAGES, [RIVAL], always), beside),
                "DFTL and PCFTL, 64 KiB of cache for DFTL's map": Value(both | small, beside),
            },
        )

    def of_extra_blocks(self) -> Choice:
        """Return the choice of the use of extra blocks."""

        def pooled(pool: str) -> Value:
            fewest = {FEWEST: Setting()}  # all of which are kept in any case
            return Value(self.of({name: attrs.evolve(at, pool=pool) for name, at in EXTRA.items()} | fewest))

        return Choice(
            "Extra blocks",
            "Collection works with four fifths (5.3), and keeps as many as there are (3.5): none would be written.",
            "all free at first, four fifths kept",
            {
                "four fifths there, all kept": pooled(KEPT),
                "four fifths free at first, as many kept as of 3 %": pooled(LATE),
            },
            [*self.loads],
        )

    def of_fill(self) -> Choice:
        """Return the choice of the device's contents at first."""
        return Choice(
            "What the device holds at first",
            "Not said.",
            "a third of its pages",
            {
                "what is read": Value(self.of(PAGES, more=["precondition.valid_share=0"])),
            },
            [*self.loads],
        )

    def of_workloads(self) -> Choice:
        """Return the choice of workloads beyond the numbers of Table 2."""
        alike, soon = self.made(even_places=True), self.made(reused=True)
        return Choice(
            "Workloads",
            "Table 2 does not say how uneven places are, nor how soon data is written again.",
            "as uneven as DLOOP under TPC-C",
            {
                "places alike": Value(alike.of(PAGES)),
                "written again as soon as in the piece of Fin1": Value(soon.of(PAGES) | soon.of(CACHES, [OURS])),
            },
        )


WAITING = Choice(
    "What waits for a collection",
    "In Fig. 9 it runs before the write that called for it is complete; planes that are not collected go on (3.3).",
    "the write that caused it, and what comes to its plane",
    {"what comes to its plane": Value(held=responses(carried(served_ms)))},
)


def real(device: Device, folder: Path) -> dict[str, Runs]:
    """Return the parts of the pieces of real traces, each on a device that has caches of full size."""
    return Plan(device, pieces(), folder).of({PIECES: Setting()})


def whole(seed: int, folder: Path) -> dict[str, Runs]:
    """Return the parts of the workload whose SDWPP the paper gives in pages, at the paper's size."""
    device = Device(Fraction(1), seed)
    return Plan(device, loads(device, ["TPC-C"], folder), folder).of({WHOLE: Setting()})
