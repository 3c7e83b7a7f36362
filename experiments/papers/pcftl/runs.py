"""The runs of the study: all workloads under what Table 1 varies, what the report asks beyond that, and Fig. 23."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from ...study.runs import Runs
from .systems import BASE, OURS, RIVAL, SYSTEMS, Device, Setting
from .workloads import Load

DEFAULT = Setting()
PAGES = [Setting(page_kib=size) for size in (2, 4, 8, 16)]
EXTRA = [Setting(extra=share) for share in (3, 10, 20, 30)]
CACHES = [Setting(cache_mib=size) for size in (0.25, 0.5, 1, 2, 4)]

WHOLE_MAP = "DFTL with the whole map in memory"
IDLE_TOO = "DLOOP with collection in idle time"
CHANNELS = "DLOOP with channels before planes"
UNCACHED = "PCFTL without a cache"
PLACED = "PCFTL with DLOOP's places"
THROUGH_CONTROLLER = "PCFTL without copy-back"
BY_PLANE = "DFTL collected by plane, holding nobody"
HOLDING = "DFTL collected by plane, holding all requests"
UNHELD = "DFTL holding nobody"
TOGETHER = "DFTL moving 16 pages at a time"
NOT_IDLE = "DFTL without collection in idle time"
OURS_CACHED = "PCFTL with DFTL's map"
RIVAL_CACHED = "DLOOP with DFTL's map, in idle time too"
SLOW_SEARCH = "PCFTL with a search of 1 ns a page"
BUSY = "PCFTL without collection in idle time"
EAGER = "PCFTL with all collection in idle time that gains three quarters of a block"
PLANE_BY_PLANE = [
    "ftl.plane_allocation=CWDP",
    *("ftl.gc.scope=unit", "ftl.gc.moves=controller", "ftl.gc.holds_requests=false", "ftl.gc.moves_in_flight=16"),
    "ftl.gc.background_threshold=null",
]
"""What DFTL was here before it had conventional collection."""

CMT_SIZES = (16, 64, 256, 1024, 2048)
"""KiB of DFTL's cache on the whole device, scaled like it; the end of the range is its whole map in memory."""

VARIANTS: dict[str, tuple[str, list[str]]] = {
    WHOLE_MAP: (BASE, ["ftl.mapping.scheme=page"]),
    IDLE_TOO: (RIVAL, ["ftl.gc.background_threshold=1"]),
    CHANNELS: (RIVAL, ["ftl.plane_allocation=CWDP"]),
    BY_PLANE: (BASE, PLANE_BY_PLANE),
    HOLDING: (BASE, [*PLANE_BY_PLANE, "ftl.gc.holds_requests=true"]),
    UNHELD: (BASE, ["ftl.gc.holds_requests=false"]),
    TOGETHER: (BASE, ["ftl.gc.moves_in_flight=16"]),
    NOT_IDLE: (BASE, ["ftl.gc.background_threshold=null"]),
    SLOW_SEARCH: (OURS, ["buffer.search_ns=1"]),
    UNCACHED: (OURS, ["buffer=none"]),
    PLACED: (OURS, ["ftl.plane_allocation=PDWC"]),
    THROUGH_CONTROLLER: (OURS, ["ftl.gc.moves=controller"]),
    BUSY: (OURS, ["ftl.gc.background_threshold=null"]),
    EAGER: (OURS, ["ftl.gc.background_threshold=1", "ftl.gc.min_gain=0.75"]),
}
"""What of a system is taken away or added, to see what its parts do."""

NEARLY_EMPTY = "precondition.valid_share=0"
"""Nothing but what is read holds data at first, so that most first writes are new."""

INDEPENDENT = ["hardware.dies_per_chip=8", "hardware.planes_per_die=1"]
"""Each plane works by itself, as in the paper's Fig. 7; else those of a die do so only in multi-plane commands."""


def cached(kib: int) -> str:
    """Return the name of DFTL with so large a cache."""
    return f"{BASE} with {kib} KiB of cache"


@attrs.frozen
class Plan:
    """What is run: workloads on the device, and Fig. 23's runs, named `scheme/mapping`."""

    device: Device
    loads: Mapping[str, Load]
    schemes: Runs

    def parts(self) -> dict[str, Runs]:
        """Return the runs by what they are for, each named `workload/system`."""
        settings = {
            **{setting.name: self.of(setting, SYSTEMS) for setting in (*PAGES, *EXTRA)},
            **{setting.name: self.of(setting, [OURS]) for setting in CACHES if setting != DEFAULT},
        }
        return settings | {
            "parts": self.variants(),
            "empty": self.of(DEFAULT, SYSTEMS, [NEARLY_EMPTY]),
            "independent": self.of(DEFAULT, SYSTEMS, INDEPENDENT),
            "threshold": self.fixed_threshold(),
            "schemes": self.schemes,
        }

    def of(self, setting: Setting, systems: Iterable[str], more: Sequence[str] = ()) -> Runs:
        """Return the runs of systems under all workloads."""
        return {
            f"{name}/{system}": [*self.device.overrides(setting, system, load.whole), *load.overrides, *more]
            for name, load in self.loads.items()
            for system in systems
        }

    def variants(self) -> Runs:
        """Return the runs of systems that lack a part, or have another's."""
        eager = self.device.collects_below(DEFAULT, OURS)  # the other threshold is then of all blocks
        changed = VARIANTS | {EAGER: (OURS, [*eager, *VARIANTS[EAGER][1]])} | self.maps()
        return {
            f"{name}/{variant}": [*self.device.overrides(DEFAULT, system, load.whole), *load.overrides, *changes]
            for name, load in self.loads.items()
            for variant, (system, changes) in changed.items()
        }

    def maps(self) -> dict[str, tuple[str, list[str]]]:
        """Return systems with maps of the same size: DFTL's for all, and DFTL's cache as a sweep."""
        table, held = self.device.cache_kib(), self.device.extra_blocks(DEFAULT, BASE)
        mapped = ["ftl.mapping.scheme=dftl", f"ftl.mapping.cache_kib={table}", f"hardware.extra_blocks={held}"]
        sizes = {cached(kib): (BASE, [f"ftl.mapping.cache_kib={self.device.cache_kib(kib)}"]) for kib in CMT_SIZES}
        return sizes | {
            OURS_CACHED: (OURS, mapped),
            RIVAL_CACHED: (RIVAL, [*mapped, "ftl.gc.background_threshold=1"]),
        }

    def fixed_threshold(self) -> Runs:
        """Return the runs with the most extra blocks where collection starts as late as with the fewest.

        At first the extra blocks are free.
        """
        most, fewest = EXTRA[-1], EXTRA[0]
        runs = self.of(most, SYSTEMS)
        blocks = self.device.blocks(most)
        for name, overrides in runs.items():
            system = name.rpartition("/")[2]
            extra, least = (self.device.extra_blocks(setting, system) for setting in (most, fewest))
            overrides += self.device.collects_below(fewest, system)
            overrides.append(f"precondition.fill_share={blocks / (blocks + extra)!r}")
            if system == OURS:
                overrides.append(f"ftl.gc.background_threshold={(least - 0.5) / (blocks + extra):.6f}")
        return runs
