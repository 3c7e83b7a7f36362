"""A page in the write buffer, and what pages leave it together."""


class Entry:
    """A logical page that holds data not yet in flash.

    `touched` marks the parts of the page that were written, one bit for each 512 bytes. While it is being evicted it
    stays readable, but a write makes a new entry. `eviction` is the one that it left in, or None.
    """

    def __init__(self, lpa, touched):
        self.lpa = lpa
        self.touched = touched
        self.data = self.eviction = None
        self.stream = self.access_latency = 0
        self.evicting = False


class Eviction:
    """Pages that leave the buffer in one go: `left` of them are on their way; `payer` waits for all, unless None."""

    def __init__(self, payer):
        self.payer = payer
        self.left = 0
