"""A page in the write buffer."""


class Entry:
    """A logical page that holds data not yet in flash.

    `touched` marks the parts of the page that were written, one bit for each 512 bytes. While it is being evicted it
    stays readable, but a write makes a new entry. `payer` is the request of the host that waits for its eviction, or
    None.
    """

    def __init__(self, lpa, touched):
        self.lpa = lpa
        self.touched = touched
        self.data = self.payer = None
        self.stream = self.access_latency = 0
        self.evicting = False
