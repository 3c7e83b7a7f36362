"""The order in which page writes and trims were admitted, and the flushes that heed it."""

from cython.cimports.ssdsim.host.request import Request
from cython.cimports.ssdsim.stage import Stage


class Admission:
    """Numbers page writes and trims as they are admitted, and knows how many of the writes are not programmed yet.

    A flush is complete when all page writes admitted before it are programmed. `activity`, where collection waits for
    idle time, is told when a write begins and when it has ended.
    """

    def __init__(self):
        self.version = self.writes_in_flight = 0
        self.flushes = []
        self.activity = None

    def number(self):
        """Return the number of a trim, or of a write that takes no time."""
        self.version += 1
        return self.version

    def began(self):
        """Return the number of a page write, which is in flight from now on."""
        self.version += 1
        self.writes_in_flight += 1
        if self.activity is not None:
            self.activity.began()
        return self.version

    def programmed(self, version):
        """Record that the page write with that number is programmed."""
        self.writes_in_flight -= 1
        if self.activity is not None:
            self.activity.ended()
        if self.flushes:
            self.count_for_flushes(version)

    def count_for_flushes(self, version):
        """Count a page write as done for the flushes that were admitted after it."""
        for flush in list(self.flushes):
            request: Request = flush[1]
            if version <= flush[0]:
                request.remaining -= 1
                if not request.remaining:
                    self.flushes.remove(flush)
                    owner: Stage = request.owner
                    owner.completed(request)

    def flush(self, request):
        """Complete the flush `request` when every page write admitted before it is programmed."""
        request.remaining = self.writes_in_flight
        if request.remaining:
            self.flushes.append((self.version, request))
            return
        owner: Stage = request.owner
        owner.completed(request)
