"""The runs of the study: all workloads under what Table 1 varies, and what the report asks beyond that."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs

from ...study.runs import Runs
from .systems import BASE, CMT_KIB, FREE, LATE, OURS, RIVAL, SYSTEMS, Device, Setting
from .workloads import TABLE_2, Load, Loads, loads

DEFAULT = Setting()
PAGES = [Setting(page_kib=size) for size in (2, 4, 8, 16)]
EXTRA = [Setting(extra=share, pool=FREE) for share in (3, 10, 20, 30)]
CACHES = [Setting(cache_mib=size) for size in (0.25, 0.5, 1, 2, 4)]
POOLS = [Setting(extra=30), Setting(extra=30, pool=LATE)]
"""The most extra blocks as the paper may mean them otherwise, to be held against the default."""

WHOLE_MAP = "DFTL with the whole map in memory"
IDLE_TOO = "DLOOP with collection in idle time"
CHANNELS = "DLOOP with channels before planes"
EQUAL = "DLOOP on equal terms"
UNCACHED = "PCFTL without a cache"
PLACED = "PCFTL with DLOOP's places"
THROUGH_CONTROLLER = "PCFTL without copy-back"
RIVAL_THROUGH = "DLOOP without copy-back"
BY_PLANE = "DFTL collected by plane, holding nobody"
UNHELD = "DFTL holding nobody"
NOT_IDLE = "DFTL without collection in idle time"
OURS_CACHED = "PCFTL with DFTL's map"
RIVAL_CACHED = "DLOOP with DFTL's map, in idle time too"
AT_EVICTION = "PCFTL with slots free at eviction"
BUSY = "PCFTL without collection in idle time"
EAGER = "PCFTL with all collection in idle time that gains three quarters of a block"
PLANE_BY_PLANE = [
    "ftl.plane_allocation=CWDP",
    *("ftl.gc.scope=unit", "ftl.gc.moves=controller", "ftl.gc.holds_requests=false", "ftl.gc.moves_in_flight=16"),
    "ftl.gc.background_threshold=null",
]
"""DFTL by unconventional collection."""

CMT_SIZES = (16, 256, 1024, 2048)
"""KiB of DFTL's cache on the whole device beside those of all other runs, scaled like it."""

VARIANTS: dict[str, tuple[str, list[str]]] = {
    WHOLE_MAP: (BASE, ["ftl.mapping.scheme=page"]),
    BY_PLANE: (BASE, PLANE_BY_PLANE),
    UNHELD: (BASE, ["ftl.gc.holds_requests=false"]),
    NOT_IDLE: (BASE, ["ftl.gc.background_threshold=null"]),
    IDLE_TOO: (RIVAL, ["ftl.gc.background_threshold=1"]),
    CHANNELS: (RIVAL, ["ftl.plane_allocation=CWDP"]),
    RIVAL_THROUGH: (RIVAL, ["ftl.gc.moves=controller"]),
    UNCACHED: (OURS, ["buffer=none"]),
    PLACED: (OURS, ["ftl.plane_allocation=PDWC"]),
    THROUGH_CONTROLLER: (OURS, ["ftl.gc.moves=controller"]),
    BUSY: (OURS, ["ftl.gc.background_threshold=null"]),
    AT_EVICTION: (OURS, ["buffer.slot_free_when=evicted"]),
    EAGER: (OURS, ["ftl.gc.background_threshold=1", "ftl.gc.min_gain=0.75"]),
}
"""What of a system is taken away or added, to see what its parts do."""

SEARCHES = (10,)
"""Nanoseconds that the search takes for each page in the whole device's cache. The paper says that the cache is a
linked list that is gone through (3.1) and that this costs (5.6), not how much: here about what a step costs that stays
in a processor's own cache. Pages of a smaller cache take as many times longer."""

SEARCHED = [setting for setting in CACHES if setting.cache_mib != 0.5]
"""The sizes of the write cache that the paper has numbers of."""

NEARLY_EMPTY = "precondition.valid_share=0"
"""Nothing but what is read holds data at first, so that most first writes are new."""

INDEPENDENT = ["hardware.dies_per_chip=8", "hardware.planes_per_die=1"]
"""Each plane works by itself, as in the paper's Fig. 7; else those of a die do so only in multi-plane commands."""

LONG = "Fin1"
"""Takes as long as all others together, and is run otherwise only for what the paper says of it."""

WHOLE = "TPC-C"
"""What is run at full size with --whole."""


def cached(kib: int) -> str:
    """Return the name of DFTL with so large a cache."""
    return f"{BASE} with {kib} KiB of cache"


def settings(ends: bool = False) -> dict[Setting, list[str]]:
    """Return the settings of the paper's figures with the systems of each; `ends` are those that it has numbers of."""
    extra = {key: [OURS] for key in (EXTRA[0], EXTRA[-1])} if ends else {key: [*SYSTEMS] for key in EXTRA}
    return {key: [OURS] for key in (SEARCHED if ends else CACHES)} | extra | {key: [*SYSTEMS] for key in PAGES}


@attrs.frozen
class Plan:
    """What is run under a seed: workloads on the device."""

    device: Device
    loads: Mapping[str, Load]
    folder: Path

    def figures(self, ends: bool = False) -> dict[str, Runs]:
        """Return the runs of the paper's figures by setting, each named `workload/system`."""
        return {setting.name: self.of(setting, systems) for setting, systems in settings(ends).items()}

    def further(self) -> dict[str, Runs]:
        """Return the runs that say what decides the numbers of the figures."""
        short = attrs.evolve(self, loads={name: load for name, load in self.loads.items() if name != LONG})
        reused, even_places = (
            attrs.evolve(self, loads=self.made(reused=True)),
            attrs.evolve(self, loads=short.made(even_places=True)),
        )
        return {
            "parts": short.variants(),
            "empty": short.of(DEFAULT, SYSTEMS, [NEARLY_EMPTY]),
            "independent": short.of(DEFAULT, SYSTEMS, INDEPENDENT),
            "even": even_places.of(DEFAULT, SYSTEMS),
            **{f"{setting.name} of 30 %": short.of(setting, SYSTEMS) for setting in POOLS},
            **{f"reused, {setting.name}": reused.of(setting, [OURS]) for setting in CACHES if setting != DEFAULT},
            f"reused, {DEFAULT.name}": reused.of(DEFAULT, SYSTEMS),
            **{
                f"search {ns} ns, {setting.name}": self.searching(setting, ns)
                for ns in SEARCHES
                for setting in SEARCHED
            },
        }

    def of(self, setting: Setting, systems: Iterable[str], more: Sequence[str] = ()) -> Runs:
        """Return the runs of systems under all workloads."""
        return {
            f"{name}/{system}": [*self.device.overrides(setting, system, load.whole), *load.overrides, *more]
            for name, load in self.loads.items()
            for system in systems
        }

    def made(self, even_places: bool = False, reused: bool = False) -> Loads:
        """Return the synthetic workloads otherwise."""
        return loads(self.device, [name for name in self.loads if name in TABLE_2], self.folder, even_places, reused)

    def searching(self, setting: Setting, ns: int) -> Runs:
        """Return the runs with a cache that takes so long to be searched."""
        return {
            name: [*overrides, f"buffer.search_ns={ns if self.loads[name.rpartition('/')[0]].whole else slower!r}"]
            for slower in [float(ns / self.device.scale)]
            for name, overrides in self.of(setting, [OURS]).items()
        }

    def variants(self) -> Runs:
        """Return the runs of systems that lack a part, or have another's."""
        eager = self.device.collects_below(DEFAULT, OURS)  # the other threshold is then of all blocks
        changed = VARIANTS | {EAGER: (OURS, [*eager, *VARIANTS[EAGER][1]])}
        return {
            f"{name}/{variant}": [*self.device.overrides(DEFAULT, system, load.whole), *load.overrides, *changes]
            for name, load in self.loads.items()
            for variant, (system, changes) in (changed | self.maps(load.whole)).items()
        }

    def maps(self, whole: bool) -> dict[str, tuple[str, list[str]]]:
        """Return systems with maps of the same size: DFTL's for all, and DFTL's cache as a sweep."""
        share, held = Fraction(1) if whole else self.device.scale, self.device.extra_blocks(DEFAULT, BASE)
        of = {kib: f"ftl.mapping.cache_kib={self.device.cache_kib(kib, share)}" for kib in (CMT_KIB, *CMT_SIZES)}
        mapped = ["ftl.mapping.scheme=dftl", of[CMT_KIB], f"hardware.extra_blocks={held}"]
        idle = "ftl.gc.background_threshold=1"
        return {cached(kib): (BASE, [of[kib]]) for kib in CMT_SIZES} | {
            OURS_CACHED: (OURS, mapped),
            RIVAL_CACHED: (RIVAL, [*mapped, idle]),
            EQUAL: (RIVAL, [*mapped, idle, "ftl.plane_allocation=CWDP"]),
        }


def whole(seed: int, folder: Path) -> Runs:
    """Return the runs of one workload at the paper's size."""
    device = Device(Fraction(1), seed)
    return Plan(device, loads(device, [WHOLE], folder), folder).of(DEFAULT, SYSTEMS)
