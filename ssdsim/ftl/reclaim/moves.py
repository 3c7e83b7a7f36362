"""How the valid pages of a victim are moved: in rows of the same page of every plane of a die, or within the chip."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import HOST_DATA, MOVED_DATA, PURPOSES, TRANSLATION
    from cython.cimports.ssdsim.ftl.reclaim.collector import PageMoves
    from cython.cimports.ssdsim.host.request import WriteGroup
else:
    from ssdsim._core.codes import HOST_DATA, MOVED_DATA, PURPOSES, TRANSLATION
    from ssdsim.ftl.reclaim.collector import PageMoves
    from ssdsim.host.request import WriteGroup


class RowMoves(PageMoves):
    """Valid pages at the same place in several planes stay together (TBM, Algorithm 2).

    They are read together, and given the same place again when the row being written has enough planes left; the
    pages that have no such partner fill the row meanwhile. Super pages are such rows, always whole.
    """

    def bind(self, collector):
        """Hold nothing back."""
        PageMoves.bind(self, collector)
        self.can_stop = False
        self.span = collector.blocks.span
        self.held = [[] for _ in range(collector.count)]

    def start(self, which):
        """Issue the reads of a row."""
        position = self.collector.left(which)
        if position < 0:
            return False
        group = WriteGroup(0)
        page = position // self.span
        reads = []
        while position >= 0 and position // self.span == page:
            read = self.collector.start_move(which, position)
            read.group = group
            group.size += 1
            reads.append(read)
            position = self.collector.left(which)
        for read in reads:
            self.collector.scheduler.submit(read)
        return True

    def arrived(self, which, page):
        """Wait for the rest of the row."""
        page.group.members.append(page)
        self.settle(which, page.group)
        page.group = None

    def dropped(self, which, page):
        """Do not wait for this one."""
        page.group.size -= 1
        self.settle(which, page.group)
        page.group = None

    def settle(self, which, group):
        """Place a row that has been read, and what fits behind it."""
        if len(group.members) < group.size or not group.size:
            return
        held = self.held[which]
        held.append(group)
        at = 0
        while at < len(held):
            if self.fits(which, held[at]):
                self.place(which, held.pop(at))
                at = 0
            else:
                at += 1

    def fits(self, which, group):
        """Return whether the row being written has planes left for all pages of `group`."""
        if self.collector.hotness is not None:  # each goes where data of its kind goes
            return True
        plane = which * self.collector.width
        purpose = self.collector.purpose_of(group.members[0].lpa)
        return self.collector.frontier.place_in_row(plane, purpose) + group.size <= self.span

    def place(self, which, group):
        """Place the pages of a row one after another."""
        for page in current(self.collector, which, group.members):
            self.collector.place(page, page.plane, self.collector.purpose_of(page.lpa))

    def no_more(self, which):
        """Place what did not fit; at the end, complete the rows begun if rows are what the host writes."""
        held = self.held[which]
        while held:
            self.place(which, held.pop(0))
        if not self.collector.frontier.by_rows or self.collector.left(which) >= 0:
            return
        plane = which * self.collector.width
        for purpose in range(PURPOSES):
            while self.collector.frontier.place_in_row(plane, purpose):
                self.collector.pad(which, plane, purpose)


class DieMoves(PageMoves):
    """Any valid pages make up rows, so that the write points of all planes stay equal (SPD's Die-GC, 4.3).

    What is left over at the end is completed with dirty pages of the die from the write buffer, and padded if there are
    none. If moves `combine` with writes (SPD+, 4.4 and Algorithm 1), pages that are evicted to the die meanwhile do not
    wait for the end of the collection: rows are then half moved and half new pages, as long as there are enough of both
    and the frontier has room for the host.

    The reserve takes moved pages alone (`RESERVED_BLOCKS`), hot and cold ones in the same rows: only the last of these
    can have a gap, so that the pages of any victim fit.
    """

    def __init__(self, combines, buffer):
        self.combines = combines
        self.buffer = buffer

    def bind(self, collector):
        """Hold nothing back."""
        PageMoves.bind(self, collector)
        self.can_stop = False
        self.span = collector.blocks.span
        self.pages = [[] for _ in range(PURPOSES * collector.count)]
        self.writes = [[] for _ in range(collector.count)]
        self.asked = array("b", [0] * collector.count)
        self.awaited = array("b", [0] * collector.count)

    def begin(self, which):
        """Ask the buffer once at most."""
        self.asked[which] = False

    def arrived(self, which, page):
        """Wait for enough pages to make up a row."""
        self.pages[PURPOSES * which + self.collector.purpose_of(page.lpa)].append(page)
        self.form(which)

    def form(self, which):
        """Write rows for as long as there is enough for one."""
        while self.form_row(which):
            pass

    def form_row(self, which):
        """Write a row if there is enough for one, and return whether there was."""
        for purpose in range(PURPOSES):
            at = PURPOSES * which + purpose
            new = 0 if purpose == TRANSLATION else min(len(self.writes[which]), self.span - self.span // 2)
            if new and not self.has_room_beside(which, purpose):
                new = 0
            self.pages[at] = current(self.collector, which, self.pages[at])
            if len(self.pages[at]) >= self.span - new:
                self.write_row(which, purpose, self.span - new, new)
                return True
        return False

    def write_row(self, which, purpose, moved, new):
        """Place so many moved and new pages in a row, and pad it."""
        plane = which * self.span
        for _ in range(moved):
            self.collector.place(self.pages[PURPOSES * which + purpose].pop(0), plane, purpose)
        for _ in range(self.span - moved - new):
            self.collector.pad(which, plane, purpose)
        if new:
            writes = self.writes[which]
            self.writes[which] = writes[new:]
            self.collector.listener.place_beside(writes[:new], plane, purpose)

    def no_more(self, which):
        """Write what is left over."""
        if self.awaited[which]:
            return
        self.form(which)
        hot = PURPOSES * which + HOST_DATA
        if self.pages[hot] and not self.has_room_beside(which, HOST_DATA):
            self.pages[PURPOSES * which + MOVED_DATA].extend(self.pages[hot])
            self.pages[hot] = []
            self.form(which)
        for purpose in range(PURPOSES):
            while self.has_pages(which, purpose):
                moved = min(len(self.pages[PURPOSES * which + purpose]), self.span)
                new = 0
                if purpose != TRANSLATION and self.has_room_beside(which, purpose):
                    if self.asks(which, self.span - moved - len(self.writes[which])):
                        return
                    new = min(len(self.writes[which]), self.span - moved)
                self.write_row(which, purpose, moved, new)
        if self.writes[which]:
            writes = self.writes[which]
            self.writes[which] = []
            self.collector.listener.take_back(writes)

    def has_room_beside(self, which, purpose):
        """Return whether new pages may be written in the row for `purpose`."""
        return self.collector.frontier.has_room_beside(which * self.span, purpose)

    def has_pages(self, which, purpose):
        """Return whether pages wait for a row; what was written just now may have made some of them old."""
        self.pages[PURPOSES * which + purpose] = current(self.collector, which, self.pages[PURPOSES * which + purpose])
        return len(self.pages[PURPOSES * which + purpose]) > 0

    def asks(self, which, wanted):
        """Have the buffer evict up to `wanted` pages of the die, once a collection, and return whether it has any."""
        if wanted <= 0 or self.asked[which] or self.buffer is None:
            return False
        self.asked[which] = True
        self.awaited[which] = True  # before the pages come, which may be at once
        given = self.buffer.complete_row(which, wanted)
        if not given:
            self.awaited[which] = False
        return given

    def complete(self, which, group):
        """Write what is left over, now that the buffer's pages are there."""
        self.awaited[which] = False
        self.writes[which].extend(group.members)
        self.no_more(which)
        self.collector.resume(which)

    def takes(self, which, group):
        """Take over a group if every page of it finds a valid one that has not been moved yet."""
        if not self.combines or not self.collector.frontier.has_room(which * self.span):
            return False
        left = 0
        for place in range(self.collector.victim_count[which]):
            left += self.collector.blocks.valid(self.collector.victims[which * self.span + place])
        if left < len(self.writes[which]) + len(group.members):
            return False
        self.writes[which].extend(group.members)
        self.form(which)
        self.collector.resume(which)
        return True


class CopyBackMoves(PageMoves):
    """Pages stay in their plane and do not leave the chip (PCFTL's plane-level collection, 3.2 and 3.3).

    A page can only be copied back to one of the same parity, so some are passed over. A collection that passes over as
    many as its victim has dead ones gains nothing, nor need the next: the never-ending collection of 3.4 and Fig. 8.
    The paper notices it afterwards. Here it is foreseen, as the parities of the valid pages and the write point are
    known: where copying back would waste more than the share `most_wasted` of the dead pages, the collection is a
    conventional one. Its pages go through the controller, to the same plane, where parity does not matter. So do single
    pages of another that, as writes of the host have come in between, would waste more than that.

    With at most as many pages wasted as are dead, the pages of a victim always fit into a block's worth of room.
    """

    def __init__(self, most_wasted):
        self.most_wasted = most_wasted

    def bind(self, collector):
        """Begin with nothing to waste."""
        PageMoves.bind(self, collector)
        self.to_waste = array("q", [0] * collector.count)
        self.conventional = self.through_controller = 0

    def begin(self, which):
        """Settle how many pages the collection may waste; -1 if it would be too many."""
        blocks = self.collector.blocks
        allowed = 0
        foreseen = 0
        for place in range(self.collector.victim_count[which]):
            victim = self.collector.victims[which * self.collector.width + place]
            dead = blocks.pages_per_block - blocks.valid(victim)
            allowed += min(int(self.most_wasted * dead + 1e-9), dead - 1) if dead else 0
            foreseen += self.foreseen(victim)
        self.to_waste[which] = allowed if foreseen <= allowed else -1
        self.conventional += foreseen > allowed

    def foreseen(self, victim):
        """Return how many pages are passed over if every valid page of `victim` is copied back, and no other comes."""
        blocks = self.collector.blocks
        plane = blocks.plane_of(victim)
        wasted = 0
        points = [-1] * PURPOSES
        page = blocks.next_valid(victim, 0)
        while page >= 0:
            purpose = self.collector.purpose_of(blocks.spare.get(victim * blocks.pages_per_block + page))
            if points[purpose] < 0:
                points[purpose] = self.collector.frontier.write_point(plane, purpose)
            passed = self.passed_over(points[purpose], page)
            wasted += passed
            points[purpose] = (points[purpose] + passed + 1) % blocks.pages_per_block
            page = blocks.next_valid(victim, page + 1)
        return wasted

    def passed_over(self, point, page):
        """Return how many pages from write point `point` on are passed over for one of the parity of `page`."""
        if not (point ^ page) & 1:
            return 0
        if point + 1 < self.collector.blocks.pages_per_block:
            return 1
        return 1 + (page & 1)  # the next block begins with an even one

    def copies(self, which, plane, lpa, page):
        """Return whether the data of `page` of a victim is copied back, and count what that wastes."""
        passed = self.passed_over(self.collector.frontier.write_point(plane, self.collector.purpose_of(lpa)), page)
        if passed > self.to_waste[which]:
            self.through_controller += 1
            return False
        self.to_waste[which] -= passed
        return True

    def start(self, which):
        """Issue the next copy-back, or the next read."""
        position = self.collector.left(which)
        if position < 0:
            return False
        blocks = self.collector.blocks
        block = self.collector.victims[which * self.collector.width + position % self.collector.victim_count[which]]
        page = position // self.collector.victim_count[which]
        lpa = blocks.spare.get(block * blocks.pages_per_block + page)
        if not self.copies(which, blocks.plane_of(block), lpa, page):
            return PageMoves.start(self, which)
        self.collector.start_copy(which, position)
        return True

    def move_now(self, which, plane, lpa, ppa):
        """Give a page a new one of its parity, or any."""
        if self.copies(which, plane, lpa, ppa % self.collector.blocks.pages_per_block):
            return self.collector.copy(plane, lpa, ppa)
        return PageMoves.move_now(self, which, plane, lpa, ppa)


class ParallelMoves(PageMoves):
    """The pages of victims in several planes even out the write points of these planes, and then go out by the row.

    ParaGC as SPD has it (5.3): pages are moved to the planes that lag behind until all stand at the same page; from
    then on, as the controller holds the pages read, one is written to each plane at a time. A victim without a partner
    is moved within its plane, and so is what is left once a plane has nothing but its reserve: that is for the pages of
    its own victim, which fit (`RESERVED_BLOCKS`).
    """

    def bind(self, collector):
        """Hold nothing back."""
        PageMoves.bind(self, collector)
        self.can_stop = False
        self.pages = [[] for _ in range(PURPOSES * collector.count)]

    def arrived(self, which, page):
        """Place a page, or wait for enough of them to make up a row."""
        purpose = self.collector.purpose_of(page.lpa)
        if self.collector.victim_count[which] == 1:
            self.collector.place(page, page.plane, purpose)
            return
        self.pages[PURPOSES * which + purpose].append(page)
        self.form(which, purpose, self.collector.victim_count[which])

    def no_more(self, which):
        """Place what is left over."""
        for purpose in range(PURPOSES):
            self.form(which, purpose, 1)

    def form(self, which, purpose, least):
        """Place pages for as long as write points differ, or there are `least` for a row."""
        at = PURPOSES * which + purpose
        self.pages[at] = current(self.collector, which, self.pages[at])
        while self.pages[at]:
            if self.is_short(which, purpose):
                page = self.pages[at].pop(0)
                self.collector.place(page, page.plane, purpose)
                continue
            plane = self.lagging(which, purpose)
            if plane < 0:
                if len(self.pages[at]) < least:
                    return
                for each in self.planes(which)[: len(self.pages[at])]:
                    self.collector.place(self.pages[at].pop(0), each, purpose)
            else:
                self.collector.place(self.pages[at].pop(0), plane, purpose)

    def planes(self, which):
        """Return the victims' planes, lowest first."""
        first = which * self.collector.width
        blocks = [self.collector.victims[first + place] for place in range(self.collector.victim_count[which])]
        return sorted([self.collector.blocks.plane_of(block) for block in blocks])

    def is_short(self, which, purpose):
        """Return whether one of those planes has nothing but its reserve for `purpose`."""
        frontier = self.collector.frontier
        return len([plane for plane in self.planes(which) if not frontier.has_room_beside(plane, purpose)]) > 0

    def lagging(self, which, purpose):
        """Return a plane whose write point lags behind, or -1 if all that have room are level.

        Write points go round a block, so the level to reach is that from which the others lag behind the least.
        """
        pages = self.collector.blocks.pages_per_block
        planes = self.planes(which)
        points = [self.collector.frontier.write_point(each, purpose) for each in planes]
        shortest = -1
        lagging = -1
        for level in points:
            distance = 0
            behind = -1
            for number in range(len(points)):
                gap = (level - points[number] + pages) % pages
                distance += gap
                if gap and behind < 0:
                    behind = planes[number]
            if shortest < 0 or distance < shortest:
                shortest = distance
                lagging = behind
        return lagging


def current(collector, which, pages):
    """Return those of the `pages` read that the host has not rewritten since, and give up the others."""
    found = []
    for page in pages:
        if collector.is_current(page):
            found.append(page)
        else:
            collector.give_up(which, page)
    return found
