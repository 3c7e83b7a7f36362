"""What a generator of the user's own owes: whole numbers in columns, and times that do not go back."""

import attrs
import numpy as np
import pytest

from ssdsim import ConfigError
from ssdsim.config import MOST_NS
from ssdsim.workload import Chunk
from ssdsim.workload.base import CheckedWorkload


class Mine:
    """Chunks of requests at the times given."""

    requests = None

    def __init__(self, *chunks, queue_depth=None):
        self.queue_depth = queue_depth
        self.made = chunks

    def chunks(self):
        yield from self.made


def at(*times, dtype=np.int64, rows=None):
    count = len(times) if rows is None else rows
    zeros = np.zeros(count, np.int64)
    return Chunk(np.array(times, dtype), zeros.astype(np.uint8), zeros, zeros + 512)


def with_column(**column):
    return attrs.evolve(at(0, 1), **{name: np.array(values, np.uint8) for name, values in column.items()})


def checked(*chunks, **more):
    return list(CheckedWorkload(Mine(*chunks, **more), 1 << 20).chunks())


WRONG = {
    "back": ([at(5, 4)], r"request 1 at 4 ns with .*; times never go back"),
    "back, a chunk later": ([at(5, 7), at(6)], r"request 2 at 6 ns with .*; times never go back"),
    "below 0": ([at(-1)], r"request 0 at -1 ns with .*; times never go back"),
    "past the end of time": ([at(0, MOST_NS)], r"to below 9000000000000000 ns"),
    "fractions": ([at(0.5, dtype=float)], r"no chunk from request 0 on: its columns owe to be arrays of whole numbers"),
    "words": ([at("now", dtype=object)], "no chunk"),
    "no chunk": ([(0, 1, 0, 512)], "no chunk"),
    "of other length": ([at(0, 1, rows=3)], r"whole numbers of equal length"),
    "hints": ([with_column(access_latency=[0, 4])], "a column access_latency that does not have 0 to 3 for each of 2"),
    "forced": ([with_column(fua=[0])], "a column fua that does not have 0 to 1 for each of 2 requests"),
}


@pytest.mark.parametrize(("chunks", "message"), WRONG.values(), ids=WRONG)
def test_what_a_workload_owes_is_said_with_its_class_and_file(chunks, message):
    with pytest.raises(ConfigError, match=rf"^workload: Mine in .*test_workload_of_ones_own\.py yields .*{message}"):
        checked(*chunks)


def test_equal_times_and_idle_times_that_fall_are_right():
    assert len(checked(at(5, 5), at(5))) == 2
    assert len(checked(at(5, 4), at(0), queue_depth=1)) == 2
    with pytest.raises(ConfigError, match="request 1 at -4 ns"):
        checked(at(5, -4), queue_depth=1)
