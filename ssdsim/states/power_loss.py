"""A loss of power: when it comes, what the cells still hold, and the device that is made of it when power is back."""

from math import ceil
from typing import Any

import attrs
import numpy as np

from ssdsim._core.blocks import STATES
from ssdsim._core.codes import ERASE, GC, PROGRAMS, operations_with
from ssdsim._core.rebuild import Rebuild, programmed_pages, take_cells
from ssdsim._core.table import IndexTable
from ssdsim.assembly.device import Device
from ssdsim.check.contract import Losses
from ssdsim.config import MOST_NS, PowerLossConfig, SimulationConfig
from ssdsim.flash.contents import Contents
from ssdsim.flash.data import Image
from ssdsim.flash.timing import each_type, to_ns
from ssdsim.flash.views import dies_of
from ssdsim.ftl.backup import recovery
from ssdsim.ftl.backup.policies import last_paired_pages
from ssdsim.ftl.reclaim.collector import Collector

FULL = STATES.index("full")
IN_USE = (STATES.index("active"), FULL, STATES.index("cached"))


class PowerCut:
    """Watches, as an `Observer`, for the moment when power is to be cut: `event` happens then."""

    observes = ("done",)

    def __init__(self, env: Any, config: PowerLossConfig):
        self.left = config.after_programs or 0
        at_ns = MOST_NS if config.at_s is None else int(env.now) + round(config.at_s * 1e9)
        # Without a moment it happens by `done`, or never.
        self.event = env.event() if at_ns >= MOST_NS else env.timeout(at_ns - int(env.now))

    def done(self, transactions: Any, number: int, end_ns: int) -> None:
        """Count a finished transaction."""
        if self.left and transactions.op[number] in operations_with(PROGRAMS):
            self.left -= 1
            if not self.left:
                self.event.succeed()


@attrs.define
class Remains:
    """What is left of a device without power: the cells, and the write buffer if it has a capacitor.

    `programmed` has the pages of each type that are not erased, by block, `slc` the mode of the block (`Blocks.slc`),
    and `spare` the logical page of each. Of aligned blocks those that are a round ahead have been erased, and the
    others have not yet. Blocks in `half_erased` have lost their contents and must be erased again.
    """

    at_ns: int
    programmed: np.ndarray
    erases: np.ndarray
    rounds: np.ndarray
    slc: np.ndarray
    spare: IndexTable
    contents: Contents
    version: int
    half_erased: list[int] = attrs.field(factory=list)
    destroyed_programs: int = 0
    buffered: list[Any] = attrs.field(factory=list)
    acknowledged: list[int] = attrs.field(factory=list)
    losses: Losses = attrs.field(factory=Losses)


def cut_power(device: Device, at_ns: int, outstanding: list[int]) -> Remains:
    """Return the remains of `device` when its power is cut now; it must not be used any more.

    A program or erase whose array time has begun is destroyed. With a page, the lower pages of its wordline are: the
    cells have left their states, and not reached new ones (flexFTL, 1); so it is where it was suspended. What was still
    on the bus has done no harm. The host has not been told of the completion of the requests numbered `outstanding`.
    """
    pages = [page for die in dies_of(device.dies) for command in die.commands for page in command.command()]
    begun = [page for page in pages if page.array_start_ns >= 0]  # else it was still on the bus
    programs = [page.ppa for page in begun if page.op in operations_with(PROGRAMS)]
    return remains_of(device, at_ns, programs, [page.block for page in begun if page.op == ERASE], outstanding)


def remains_of(device: Device, at_ns: int, programs: list[int], erases: list[int], outstanding: list[int]) -> Remains:
    """Return the remains of `device` without power, as these pages were being programmed and these blocks erased."""
    contents, blocks, order = device.contents, device.blocks, device.blocks.order
    assert contents is not None
    remains = Remains(at_ns, *programmed_pages(blocks), blocks.spare, contents, device.layer.writes.version)
    remains.half_erased, remains.destroyed_programs = erases, len(programs)
    for ppa in programs:
        block, page = divmod(ppa, blocks.pages_per_block)
        for page_type in range(order.type_of(page) + 1):
            contents.destroy(ppa - page + order.page_of(order.wordline_of(page), page_type))
        remains.programmed[block, order.type_of(page)] += 1  # it has been used up, though it holds nothing
    # Pages that were handed out and not programmed hold nothing.
    for block in np.flatnonzero(blocks.column("written") > remains.programmed.sum(axis=1)).tolist():
        for page in range(order.pages):
            # pages of a type are programmed in the order of wordlines
            if order.wordline_of(page) >= remains.programmed[block, order.type_of(page)]:
                contents.forget(block * order.pages + page)
                remains.spare.set(block * order.pages + page, -1)
    for lpa, version in device.layer.reads.trims.items():  # the buffer has forgotten what they forget
        contents.unmap(lpa, version)
    if device.buffer is not None:
        kept = list(device.buffer.pages.entries.values())  # oldest first
        if device.config.power_loss.capacitor:
            remains.buffered = kept
        else:
            remains.acknowledged = device.buffer.acknowledged(set(outstanding))
            remains.losses = Losses(memory=[entry.lpa for entry in kept])
    return remains


def reboot(config: SimulationConfig, remains: Remains) -> tuple[Device, dict[str, Any]]:
    """Return the device that comes up again from `remains`, and the report on what its recovery found.

    The mapping is rebuilt from the spare areas of all pages, and what flash holds of it in DFTL is written anew. Pages
    that a destroyed program took with it are restored from backups, where there are any, and written to other places.
    Blocks that were being filled are closed, and others taken for what comes.
    """
    device = Device(config, remains.contents)
    return device, Recovery(device, remains).run()


class Recovery:
    """Boots `device`, freshly built, from the `remains` of one without power."""

    def __init__(self, device: Device, remains: Remains) -> None:
        self.device, self.remains, self.contents = device, remains, remains.contents
        self.blocks, self.backup, self.hardware = device.blocks, device.backup, device.config.hardware
        self.restored: list[recovery.Restored] = []  # from backups
        self.read: list[int] = []  # the pages that this took

    def run(self) -> dict[str, Any]:
        """Bring the device into the state in which it has booted; return the report (`reboot`)."""
        device, remains, blocks, backup = self.device, self.remains, self.blocks, self.backup
        if self.contents.data is not None:
            self.contents.data.pending.clear()
        unfinished, erased = self._rebuild()
        lost = self._unreadable()
        report: dict[str, Any] = {
            "at_s": remains.at_ns / 1e9,
            "destroyed_programs": remains.destroyed_programs,
            "destroyed_erases": len(remains.half_erased),
            "erased_blocks": len(remains.half_erased) + erased,
            "spare_areas_read": int(remains.programmed.sum()) + blocks.count,
            "scan_ms": self._scan_ns() / 1e6,
        }
        members = [block for aligned in unfinished for block in self._members(aligned)]
        # blocks that were being filled, and others that were damaged
        suspects = members + sorted({blocks.block_of(ppa) for ppa in lost}.difference(members))
        checked = last_paired_pages(blocks, suspects) if backup is None else backup.policy.pages_to_check(suspects)
        self._close(unfinished)
        if backup is not None:
            backup.start()
        again = [self._write_again(page.lpa, page.version, page.data) for page in self.restored]
        if any(again):
            self._complete_rows()
        report["recovered"] = sum(again)
        report["mapping_ms"] = self._write_mapping_ns() / 1e6
        pages, read_ns = {*checked, *self.read}, self._read_ns()
        report["pages_read"] = len(pages)
        report["reboot_ms"] = sum(read_ns[blocks.type_of(ppa) + 1] for ppa in pages) / 1e6
        report |= self._losses()
        if device.buffer is not None:
            device.buffer.pages.put_back(remains.buffered)
        return report

    def _rebuild(self) -> tuple[list[int], int]:
        """Rebuild blocks and mapping; return the partly written (aligned) blocks, and how many held nothing of use."""
        remains, contents = self.remains, self.contents
        self.device.layer.writes.version = remains.version
        for block in remains.half_erased:
            remains.programmed[block] = 0
            remains.erases[block] += 2  # what was cut short has worn it, too
            remains.rounds[block] += 1
            remains.slc[block] = 0
            contents.forget_block(block)
        versions, stamps, *_ = contents.columns()
        take_cells(self.blocks, remains.spare, remains.programmed, remains.erases, remains.rounds, remains.slc)
        if self.backup is not None:
            self.restored, self.read = recovery.restore(self.backup, self._unreadable())
        mapping, set_aside = self.device.mapping.table, self._backup_blocks()
        unfinished, erased = Rebuild(self.blocks, mapping, versions, stamps, set_aside).run()
        for block in erased:
            contents.forget_block(block)
        return unfinished, len(erased)

    def _members(self, aligned: int) -> list[int]:
        """Return the blocks that are aligned under one number."""
        return [self.blocks.member(aligned, place) for place in range(self.blocks.span)]

    def _backup_blocks(self) -> np.ndarray:
        """Return the blocks whose spare areas, or those of blocks aligned with them, say that they hold backups."""
        units = {self.blocks.aligned_of(self.blocks.block_of(ppa)) for ppa in self.contents.notes}
        return np.array(sorted(block for aligned in units for block in self._members(aligned)), np.int64)

    def _unreadable(self) -> list[int]:
        """Return the pages of data that cannot be read."""
        versions, *_ = self.contents.columns()
        ppas = np.flatnonzero(versions < 0)  # the mark of a page that is destroyed
        return ppas[~np.isin(ppas // self.blocks.pages_per_block, self._backup_blocks())].tolist()

    def _read_ns(self) -> list[int]:
        """Return the times of a read in SLC mode, and of each page type."""
        times = [self.hardware.slc_read_us, *each_type(self.hardware.read_us, self.hardware)]
        return [to_ns(time + self.hardware.ready_busy_us) for time in times]

    def _scan_ns(self) -> int:
        """Return the time in ns that dies read spare areas, all at a time: of programmed pages and one more a block."""
        programmed, (slc_ns, *by_type) = self.remains.programmed, self._read_ns()
        by_block = programmed[:, : len(by_type)] @ np.array(by_type) + by_type[0]
        by_block = np.where(self.remains.slc > 0, (programmed[:, 0].astype(np.int64) + 1) * slc_ns, by_block)
        # dies scan side by side, so the slowest decides
        return int(by_block.reshape(self.hardware.command_units, -1).sum(axis=1).max())

    def _close(self, unfinished: list[int]) -> None:
        """Close the blocks that were being filled: firmware does not write on where a program may have been cut."""
        blocks = self.blocks
        for aligned in unfinished:
            for block in self._members(aligned):
                if blocks.written(block) < blocks.pages_per_block:
                    blocks.close(block)
        if self.device.frontier.cache is not None:
            self.device.frontier.cache.recover(self._in_use())

    def _in_use(self) -> list[int]:
        """Return the (aligned) blocks that hold data, in the order of their first write."""
        blocks = self.blocks
        first = self.contents.columns()[1].reshape(blocks.count, blocks.pages_per_block)
        # a stamp of 0 is a page that was never written
        stamps = np.where(first > 0, first, np.iinfo(np.int64).max).min(axis=1)
        numbers = range(blocks.units * blocks.blocks_per_plane)
        held = [aligned for aligned in numbers if blocks.state(blocks.member(aligned, 0)) in IN_USE]
        return sorted(held, key=lambda aligned: int(stamps[self._members(aligned)].min()))

    def _write_again(self, lpa: int, version: int, image: Image) -> bool:
        """Write `version` of `lpa`, which was restored, to a new place, unless there is a copy or something newer.

        Where there is only the reserve left for it, one collection makes room first, or one loss of power after another
        would use that up.
        """
        device, blocks = self.device, self.blocks
        before = device.mapping.table.get(lpa)
        if before >= 0 and self.contents.get(before) >= version:
            return False
        plane = device.plane_allocation.plane_for(lpa, -1)
        if plane < 0:
            # dynamic policies may name none on a device that is idle: the emptiest unit, the first of equals
            plane = blocks.span * max(range(blocks.units), key=blocks.free_pages)
        kind = device.frontier.kind_of(lpa, GC, -1, -1)
        assert isinstance(device.collector, Collector)  # no backup goes with FAST
        plane = device.collector.plane_with_room(plane, kind)
        before = device.mapping.table.get(lpa)  # again, as the collection may have moved the page
        ppa = device.frontier.allocate(plane, kind, lpa, 0)
        self.contents.put(ppa, version)
        device.mapping.update(lpa, ppa)
        if before >= 0:
            blocks.invalidate(before)
        device.instant.program(GC, ppa, image)
        return True

    def _complete_rows(self) -> None:
        """Complete the rows that pages written again have begun, where rows are written as wholes."""
        blocks, frontier = self.blocks, self.device.frontier
        for plane in range(0, blocks.planes, blocks.span) if self.device.config.ftl.by_rows else ():
            for kind in range(frontier.kinds):
                while frontier.row_place(plane // blocks.span, kind):
                    ppa = frontier.allocate(plane, kind, -1, 0)
                    blocks.invalidate(ppa)
                    self.device.instant.program(GC, ppa)

    def _write_mapping_ns(self) -> int:
        """Write the mapping table to flash, if it belongs there, and return how long that takes all dies at a time."""
        if self.device.translation is None:
            return 0
        program_ns = max(to_ns(time) for time in each_type(self.hardware.array_program_us, self.hardware))
        pages: int = self.device.translation.fill_now()
        return ceil(ceil(pages / self.hardware.pages_programmed) / self.hardware.command_units) * program_ns

    def _losses(self) -> dict[str, int]:
        """Record in `remains` the logical pages that do not hold what they held last, and return how many there are.

        What they do hold is what is expected from now on.

        Lost in flash are pages whose last data was there; of others, what was acknowledged before it was programmed may
        be gone. Both are what the host had been told is written. Trims, which leave no trace in flash, may be undone.
        """
        remains = self.remains
        versions, _, acknowledged, durable, unmapped = self.contents.columns()
        table = self.device.mapping.table.to_numpy(0, self.hardware.logical_pages)
        readable = np.where(table >= 0, versions[np.maximum(table, 0)], 0)
        trimmed = unmapped > durable  # a trim is newer than the last version in flash
        lost = (readable < durable) & ~trimmed
        buffered = acknowledged > np.maximum(readable, unmapped)
        buffered[remains.acknowledged] = True
        buffered &= ~lost
        undone = trimmed & (readable > 0)
        flash, memory, trims = (set(np.flatnonzero(mask).tolist()) for mask in (lost, buffered, undone))
        remains.losses = Losses(flash, {*remains.losses.memory, *memory}, trims, remains.destroyed_programs)
        # From now on that is what the host has been told: a second loss is held against it.
        acknowledged[:] = durable[:] = readable
        unmapped[:] = 0
        return {
            "lost_acknowledged": len(flash) + len(memory),
            "lost_in_flash": len(flash),
            "lost_buffered": len(memory),
            "trims_undone": len(trims),
        }
