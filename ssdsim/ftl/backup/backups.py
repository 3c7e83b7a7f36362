# cython: infer_types=True
"""How backups of paired pages are written, what they hold, and for how long they are needed."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, ERASE, GC, PROGRAM, READ
from ssdsim._core.program_order import ProgramOrder
from ssdsim.config import SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, InstantFlash, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.backup.policies import Backup, Due, PairedPageBackup
from ssdsim.stage import TransactionOwner

BLOCKS: Final = 2
"""Of a plane, for backups: with them, some can always be written."""


class Backups(TransactionOwner):
    """Writes the backups that `policy` says are due, and lets the pages be programmed that wait for these.

    A backup is programmed among the host's writes, by age. Its block is erased when none of its backups is needed any
    more. If the other one is not free by then, backups wait, and what they are for waits with them.

    Two blocks of each plane are set aside, and written and erased in turn; aligned blocks together, each erased when
    its own plane has no need of it. They are given back when all are erased, for others to be worn in their place.
    Where only fast pages are written (`ftl.backup_pages`), slow ones that have to come between are passed over.
    """

    contents: Contents | None  # of pages, where that is known
    owner: int  # of the transactions
    due: list[Due]  # by page of a block
    shift: int  # planes from the one that is served to the one that has its backup blocks (`ftl.backup_place`)
    with_room: list[list[int]]  # by plane that is served: the backup block being written, and erased ones
    in_use: dict[int, int]  # by backup block: how many backups it has that are needed or not written yet
    waiting: list[deque[Backup]]  # by plane: backups without a page
    of_block: dict[int, list[Backup]]  # by block of data: its backups that are needed
    at: dict[int, Backup]  # by PPA: the backup there that is needed or not written yet
    moved: dict[int, tuple[int, int]]  # by PPA of a lower page that was moved: block it was moved from, its erases

    observes = ("queued", "programmed", "erased")

    def __init__(
        self,
        policy: PairedPageBackup,
        blocks: Blocks,
        config: SimulationConfig,
        contents: Contents | None,
        instant: InstantFlash,
        scheduler: TransactionSchedulingUnit,
    ) -> None:
        self.policy = policy
        self.blocks = policy.blocks = blocks
        self.order: ProgramOrder = blocks.order
        policy.order = self.order
        pages = range(self.order.pages)
        self.due = [policy.wanted(self.order.type_of(page), self.order.wordline_of(page)) for page in pages]
        self.contents = contents
        self.instant = instant
        self.page_bytes: int = config.hardware.page_bytes
        self.spares_moved: bool = policy.copies and not config.ftl.backup_moved
        self.lsb_only: bool = policy.fast_pages or config.ftl.backup_pages == "fast"
        self.shift = blocks.planes // config.hardware.channels if config.ftl.backup_place == "next_channel" else 0
        self.with_room = [[] for _ in range(blocks.planes)]
        self.in_use = {}
        self.scheduler = scheduler
        self.transactions: Transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(self)
        self.waiting = [deque() for _ in range(blocks.planes)]
        self.of_block = {}
        self.at = {}
        self.moved = {}
        self.pages = self.reads = self.erases = 0

    def start(self) -> None:
        """Set blocks aside; those that hold backups after a loss of power, which nothing needs any more, are erased."""
        blocks, units = self.blocks, []
        notes = [] if self.contents is None else sorted(self.contents.notes, key=self.contents.stamp_of)
        for aligned in dict.fromkeys([blocks.aligned_of(blocks.block_of(ppa)) for ppa in notes]):
            units.append(aligned // blocks.blocks_per_plane)
            for block in blocks.members_of(aligned):
                if blocks.written(block):
                    self.erase(block)
                else:
                    self.with_room[self.plane_served(block)].append(block)
        for unit in range(blocks.units):
            for _ in range(BLOCKS - units.count(unit)):
                self.set_aside(unit)

    # Blocks for backups.

    def set_aside(self, unit: int) -> None:
        """Take a free block, or free aligned ones, of `unit` for backups."""
        aligned = self.blocks.set_aside(unit)
        if aligned < 0:
            raise SimulationError(f"plane {unit * self.blocks.span} has no free block for backups.")
        for block in self.blocks.members_of(aligned):
            self.with_room[self.plane_served(block)].append(block)

    def plane_served(self, block: int) -> int:
        """Return the plane whose backups are in backup block `block`."""
        planes = self.blocks.planes
        return (self.blocks.plane_of(block) + planes - self.shift) % planes

    def next_page(self, plane: int) -> int:
        """Hand out the next page of the backup block of `plane`, or return -1."""
        if not self.with_room[plane]:
            return -1
        block: int = self.with_room[plane][0]
        while self.lsb_only and self.blocks.candidate(block, 0) < 0:  # a slow page has to come first
            self.blocks.skip(block)
        page = self.blocks.candidate(block, 0) if self.lsb_only else self.blocks.written(block)
        ppa = self.blocks.hand_out(block, page, -1)
        self.in_use[block] = self.in_use.get(block, 0) + 1
        if self.blocks.unwritten_of(block, 0 if self.lsb_only else self.order.types - 1) == 0:
            self.with_room[plane].pop(0)
        return ppa

    def reuse(self, block: int) -> None:
        """Write the backups that wait for `block`, which has been erased, or for what is set aside in its place."""
        plane, aligned = self.plane_served(block), self.blocks.aligned_of(block)
        self.with_room[plane].append(block)
        # others may have been erased just now, and be told of next
        members: list[int] = self.blocks.members_of(aligned)
        ready: list[int] = [each for each in members if each in self.with_room[self.plane_served(each)]]
        if len(ready) == self.blocks.span and self.blocks.written_in(aligned) == 0:
            for member in ready:
                self.with_room[self.plane_served(member)].remove(member)
            self.blocks.give_back(aligned)
            self.set_aside(aligned // self.blocks.blocks_per_plane)
        self.advance(plane)

    # What happens to pages of data.

    def queued(self, transactions: Transactions, transaction: int) -> None:
        """Back up what can be, as a page has been handed out and its program queued."""
        source = transactions.source[transaction]
        ppa = transactions.ppa[transaction]
        if source == BACKUP:
            return
        if self.contents is not None:  # a backup of what was here before is to be told from one of padding
            self.contents.put_padding(ppa)
        if self.spares_moved:
            self.note_move(transactions.before[transaction] if source == GC else -1, ppa)
        if self.policy.beforehand:
            self.back_up_with(ppa)

    def programmed(self, transactions: Transactions, transaction: int) -> None:
        """Record that a page has been programmed: backups may be due, or not needed any more."""
        if transactions.source[transaction] == BACKUP:
            return
        ppa = transactions.ppa[transaction]
        if not self.policy.beforehand:
            self.back_up_with(ppa)
        block = self.blocks.block_of(ppa)
        backup: Backup
        for backup in list(self.of_block.get(block, ())):
            if backup.until == ppa - block * self.blocks.pages_per_block:
                self.of_block[block].remove(backup)
                self.drop(backup)

    def erased(self, transactions: Transactions, transaction: int) -> None:
        """Record that a block has been erased."""
        backup: Backup
        for backup in self.of_block.pop(transactions.block[transaction], ()):
            self.drop(backup)

    def back_up_with(self, ppa: int) -> None:
        """Write the backup that is due with page `ppa`, if any, as soon as there is a page for it."""
        blocks = self.blocks
        block = blocks.block_of(ppa)
        due = self.due[ppa - block * blocks.pages_per_block]
        is_of_table: bool = blocks.cells.backed_up.of_type(block, 0) == self.order.wordlines
        if not due or is_of_table:
            return
        backup: Backup = Backup(block, *due)
        self.of_block.setdefault(block, []).append(backup)
        if self.spares_moved:
            backup.source = self.source_of(self.covered(backup)[0])
        if backup.source >= 0:  # is the backup, and not erased before it is needed no more
            blocks.add_reader(backup.source)
            self.has_written(backup)
            return
        plane = blocks.plane_of(block)
        self.waiting[plane].append(backup)
        self.advance(plane)

    # Moved pages, where `ftl.backup_moved` is off: the block that a lower page was moved from is its backup as long as
    # it holds the page, and is not erased before the program that endangers that is over.

    @cfunc
    def note_move(self, before: int, ppa: int) -> None:
        """Remember the block of page `before`, -1 for none, that the data of `ppa` is moved from, and its erases."""
        if before < 0:
            self.moved.pop(ppa, None)
        elif self.blocks.type_of(ppa) + 1 < self.order.types:
            block = self.blocks.block_of(before)
            self.moved[ppa] = block, self.blocks.erases(block)

    @cfunc
    def source_of(self, ppa: int) -> int:
        """Return the block that page `ppa` was moved from, if it is not on its way to be erased, or -1; ask but once.

        While there are valid pages left in it, it is not.
        """
        block, erases = self.moved.pop(ppa, (-1, 0))
        return block if block >= 0 and self.blocks.erases(block) == erases and self.blocks.valid(block) else -1

    # What waits for backups.

    @cfunc
    def let_program(self, backup: Backup) -> None:
        """Release the pages that waited for `backup`, which is written now, as far as all before is."""
        covered = 0
        missing = self.order.wordlines  # two backup blocks need not keep the order
        each: Backup
        for each in self.of_block[backup.block]:
            covered = max(covered, each.first + each.count)
            if not each.written:
                missing = min(missing, each.first)
        self.blocks.cells.backed_up.set(backup.block, 0, min(covered, missing))

    def open_next(self, block: int) -> None:
        """Release the upper pages of a backup block as far as those below them are not needed any more.

        Their own programs would endanger these.
        """
        wordline = self.blocks.cells.backed_up.of_type(block, 0)
        while wordline < self.order.wordlines:
            ppa = block * self.blocks.pages_per_block + self.order.page_of(wordline, 0)
            if ppa in self.at or not self.blocks.is_programmed(ppa):
                break
            wordline += 1
        self.blocks.cells.backed_up.set(block, 0, wordline)

    # The content of backups.

    def covered(self, backup: Backup) -> list[int]:
        """Return the physical pages that `backup` covers."""
        first = backup.block * self.blocks.pages_per_block
        return [first + self.order.page_of(backup.first + each, 0) for each in range(backup.count)]

    def compute(self, backup: Backup) -> Any:
        """Give `backup` its content, the XOR of all that it covers and that can be read, spare areas included.

        Return its data, None where integrity is not checked.
        """
        contents = self.contents
        lpa = version = 0
        readable = [ppa for ppa in self.covered(backup) if contents.get(ppa) >= 0]
        for ppa in readable:
            lpa ^= self.blocks.spare.get(ppa)
            version ^= contents.get(ppa)
        backup.lpa, backup.pages = lpa, frozenset(readable)
        contents.put(backup.ppa, version)
        contents.notes[backup.ppa] = backup
        return None if contents.data is None else contents.data.parity([contents.data.at(ppa) for ppa in readable])

    # From the page of a backup to the erase of its block.

    def advance(self, plane: int) -> None:
        """Write the backups that wait for a page for `plane`, as far as there are any."""
        waiting = self.waiting[plane]
        while waiting:
            if waiting[0].dropped:
                waiting.popleft()
                continue
            ppa = self.next_page(plane)
            if ppa < 0:
                return
            self.write(waiting.popleft(), ppa)

    def write(self, backup: Backup, ppa: int) -> None:
        """Program `backup` to `ppa`; a copy of a page that is in flash is read first."""
        backup.ppa = ppa
        self.at[ppa] = backup
        self.pages += 1
        data = None if self.contents is None else self.compute(backup)
        if self.scheduler.env is None:
            self.reads += self.policy.copies
            self.instant.program(BACKUP, ppa, data)
            self.has_written(backup)
            return
        source: int = self.covered(backup)[0]
        if self.policy.copies and self.blocks.is_programmed(source):
            self.issue(READ, source, ppa, None)
        else:
            self.issue(PROGRAM, ppa, ppa, data)

    @cfunc
    def issue(self, op: int, ppa: int, target: int, data: Any) -> None:
        """Issue a command for a backup at page `target`."""
        transactions = self.transactions
        transaction = transactions.take(BACKUP, self.owner, op, -1, ppa, 0 if op == ERASE else self.page_bytes)
        transactions.version[transaction] = target
        transactions.data[transaction] = data
        self.scheduler.submit(transaction)

    def done(self, transaction: int) -> None:
        """Program the data that was read for a copy, or record that a backup is written or a block erased."""
        transactions = self.transactions
        op = transactions.op[transaction]
        if op == READ:
            self.reads += 1
            transactions.op[transaction] = PROGRAM
            transactions.ppa[transaction] = transactions.version[transaction]
            self.scheduler.submit(transaction)
            return
        transactions.give_back(transaction)  # which leaves the row as it is
        if op == PROGRAM:
            self.has_written(self.at[transactions.ppa[transaction]])
        else:
            self.reuse(transactions.block[transaction])

    def has_written(self, backup: Backup) -> None:
        """Release the pages that waited for `backup`: they can be programmed."""
        backup.written = True
        if backup.dropped:
            self.let_go(backup)
            return
        self.let_program(backup)
        self.scheduler.wake_for(backup.block)

    def drop(self, backup: Backup) -> None:
        """Record that `backup` is not needed any more."""
        backup.dropped = True
        if backup.written:
            self.let_go(backup)

    def let_go(self, backup: Backup) -> None:
        """Forget a backup that is written and not needed, and erase its block after the last."""
        if backup.source >= 0:
            self.blocks.remove_reader(backup.source)
            self.scheduler.wake_for(backup.source)
            return
        del self.at[backup.ppa]
        block = self.blocks.block_of(backup.ppa)
        left: int = self.in_use[block] - 1
        self.in_use[block] = left
        if not self.lsb_only:
            self.open_next(block)
            self.scheduler.wake_for(block)
        if not left and block not in self.with_room[self.plane_served(block)]:
            self.erase(block)

    def erase(self, block: int) -> None:
        """Erase a backup block of which nothing is needed any more."""
        self.in_use.pop(block, 0)
        self.erases += 1
        if self.scheduler.env is None:
            self.instant.erase(BACKUP, block)
            self.reuse(block)
        else:
            self.issue(ERASE, block * self.blocks.pages_per_block, -1, None)
