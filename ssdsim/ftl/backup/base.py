# cython: infer_types=True
"""Backups of paired pages: while a page is programmed, a loss of power would destroy the lower pages of its wordline.

The lower pages of a page are those of its wordline of faster types. Before it is programmed they are in a backup block,
as copies or in a page of parity, until it has been programmed; `Blocks.may_program` holds it back so long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, ERASE, GC, PROGRAM, READ
from ssdsim._core.program_order import ProgramOrder
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, InstantFlash, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import NO_TRANSLATION
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig, SimulationConfig


Due = tuple[int, int, int, int]
"""A backup that is due with a page: page type, first wordline, count, until (`Backup`)."""


class Backup:
    """A page that backs up `count` pages of one type of a block, from wordline `first` on.

    It is needed until page `until` of the block has been programmed. `ppa` is where it is, -1 while it waits for a
    page. `lpa` is the XOR of the logical pages that it covers, where contents are known, `without` those physical pages
    that cannot be read any more. `writer` is whose block that is: 0 the data's, 1 that of translation pages. All that
    stands in its spare area. Instead of being written it may be `source`, the block that its page was moved from and
    that still holds it; that is -1 else.
    """

    block: int
    page_type: int
    first: int
    count: int
    until: int
    without: frozenset[int]

    def __init__(self, block: int, page_type: int, first: int, count: int, until: int) -> None:
        self.block, self.page_type, self.first, self.count, self.until = block, page_type, first, count, until
        self.ppa = self.source = -1
        self.written = self.dropped = False
        self.writer = self.lpa = 0
        self.without = frozenset()


class PairedPageBackup(TransactionOwner):
    """Two blocks a plane, written and erased in turn, that hold backups; what is backed up when is a policy's own.

    Aligned blocks are set aside together, and are backup blocks of their planes, each erased when its own plane has no
    need of it. They are given back when all of them are erased, for others to be worn in their place.

    Where the mapping table lies in flash, its pages have two backup blocks of their own (`lane`: a plane and a writer).
    In common ones a backup for a block of the table, which may stay as it is for long, would keep its backup block from
    being erased, and backups of data from being written, which the table may in turn wait for.

    A backup is programmed among the host's writes, by age. Its block is erased when none of its backups is needed any
    more. If the other one is not free by then, backups wait, and what they are for waits with them: there are older
    backups, for pages that can be programmed. `lsb_only` blocks hold only fast pages (`ftl.backup_pages`), and where
    the program order wants others between them, these are passed over. In other blocks a page waits until those below
    it on its wordline are not needed any more, as its own program endangers them.

    A page that was moved needs no copy of its own where `ftl.backup_moved` is off, while the block that it was moved
    from still holds it: that is then not erased before the program that endangers the page is over.

    The blocks are of the plane that they serve, or `shift` planes further on: that is the same place on the next
    channel (`ftl.backup_place`), which programs backups while the plane programs data.
    """

    blocks: Blocks
    order: ProgramOrder
    contents: Contents | None  # what pages hold, where that is known
    last_type: int
    page_bytes: int
    needed: int
    lsb_only: bool
    passes_over: bool
    spares_moved: bool
    is_beforehand: bool  # `beforehand`, once it is bound
    shift: int  # planes from the one served to the one that has its backup blocks
    moved: dict[int, tuple[int, int]]  # by PPA of a lower page that was moved: block it was moved from, its erases
    instant: InstantFlash
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions
    first_translation: int
    writers: int  # of blocks of data: 2 if translation pages have their own, else 1
    lanes: int  # backups are written by plane and writer
    current: list[int]  # by lane: the backup block being written, or -1
    ready: list[list[int]]  # by lane: erased ones
    waiting: list[deque[Backup]]  # by lane: backups without a page
    lane: dict[int, int]  # by block that is set aside: its lane
    of_block: list[list[Backup] | None]  # by block of data: its backups that are needed
    at: dict[int, Backup]  # by PPA: the backup there that is needed or not written yet
    due: list[tuple[Due, ...] | None]  # by page of a block: the backups due with it, once that was asked
    in_use: dict[int, int]  # by backup block: how many such it has
    sources: Set[int]  # as a device boots: PPAs of backups that others were restored from
    kept: Set[int]  # the backup blocks that these are in, which are not erased until then
    pages: int
    reads: int
    erases: int

    observes = ("queued", "programmed", "erased")
    owed = ("wanted(page_type, wordline) -> a list or tuple",)
    fast_pages = False  # whatever `ftl.backup_pages` says
    beforehand = False  # backups may be written at the same time as the last of the pages that they cover
    copies = False  # of single pages, made when these are endangered, and again if that is put off by a loss of power
    needs_frontier = ""
    most_types = 4

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def blocks_needed(self, hardware: HardwareConfig) -> int:
        """Return how many blocks of a plane a writer's backups have; with them, some can always be written."""
        return 2

    def bind(
        self,
        blocks: Blocks,
        config: SimulationConfig,
        contents: Contents | None,
        instant: InstantFlash,
        first_translation: int = NO_TRANSLATION,
    ) -> None:
        """Receive the blocks, what their pages hold or None, and the flash for as long as no time passes, once.

        `config` is of hardware and translation layer. `first_translation` is the first number that is a translation
        page's. `start` or `go_on` follows.
        """
        hardware = config.hardware
        self.lsb_only = self.fast_pages or config.ftl.backup_pages == "fast"
        self.spares_moved = self.copies and not config.ftl.backup_moved
        self.is_beforehand = self.beforehand
        self.shift = blocks.planes // hardware.channels if config.ftl.backup_place == "next_channel" else 0
        self.blocks = blocks
        self.order = blocks.order
        self.last_type = blocks.page_types - 1
        fast = [self.order.page_of(wordline, 0) for wordline in range(self.order.wordlines)]
        self.passes_over = self.lsb_only and self.order.first_illegal(fast) >= 0
        self.page_bytes = hardware.page_bytes
        self.contents = contents
        self.instant = instant
        self.needed = self.blocks_needed(hardware)
        self.scheduler = self.transactions = None
        self.owner = 0
        self.first_translation = first_translation
        self.writers = 1 if first_translation == NO_TRANSLATION else 2
        self.lanes = self.writers * blocks.planes
        self.current = [-1] * self.lanes
        self.ready = [[] for _ in range(self.lanes)]
        self.waiting = [deque() for _ in range(self.lanes)]
        self.lane = {}
        self.of_block = [None] * blocks.count
        self.at = {}
        self.in_use = {}
        self.sources = frozenset()
        self.kept = frozenset()
        self.moved = {}
        self.pages = self.reads = self.erases = 0
        self.due = [None] * self.order.pages

    def start(self) -> None:
        """Set blocks aside, on a device that is empty."""
        for unit in range(self.blocks.units):
            for writer in range(self.writers):
                for _ in range(self.needed):
                    self.set_aside(unit, writer)

    def set_aside(self, unit: int, writer: int) -> None:
        """Take a free block, or free aligned ones, of `unit` for the backups of `writer`."""
        aligned = self.blocks.set_aside(unit)
        if aligned < 0:
            raise SimulationError(f"plane {unit * self.blocks.span} has no free block for backups.")
        for place in range(self.blocks.span):
            block = self.blocks.member(aligned, place)
            lane = self.lane_in(block, writer)
            self.lane[block] = lane
            self.ready[lane].append(block)

    def lane_in(self, block: int, writer: int) -> int:
        """Return the lane of the backups of `writer` that are in backup block `block`."""
        planes = self.blocks.planes
        served = (self.blocks.plane_of(block) + planes - self.shift) % planes
        return served * self.writers + writer

    def connect(self, scheduler: TransactionSchedulingUnit) -> None:
        """Receive the back end; from here on backups take their time."""
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(self)

    # What a policy decides.

    def wanted(self, page_type: int, wordline: int) -> Sequence[Due]:
        """Return the backups that are due with this page: (page type, first wordline, count, until).

        Asked once for each page of a block, whatever block that is.
        """
        raise NotImplementedError

    def due_with(self, page: int) -> tuple[Due, ...]:
        """Return the backups that are due with `page` of a block, as `wanted` answered when that was first asked."""
        found: tuple[Due, ...] = self.due[page]
        if found is None:
            found = self.due[page] = tuple(self.wanted(self.order.type_of(page), self.order.wordline_of(page)))
        return found

    def pages_to_check(self, unfinished: Sequence[int]) -> list[int]:
        """Return the pages that are read after a loss of power to see whether one has been lost.

        `unfinished` are the blocks that were being filled, in the order of their first write.
        """
        return last_paired_pages(self.blocks, unfinished)

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
            self.note_source(ppa, transactions.before[transaction] if source == GC else -1)
        if self.is_beforehand:
            self.back_up_with(ppa)

    def note_source(self, ppa: int, before: int) -> None:
        """Remember the block that the data of a lower page is moved from, and the erases of that until then.

        `before` is the page that the data of `ppa` is moved from, or -1.
        """
        if before < 0:
            self.moved.pop(ppa, None)
        elif self.blocks.type_of(ppa) < self.last_type:
            block = self.blocks.block_of(before)
            self.moved[ppa] = block, self.blocks.erases(block)

    def source_of_moved(self, ppa: int) -> int:
        """Return the block that page `ppa` was moved from, if it is not on its way to be erased, or -1; ask but once.

        While there are valid pages left in it, it is not.
        """
        erases: int
        block: int
        block, erases = self.moved.pop(ppa, (-1, 0))
        return block if block >= 0 and self.blocks.erases(block) == erases and self.blocks.valid(block) else -1

    def back_up_with(self, ppa: int) -> None:
        """Back up what is due with page `ppa`."""
        block = self.blocks.block_of(ppa)
        page = ppa - block * self.blocks.pages_per_block
        until: int
        count: int
        first: int
        page_type: int
        for page_type, first, count, until in self.due_with(page):
            if not self.has(block, page_type, first):  # a copy may have outlasted a loss of power, and its page not
                backup: Backup = Backup(block, page_type, first, count, until)
                if self.spares_moved:
                    backup.source = self.source_of_moved(self.first_covered(backup))
                self.back_up(backup)

    def has(self, block: int, page_type: int, first: int) -> bool:
        """Return whether there is a backup of pages of a type of a block from wordline `first` on."""
        backups: list[Backup] = self.of_block[block]
        if backups is not None:
            each: Backup
            for each in backups:
                if each.page_type == page_type and each.first == first:
                    return True
        return False

    @cfunc
    def keep(self, backup: Backup) -> None:
        """Remember `backup` as needed."""
        backups: list[Backup] = self.of_block[backup.block]
        if backups is None:
            backups = self.of_block[backup.block] = []
        backups.append(backup)

    def back_up(self, backup: Backup) -> None:
        """Write `backup` as soon as there is a page for it."""
        self.keep(backup)
        if backup.source >= 0:
            self.blocks.add_reader(backup.source)
            self.has_written(backup)
            return
        backup.writer = self.writer_of(backup.block)
        lane = self.blocks.plane_of(backup.block) * self.writers + backup.writer
        self.waiting[lane].append(backup)
        self.advance(lane)

    def writer_of(self, block: int) -> int:
        """Return whose `block` is (`Backup.writer`), by the first pages of all aligned with it: some may be padding."""
        aligned = self.blocks.aligned_of(block)
        for place in range(self.blocks.span):
            first = self.blocks.member(aligned, place) * self.blocks.pages_per_block
            if self.blocks.spare.get(first) >= self.first_translation:
                return 1
        return 0

    def programmed(self, transactions: Transactions, transaction: int) -> None:
        """Record that a page has been programmed: backups may be due, or not needed any more."""
        if transactions.source[transaction] == BACKUP:
            return
        ppa = transactions.ppa[transaction]
        if not self.is_beforehand:
            self.back_up_with(ppa)
        block = self.blocks.block_of(ppa)
        backups: list[Backup] = self.of_block[block]
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
        backups: list[Backup] = self.of_block[block]
        if backups is not None:
            self.of_block[block] = None
            backup: Backup
            for backup in backups:
                self.drop(backup)

    # Backup blocks.

    def advance(self, lane: int) -> None:
        """Write the backups that wait for a page of `lane`, as far as there are any."""
        waiting = self.waiting[lane]
        while waiting:
            if waiting[0].dropped:
                waiting.popleft()
                continue
            ppa = self.next_page(lane)
            if ppa < 0:
                return
            self.write(waiting.popleft(), ppa)

    def next_page(self, lane: int) -> int:
        """Hand out the next page of the lane's backup block, or return -1.

        As a device boots, what was restored is written again at once, and its backups cannot wait: a page of another
        lane will do.
        """
        while self.current[lane] < 0 or self.is_used_up(self.current[lane]):
            if not self.ready[lane]:
                self.current[lane] = -1
                return self.page_elsewhere(lane) if self.kept else -1
            self.current[lane] = self.ready[lane].pop(0)
        block: int = self.current[lane]
        by_type = self.lsb_only and not self.passes_over
        page = self.blocks.candidate(block, 0) if by_type else self.blocks.written(block)
        ppa = self.blocks.hand_out(block, page, -1)
        self.in_use[block] = self.in_use.get(block, 0) + 1
        if not self.has_room(block):
            self.current[lane] = -1
        return ppa

    def is_used_up(self, block: int) -> bool:
        """Return whether a backup block has no page left, having passed over those that it is not to program now."""
        while self.passes_over and self.order.type_of(self.blocks.written(block)) > 0:
            self.blocks.skip(block)
        while block in self.kept and not self.lsb_only and self.has_room(block) and self.endangers_source(block):
            self.blocks.skip(block)
        return not self.has_room(block)

    def endangers_source(self, block: int) -> bool:
        """Return whether the program of the next page of `block` would endanger a page that was restored from."""
        page = self.blocks.written(block)
        first = block * self.blocks.pages_per_block
        for lower in range(self.order.type_of(page)):
            if first + self.order.page_of(self.order.wordline_of(page), lower) in self.sources:
                return True
        return False

    def page_elsewhere(self, lane: int) -> int:
        """Hand out a page of another lane, or return -1."""
        for other in range(self.lanes):
            if other != lane and (self.current[other] >= 0 or self.ready[other]):
                return self.next_page(other)
        return -1

    def has_room(self, block: int) -> bool:
        """Return whether a backup block has a page left."""
        if self.lsb_only:
            return self.blocks.unwritten_of(block, 0) > 0
        return self.blocks.written(block) < self.blocks.pages_per_block

    def write(self, backup: Backup, ppa: int) -> None:
        """Program `backup` to `ppa`; a copy of a page that is in flash is read first."""
        backup.ppa = ppa
        self.at[ppa] = backup
        self.pages += 1
        if self.contents is not None:
            self.compute(backup)
        source = self.first_covered(backup)
        data = self.data_of(backup)
        if self.scheduler is None:
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

    def data_of(self, backup: Backup) -> Any:
        """Return the data of `backup`, the XOR of all pages that it covers, or None where integrity is not checked."""
        if self.contents is None or self.contents.data is None:
            return None
        covered = [ppa for ppa in self.covered(backup) if ppa not in backup.without]
        return self.contents.data.parity([self.contents.data.at(ppa) for ppa in covered])

    @cfunc
    def first_covered(self, backup: Backup) -> int:
        """Return the first physical page that `backup` covers."""
        return backup.block * self.blocks.pages_per_block + self.order.page_of(backup.first, backup.page_type)

    def covered(self, backup: Backup) -> list[int]:
        """Return the physical pages that `backup` covers."""
        first = backup.block * self.blocks.pages_per_block
        wordlines = range(backup.first, backup.first + backup.count)
        return [first + self.order.page_of(wordline, backup.page_type) for wordline in wordlines]

    def compute(self, backup: Backup) -> None:
        """Give `backup` its content: the XOR of all that it covers, spare areas included."""
        lpa = version = word = 0
        backup.without = frozenset([ppa for ppa in self.covered(backup) if self.contents.get(ppa) < 0])
        for ppa in self.covered(backup):
            if ppa in backup.without:
                continue
            lpa ^= self.blocks.spare.get(ppa)
            version ^= self.contents.get(ppa)
            word ^= self.contents.word_of(ppa)
        backup.lpa = lpa
        self.contents.put_backup(backup.ppa, backup, version, word)

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
            self.is_free(transactions.block[transaction])

    def has_written(self, backup: Backup) -> None:
        """Let the pages that waited for `backup` be programmed."""
        backup.written = True
        if backup.dropped:
            self.let_go(backup)
            return
        covered = 0
        missing = self.order.wordlines  # two backup blocks need not keep the order
        backups: list[Backup] = self.of_block[backup.block]
        each: Backup
        for each in backups:
            if each.page_type == backup.page_type:
                covered = max(covered, each.first + each.count)
                if not each.written:
                    missing = min(missing, each.first)
        self.blocks.back_up(backup.block, backup.page_type, min(covered, missing))
        self.wake(backup.block)

    def take_over(self, note: Backup, ppa: int) -> None:
        """Go on with the backup in page `ppa`, written before a loss of power, whose spare area is `note`."""
        backup = Backup(note.block, note.page_type, note.first, note.count, note.until)
        backup.ppa = ppa
        backup.writer = note.writer
        self.at[ppa] = backup
        self.in_use[self.blocks.block_of(ppa)] += 1
        self.keep(backup)
        self.has_written(backup)

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
        del self.at[backup.ppa]
        block = self.blocks.block_of(backup.ppa)
        left: int = self.in_use[block] - 1
        self.in_use[block] = left
        if not self.lsb_only:
            self.open_next(block)
        if not left and self.current[self.lane[block]] != block and block not in self.kept:
            self.erase(block)

    def open_next(self, block: int) -> None:
        """Let the upper pages of a backup block be programmed as far as those below them are not needed any more."""
        first = block * self.blocks.pages_per_block
        for page_type in range(self.last_type):
            wordline = self.blocks.wordlines_backed_up(block, page_type)
            while wordline < self.order.wordlines:
                ppa = first + self.order.page_of(wordline, page_type)
                if ppa in self.at or not self.blocks.is_programmed(ppa):
                    break
                wordline += 1
            self.blocks.back_up(block, page_type, wordline)
        self.wake(block)

    def wake(self, block: int) -> None:
        """Have the die of `block` look for what can be programmed now."""
        if self.scheduler is not None:
            self.scheduler.wake_for(block)

    def erase(self, block: int) -> None:
        """Erase a backup block of which nothing is needed any more."""
        del self.in_use[block]
        self.erases += 1
        if self.scheduler is None:
            self.instant.erase(BACKUP, block)
            self.is_free(block)
            return
        transaction = self.transactions.take(BACKUP, self.owner, -1)
        self.transactions.op[transaction] = ERASE
        self.transactions.ppa[transaction] = block * self.blocks.pages_per_block
        self.transactions.bytes[transaction] = 0
        self.scheduler.submit(transaction)

    def is_free(self, block: int) -> None:
        """Record that `block` has been erased, and go on."""
        lane: int = self.lane[block]
        self.ready[lane].append(block)
        self.exchange(self.blocks.aligned_of(block))
        self.advance(lane)

    def exchange(self, aligned: int) -> None:
        """Give back what was set aside as `aligned`, if all of it is erased, and set aside what comes first instead."""
        members: list[int] = [self.blocks.member(aligned, place) for place in range(self.blocks.span)]
        block: int
        for block in members:
            if block not in self.ready[self.lane[block]]:
                return
        writer: int = self.lane[members[0]] % self.writers
        for block in members:
            self.ready[self.lane.pop(block)].remove(block)
        self.blocks.give_back(aligned)
        self.set_aside(aligned // self.blocks.blocks_per_plane, writer)


def last_paired_pages(blocks: Blocks, unfinished: Sequence[int]) -> list[int]:
    """Return the pages that a program cut short may have destroyed: those below the last of each type of a block."""
    order = blocks.order
    found = []
    for block in unfinished:
        for page_type in range(1, order.types):
            wordline = order.wordlines - blocks.unwritten_of(block, page_type) - 1
            first = block * blocks.pages_per_block
            if wordline >= 0:
                found += [first + order.page_of(wordline, lower) for lower in range(page_type)]
    return found
