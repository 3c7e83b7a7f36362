"""A page in the write buffer, and lists of such pages."""


class Entry:
    """A logical page that holds data not yet in flash.

    `touched` marks the parts of the page that were written, one bit for each 512 bytes. While it is being evicted it
    stays readable, but a write makes a new entry.
    """

    def __init__(self, lpa, touched):
        self.lpa = lpa
        self.touched = touched
        self.stream = self.access_latency = 0
        self.evicting = False
        self.next = None
        self.previous = None


class EntryList:
    """Entries in the order of their last write; any of them can be taken out in O(1)."""

    def __init__(self):
        self.head = None
        self.tail = None

    def append(self, entry):
        """Add `entry` at the end."""
        entry.previous = self.tail
        entry.next = None
        if self.tail is None:
            self.head = entry
        else:
            self.tail.next = entry
        self.tail = entry

    def remove(self, entry):
        """Take `entry` out, wherever it stands."""
        before = entry.previous
        after = entry.next
        if before is None:
            self.head = after
        else:
            before.next = after
        if after is None:
            self.tail = before
        else:
            after.previous = before
        entry.previous = None
        entry.next = None
