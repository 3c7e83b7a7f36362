"""Requests as rows of (arrival in ns, operation, offset, size), in pages of the tiny device."""

from support.tiny_device import PAGE

Row = tuple[int, str, int, int]

GAP = 10_000_000
"""Between requests that come one by one, in ns: the tiny device is idle by the next."""


def write(page: int, at: int = 0, pages: int = 1) -> Row:
    """Return a write of so many pages from `page` on."""
    return (at, "write", page * PAGE, pages * PAGE)


def read(page: int, at: int = 0, pages: int = 1) -> Row:
    """Return a read of so many pages from `page` on."""
    return (at, "read", page * PAGE, pages * PAGE)


def trim(page: int, at: int = 0, pages: int = 1) -> Row:
    """Return a trim of so many pages from `page` on."""
    return (at, "trim", page * PAGE, pages * PAGE)


def flush(at: int = 0) -> Row:
    """Return a flush."""
    return (at, "flush", 0, 0)


def writes(*pages: int, at: int = 0, gap: int = 0) -> list[Row]:
    """Return a write of each of these pages, `gap` ns apart from `at` on."""
    return [write(page, at + number * gap) for number, page in enumerate(pages)]


def reads(*pages: int, at: int = 0, gap: int = 0) -> list[Row]:
    """Return a read of each of these pages, `gap` ns apart from `at` on."""
    return [read(page, at + number * gap) for number, page in enumerate(pages)]
