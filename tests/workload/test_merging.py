"""Streams of requests as one: all of them, in order, of one time the earlier stream's first."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.workload.chunk import Chunk, merged


def stream(times, name, size, hinted):
    for first in range(0, len(times), size):
        part = np.array(times[first : first + size], np.int64)
        number = np.arange(first, first + len(part))
        hints = np.full(len(part), 2, np.uint8) if hinted else None
        yield Chunk(part, np.full(len(part), name, np.uint8), number, number + 1, hints)


@settings(max_examples=settings.default.max_examples, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 5), st.booleans()), max_size=3))
def test_requests_of_all_streams_come_in_order(streams):
    given_times = [sorted(times) for times, _, _ in streams]
    made = [
        stream(times, name, size, hinted)
        for name, (times, (_, size, hinted)) in enumerate(zip(given_times, streams, strict=True))
    ]
    chunks = list(merged(made))
    assert all(len(chunk) for chunk in chunks)
    found = [row for chunk in chunks for row in zip(chunk.arrival_ns, chunk.op, chunk.offset_bytes, strict=True)]
    expected = sorted((at, name, row) for name, times in enumerate(given_times) for row, at in enumerate(times))
    assert [tuple(map(int, row)) for row in found] == expected
    hints = [hint for chunk in chunks for hint in chunk.hints(0)]
    assert hints == [2 * streams[name][2] for _, name, _ in expected]
