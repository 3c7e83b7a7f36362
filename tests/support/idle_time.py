"""A tiny device that has something to collect when its host goes quiet."""

from support.tiny_device import PAGE

FILLED = [(0, "write", lpa * PAGE, PAGE) for lpa in (*range(16), 0, 1, 2, 4)]
"""Blocks 0 to 4 are full, 3 are free, and dead are three pages of block 0 and one of block 1."""

LONG_AFTER = (50_000_000, "read", 0, PAGE)
