"""A small file that stands for a very large one is read in little memory, or refused."""

import tracemalloc

import pytest


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
