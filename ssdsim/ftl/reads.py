"""The way of a read through the translation layer, up to its completion."""

from functools import partial

import cython

from ssdsim.flash.data import EMPTY

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import HOST, READ
    from cython.cimports.ssdsim._core.kernel import hold, now
    from cython.cimports.ssdsim.flash.transaction import Transaction
    from cython.cimports.ssdsim.host.request import Request
    from cython.cimports.ssdsim.stage import Stage
else:
    from ssdsim._core.codes import HOST, READ
    from ssdsim._core.kernel import hold, now
    from ssdsim.flash.transaction import Transaction
    from ssdsim.host.request import Request
    from ssdsim.stage import Stage


SECTOR = 512
"""Bytes that a bit of what a page holds stands for."""


class ReadPath(Stage):
    """Answers reads from flash, from controller memory, or along with another read of the same page.

    The base of the translation layer. `without_room` are the writes that are whole in controller memory and not yet
    placed, by logical page: their data is the newest. `trims` has the newest trim that stands in line, by logical page:
    nothing from before it is read any more, as what it forgets may have been newer than flash. `copies` has, by page,
    where those are copied from that the chip is copying back: their data is nowhere else until they are programmed.
    `translation` brings the mapping of a page from flash where it has to be, else it is None. `parts` has the sectors
    stored of pages that were only written in part, as bits, where that matters to what crosses the bus.
    """

    def __init__(self, blocks, mapping, config):
        self.env = self.scheduler = self.pool = None
        self.blocks = blocks
        self.mapping = mapping
        self.contents = self.data = None
        self.reads_unprogrammed = config.flash.unprogrammed_read == "flash"
        coalesced_us = config.flash.coalesced_read_us
        self.coalesced_ns = -1 if coalesced_us is None else round(coalesced_us * 1000)
        self.page_bytes = config.hardware.page_bytes
        self.reads_stored = config.flash.partial_read == "stored"
        self.parts = {}
        self.reading = {}
        self.without_room = {}
        self.trims = {}
        self.copies = {}
        self.translation = None
        self.memory_reads = self.unmapped_reads = self.coalesced_reads = 0

    def bind(self, env, scheduler, pool):
        """Receive the clock and the back end, before the first timed request."""
        self.env = env
        self.scheduler = scheduler
        self.pool = pool

    def part_done(self, request):
        """Count one part of `request` as done and complete it after the last."""
        request.remaining -= 1
        if request.remaining:
            return
        owner: Stage = request.owner
        owner.completed(request)

    def finish(self, transaction):
        """Hand over what `transaction` measured to its request, as the last part's if it is that, and count it done."""
        request: Request = transaction.request
        request.bus_ns = transaction.bus_ns
        request.array_ns = transaction.array_ns
        request.gc_ns = transaction.gc_ns
        transaction.request = None
        self.part_done(request)

    def read(self, request, lpa, size):
        """Read `size` bytes of `lpa`, once its mapping is at hand."""
        if self.trims and lpa in self.trims:
            self.unmapped_reads += 1
            if request.data is not None:
                self.give_data(request, lpa, EMPTY)
            self.part_done(request)
        elif self.without_room and lpa in self.without_room:
            self.read_from_memory(request, lpa)
        elif self.translation is None or self.translation.knows(lpa):
            self.read_mapped(request, lpa, size)
        else:
            transaction = self.pool.take(HOST, self, lpa)
            transaction.request = request
            transaction.op = READ
            transaction.bytes = size
            self.translation.fetch(transaction)

    def read_mapped(self, request, lpa, size):
        """Read `size` bytes of `lpa`, from flash if that is where they are."""
        ppa = self.mapping.lookup(lpa)
        in_flash = ppa >= 0 and (self.reads_unprogrammed or self.blocks.is_programmed(ppa))
        if self.copies and ppa in self.copies:
            ppa = self.copies[ppa]
            in_flash = True
        if in_flash:
            if self.coalesced_ns >= 0 and self.joins(request, lpa, ppa):
                return
            transaction = self.pool.take(HOST, self, lpa)
            transaction.request = request
            transaction.op = READ
            transaction.ppa = ppa
            transaction.bytes = self.stored_bytes(lpa) if self.reads_stored else size
            if self.coalesced_ns >= 0:
                self.reading[ppa] = transaction
            self.scheduler.submit(transaction)
        elif ppa < 0:
            self.unmapped_reads += 1
            self.answer(request, lpa)
        else:
            self.read_from_memory(request, lpa)

    def stored_bytes(self, lpa):
        """Return how many bytes of page `lpa` hold data: all, unless only parts of it have been written so far."""
        sectors = self.parts.get(lpa)
        return self.page_bytes if sectors is None else sectors.bit_count() * SECTOR

    def read_from_memory(self, request, lpa):
        """Read a page that controller memory holds."""
        self.memory_reads += 1
        self.answer(request, lpa)

    def answer(self, request, lpa):
        """Count a part of a read as done that needs no flash."""
        if request.data is not None:
            self.give_data(request, lpa, self.newest(lpa))
        self.part_done(request)

    def source_of(self, ppa):
        """Return where in flash the data of page `ppa` can be read now, or -1 if only controller memory has it."""
        if self.copies and ppa in self.copies:
            return self.copies[ppa]
        return ppa if self.blocks.is_programmed(ppa) else -1

    def joins(self, request, lpa, ppa):
        """Have a read answered along with one that is queued or in the array, if there is one, and say whether."""
        other: Transaction = self.reading.get(ppa)
        if other is None or (other.array_ns and now(self.env) >= other.array_start_ns + other.array_ns):
            return False
        self.coalesced_reads += 1
        if request.data is not None:
            self.give_data(request, lpa, self.data.sense(ppa))
        hold(self.env, self.coalesced_ns).callbacks.append(partial(self.joined, request))
        return True

    def joined(self, request, event):
        """Count a coalesced read as done."""
        self.part_done(request)

    def held(self, lpa):
        """Return the version of the data of `lpa` that the device holds."""
        ppa = self.mapping.lookup(lpa)
        return self.contents.of_unmapped(lpa) if ppa < 0 else self.contents.get(ppa)

    def newest(self, lpa):
        """Return the data of `lpa` that the device holds, wherever that is; it takes no time, and changes nothing."""
        ppa = self.mapping.lookup(lpa)
        if self.copies and ppa in self.copies:
            ppa = self.copies[ppa]
        placed = EMPTY if ppa < 0 else self.data.at(ppa)
        waiting = self.without_room.get(lpa)
        return placed if waiting is None else self.data.over(waiting.data, placed)

    def give_data(self, request, lpa, image):
        """Answer a read of `lpa` with `image`, but for what the write buffer has answered."""
        request.data[lpa] = self.data.over(request.data.get(lpa), image)

    def has_read(self, transaction):
        """Answer a read with what was found in flash."""
        if self.coalesced_ns >= 0 and self.reading.get(transaction.ppa) is transaction:
            del self.reading[transaction.ppa]
        request: Request = transaction.request
        if request.data is not None:
            self.give_data(request, transaction.lpa, transaction.data)
