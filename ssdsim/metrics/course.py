"""What a device had counted at one moment, and how that changed in the course of a run."""

from typing import Any

import numpy as np

SAMPLED = (
    *("host_page_writes", "page_moves", "extra_pages", "collections", "erases", "free_blocks", "depth_ns", "now_ns"),
    *("host_programs", "host_programs_joined", "host_reads", "host_reads_joined"),
    *("backup_pages", "requested_page_writes", "buffer_used", "lsb_quota", "backlog", "in_flight"),
)
"""What a sample holds before its unused pages by type: counts so far, and the requests in the queue summed over time.
The host's page writes are those to flash, the requested ones those that came from the host: a write buffer is between
them. Extra pages were written only to complete a row or a super page, or to back up others. Operations that are joined
were done by multi-plane commands."""

PAGE_WRITES = ("host_page_writes", "page_moves", "extra_pages")
"""What of it adds up to all pages written, those of the host first."""

STATES = ("free_blocks", "now_ns", "buffer_used", "lsb_quota", "backlog", "in_flight")
"""What of it is a state and not a count; unused pages are too."""

NONE = -(1 << 62)
"""What stands in a sample for a quota that there is none of."""

Sample = tuple[int, ...]
"""What only the device and its queue know at one moment."""


def changes(before: Sample, after: Sample) -> dict[str, int]:
    """Return by how much each thing sampled has grown."""
    # without strict: unused pages by type follow in a sample
    return {name: b - a for name, a, b in zip(SAMPLED, before, after, strict=False)}


def free_by_type(sample: Sample) -> Sample:
    """Return the unused pages of each type."""
    return sample[len(SAMPLED) :]


def carried(last: Sample) -> Sample:
    """Return the counts that a device that has lost power adds to those of the one that went on from it."""
    # a state is read of the new device, and not added up
    return tuple(0 if name in STATES else count for name, count in zip(SAMPLED, last, strict=False))


class Course:
    """A run in pieces, in order: the `change` of everything sampled in each of them, and its `state` at their ends.

    `first` is the sample before the first piece, `samples` has one at the end of each; `completed` are the reads and
    writes of each, of which there are none without flash timing.
    """

    def __init__(self, first: Sample, samples: Any, completed: np.ndarray | None = None) -> None:
        taken = np.asarray(samples, np.int64).reshape(-1, len(first))
        columns = np.vstack([first, taken]).T
        self.change = dict(zip(SAMPLED, np.diff(columns), strict=False))
        self.state = {name: columns[SAMPLED.index(name), 1:] for name in STATES}
        self.free_by_type = columns[len(SAMPLED) :, 1:]
        self.completed = np.zeros(len(taken), np.int64) if completed is None else completed
        self.length_ns = self.change["now_ns"]
        self.requested = self.change["requested_page_writes"]
        self.written = np.add.reduce([self.change[name] for name in PAGE_WRITES])  # for whomever
        self.not_complete = self.state["backlog"] + self.state["in_flight"]
