"""A stage on the way of a request, as its neighbours see it."""

from cython.cimports.ssdsim.host.request import Request


class Stage:
    """One stage: the host queue, a write buffer, the translation layer, the garbage collector.

    A stage overrides the calls that reach it and leaves the rest. A record (`Request`, `Transaction`) names as its
    `owner` the stage to be told when it is done.
    """

    def submit(self, request):
        """Take over `request`, and tell its owner when it is complete."""
        raise NotImplementedError

    def completed(self, request):
        """React when a request that this stage owns is complete; it may be used again from here."""
        raise NotImplementedError

    def part_done(self, request):
        """Count one part of `request` as done, and tell its owner after the last."""
        request.remaining -= 1
        if request.remaining == 0:
            owner: Stage = request.owner
            owner.completed(request)

    def finish_part(self, transaction):
        """Hand over what `transaction` measured to its request, as the last part's if it is that, and count it done."""
        request: Request = transaction.request
        request.bus_ns = transaction.bus_ns
        request.array_ns = transaction.array_ns
        request.gc_ns = transaction.gc_ns + request.held_ns
        request.urgent_gc_ns = transaction.urgent_gc_ns + request.held_ns
        request.mapping_ns = transaction.mapping_ns
        transaction.request = None
        self.part_done(request)

    def transferred(self, transaction):
        """React when a program's data has left the bus; called only where that completes a write."""

    def done(self, transaction):
        """React when the die has finished; the transaction may be issued again or given back from here."""
        raise NotImplementedError

    def translated(self, transaction):
        """Go on with a transaction that waited for the mapping of its logical page, which is at hand now."""
        raise NotImplementedError

    def source_of(self, ppa):
        """Return where in flash the data of page `ppa` can be read now, or -1 if only controller memory has it."""
        raise NotImplementedError

    def write_placed(self, lpa):
        """React when the write of `lpa` that others stand in line behind has been given its page."""
        raise NotImplementedError

    def space_freed(self, unit):
        """React when a block of `unit` has become free."""
        raise NotImplementedError

    def ask_for(self, die, wanted):
        """Write up to `wanted` pages of `die` that a row of moved ones has room for, and return whether there are any.

        They come as a group of the collection that asked, maybe before this returns (`Reclaimer.complete`).
        """
        raise NotImplementedError

    def place_beside(self, transactions, plane, kind):
        """Place writes that were handed over to be written in one row with moved pages, where that row is."""
        raise NotImplementedError

    def fill(self, group, lpa):
        """Write `lpa` along with `group` as it is: nothing of it is new."""
        raise NotImplementedError

    def newest(self, lpa):
        """Return the data of `lpa` that the device holds (`ssdsim.check.data`), wherever it is; takes no time."""
        raise NotImplementedError

    def would_wait(self, lpa):
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        raise NotImplementedError

    def take_back(self, transactions):
        """Take over again writes that were handed over for that, and were not needed."""
        raise NotImplementedError
