"""A page in the write buffer."""


class Entry:
    """A logical page that holds data not yet in flash.

    `touched` marks the parts of the page that were written, one bit for each 512 bytes. While it is being evicted it
    stays readable, but a write makes a new entry. `maker` is the id of the request that made it, as long as it is of
    that alone and of nothing older that is on its way to flash; -1 else.
    """

    def __init__(self, lpa, touched):
        self.lpa = lpa
        self.touched = touched
        self.data = None
        self.maker = -1
        self.stream = self.access_latency = 0
        self.evicting = False
