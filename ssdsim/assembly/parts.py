"""The parts that a configuration names, by themselves: what rules and capacity ask, and what a device is built of."""

import inspect
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.random import RandomStream
from ssdsim.assembly.namespaces import namespaces
from ssdsim.assembly.own_policies import own_class, own_frames, raised
from ssdsim.buffer.replacement import Replacement
from ssdsim.config import PRIORITIES, SimulationConfig
from ssdsim.config.registry import AXES, STATIC_ORDERS, Axis
from ssdsim.config.validators import is_whole
from ssdsim.device_view import DeviceView
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.flash.own import adapted
from ssdsim.flash.scheduler.unit import SchedulingPolicy
from ssdsim.ftl.backup.policies import PairedPageBackup
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.separation import Separation
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.frontier.tables import most_in_one_of
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.page_type import PageTypeSpecifier, check_order
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation, stripe
from ssdsim.ftl.reclaim.moves import ChipMoves, CopyBackMoves, PageMoves
from ssdsim.ftl.reclaim.row_moves import DieMoves, ParallelMoves, RowMoves
from ssdsim.ftl.reclaim.victims import VictimPolicy

MOST_KINDS = 64
"""Of data, with active blocks of their own."""

MOVERS: dict[str, type[PageMoves]] = {
    "controller": PageMoves,
    "chip": ChipMoves,
    "copyback": CopyBackMoves,
    "parallel": ParallelMoves,
    "rows": RowMoves,
}


def imported(axis: Axis, name: str) -> type:
    """Import and return a class that the registry names."""
    home, _, attribute = name.rpartition(".")
    found: type = getattr(import_module(home or axis.home), attribute)
    return found


BASES = {key: tuple(imported(axis, base) for base in axis.bases) for key, axis in AXES.items()}
CLASSES = {key: {name: imported(axis, of) for name, of in axis.named.items() if of} for key, axis in AXES.items()}
"""What the registry names, imported along with this module."""


def built(cls: Any, place: str, options: dict[str, Any], device: DeviceView | None = None) -> Any:
    """Return an instance of `cls`, which is configured at `place`, given the device, if any, and then its `options`."""
    try:
        made = cls.__new__(cls)
        if device is not None:
            made.device = device
        made.__init__(**options)
        return made
    except SsdsimError:
        raise
    except Exception as error:
        if isinstance(error, TypeError) and not list(own_frames(error)):  # of the call itself
            raise ConfigError(f"{place}: its options {options} do not fit: {error}{_taken(cls)}.") from None
        raise raised(place, cls, "__init__", error) from error


def _taken(cls: type) -> str:
    """Return the hint at the options that `cls` takes."""
    try:
        names = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError):
        return ""
    return f" (it takes {', '.join(map(str, names)) or 'none'})"


class Parts:
    """The policies of `config`, none of them bound; each is made once, when it is first asked for."""

    def __init__(self, config: SimulationConfig):
        self.config = config
        self.hardware, self.flash, self.ftl, self.gc = config.hardware, config.flash, config.ftl, config.ftl.gc
        self.streams = ["main", *config.workloads]
        self.stream_names = ", ".join(self.streams)
        # FAST maps blocks as wholes; pages lie in log blocks until they are merged.
        self.is_fast = self.ftl.mapping.scheme == "fast"
        self.isolates = self.ftl.plane_allocation in ("by_stream", "by_stream_static")
        priorities = (config.host.priorities.get(name, "medium") for name in self.streams)
        self.view = DeviceView(config.hardware, tuple(self.streams), tuple(map(PRIORITIES.index, priorities)))

    def make(self, axis: str, name: str, options: dict[str, Any] | None = None, key: str = "") -> Any:
        """Return the policy called `name`, which is given the device, or None for none.

        It is configured at `key`, that of the axis if empty. A class of the user's own is held against what its base
        owes, and so is what it returns.
        """
        key = key or axis
        AXES[axis].check(key, name)
        cls = own_class(key, name, *BASES[axis]) if "." in name else CLASSES[axis].get(name)
        if cls is None:
            return None
        return built(cls, f"{key}={name}", options or {}, self.view)

    def make_all(self) -> None:
        """Make every policy that is asked for, which raises `ConfigError` for one that is not as it must be."""
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                getattr(self, name)
        self.make("flash.bus", self.flash.bus)
        self.make_arbitration()
        for key, names in self.scheme_lists.items():
            for name in names:
                self.make("ftl.page_type", name, self.ftl.page_type_options.get(name), key)

    # Of the host and the write buffer.

    def make_arbitration(self) -> Any:
        """Return the policy that says whose request goes into the device next."""
        host = self.config.host
        return self.make("host.arbitration", host.arbitration, host.arbitration_options)

    @property
    def namespace_pages(self) -> list[tuple[int, int]]:
        """By stream, the first page of its namespace and the pages of that; none where no stream has one."""
        if not self.config.host.namespace_share:
            return []
        page, spaces = self.hardware.page_bytes, namespaces(self.config)
        return [(spaces[name][0] // page, spaces[name][1] // page) for name in self.streams]

    @cached_property
    def replacement(self) -> Replacement | None:
        """Which pages leave the write buffer, if there is one."""
        return cast(Replacement | None, self.make("buffer.replacement", self.config.buffer.replacement))

    # Of the translation layer, in the order of a write.

    @property
    def scheme_lists(self) -> dict[str, list[str]]:
        """The lists of page-type schemes by the key that they stand at, those that are asked for."""
        ftl = self.ftl
        if not ftl.page_type:
            return {}
        return {"ftl.page_type": ftl.page_type, "ftl.gc.page_type": ftl.gc.page_type}

    def make_specifier(self, blocks: Any, buffer: Any) -> PageTypeSpecifier | None:
        """Return the specifier of the page types of writes to `blocks`, or None where none are specified."""
        if not self.ftl.page_type:
            return None
        lists = []
        for key, purpose in (("ftl.page_type", "main"), ("ftl.gc.page_type", "moved data")):
            names, schemes = self.scheme_lists[key], []
            for place, name in enumerate(names):
                scheme = self.make("ftl.page_type", name, self.ftl.page_type_options.get(name), key)
                scheme.blocks, scheme.types, scheme.buffer = blocks, self.hardware.page_types, buffer
                scheme.random = RandomStream(self.config.seed, f"page type {place} of {purpose}")
                schemes.append(scheme)
            check_order(key, names, schemes)
            lists.append(schemes)
        return PageTypeSpecifier(*lists)

    @cached_property
    def plane_allocation(self) -> PlaneAllocation:
        """Which plane a page goes to; a static order is of super pages where these are written."""
        name = self.ftl.plane_allocation
        options: dict[str, Any] | None = None
        if name in STATIC_ORDERS:
            options = {"order": name, "super_page": self.config.super_page}
        elif self.isolates:
            hardware, tables = self.hardware, most_in_one_of(self.hardware.planes, self.translation_pages)
            options = {"wanted": self.ftl.isolation, "namespaces": self.namespace_pages}
            options |= {"super_page": self.config.super_page}
            options |= {"most_valid": (hardware.logical_pages_per_plane + tables) * len(self.places)}
        return cast(PlaneAllocation, self.make("ftl.plane_allocation", name, options))

    @cached_property
    def separation(self) -> Separation:
        """Which writes share active blocks."""
        separation: Separation = self.make("ftl.active_blocks", self.ftl.active_blocks, self.ftl.active_block_options)
        for name in ("hosts", "moved"):
            kinds = list(getattr(separation, name))
            if not kinds or not all(is_whole(kind) and 0 <= kind < MOST_KINDS for kind in kinds):
                raise ConfigError(
                    f"ftl.active_blocks={self.ftl.active_blocks}: its {name} are {kinds}; set them to one or more "
                    f"kinds of data, numbered from 0 to {MOST_KINDS - 1}."
                )
        return separation

    @cached_property
    def page_order(self) -> WriteFrontier:
        """Where pages are written, but for the SLC cache."""
        order: WriteFrontier
        order = LogFrontier(self.config) if self.is_fast else self.make("ftl.page_order", self.ftl.page_order)
        order.separation = self.separation
        return order

    @cached_property
    def frontier(self) -> WriteFrontier:
        """Where pages are written."""
        return SlcCache(self.page_order, self.ftl.slc_cache) if self.ftl.slc_cache.wanted else self.page_order

    @cached_property
    def places(self) -> list[int]:
        """The planes of a unit of blocks, as counted from its first, in the order in which rows are filled.

        Superblocks are filled in the static order of the plane allocation, or else channel by channel.
        """
        hardware, name = self.hardware, self.ftl.plane_allocation
        if self.ftl.unit != "superblock":
            return list(range(hardware.planes_per_die if self.ftl.unit != "block" else 1))
        return stripe(name if name in STATIC_ORDERS else "CWDP", hardware, 1)

    @cached_property
    def translation(self) -> MapAccess | None:
        """The lookups of the map in flash, or None where the whole of it is in controller memory."""
        wanted = self.ftl.mapping
        if "." in wanted.scheme:
            own = self.make("ftl.mapping.scheme", wanted.scheme, wanted.options)
            return MapAccess(self.hardware.logical_pages, int(own.table_pages()), own)
        return DemandMapping(self.hardware, wanted) if wanted.scheme == "dftl" else None

    @property
    def translation_pages(self) -> int:
        """How many pages of flash the mapping table takes at most, 0 where all of it is in controller memory."""
        return 0 if self.translation is None else self.translation.translation_pages

    @cached_property
    def backup(self) -> PairedPageBackup | None:
        """What backs up paired pages."""
        return cast(PairedPageBackup | None, self.make("ftl.backup", self.ftl.backup))

    # Of collection and the flash.

    @cached_property
    def victims(self) -> VictimPolicy:
        """Which block is collected."""
        return cast(VictimPolicy, self.make("ftl.gc.victim", self.gc.victim, self.gc.options))

    @property
    def moves(self) -> type[PageMoves]:
        """How valid pages of victims are moved; FAST's merges do that their own way."""
        return DieMoves if self.ftl.moves == "rows" and self.ftl.unit == "die" else MOVERS[self.ftl.moves]

    @cached_property
    def scheduling(self) -> SchedulingPolicy:
        """Which transaction goes next."""
        wanted = self.config.scheduler
        return adapted(self.make("scheduler.policy", wanted.policy, wanted.options))

    @property
    def planes_joined(self) -> int:
        """How many planes of a die can work at once."""
        group, planes = self.flash.plane_groups, self.hardware.planes_per_die
        return min(planes if group is None else group, planes) if self.flash.multi_plane else 1

    @cached_property
    def order(self) -> ProgramOrder:
        """The rule in which order pages of a block are programmed."""
        hardware = self.hardware
        return ProgramOrder(hardware.wordlines, hardware.page_types, self.flash.program_order, hardware.page_type_map)
