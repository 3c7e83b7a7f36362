"""An SSD built from its configuration, and its wiring."""

from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.either_kernel import run_routine
from ssdsim._core.random import RandomStream
from ssdsim.assembly.capacity import check_memory, checked_parts, counted_thresholds
from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.read_cache import ReadCache
from ssdsim.buffer.write_buffer import BufferSearch, WriteBuffer
from ssdsim.check.books import check_books
from ssdsim.config import SimulationConfig
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.controller.delays import DataPath, Dram, Link, Processor
from ssdsim.flash.bus import Deferral
from ssdsim.flash.contents import Contents
from ssdsim.flash.controller import FlashController
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.data import PageData, sectors_of
from ssdsim.flash.die import DieProcess
from ssdsim.flash.dies import Dies
from ssdsim.flash.instant import InstantFlash
from ssdsim.flash.lane_steps import LaneSteps
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.observer import Observers
from ssdsim.flash.scheduler.policies import PageTypeOrder
from ssdsim.flash.scheduler.unit import TransactionSchedulingUnit
from ssdsim.flash.suspension import Suspension
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.wordlines import OneShotWordlines
from ssdsim.ftl.backup.backups import Backups
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.fast.merges import Merger
from ssdsim.ftl.frontier.separation import Hotness
from ssdsim.ftl.layer import FlashTranslationLayer
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.plane_allocation.policies import stripe
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.side_by_side import SideBySide
from ssdsim.ftl.reclaim.units import CollectionUnit, ParallelPlanes, WholeDevice
from ssdsim.ftl.reclaim.victims import WearLeveling
from ssdsim.ftl.rows import RowWritePath
from ssdsim.ftl.writes import WritePath
from ssdsim.host.gate import Gate
from ssdsim.stage import Stage


class Device:
    """The flash, the translation layer and, once a clock is connected, the processes that give them time.

    Before `connect`, writes go through `layer.writes.write_now` and take no time; after it, `layer` takes requests.
    With `contents`, which has outlasted a loss of power, the device is to be rebuilt (`ssdsim.states.power_loss`); else
    it is fresh.
    """

    # The stages that a request passes, in order: those that the configuration asks for, and the layer.
    link: Link | None = None
    processor: Processor | None = None
    data_path: DataPath | None = None
    gate: Gate | None = None
    read_cache: ReadCache | None = None
    search: BufferSearch | None = None
    buffer: WriteBuffer | None = None
    layer: FlashTranslationLayer
    activity: Collector | None = None  # where it is told what the host has under way
    padding: WordlinePadding | None = None  # None where pages are programmed one by one

    def __init__(self, config: SimulationConfig, contents: Contents | None = None):
        self.config = config
        self.parts = checked_parts(config)
        if contents is None:  # else a device of its size has been there
            check_memory(config)
        # From the flash up, as each part is given those below it.
        self.make_pages(contents)
        self.make_back_end()
        self.make_layer()
        self.make_stages()
        if contents is None:
            if self.backup is not None:
                self.backup.start()
            if self.frontier.cache is not None:
                self.frontier.cache.start()

    def make_pages(self, contents: Contents | None) -> None:
        """Make blocks and pages, and what says which of them hold what."""
        config, parts, hardware = self.config, self.parts, self.config.hardware
        gc, wear, places = config.ftl.gc, config.ftl.wear_leveling, parts.places
        blocks, pages, units = hardware.physical_blocks, hardware.block_pages, hardware.planes // len(places)
        index = parts.victims.make_index(units, blocks, pages * len(places), config.seed)
        choice = (index, wear.dynamic or wear.static, parts.order, len(places), gc.ranking == "least")
        backs_up, by_address = parts.backup is not None, config.ftl.free_blocks == "next"
        self.blocks = Blocks(hardware.planes, blocks, pages, *choice, backs_up, by_address, places)
        self.frontier = parts.frontier
        self.mapping = parts.translation or PageMapping(hardware.logical_pages)
        self.frontier.bind(self.blocks, config.ftl)
        if parts.translation_pages:
            parts.page_order.first_translation = self.frontier.first_translation = hardware.logical_pages
        if contents is None and (config.integrity == "on" or config.power_loss.wanted):
            contents = Contents(self.blocks.pages, hardware.logical_pages, pages)
            if config.integrity == "on":
                sectors, in_flash = sectors_of(hardware.page_bytes), config.flash.unprogrammed_read == "flash"
                contents.data = PageData(self.blocks.pages, sectors, in_flash)
        self.contents = contents
        self.data = None if contents is None else contents.data

    def make_back_end(self) -> None:
        """Make the dies and the scheduler of their commands, and what backs up paired pages."""
        config, hardware, flash = self.config, self.config.hardware, self.config.flash
        self.observers = Observers()
        self.observers.add(self.contents)
        self.observers.add(self.data)
        self.transactions = Transactions()
        self.instant = InstantFlash(self.blocks, self.transactions, self.observers)
        self.counters = FlashCounters(hardware.planes, hardware.planes_per_die if flash.read_planes == "all" else 0)
        units = hardware.command_units  # dies, or chips whose dies are commanded as one
        per_chip = hardware.dies_per_chip // hardware.dies_per_unit
        self.dies = Dies(self.transactions, units, units // hardware.channels, per_chip, hardware.lanes_per_die)
        policy, wanted = self.parts.scheduling, config.scheduler
        if wanted.page_type_aware:
            policy = PageTypeOrder(policy, wanted.pass_limits)
        multi_plane, group = None, self.parts.planes_joined
        if group > 1:  # else each transaction runs alone
            multi_plane = MultiPlaneCommands(policy, self.dies, self.blocks, self.counters, config, group)
        self.timing = FlashTiming(hardware, self.parts.order, flash.wordline_buffer)
        ordering = (policy, self.dies, self.blocks, self.timing, multi_plane, self.observers)
        self.scheduler = TransactionSchedulingUnit(*ordering, flash.bus == "data_out_first")
        if hardware.lanes_per_die > 1 or flash.suspension.wanted:
            self.dies.plain = False
            limits = (self.dies, policy, self.blocks, self.counters, hardware, flash.suspension)
            suspensions = [Suspension(die, *limits) for die in range(self.dies.count)]
            self.dies.lanes = [Lanes(self.dies, policy, each, hardware) for each in suspensions]
        self.controllers: list[FlashController] = []
        self.backup: Backups | None = None
        if self.parts.backup is not None:
            below = (self.blocks, config, self.contents, self.instant, self.scheduler)
            self.backup = Backups(self.parts.backup, *below)
        self.observers.add(self.backup)  # after the data, as it is made of that

    def make_layer(self) -> None:
        """Make the translation layer and its parts, the pages of the write buffer among them."""
        config, hardware, ftl, parts = self.config, self.config.hardware, self.config.ftl, self.parts
        policy, order = parts.replacement, ftl.plane_allocation
        self.buffered: BufferedPages | None = None
        if policy is not None:
            visited = stripe(order if order in STATIC_ORDERS else "CWDP", hardware, config.super_page)
            policy.bind(visited, hardware, config.super_page)
            self.buffered = BufferedPages(policy, config, self.data)
        for purpose, schemes in zip(("main", "moved data"), parts.schemes, strict=False):
            for place, scheme in enumerate(schemes):
                scheme.blocks, scheme.types, scheme.buffer = self.blocks, hardware.page_types, self.buffered
                scheme.random = RandomStream(config.seed, f"page type {place} of {purpose}")
        self.page_types = PageTypeSpecifier(*parts.schemes) if parts.schemes else None
        self.plane_allocation = parts.plane_allocation
        self.plane_allocation.frontier, self.plane_allocation.mapping = self.frontier, self.mapping
        self.plane_allocation.at_dispatch, self.plane_allocation.dies = ftl.at_dispatch, None
        parts.separation.hotness = None  # a policy of one's own may have a constructor that leaves it out
        if parts.separation.heeds_hotness:
            window_ns = round(ftl.hot_window_s * 1e9)
            parts.separation.hotness = Hotness(hardware.logical_pages, config.super_page, window_ns, ftl.hot_updates)
        self.collector = self.make_collector()
        if config.check in ("gc", "always"):
            self.collector.on_collected = self.check
        self.translation = parts.translation
        if self.translation is not None:  # where a logical page keeps its plane, data is spread evenly
            self.translation.bind(self.collector, self.plane_allocation.keeps_plane, config)
        reads = ReadPath(self.translation, self.collector, config)
        places = (self.page_types, self.plane_allocation, self.frontier)
        rows = RowWritePath(reads, *places) if ftl.by_rows and self.blocks.span > 1 else None
        writes = WritePath(reads, *places) if rows is None else rows
        self.layer = FlashTranslationLayer(reads, writes, config.super_page)
        self.collector.listener = writes
        if isinstance(self.collector, Collector):
            self.collector.rows = rows
        if hardware.pages_programmed > 1:
            wordlines = OneShotWordlines(self.transactions, hardware.page_types, self.blocks.count)
            self.scheduler.wordlines = wordlines
            assert isinstance(self.collector, Collector)  # FAST does not go with it
            self.padding = self.layer.padding = self.collector.padding = WordlinePadding(wordlines, writes)

    def make_stages(self) -> None:
        """Make the stages before the translation layer, the last first."""
        config = self.config
        front: Stage = self.layer
        self.dram = self.make_dram()
        shared_dram = None if config.dram.bandwidth_mib_s is None else self.dram  # by which all data passes
        buffer_dram = self.dram if shared_dram is None else None
        if self.buffered is not None:
            front = self.buffer = WriteBuffer(self.buffered, self.layer, self.layer.writes, buffer_dram, config)
            self.layer.writes.evictions = self.buffer  # in a circle: where rows are written
            if config.buffer.search_ns:
                front = self.search = BufferSearch(self.buffer, config.buffer.search_ns)
        if config.read_cache.size_mib:
            front = self.read_cache = ReadCache(front, config, self.data, buffer_dram)
        if config.ftl.gc.holds_requests:
            front = self.gate = self.collector.gate = Gate(front)
        if shared_dram is not None:
            front = self.data_path = DataPath(front, shared_dram, config.hardware.page_bytes)
        if config.controller.takes_time:
            front = self.processor = Processor(front, config.controller)
        if config.link.lanes:
            front = self.link = Link(front, config.link)
        self.front = front  # what the device queue sends requests to

    def make_dram(self) -> Dram | None:
        """Return the DRAM that all data or write buffer and read cache share, or None if that takes no time."""
        of_all, wanted = self.config.dram, self.config.buffer
        if of_all.bandwidth_mib_s is not None:
            ns_per_byte = 1e9 / 2**20 / of_all.bandwidth_mib_s
            return Dram(of_all.latency_ns, ns_per_byte, of_all.table_accesses, of_all.access_bytes)
        is_used = wanted.replacement != "none" or self.config.read_cache.size_mib > 0
        takes_time = is_used and (wanted.access_ns > 0 or wanted.transfer_ns_per_byte > 0)
        return Dram(wanted.access_ns, wanted.transfer_ns_per_byte) if takes_time else None

    def make_collector(self) -> Reclaimer:
        """Return the reclaimer of space: a collector, or FAST's merger."""
        config, victims = self.config, self.parts.victims
        gc, hardware, wear = config.ftl.gc, config.hardware, config.ftl.wear_leveling
        below = (self.scheduler, self.instant, self.contents)
        if isinstance(self.frontier, LogFrontier):
            return Merger(self.frontier, self.mapping, below, config)
        leveling = WearLeveling(self.blocks, wear.static_threshold if wear.static else -1)
        kind: type[CollectionUnit] = ParallelPlanes if config.ftl.moves == "parallel" else CollectionUnit
        if gc.scope == "device":
            kind = WholeDevice
        unit = kind(self.blocks, self.frontier, victims, leveling, counted_thresholds(self.parts), hardware)
        made = Collector if gc.reserved_blocks == 1 else SideBySide
        return made(unit, self.parts.moves, self.mapping, self.frontier, self.page_types, below, config)

    def connect(self, env: Any) -> None:
        """Put the device to work on the clock of `env`, a SimPy environment of either kernel."""
        self.parts.view.env = env
        self.scheduler.connect(env)
        if self.padding is not None:
            self.padding.connect(env, self.instant)
        self.connect_dies(env)
        self.plane_allocation.dies = self.dies
        if self.layer.writes.has_lines:
            self.observers.add(self.layer.writes)
        run_routine(env, self.scheduler)
        gc, cache = self.config.ftl.gc, self.config.ftl.slc_cache
        if gc.background_threshold is not None or cache.wanted:
            assert isinstance(self.collector, Collector)  # FAST does not go with it
            self.activity = self.layer.writes.activity = self.collector
            self.collector.await_quiet()
        run_routine(env, self.collector)
        for stage in (self.link, self.processor, self.data_path, self.gate, self.search, self.dram):
            if stage is not None:
                stage.env = env
        if self.buffer is not None:
            self.counters.by_page = False
            self.buffer.connect(env, self.counters)

    def connect_dies(self, env: Any) -> None:
        """Begin the processes of all dies, each with the controller of its channel."""
        flash, all_dies, scheduler = self.config.flash, self.dies, self.scheduler
        dram = None if self.data_path is None else self.dram
        for channel, chosen in enumerate(self.parts.buses):
            arbiter = Deferral(chosen) if flash.collection_holds == "channel" else chosen
            dies = range(channel * all_dies.per_channel, (channel + 1) * all_dies.per_channel)
            lanes = range(dies.start * all_dies.lanes_per_die, dies.stop * all_dies.lanes_per_die)
            arbiter.bind(env, all_dies, lanes.start, lanes.stop, scheduler.policy)
            controller = FlashController(env, scheduler, arbiter, self.counters, dram, flash)
            self.controllers.append(controller)
            for die in dies:
                all_dies.idle[die] = False  # until its process has begun, which looks for work that has come before
            for lane in lanes:
                all_dies.buses[lane] = controller
                process = DieProcess(env, controller, self.blocks, lane, self.observers, chosen.arrivals_first)
                if not all_dies.plain:
                    LaneSteps(process)
                run_routine(env, process)
        for lanes in all_dies.lanes:
            lanes.suspension.connect(env)

    def check(self) -> None:
        """Recount everything and raise `SimulationError` on the first thing that is not as the books say."""
        check_books(self.blocks, self.mapping.table)

    def waiting(self) -> list[str]:
        """Return a phrase for whatever is waiting, and for what."""
        front = (self.gate, self.search, self.buffer)
        parts = (*front, self.translation, self.layer.writes, self.scheduler.wordlines, self.dies)
        return [phrase for part in parts if part is not None for phrase in part.what_waits()]
