"""A stage on the way of a request, as its neighbours see it."""


class Stage:
    """One stage: the host queue, a write buffer, the translation layer, the garbage collector.

    A stage overrides the calls that reach it and leaves the rest. A record (`Request`, `Transaction`) names as its
    `owner` the stage to be told when it is done.
    """

    def submit(self, request):
        """Take over `request`, and tell its owner when it is complete."""
        raise NotImplementedError

    def completed(self, request):
        """Take note that a request that this stage owns is complete; it may be used again from here."""
        raise NotImplementedError

    def transferred(self, transaction):
        """Take note that a program's data has left the bus; called only where that completes a write."""

    def done(self, transaction):
        """Take note that the die has finished; the transaction may be issued again or given back from here."""
        raise NotImplementedError

    def space_freed(self, plane):
        """Take note that a block of `plane` has become free."""
        raise NotImplementedError
