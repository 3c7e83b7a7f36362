"""How log blocks of FAST become data blocks, or are emptied into them, and are reclaimed."""

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import ERASE, MERGE, MOVED_DATA, PROGRAM, READ
    from cython.cimports.ssdsim.ftl.fast.choice import MergeChoice
else:
    from ssdsim._core.codes import ERASE, MERGE, MOVED_DATA, PROGRAM, READ
    from ssdsim.ftl.fast.choice import MergeChoice

NOTHING = -1
FULL = 2
"""Kinds of merge, as in `ssdsim.ftl.fast.choice`."""


class LogMerges(MergeChoice):
    """Merges by way of the controller, row by row, in the order of the logical block.

    Of what lies in the target already nothing is moved. All other programmed pages of the logical block are, wherever
    they are, save those in another sequential log block. Up to `moves_in_flight` are read and programmed at a time; a
    page that holds nothing, or that the host has rewritten, is passed over. The old data block is erased at the end,
    and so is a log block left without valid pages.
    """

    def __init__(self, blocks, mapping, frontier, unit, config, hardware):
        MergeChoice.__init__(self, blocks, mapping, frontier, unit, config, hardware)
        self.source = MERGE
        self.pages = [{} for _ in range(self.count)]
        self.dead = [[] for _ in range(self.count)]

    def collect(self, which):
        """Begin the next merge, or let the host go on if there is none left; what it places may make another due."""
        if not self.idle[which]:
            return
        if self.begin(which):
            self.idle[which] = False
            self.merging[which] = True
            self.resume(which)
        elif self.merging[which]:
            self.merging[which] = False
            self.mark(which, 0)
            self.space_freed(which)
            self.collect(which)

    def erase_victims(self, which):
        """Give the logical block its new data block, and erase what is of no more use, if anything."""
        self.settle(which)
        for aligned in self.dead[which]:
            self.erase(which, aligned)

    def go_on(self, which):
        """Read on, as far as the copy buffer goes, and place the rows that have been read."""
        while True:
            while self.moving[which] < self.moves_in_flight and self.reached[which] < self.block_pages:
                self.read_row(which)
            if not self.place_row(which):
                return

    def read_row(self, which):
        """Issue the reads of the next row."""
        first = self.reached[which]
        end = (first // self.width + 1) * self.width
        pages = self.pages[which]
        reads = []
        for offset in range(first, end):
            ppa = self.page_to_move(which, offset)
            if ppa >= 0:
                transaction = self.pool.take(MERGE, self, self.blocks.spare.get(ppa))
                transaction.op = READ
                transaction.ppa = ppa
                transaction.bytes = self.page_bytes
                pages[offset] = None
                reads.append(transaction)
        self.reached[which] = end
        self.moving[which] += len(reads)
        for transaction in reads:
            self.scheduler.submit(transaction)

    def page_to_move(self, which, offset):
        """Return where the page at `offset` of the logical block lies, or -1 if there is none to be moved."""
        lpa = self.fast.lpa_at(which, self.number[which] * self.block_pages + offset)
        ppa = -1 if lpa < 0 else self.fast.lookup(lpa)
        if ppa < 0 or not self.blocks.is_programmed(ppa):
            return -1
        aligned = self.blocks.aligned_of(self.blocks.block_of(ppa))
        return -1 if aligned != self.emptied[which] and self.log.is_sequential(which, aligned) else ppa

    def place_row(self, which):
        """Program the next row if all of its pages have been read, and return whether it was."""
        first = self.filled[which]
        end = (first // self.width + 1) * self.width
        pages = self.pages[which]
        if end > self.reached[which]:
            return False
        for offset in range(first, end):
            if offset in pages and pages[offset] is None:
                return False
        for offset in range(first, end):
            transaction = pages.pop(offset, None)
            if transaction is not None and self.is_current(transaction):
                transaction.op = PROGRAM
                transaction.ppa = self.move(transaction.plane, transaction.lpa, transaction.ppa, MOVED_DATA)
                self.scheduler.submit(transaction)
                continue
            self.log.pass_over(self.log.target[which])
            if transaction is not None:
                self.give_up(which, transaction)
        self.filled[which] = end
        return True

    def done(self, transaction):
        """Go on with a merge: keep what was read until its row is whole."""
        which = transaction.plane // self.width
        if transaction.op == READ:
            pages = self.pages[which]
            pages[self.fast.index_of(transaction.lpa) % self.block_pages] = transaction
        else:
            self.give_up(which, transaction)
        self.resume(which)

    def settle(self, which):
        """Make the target the data block, and list the blocks that are of no more use as `dead`."""
        dead = []
        kind = self.kind[which]
        if kind != NOTHING:
            target = self.log.target[which]
            before = self.fast.adopt(which, self.number[which], target)
            self.fast.merges[kind] += 1
            self.log.target[which] = -1
            if before >= 0:
                dead.append(before)
            if kind != FULL:
                self.log.retired[which].pop(0)
        source = self.emptied[which]
        if source >= 0 and self.log.valid(source) == 0:
            dead.append(source)
        else:
            self.emptied[which] = -1
        for aligned in dead:
            self.blocks.collect(aligned)
        self.dead[which] = dead

    def erase(self, which, aligned):
        """Issue the erase of an (aligned) block."""
        for place in range(self.width):
            transaction = self.pool.take(MERGE, self, -1)
            transaction.op = ERASE
            transaction.ppa = self.blocks.member(aligned, place) * self.blocks.pages_per_block
            self.moving[which] += 1
            self.scheduler.submit(transaction)

    def finish(self, which):
        """Take note that what was dead is free again; some of it may be in use again already."""
        if self.emptied[which] >= 0:
            if self.emptied[which] == self.oldest[which]:
                self.oldest[which] = -1
                self.log.random[which].pop(0)
            else:
                self.log.retired[which].pop(0)
            self.emptied[which] = -1
        if self.on_collected is not None:
            self.on_collected()

    # The same without flash timing.

    def collect_now(self, which):
        """Do all merges that are due, at once."""
        while self.is_due(which) and self.begin(which):
            for offset in range(self.filled[which], self.block_pages):
                ppa = self.page_to_move(which, offset)
                if ppa < 0:
                    self.log.pass_over(self.log.target[which])
                else:
                    target = self.move(which * self.width, self.blocks.spare.get(ppa), ppa, MOVED_DATA)
                    if self.data is not None:
                        self.data.move_now(ppa, target)
                    self.program_now(target)
            self.settle(which)
            for aligned in self.dead[which]:
                self.erase_now(aligned)
            self.finish(which)

    def erase_now(self, aligned):
        """Erase an (aligned) block at once."""
        for place in range(self.width):
            block = self.blocks.member(aligned, place)
            self.blocks.erase(block)
            if self.contents is not None:
                self.contents.erased(block)
