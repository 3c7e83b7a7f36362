"""The time to search the write buffer, by hand: so much for each page that it holds, one request after another."""

from support.requests import GAP, write, writes
from support.tiny_device import PAGE

BUFFER = {"buffer": {"replacement": "lru", "size_mib": 8 * PAGE / 2**20, "search_ns": 500.0}}


def test_each_write_is_searched_for_among_the_pages_held(run):
    """The first finds the buffer empty, the next ones one page and two; a write of two pages searches three twice."""
    out = run([*writes(0, 1, 2, gap=GAP), write(4, 3 * GAP, pages=2)], BUFFER)
    assert [row["response_ns"] for row in out.requests] == [0, 1 * 500, 2 * 500, 2 * 3 * 500]


def test_searches_follow_one_another(run):
    out = run([*writes(0, 1), *writes(2, 3, at=GAP)], BUFFER)
    assert out.done_at() == [0, 1 * 500, GAP + 2 * 500, GAP + 2 * 500 + 3 * 500]
