# cython: infer_types=True
"""Whether collection makes progress."""

from __future__ import annotations

from typing import Any, final

from ssdsim.errors import SimulationError
from ssdsim.ftl.reclaim.task import Task

PAGES_A_WRITE = 64
"""Pages of victims that pay, each time that the host's data in a plane changes: some 130 to 190 a page written.

A page counts when it takes the place of another, when it is placed and when it has been programmed. Where pages are
mapped in controller memory each collection gains a page at least, and a device that is all but full moves some tens of
pages for each of the host's.
"""

FUTILE_ROUNDS = 8
"""Collection makes no progress once it has taken this many times the pages of the device beyond those that pay.

This is a leaky bucket, filled by collections and emptied by the host: a burst of collections that the host is behind
with is not held against it, one write in ten thousand pages moved is, and so is none at all.
"""


@final
class Progress:
    """The leaky bucket: pages of victims that no write of the host has paid for, of a device of so many `pages`."""

    pages_a_write: int  # as a constant that compiled code need not look up
    unpaid: int  # pages of victims, less `PAGES_A_WRITE` for each write of the host
    unpaid_limit: int

    def __init__(self, pages: int) -> None:
        self.pages_a_write = PAGES_A_WRITE
        self.unpaid = 0
        self.unpaid_limit = FUTILE_ROUNDS * pages

    def host_wrote(self) -> None:
        """Record that the host's data has changed."""
        self.unpaid -= self.pages_a_write
        if self.unpaid < 0:
            self.unpaid = 0

    def is_made(self, pages: int) -> bool:
        """Return whether there is any, as so many `pages` more are collected."""
        self.unpaid += pages
        return self.unpaid <= self.unpaid_limit


def no_progress(collector: Any, collection: Task) -> SimulationError:
    """Return the error for collection that does not end, or hardly lets the host get on, with what would help."""
    unit, pages, number = collector.unit, collector.blocks.pages, collection.number
    table = collector.port.mapping.translation_pages > 0
    causes = "; each page moved may have one of the mapping table written" if table else ""
    cache = ", ftl.mapping.cache_kib" if table else ""
    return SimulationError(
        f"garbage collection makes no progress: {collector.collections} collections took {collector.victim_pages} "
        f"pages, of which {collector.victim_valid} were valid and had to be moved, {FUTILE_ROUNDS} times the {pages} "
        f"pages of the device beyond {PAGES_A_WRITE} for each write of the host; plane {collection.plane} has "
        f"{unit.level(number)} free of {unit.soft} wanted and {unit.dead_pages(number)} dead "
        f"pages{causes}: raise hardware.over_provisioning{cache} or lower ftl.gc.soft_threshold, or choose victims "
        "with few valid pages (ftl.gc.victim=greedy)."
    )
