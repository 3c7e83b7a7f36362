"""An SSD built from its configuration, and its wiring."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.fill import recount
from ssdsim._core.program_order import ProgramOrder
from ssdsim.assembly.backups import make_backup
from ssdsim.assembly.capacity import check_limits, make_frontier
from ssdsim.assembly.collection import make_collector, make_hotness, super_page
from ssdsim.assembly.mappings import make_mapping, make_translation, translation_pages
from ssdsim.assembly.memory import check_memory
from ssdsim.assembly.page_types import make_specifier
from ssdsim.assembly.registry import make_policy
from ssdsim.buffer import replacement
from ssdsim.buffer.replacement import Replacement
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.config import STATIC_ORDERS, SchedulerConfig, SimulationConfig
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.flash import bus, scheduler
from ssdsim.flash.contents import Contents
from ssdsim.flash.controller import FlashController
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.data import PageData, sectors_of
from ssdsim.flash.die import Die
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.scheduler import PageTypeOrder, SchedulingPolicy, TransactionSchedulingUnit
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transaction import TransactionPool
from ssdsim.ftl import plane_allocation
from ssdsim.ftl.hotness import Hotness
from ssdsim.ftl.layer import FlashTranslationLayer
from ssdsim.ftl.plane_allocation import PlaneAllocation, StaticPlaneAllocation, stripe
from ssdsim.ftl.reclaim import victims as victim_selection
from ssdsim.ftl.reclaim.idle import HostActivity
from ssdsim.ftl.reclaim.victims import VictimPolicy
from ssdsim.ftl.rows import RowLayer
from ssdsim.stage import Stage


class Device:
    """The flash, the translation layer and, once a clock is connected, the processes that give them time.

    Before `connect`, writes go through `layer.write_now` and take no time; after it, requests are submitted to `layer`.
    With `contents`, which has outlasted a loss of power, the device is to be rebuilt (`ssdsim.run.power_loss`); else it
    is fresh.
    """

    def __init__(self, config: SimulationConfig, contents: Contents | None = None):
        check_limits(config)
        if contents is None:
            check_memory(config)
        self.config = config
        hardware, ftl = config.hardware, config.ftl
        policy = make_policy("ftl.gc.victim", ftl.gc.victim, VictimPolicy, victim_selection, ftl.gc.options)
        self.frontier = make_frontier(config)
        shape = (hardware.planes, hardware.physical_blocks, hardware.block_pages)
        span = hardware.planes_per_die if self.frontier.aligned else 1
        index = policy.make_index(
            hardware.planes // span, hardware.physical_blocks, hardware.block_pages * span, config.seed
        )
        least_worn_first = ftl.wear_leveling.dynamic or ftl.wear_leveling.static
        self.order = ProgramOrder(hardware.wordlines, hardware.page_types, config.flash.program_order)
        self.backup = make_backup(config)
        by_least = ftl.gc.ranking == "least"
        self.blocks = Blocks(*shape, index, least_worn_first, self.order, span, by_least, self.backup is not None)
        self.mapping = make_mapping(config, self.blocks, self.frontier, super_page(config))
        self.frontier.bind(self.blocks, ftl)
        if translation_pages(config):
            self.frontier.first_translation = hardware.logical_pages
        self.buffer = make_buffer(config)
        self.page_types = make_specifier(config, self.blocks, self.frontier, self.buffer)
        self.plane_allocation = make_plane_allocation(ftl.plane_allocation, super_page(config))
        self.plane_allocation.bind(hardware, self.frontier)
        self.plane_allocation.bind_mapping(self.mapping, self.blocks)
        self.scheduling_policy = make_scheduling_policy(config.scheduler)
        hotness = make_hotness(config)
        self.collector = make_collector(
            config, self.blocks, self.mapping, self.frontier, policy, self.page_types, hotness, self.buffer
        )
        self.layer = self.make_layer(hotness)
        even = self.plane_allocation.keeps_plane
        self.translation = make_translation(config, self.mapping, self.blocks, self.frontier, self.collector, even)
        self.layer.translation = self.translation
        if self.buffer is not None:
            self.buffer.bind(self.layer)
        self.counters = FlashCounters(hardware.planes)
        self.multi_plane = self.make_multi_plane(self.scheduling_policy)
        self.scheduling_policy.bind_multi_plane(self.multi_plane)
        self.dies: list[Die] = []
        self.controllers: list[FlashController] = []
        self.scheduler: TransactionSchedulingUnit | None = None
        self.activity: HostActivity | None = None
        is_fresh = contents is None
        if is_fresh and (config.integrity == "on" or config.power_loss.wanted):
            contents = Contents(self.blocks.pages, hardware.logical_pages, hardware.block_pages)
            if config.integrity == "on":
                sectors = sectors_of(hardware.page_bytes)
                contents.data = PageData(sectors, config.flash.unprogrammed_read == "flash")
        self.contents = self.layer.contents = self.collector.contents = contents
        self.data = self.layer.data = self.collector.data = None if contents is None else contents.data
        if self.translation is not None:
            self.translation.contents = contents
        if self.backup is not None:
            self.collector.backup = self.backup
            self.backup.bind(self.blocks, hardware, contents, self.frontier.first_translation)
            if is_fresh:
                self.backup.start()
        if config.check in ("gc", "always"):
            self.collector.on_collected = self.check

    def make_layer(self, hotness: Hotness | None) -> FlashTranslationLayer:
        """Return the translation layer, one that writes rows if that is asked for."""
        config = self.config
        parts = (self.blocks, self.mapping, self.plane_allocation, self.frontier, self.collector, self.page_types)
        if config.ftl.write_unit == "page":
            return FlashTranslationLayer(*parts, hotness, config)
        return RowLayer(*parts, hotness, config, super_page(config))

    @property
    def front(self) -> Stage:
        """What the device queue sends requests to."""
        front: Stage = self.layer if self.buffer is None else self.buffer
        return front

    def connect(self, env: Any) -> None:
        """Put the back end to work on the clock of `env`, a SimPy environment of either kernel."""
        hardware, flash = self.config.hardware, self.config.flash
        policy = self.scheduling_policy
        timing = FlashTiming(hardware, self.order, flash.wordline_buffer)
        per_channel = hardware.chips_per_channel * hardware.dies_per_chip
        self.dies = [Die(i, i // per_channel, i // hardware.dies_per_chip) for i in range(hardware.dies)]
        self.scheduler = TransactionSchedulingUnit(env, policy, self.dies, self.blocks, timing)
        for channel in range(hardware.channels):
            arbiter = make_policy("flash.bus", flash.bus, bus.BusArbiter, bus)
            dies = self.dies[channel * per_channel : (channel + 1) * per_channel]
            arbiter.bind(dies, policy)
            controller = FlashController(env, timing, self.scheduler, arbiter, self.blocks, self.counters)
            controller.contents = self.layer.contents
            controller.data = self.data
            controller.backup = self.backup
            controller.write_done_after_transfer = flash.write_complete == "transfer_end"
            self.controllers.append(controller)
            for die in dies:
                die.idle = False  # until its process has begun, which looks for work that has come before
                env.process(controller.serve(die))
        self.scheduler.bind(self.controllers, self.multi_plane, self.backup)
        self.scheduler.data = self.data
        self.plane_allocation.connect(self.dies, self.controllers)
        env.process(self.scheduler.run())
        pool = TransactionPool()
        self.layer.bind(env, self.scheduler, pool)
        self.collector.bind(env, self.scheduler, pool, self.dies, self.layer)
        if self.translation is not None:
            self.translation.bind(self.layer, self.scheduler, pool)
        if self.backup is not None:
            self.backup.connect(self.scheduler, pool)
        if self.config.ftl.gc.background_threshold is not None:
            quiet_ns = round(self.config.ftl.gc.idle_us * 1000)
            self.activity = self.layer.activity = HostActivity(env, quiet_ns, self.collector)
        env.process(self.collector.run())
        if self.buffer is not None and self.buffer.used:  # a loss of power has left something in it
            env.timeout(0).callbacks.append(lambda event: self.buffer.make_room())

    def make_multi_plane(self, policy: SchedulingPolicy) -> MultiPlaneCommands | None:
        """Return what joins transactions into multi-plane commands, or None where each runs alone."""
        hardware, flash = self.config.hardware, self.config.flash
        group = hardware.planes_per_die if flash.plane_groups is None else flash.plane_groups
        if not flash.multi_plane or min(group, hardware.planes_per_die) == 1:
            return None
        operations, bac = flash.multi_plane, self.config.ftl.bac
        return MultiPlaneCommands(policy, self.blocks, self.counters, hardware.planes_per_die, operations, group, bac)

    def check(self) -> None:
        """Recount everything and raise `SimulationError` on the first thing that is not as the books say."""
        found = recount(self.blocks, self.mapping.current())
        if found is not None:
            raise SimulationError(f"check: {found}.")
        active = np.flatnonzero(self.blocks.column("state") == STATES.index("active"))
        unfilled = [b for b in active.tolist() if self.blocks.written(b) < self.blocks.pages_per_block]
        if unfilled != sorted(self.frontier.open_blocks()):
            raise SimulationError(
                f"check: the blocks {unfilled} are being filled, but the write frontier has "
                f"{self.frontier.open_blocks()}."
            )

    def erases(self) -> np.ndarray:
        """Return the erase count of every block."""
        return self.blocks.column("erases")

    def waiting(self) -> Iterator[str]:
        """Yield a phrase for whatever is waiting, and for what."""
        if self.buffer is not None and self.buffer.waiting:
            yield f"{len(self.buffer.waiting)} parts of requests wait for the write buffer"
        if self.translation is not None and self.translation.waiting:
            yield f"{len(self.translation.waiting)} logical pages wait for their mapping"
        if self.translation is not None and self.translation.without_room:
            yield f"{len(self.translation.without_room)} translation pages wait for room"
        for unit, queue in enumerate(self.layer.waiting):
            if queue and unit < self.blocks.units:
                yield (
                    f"{len(queue)} writes wait for room in plane {unit * self.blocks.span}, which has "
                    f"{self.blocks.free_blocks(unit)} free blocks and {self.blocks.dead_pages(unit)} dead pages"
                )
            elif queue:
                yield f"{len(queue)} writes wait for room in any plane"
        for die in self.dies:
            if die.waiting or die.transaction is not None:
                busy = "idle" if die.transaction is None else f"executing for page {die.transaction.ppa}"
                yield f"{die.waiting} transactions wait for die {die.index}, which is {busy}"

    def __str__(self) -> str:
        """Show the geometry and the wiring on one screen."""
        config, hardware = self.config, self.config.hardware
        aware = ", page-type aware" if config.scheduler.page_type_aware else ""
        buffer = f" -> write buffer ({config.buffer.replacement}, {self.buffer.capacity} pages)" if self.buffer else ""
        return "\n".join(
            [
                f"host queue ({config.host.queue_depth} requests, {config.host.arbitration}){buffer}",
                f"  -> translation layer ({type(self.mapping).__name__}, {hardware.logical_pages} logical pages)",
                f"     plane allocation {config.ftl.plane_allocation}, blocks {config.ftl.block_allocation}, "
                f"page types {'+'.join(config.ftl.page_type) or 'as they come'}",
                f"     garbage collection {config.ftl.gc.victim} below {config.ftl.gc.soft_threshold:g} "
                f"(urgent below {config.ftl.gc.hard_threshold:g}) {config.ftl.gc.trigger.replace('_', ' ')}",
                f"  -> scheduler ({config.scheduler.policy}{aware}) -> {hardware.channels} flash controllers "
                f"(bus {config.flash.bus})",
                f"  -> {hardware.chips_per_channel} chips x {hardware.dies_per_chip} dies x {hardware.planes_per_die} "
                f"planes a channel, {hardware.physical_blocks} blocks x {hardware.block_pages} pages x "
                f"{hardware.page_kib:g} KiB a plane, {hardware.page_types} bits a cell",
            ]
        )


def make_buffer(config: SimulationConfig) -> WriteBuffer | None:
    """Return the write buffer that `config` describes, or None if it has none."""
    hardware, wanted = config.hardware, config.buffer
    if wanted.replacement == "none":
        return None
    if config.timing == "off":
        raise ConfigError(
            f"buffer.replacement={wanted.replacement}: a write buffer needs time to pass; set it to none, or timing=on."
        )
    policy = make_policy("buffer.replacement", wanted.replacement, Replacement, replacement)
    order = config.ftl.plane_allocation if config.ftl.plane_allocation in STATIC_ORDERS else "CWDP"
    policy.bind(stripe(order, hardware, super_page(config)), hardware, super_page(config))
    capacity = max(int(wanted.size_mib * 2**20) // hardware.page_bytes, 1)
    row = hardware.planes_per_die if config.ftl.write_unit == "die" else 1
    in_flight = 0 if wanted.write_back == "when_full" else wanted.pages_in_flight or 2 * hardware.dies
    return WriteBuffer(policy, capacity, hardware.page_bytes, row, super_page(config), in_flight)


def make_plane_allocation(name: str, pages_together: int) -> PlaneAllocation:
    """Return the plane allocation called `name`: one of the static orders, of super pages if need be, or a policy."""
    if name in STATIC_ORDERS:
        return StaticPlaneAllocation(name, pages_together)
    return make_policy("ftl.plane_allocation", name, PlaneAllocation, plane_allocation)


def make_scheduling_policy(config: SchedulerConfig) -> SchedulingPolicy:
    """Return the policy that `config` names, made aware of page types if it says so."""
    policy = make_policy("scheduler.policy", config.policy, SchedulingPolicy, scheduler, config.options)
    return PageTypeOrder(policy, config.pass_limits) if config.page_type_aware else policy
