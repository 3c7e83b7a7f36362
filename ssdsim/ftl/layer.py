"""The flash translation layer: requests become transactions, in an order that the host may rely on."""

from collections import deque

import cython

from ssdsim.errors import SimulationError
from ssdsim.ftl.reads import SECTOR

if cython.compiled:
    from cython.cimports.ssdsim._core.blocks import COLLECTING
    from cython.cimports.ssdsim._core.codes import FLUSH, HOST, HOST_DATA, PROGRAM, READ, TRIM, WRITE
    from cython.cimports.ssdsim._core.kernel import now
    from cython.cimports.ssdsim.ftl.reads import ReadPath
    from cython.cimports.ssdsim.host.request import Request, WriteGroup
    from cython.cimports.ssdsim.stage import Stage
else:
    from ssdsim._core.blocks import STATES
    from ssdsim._core.codes import FLUSH, HOST, HOST_DATA, PROGRAM, READ, TRIM, WRITE
    from ssdsim._core.kernel import now
    from ssdsim.ftl.reads import ReadPath
    from ssdsim.host.request import Request, WriteGroup
    from ssdsim.stage import Stage

    COLLECTING = STATES.index("collecting")


BIT = 1
"""The first of the bits that stand for sectors, as a Python integer: a page may have more of them than a C one."""


class FlashTranslationLayer(ReadPath):
    """Splits requests into pages, maps them, and issues what the flash has to do.

    A write's page is allocated, and the mapping updated, when the write is admitted. A page allocated but not yet
    programmed is read from controller memory. A write that finds no room waits for the garbage collector; a write of
    part of a page may have to read the rest first. While a logical page has such a write that is not yet placed, later
    writes and trims of that page stand in line behind it (`unplaced`), so that the newest data wins.

    Writes that are to be placed together, as a `WriteGroup`, are the business of `ssdsim.ftl.rows`.
    """

    def __init__(self, blocks, mapping, plane_allocation, frontier, collector, page_types, hotness, config):
        ReadPath.__init__(self, blocks, mapping, config)
        self.copies = collector.copies
        self.plane_allocation = plane_allocation
        self.frontier = frontier
        self.collector = collector
        self.page_types = page_types
        self.hotness = hotness
        self.span = blocks.span
        self.programs_whole = config.flash.partial_program == "whole_page"
        self.programs_changed = config.flash.partial_program == "changed"
        self.whole_page = (BIT << self.page_bytes // SECTOR) - 1
        self.read_modify_write = config.ftl.partial_write == "read_modify_write"
        self.keeps_plane = plane_allocation.keeps_plane
        self.activity = None
        self.unplaced = {}
        self.waiting = [deque() for _ in range(blocks.units + 1)]
        self.flushes = []
        self.version = self.writes_in_flight = 0
        self.specified = self.as_specified = 0
        self.filled_pages = self.padded_pages = 0
        self.host_page_writes = 0

    def submit(self, request):
        """Split `request` into pages and start them; unaligned ends touch parts of pages."""
        if request.op == FLUSH:
            self.flush(request)
            return
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        if request.op == WRITE:
            self.specify(request)
        for lpa in range(first, last + 1):
            size = self.part_of(request, lpa)
            if request.op == READ:
                self.read(request, lpa, size)
            elif request.op == WRITE:
                self.write(request, lpa, size, request.group)
            else:
                self.trim(request, lpa, size)
        self.part_done(request)

    def part_of(self, request, lpa):
        """Return the bytes of page `lpa` that `request` touches."""
        start = max(request.offset_bytes, lpa * self.page_bytes)
        return min(request.offset_bytes + request.size_bytes, (lpa + 1) * self.page_bytes) - start

    # Writing.

    def write(self, request, lpa, size, group):
        """Write `size` bytes of `lpa` for `request`, along with the rest of `group` if there is one."""
        transaction = self.pool.take(HOST, self, lpa)
        transaction.request = request
        transaction.group = group
        transaction.op = PROGRAM
        transaction.bytes = size
        self.version += 1
        transaction.version = self.version
        if request is not None and request.data is not None:
            transaction.data = request.data.get(lpa)
        self.writes_in_flight += 1
        if self.activity is not None:
            self.activity.began()
        if self.unplaced and self.stands_in_line(transaction):
            return
        self.begin_write(transaction)

    def stands_in_line(self, transaction):
        """Put `transaction` in line if an earlier write of its page is not yet placed, and return whether it is."""
        line = self.unplaced.get(transaction.lpa)
        if line is None:
            return False
        line.append(transaction)
        return True

    def would_wait(self, lpa):
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or not self.mapping.holds(lpa)

    def begin_write(self, transaction):
        """Go on with a write whose turn it is once its mapping is at hand; return whether it was placed at once."""
        if self.translation is None or self.translation.knows(transaction.lpa):
            return self.begin_mapped(transaction)
        self.unplaced.setdefault(transaction.lpa, deque())
        if not self.is_partial(transaction):
            self.without_room[transaction.lpa] = transaction
        self.translation.fetch(transaction)
        return False

    def translated(self, transaction):
        """Go on with a part of a request, now that the mapping of its logical page is at hand."""
        request: Request = transaction.request
        if transaction.op == READ:
            self.read_mapped(request, transaction.lpa, transaction.bytes)
            self.pool.give_back(transaction)
        elif transaction.op == TRIM:
            lpa = transaction.lpa
            self.end_trim(transaction)
            self.advance(lpa)
        else:
            self.without_room.pop(transaction.lpa, None)
            if self.begin_mapped(transaction):
                self.advance(transaction.lpa)

    def is_partial(self, transaction):
        """Return whether the rest of a write's page is to be read first."""
        return transaction.bytes < self.page_bytes and (self.read_modify_write or transaction.request is None)

    def begin_mapped(self, transaction):
        """Place a write, or read the rest of its page first; return whether it was placed at once."""
        if self.is_partial(transaction):
            ppa = self.mapping.lookup(transaction.lpa)
            if ppa >= 0:
                ppa = self.source_of(ppa)
            rest = self.rest_of(transaction) if ppa >= 0 else 0
            if rest:
                self.unplaced.setdefault(transaction.lpa, deque())
                transaction.op = READ
                transaction.ppa = ppa
                transaction.bytes = rest
                self.scheduler.submit(transaction)
                return False
        if self.data is not None:
            self.complete_data(transaction)
        return self.place(transaction)

    def rest_of(self, transaction):
        """Return the bytes that a write leaves of what its page holds, and that are to be read first."""
        lpa = transaction.lpa
        if lpa not in self.parts or transaction.request is None:
            return self.page_bytes - transaction.bytes
        return (self.parts[lpa] & ~self.touched(transaction.request, lpa)).bit_count() * SECTOR

    def touched(self, request, lpa):
        """Return the sectors of page `lpa` that `request` touches, as bits."""
        start = max(request.offset_bytes - lpa * self.page_bytes, 0)
        end = min(request.offset_bytes + request.size_bytes - lpa * self.page_bytes, self.page_bytes)
        return (BIT << (end + SECTOR - 1) // SECTOR) - (BIT << start // SECTOR)

    def complete_data(self, transaction):
        """Add to a write what is new of a page what is not, from controller memory; a padded one costs no read."""
        if self.is_partial(transaction) or not self.read_modify_write:
            transaction.data = self.data.over(transaction.data, self.newest(transaction.lpa))

    def place(self, transaction):
        """Give a write its page if there is room, or let it wait; return whether it was placed on its own."""
        if transaction.group is not None:
            self.gather(transaction)
            return False
        plane = self.plane_for(transaction.lpa)
        if plane >= 0 and not self.waiting[plane // self.span]:
            near = self.room_near(plane, transaction.lpa)
            if near >= 0:
                self.place_in(transaction, near, HOST_DATA)
                return True
        transaction.queued_ns = now(self.env)
        self.park(transaction)
        self.wait_for_room(transaction, plane)
        return False

    def room_near(self, plane, lpa):
        """Return `plane` if it has room for `lpa`, or one that is collected with it and may stand in, or -1."""
        if not self.frontier.has_room(plane):
            return self.collector.stand_in(plane)
        return -1 if self.collector.must_wait(plane, lpa) else plane

    def page_of(self, waiting):
        """Return the logical page of a write that waits for room."""
        transaction = waiting
        return transaction.lpa

    def park(self, transaction):
        """Keep a write, whole in controller memory, until it can be placed."""
        self.unplaced.setdefault(transaction.lpa, deque())
        self.without_room[transaction.lpa] = transaction

    def wait_for_room(self, waiting, plane):
        """Have a write or group wait for room in `plane`, or in any if that is -1 or it need not go there."""
        bound = plane >= 0 and self.keeps_plane
        self.waiting[plane // self.span if bound else self.blocks.units].append(waiting)
        if plane >= 0:
            self.collector.consider(plane)
            return
        for unit in range(self.blocks.units):
            self.collector.consider(unit * self.span)

    def plane_for(self, lpa):
        """Return the plane that the data of `lpa` is to be written to, or -1 if none has room just now."""
        plane = self.plane_allocation.plane_for(lpa)
        if plane >= self.blocks.planes:
            raise SimulationError(f"the plane allocation chose plane {plane} of {self.blocks.planes}.")
        return plane

    def place_in(self, transaction, plane, purpose):
        """Give a write the next page of `plane` and issue its program."""
        before = self.mapping.lookup(transaction.lpa)
        ppa = self.allocate(transaction.request, transaction.lpa, plane, purpose)
        if self.contents is not None:
            version = transaction.version if transaction.request is not None else self.held(transaction.lpa)
            self.contents.put(ppa, transaction.lpa, version)
        if before >= 0:
            transaction.before = before
            self.blocks.add_reader(self.blocks.block_of(before))
        collection_first = self.collector.starts_before_write
        if not collection_first:
            self.program(transaction, ppa)
        self.map(transaction.lpa, ppa)
        if self.hotness is not None and before >= 0:
            self.hotness.updated(transaction.lpa, now(self.env))
        self.drop(before, plane)
        if collection_first:
            self.program(transaction, ppa)

    def map(self, lpa, ppa):
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it lay before."""
        return self.mapping.update(lpa, ppa) if self.translation is None else self.translation.map(lpa, ppa)

    def program(self, transaction, ppa):
        """Issue the program of a page."""
        transaction.op = PROGRAM
        transaction.ppa = ppa
        transaction.bytes = self.page_bytes
        if not self.programs_whole or self.reads_stored:
            self.keep_parts(transaction)
        self.scheduler.submit(transaction)

    def keep_parts(self, transaction):
        """Take note of what is stored of the page of a write from now on, and of what of that crosses the bus."""
        lpa = transaction.lpa
        if transaction.request is None:  # what it holds is written as it was, or nothing
            return
        touched = self.touched(transaction.request, lpa)
        stored = touched
        if self.read_modify_write and transaction.before >= 0:
            stored |= self.parts.get(lpa, self.whole_page)
        if stored == self.whole_page:
            self.parts.pop(lpa, None)
        else:
            self.parts[lpa] = stored
        if not self.programs_whole:
            moved = touched if self.programs_changed else stored
            transaction.bytes = moved.bit_count() * SECTOR

    def specify(self, request):
        """Settle which type of page the write `request` is to be given; all its pages inherit it."""
        request.slowest_type = -1  # as it may be used again, without a pool
        if self.page_types is not None:
            request.page_type = self.page_types.of_request(request)

    def allocate(self, request, lpa, plane, purpose):
        """Hand out a page of `plane` for the data of `lpa`, a part of `request` if that is not None, and return it."""
        wanted = 0 if request is None else request.page_type
        if wanted < 0:  # BY_PAGE
            wanted = self.page_types.of_page(request, plane)
        ppa = self.frontier.allocate(plane, purpose, lpa, wanted)
        if request is None:
            self.filled_pages += 1
            return ppa
        self.host_page_writes += 1
        page_type = self.blocks.given_type
        if page_type > request.slowest_type:
            request.slowest_type = page_type
        if self.page_types is not None:
            self.specified += 1
            self.as_specified += page_type == wanted
        return ppa

    def drop(self, ppa, written_plane):
        """Invalidate what a logical page held before, if anything, and see whether collection is now wanted.

        `written_plane` is where its new data went, or -1.
        """
        if ppa >= 0:
            self.blocks.invalidate(ppa)
            if written_plane < 0 or not self.keeps_plane:
                self.collector.consider(self.blocks.plane_of(self.blocks.block_of(ppa)))
        if written_plane >= 0:
            self.collector.consider(written_plane)

    def space_freed(self, unit):
        """Place what has waited for room, oldest first, as far as it goes; pages of the mapping table come first."""
        if self.translation is not None:
            self.translation.space_freed(unit)
        plane = unit * self.span
        for queue in (self.waiting[unit], self.waiting[self.blocks.units]):
            while queue:
                near = self.room_near(plane, self.page_of(queue[0]))
                if near < 0:
                    break
                waited = queue.popleft()
                if isinstance(waited, WriteGroup):
                    self.place_row(waited, near)
                    continue
                transaction = waited
                del self.without_room[transaction.lpa]
                transaction.gc_ns += now(self.env) - transaction.queued_ns
                self.place_in(transaction, near, HOST_DATA)
                self.advance(transaction.lpa)

    def advance(self, lpa):
        """Go on with what stands in line behind a write of `lpa` that has now been placed."""
        line = self.unplaced.pop(lpa)
        while line:
            transaction = line.popleft()
            if transaction.op == TRIM:
                self.end_trim(transaction)
            elif not self.begin_write(transaction) and lpa in self.unplaced:  # else it was placed along with others
                self.unplaced[lpa] = line
                return

    def gather(self, transaction):
        """Take a write that has a group and is ready to be placed."""
        raise NotImplementedError

    def place_row(self, group, plane):
        """Place a group that has waited for room."""
        raise NotImplementedError

    # Trimming and flushing.

    def trim(self, request, lpa, size):
        """Forget `lpa` if the request covers the whole of it; a part of a page stays as it is."""
        if size < self.page_bytes:
            self.part_done(request)
            return
        self.version += 1
        stands_in_line = self.unplaced and lpa in self.unplaced
        if not stands_in_line and (self.translation is None or self.translation.knows(lpa)):
            self.unmap(lpa, self.version)
            self.part_done(request)
            return
        transaction = self.pool.take(HOST, self, lpa)
        transaction.request = request
        transaction.op = TRIM
        transaction.version = self.version
        self.trims[lpa] = self.version
        if stands_in_line:
            self.unplaced[lpa].append(transaction)
        else:
            self.unplaced[lpa] = deque()
            self.translation.fetch(transaction)

    def unmap(self, lpa, version):
        """Map `lpa` to nothing."""
        before = self.map(lpa, -1)
        if before >= 0:
            self.plane_allocation.trimmed(before)
        self.drop(before, -1)
        if self.contents is not None:
            self.contents.unmap(lpa, version)
            self.contents.acknowledge(lpa, version)

    def end_trim(self, transaction):
        """Do a trim that stood in line, and count it as done."""
        request: Request = transaction.request
        if self.trims[transaction.lpa] == transaction.version:
            del self.trims[transaction.lpa]
        self.unmap(transaction.lpa, transaction.version)
        self.pool.give_back(transaction)
        self.part_done(request)

    def flush(self, request):
        """Complete `request` when every page written by requests admitted before it is programmed."""
        request.remaining = self.writes_in_flight
        if request.remaining:
            self.flushes.append((self.version, request))
            return
        owner: Stage = request.owner
        owner.completed(request)

    def programmed(self, version):
        """Count the page write `version` as done for the flushes that were admitted after it."""
        for flush in list(self.flushes):
            request: Request = flush[1]
            if version <= flush[0]:
                request.remaining -= 1
                if not request.remaining:
                    self.flushes.remove(flush)
                    owner: Stage = request.owner
                    owner.completed(request)

    # What comes back from the flash.

    def transferred(self, transaction):
        """Complete a write whose data is on the chip."""
        if transaction.request is None:
            return
        if self.contents is not None:
            self.contents.acknowledge(transaction.lpa, transaction.version)
        self.finish(transaction)

    def done(self, transaction):
        """Complete a page, or go on with a write whose rest has been read."""
        request: Request = transaction.request
        if transaction.op == READ:
            if request is None or request.op == WRITE:
                if self.place(transaction):
                    self.advance(transaction.lpa)
                return
            self.has_read(transaction)
        else:
            if self.contents is not None and self.contents.get(transaction.ppa) == transaction.version:  # else a fill
                self.contents.programmed(transaction.lpa, transaction.version)
                self.contents.acknowledge(transaction.lpa, transaction.version)
            if transaction.before >= 0:
                self.release(self.blocks.block_of(transaction.before))
            self.collector.write_done(transaction.plane)
        if request is not None:
            self.finish(transaction)
        if transaction.op == PROGRAM:
            self.writes_in_flight -= 1
            if self.activity is not None:
                self.activity.ended()
            if self.flushes:
                self.programmed(transaction.version)
        self.pool.give_back(transaction)

    def release(self, block):
        """Let `block` be erased as far as a write is concerned that took the place of data there."""
        self.blocks.remove_reader(block)
        if self.blocks.state(block) == COLLECTING and self.blocks.may_erase(block):
            self.scheduler.wake_for(block)

    # The same without flash timing.

    def write_now(self, request, lpa):
        """Write a whole page of `lpa`, a part of `request`, at once, and collect its plane as far as wanted."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        plane = self.plane_for(lpa)
        near = -1 if plane < 0 else self.room_near(plane, lpa)
        if near < 0 <= plane:
            self.collector.consider(plane)  # what a fill left free may have gone to pages of the mapping table
            near = self.room_near(plane, lpa)
        if near < 0:
            raise SimulationError(f"logical page {lpa}: no plane that it may go to has room, nor anything to collect.")
        ppa = self.allocate(request, lpa, near, HOST_DATA)
        if self.contents is not None:
            self.version += 1
            self.contents.put(ppa, lpa, self.version)
            self.contents.programmed(lpa, self.version)
            self.contents.acknowledge(lpa, self.version)
        if self.data is not None and request.data is not None:
            self.data.queued[ppa] = self.data.over(request.data.get(lpa), self.newest(lpa))
        self.collector.program_now(ppa)
        before = self.mapping.update(lpa, ppa)
        if self.hotness is not None and before >= 0:
            self.hotness.updated(lpa, 0)
        self.drop(before, near)

    def read_now(self, request, lpa):
        """Read `lpa`, a part of `request`, at once."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        if self.data is not None and request.data is not None:
            self.give_data(request, lpa, self.newest(lpa))

    def trim_now(self, lpa):
        """Unmap `lpa` at once."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        self.version += 1
        self.unmap(lpa, self.version)
