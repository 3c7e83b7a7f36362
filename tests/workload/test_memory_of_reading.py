"""A small file that stands for a very large one is read in little memory, or refused."""

import tracemalloc

import numpy as np
import pytest

from ssdsim.errors import TraceError
from ssdsim.workload import ordering
from ssdsim.workload.records import Records, RowError

TENCENT = b"1538323200,2048,16,1,1001\n"


def peak_bytes(work):
    """Return the most memory that Python and NumPy hold at a time in `work`."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [b"0 0 0 0 1\n" * 100, pytest.param(b"\n" * 1000, marks=pytest.mark.more)],
    ids=["requests of no size", "blank lines"],
)
@pytest.mark.parametrize(
    "suffix", [".xz", *(pytest.param(each, marks=pytest.mark.more) for each in (".gz", ".bz2", ".zst"))]
)
def test_memory_does_not_grow_with_what_is_unpacked(open_trace, compressions, suffix, text):
    files = [compressions[suffix](b"0 0 0 8 1\n" + text * thousands * 1000) for thousands in (4, 10)]
    assert max(map(len, files)) < 100_000
    few, many = (peak_bytes(lambda: open_trace(data)) for data in files)  # noqa: B023 - each is called at once
    assert many < 1.2 * few


def test_requests_of_a_second_are_held_up_to_a_limit(open_trace, monkeypatch):
    monkeypatch.setattr(ordering, "MOST_AT_A_TICK", 100)
    assert open_trace(TENCENT * 100).requests == 100
    with pytest.raises(TraceError, match=r"row 1: more than 100 rows have its time; set workload\.device or"):
        open_trace(TENCENT * 101)


def test_all_rows_of_a_tick_count(monkeypatch):
    monkeypatch.setattr(ordering, "MOST_AT_A_TICK", 5)

    def blocks(*times):
        for time in times:
            twice = np.full(2, time)
            yield Records(twice, twice.astype(np.uint8), twice, twice, row=twice, device=twice)

    assert sum(map(len, ordering.spread(blocks(0, 0, 1, 1, 2, 2), 10))) == 12
    with pytest.raises(RowError, match="more than 5 rows"):
        list(ordering.spread(blocks(0, 1, 1, 1), 10))


def test_pages_that_are_compacted_are_kept_up_to_those_of_the_device(open_trace):
    rows = b"".join(b"%d 0 %d 8 1\n" % (place, place * 1000) for place in range(200))
    with pytest.raises(TraceError, match=r"it touches .* bytes or more in pages of 4096, more than the device"):
        open_trace(rows, capacity=15 * 4096, addresses="compact", block_bytes=64)
