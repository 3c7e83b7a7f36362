# cython: infer_types=True
"""How backups of paired pages are written, and for how long they are needed."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import BACKUP, ERASE, GC, PROGRAM, READ
from ssdsim.flash.port import Contents, InstantFlash, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.backup.base import Backup, PairedPageBackup
from ssdsim.ftl.backup.blocks import BackupBlocks
from ssdsim.ftl.backup.needed import Coverage, MovedPages, NeededBackups
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


class Backups(TransactionOwner):
    """Writes the backups that `policy` says are due, and lets the pages be programmed that wait for these.

    A backup is programmed among the host's writes, by age. Its block is erased when none of its backups is needed any
    more. If the other one is not free by then, backups wait, and what they are for waits with them: there are older
    backups, for pages that can be programmed. In blocks that are not of fast pages alone a page waits until those below
    it on its wordline are not needed any more, as its own program endangers them.

    A page that was moved needs no copy of its own where `ftl.backup_moved` is off, while the block that it was moved
    from still holds it: that is then not erased before the program that endangers the page is over.

    Before there is a clock no time passes.
    """

    contents: Contents | None  # what pages hold, where that is known
    page_bytes: int
    copies: bool
    spares_moved: bool
    is_beforehand: bool
    transactions: Transactions
    owner: int  # of the transactions
    waiting: list[deque[Backup]]  # by plane: backups without a page
    first_table_page: int  # the first number of pages of the mapping table among logical pages
    pages: int
    reads: int
    erases: int

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
        policy.bind(blocks)
        self.policy = policy
        self.blocks = blocks
        self.contents = contents
        self.instant = instant
        self.page_bytes = config.hardware.page_bytes
        self.copies = policy.copies
        self.spares_moved = policy.copies and not config.ftl.backup_moved
        self.is_beforehand = policy.beforehand
        lsb_only: bool = policy.fast_pages or config.ftl.backup_pages == "fast"
        shift = blocks.planes // config.hardware.channels if config.ftl.backup_place == "next_channel" else 0
        needed = policy.blocks_needed(config.hardware)
        self.places = BackupBlocks(blocks, needed, lsb_only, shift)
        self.needed = NeededBackups(blocks)
        self.coverage = Coverage(blocks, contents)
        self.moved = MovedPages(blocks)
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(self)
        self.waiting = [deque() for _ in range(blocks.planes)]
        self.first_table_page = config.hardware.logical_pages
        self.pages = self.reads = self.erases = 0

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
            self.moved.note(ppa, transactions.before[transaction] if source == GC else -1)
        if self.is_beforehand:
            self.back_up_with(ppa)

    def back_up_with(self, ppa: int) -> None:
        """Back up what is due with page `ppa`."""
        block = self.blocks.block_of(ppa)
        page = ppa - block * self.blocks.pages_per_block
        until: int
        count: int
        first: int
        page_type: int
        for page_type, first, count, until in self.policy.due_with(page):
            # a copy may have outlasted a loss of power, and its page not
            if not self.needed.has(block, page_type, first):
                backup: Backup = Backup(block, page_type, first, count, until)
                if self.spares_moved:
                    backup.source = self.moved.source_of(self.coverage.first_covered(backup))
                self.back_up(backup)

    def back_up(self, backup: Backup) -> None:
        """Write `backup` as soon as there is a page for it; the mapping table has none."""
        if self.is_of_table(backup.block):  # which is written anew after a loss of power
            self.blocks.back_up(backup.block, backup.page_type, self.blocks.order.wordlines)
            self.wake(backup.block)
            return
        self.needed.keep(backup)
        if backup.source >= 0:
            self.blocks.add_reader(backup.source)
            self.has_written(backup)
            return
        plane = self.blocks.plane_of(backup.block)
        self.waiting[plane].append(backup)
        self.advance(plane)

    def is_of_table(self, block: int) -> bool:
        """Return whether `block` has the mapping table, by the first pages of all aligned with it: some are padding."""
        blocks = self.blocks
        aligned = blocks.aligned_of(block)
        for place in range(blocks.span):
            if blocks.spare.get(blocks.member(aligned, place) * blocks.pages_per_block) >= self.first_table_page:
                return True
        return False

    def programmed(self, transactions: Transactions, transaction: int) -> None:
        """Record that a page has been programmed: backups may be due, or not needed any more."""
        if transactions.source[transaction] == BACKUP:
            return
        ppa = transactions.ppa[transaction]
        if not self.is_beforehand:
            self.back_up_with(ppa)
        block = self.blocks.block_of(ppa)
        backups: list[Backup] = self.needed.of_block[block]
        if not backups:
            return
        page = ppa - block * self.blocks.pages_per_block
        place = 0
        while place < len(backups):
            backup: Backup = backups[place]
            if backup.until == page:
                del backups[place]
                self.drop(backup)
            else:
                place += 1

    def erased(self, transactions: Transactions, transaction: int) -> None:
        """Record that a block has been erased."""
        block = transactions.block[transaction]
        backups: list[Backup] = self.needed.of_block[block]
        if backups is not None:
            self.needed.of_block[block] = None
            backup: Backup
            for backup in backups:
                self.drop(backup)

    # What happens to backups.

    def advance(self, plane: int) -> None:
        """Write the backups that wait for a page for `plane`, as far as there are any."""
        waiting = self.waiting[plane]
        while waiting:
            if waiting[0].dropped:
                waiting.popleft()
                continue
            ppa = self.places.next_page(plane)
            if ppa < 0:
                return
            self.write(waiting.popleft(), ppa)

    def write(self, backup: Backup, ppa: int) -> None:
        """Program `backup` to `ppa`; a copy of a page that is in flash is read first."""
        backup.ppa = ppa
        self.needed.at[ppa] = backup
        self.pages += 1
        if self.contents is not None:
            self.coverage.compute(backup)
        source = self.coverage.first_covered(backup)
        data = self.coverage.data_of(backup)
        if self.scheduler.env is None:
            self.reads += self.copies
            self.instant.program(BACKUP, ppa, data)
            self.has_written(backup)
            return
        reads: bool = self.copies and self.blocks.is_programmed(source)
        transactions = self.transactions
        transaction = transactions.take(BACKUP, self.owner, -1)
        transactions.version[transaction] = ppa
        transactions.op[transaction] = READ if reads else PROGRAM
        transactions.ppa[transaction] = source if reads else ppa
        transactions.bytes[transaction] = self.page_bytes
        transactions.data[transaction] = None if reads else data
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
            self.has_written(self.needed.at[transactions.ppa[transaction]])
        else:
            self.advance(self.places.is_free(transactions.block[transaction]))

    def has_written(self, backup: Backup) -> None:
        """Let the pages that waited for `backup` be programmed."""
        backup.written = True
        if backup.dropped:
            self.let_go(backup)
            return
        self.needed.let_program(backup)
        self.wake(backup.block)

    def drop(self, backup: Backup) -> None:
        """Record that `backup` is not needed any more."""
        backup.dropped = True
        if backup.written:
            self.let_go(backup)

    def let_go(self, backup: Backup) -> None:
        """Forget a backup that is written and not needed, and erase its block after the last."""
        if backup.source >= 0:
            self.blocks.remove_reader(backup.source)
            self.wake(backup.source)
            return
        del self.needed.at[backup.ppa]
        block = self.blocks.block_of(backup.ppa)
        is_done = self.places.give_up(block)
        if not self.places.lsb_only:
            self.needed.open_next(block)
            self.wake(block)
        if is_done:
            self.erase(block)

    def erase(self, block: int) -> None:
        """Erase a backup block of which nothing is needed any more."""
        del self.places.in_use[block]
        self.erases += 1
        if self.scheduler.env is None:
            self.instant.erase(BACKUP, block)
            self.advance(self.places.is_free(block))
            return
        transaction = self.transactions.take(BACKUP, self.owner, -1)
        self.transactions.op[transaction] = ERASE
        self.transactions.ppa[transaction] = block * self.blocks.pages_per_block
        self.transactions.bytes[transaction] = 0
        self.scheduler.submit(transaction)

    def wake(self, block: int) -> None:
        """Have the die of `block` look for what can be programmed now."""
        if self.scheduler.env is not None:
            self.scheduler.wake_for(block)
