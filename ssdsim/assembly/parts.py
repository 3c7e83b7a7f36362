"""The parts that a configuration names, by themselves: what rules and capacity ask, and what a device is built of."""

import inspect
from importlib import import_module
from typing import Any

from ssdsim._core.program_order import ProgramOrder
from ssdsim.assembly.namespaces import namespaces
from ssdsim.assembly.own_policies import own_class, own_frames, raised
from ssdsim.buffer.replacement import Replacement
from ssdsim.config import PRIORITIES, SimulationConfig
from ssdsim.config.registry import AXES, STATIC_ORDERS, Axis
from ssdsim.config.validators import is_whole
from ssdsim.device_view import DeviceView
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.flash.bus import BusArbiter
from ssdsim.flash.own import adapted
from ssdsim.flash.scheduler.unit import SchedulingPolicy
from ssdsim.ftl.backup.backups import BLOCKS
from ssdsim.ftl.backup.policies import PairedPageBackup
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.separation import Separation
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.frontier.tables import most_in_one_of
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.page_type import PageTypeScheme, check_order
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
    """The policies of `config`, none of them bound; they are made in the order in which a write meets them."""

    replacement: Replacement | None  # which pages leave the write buffer, if there is one
    schemes: list[list[PageTypeScheme]]  # of the host's writes and of moved data, or none where no type is specified
    translation: MapAccess | None  # lookups of the map in flash, or None where the whole of it is in controller memory
    translation_pages: int  # how many pages of flash the map takes at most
    plane_allocation: PlaneAllocation  # which plane a page goes to
    separation: Separation  # which writes share active blocks
    page_order: WriteFrontier  # where pages are written, but for the SLC cache
    frontier: WriteFrontier  # where pages are written
    backup: PairedPageBackup | None  # what backs up paired pages
    victims: VictimPolicy  # which block is collected
    moves: type[PageMoves]  # how valid pages of victims are moved; FAST's merges do that their own way
    scheduling: SchedulingPolicy  # which transaction goes next
    buses: list[BusArbiter]  # by channel
    order: ProgramOrder  # in which pages of a block are programmed

    def __init__(self, config: SimulationConfig):
        self.config = config
        self.hardware, self.flash, self.ftl, self.gc = config.hardware, config.flash, config.ftl, config.ftl.gc
        hardware, flash, ftl = self.hardware, self.flash, self.ftl
        self.streams = ["main", *config.workloads]
        self.stream_names = ", ".join(self.streams)
        # FAST maps blocks as wholes; pages lie in log blocks until they are merged.
        self.is_fast = ftl.mapping.scheme == "fast"
        self.isolates = ftl.plane_allocation in ("by_stream", "by_stream_static")
        priorities = (config.host.priorities.get(name, "medium") for name in self.streams)
        self.view = DeviceView(hardware, tuple(self.streams), tuple(map(PRIORITIES.index, priorities)))
        self.places = self.order_of_planes()
        self.make_arbitration()  # to say what is wrong with it; each queue has a new one
        self.replacement = self.make("buffer.replacement", config.buffer.replacement)
        # without schemes of the host's writes, those of moved data are not asked
        lists = {"ftl.page_type": ftl.page_type, "ftl.gc.page_type": ftl.gc.page_type} if ftl.page_type else {}
        self.schemes = [self.make_schemes(key, names) for key, names in lists.items()]
        self.translation = self.make_translation()
        self.translation_pages = 0 if self.translation is None else self.translation.translation_pages
        self.plane_allocation = self.make_plane_allocation()
        self.separation = self.make_separation()
        order = LogFrontier(config) if self.is_fast else self.make("ftl.page_order", ftl.page_order)
        order.separation = self.separation
        self.page_order = order
        self.frontier = SlcCache(order, ftl.slc_cache) if ftl.slc_cache.wanted else order
        self.backup = self.make("ftl.backup", ftl.backup)
        self.backup_blocks = 0 if self.backup is None else BLOCKS  # of a plane
        self.active_blocks = self.frontier.active_blocks(hardware, ftl)  # of a plane, at most
        self.victims = self.make("ftl.gc.victim", self.gc.victim, self.gc.options)
        self.moves = DieMoves if ftl.moves == "rows" and ftl.unit == "die" else MOVERS[ftl.moves]
        self.scheduling = adapted(self.make("scheduler.policy", config.scheduler.policy, config.scheduler.options))
        self.buses = [adapted(self.make("flash.bus", flash.bus)) for _ in range(hardware.channels)]
        self.order = ProgramOrder(hardware.wordlines, hardware.page_types, flash.program_order, hardware.page_type_map)

    def make(self, axis: str, name: str, options: dict[str, Any] | None = None, key: str = "") -> Any:
        """Return the policy called `name`, which is given the device, or None for none.

        It is configured at `key`, that of the axis if empty. A class of the user's own is held against what its base
        owes, and so is what it returns.
        """
        key = key or axis
        cls = own_class(key, name, *BASES[axis]) if "." in name else CLASSES[axis].get(name)
        return None if cls is None else built(cls, f"{key}={name}", options or {}, self.view)

    def make_arbitration(self) -> Any:
        """Return the policy that says whose request goes into the device next, a new one for each queue."""
        host = self.config.host
        return self.make("host.arbitration", host.arbitration, host.arbitration_options)

    def make_schemes(self, key: str, names: list[str]) -> list[PageTypeScheme]:
        """Return the page-type schemes called `names`, the list at `key`."""
        options = self.ftl.page_type_options
        schemes = [self.make("ftl.page_type", name, options.get(name), key) for name in names]
        check_order(key, names, schemes)
        return schemes

    def make_translation(self) -> MapAccess | None:
        """Return the lookups of the map in flash, or None where the whole of it is in controller memory."""
        wanted = self.ftl.mapping
        if "." in wanted.scheme:
            own = self.make("ftl.mapping.scheme", wanted.scheme, wanted.options)
            return MapAccess(self.hardware.logical_pages, int(own.table_pages()), own)
        return DemandMapping(self.hardware, wanted) if wanted.scheme == "dftl" else None

    def make_plane_allocation(self) -> PlaneAllocation:
        """Return the plane allocation; a static order is of super pages where these are written."""
        name, hardware, options = self.ftl.plane_allocation, self.hardware, {}
        if name in STATIC_ORDERS:
            options = {"order": name, "super_page": self.config.super_page}
        elif self.isolates:
            tables = most_in_one_of(hardware.planes, self.translation_pages)
            options = {
                "wanted": self.ftl.isolation,
                "namespaces": self.namespace_pages,
                "super_page": self.config.super_page,
                "most_valid": (hardware.logical_pages_per_plane + tables) * len(self.places),
            }
        return self.make("ftl.plane_allocation", name, options)

    def make_separation(self) -> Separation:
        """Return the separation of writes; raise `ConfigError` for one whose kinds of data cannot be numbered."""
        separation = self.make("ftl.active_blocks", self.ftl.active_blocks, self.ftl.active_block_options)
        for name in ("hosts", "moved"):
            kinds = list(getattr(separation, name))
            if not kinds or not all(is_whole(kind) and 0 <= kind < MOST_KINDS for kind in kinds):
                raise ConfigError(
                    f"ftl.active_blocks={self.ftl.active_blocks}: its {name} are {kinds}; set them to one or more "
                    f"kinds of data, numbered from 0 to {MOST_KINDS - 1}."
                )
        return separation

    def order_of_planes(self) -> list[int]:
        """Return the planes of a unit of blocks, as counted from its first, in the order in which rows are filled.

        Superblocks are filled in the static order of the plane allocation, or else channel by channel.
        """
        hardware, name = self.hardware, self.ftl.plane_allocation
        if self.ftl.unit != "superblock":
            return list(range(hardware.planes_per_die if self.ftl.unit != "block" else 1))
        return stripe(name if name in STATIC_ORDERS else "CWDP", hardware, 1)

    @property
    def namespace_pages(self) -> list[tuple[int, int]]:
        """By stream, the first page of its namespace and the pages of that; none where no stream has one."""
        if not self.config.host.namespace_share:
            return []
        page, spaces = self.hardware.page_bytes, namespaces(self.config)
        return [(spaces[name][0] // page, spaces[name][1] // page) for name in self.streams]

    @property
    def planes_joined(self) -> int:
        """How many planes of a die can work at once."""
        group, planes = self.flash.plane_groups, self.hardware.planes_per_die
        return min(planes if group is None else group, planes) if self.flash.multi_plane else 1
