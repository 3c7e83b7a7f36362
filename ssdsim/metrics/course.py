"""What happened in the course of a run, piece by piece: what its confidence and its validity are judged by."""

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np

from ssdsim.metrics.recorder import SUMS
from ssdsim.metrics.summary import PAGE_WRITES, SAMPLED, Sample
from ssdsim.workload import Chunk

REQUESTED, NOW = SAMPLED.index("requested_page_writes"), SAMPLED.index("now_ns")
NOT_COMPLETE = [SAMPLED.index(name) for name in ("backlog", "in_flight")]
WRITTEN = [SAMPLED.index(name) for name in PAGE_WRITES]


@attrs.frozen(eq=False)
class Course:
    """Of each piece of a run, in order: its length, the page writes, and the reads and writes that were completed.

    Without flash timing there are neither lengths nor requests.
    """

    length_ns: np.ndarray
    requested: np.ndarray
    written: np.ndarray
    completed: np.ndarray

    @classmethod
    def of_windows(cls, rows: np.ndarray, first: Sample) -> "Course":
        """Return the course that the rows of `Windows` describe; `first` is the sample when they began."""
        return cls._between_samples(rows[:, SUMS:], first, rows[:, 1] + rows[:, 2])

    @classmethod
    def of_samples(cls, samples: Sequence[Sample], first: Sample) -> "Course":
        """Return the course of a run without flash timing."""
        taken = np.array(samples, np.int64).reshape(len(samples), len(first))
        return cls._between_samples(taken, first, np.zeros(len(samples), np.int64))

    @classmethod
    def _between_samples(cls, samples: np.ndarray, first: Sample, completed: np.ndarray) -> "Course":
        # without unused pages by type, which follow
        change = np.diff(np.vstack([first, samples])[:, : len(SAMPLED)], axis=0)
        return cls(change[:, NOW], change[:, REQUESTED], change[:, WRITTEN].sum(axis=1), completed)


def waiting(rows: np.ndarray, start_ns: int) -> np.ndarray:
    """Return, for each row of `Windows`, its end since `start_ns` and the requests that were not complete then.

    These are the requests in the device and those that have arrived before it.
    """
    samples = rows[:, SUMS:]
    return np.column_stack([samples[:, NOW] - start_ns, samples[:, NOT_COMPLETE].sum(axis=1)])


class Samples:
    """Samples of a device without a clock, as a replay goes on: at most `limit`, of pieces of `rows` requests.

    Where there would be more, every other one is forgotten, and pieces are twice as long from then on.
    """

    def __init__(self, sample: Callable[[], Sample], rows: int = 256, limit: int = 256):
        self.sample = sample
        self.rows = rows
        self.limit = limit
        self.taken: list[Sample] = []

    def over(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yield the pieces of a chunk, and take a sample after each."""
        first = 0
        while first < len(chunk):
            piece = chunk[first : first + self.rows]
            yield piece
            first += len(piece)
            self.taken.append(self.sample())
            if len(self.taken) == self.limit:
                # the later of each two: samples are counts so far, and the last of a pair has both pieces
                self.taken = self.taken[1::2]
                self.rows *= 2
