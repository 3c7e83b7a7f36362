"""When pages leave the write buffer: as room is needed, or at once, so many of them at a time."""

from support.requests import write
from support.tiny_device import PAGE, WRITE_PAGE, buffered

LATER = 1_000_000


def at_once(pages, in_flight=None, **changes):
    """Return changes that give the tiny device a buffer of so many pages that writes them at once."""
    return buffered(pages, write_back="at_once", pages_in_flight=in_flight) | changes


def programs(out):
    """Return the pages programmed, and when each was sent to flash."""
    return [(row["lpa"], row["queued_ns"]) for row in out.commands if row["op"] == "program"]


def test_oldest_first_and_never_more_than_so_many(run):
    rows = [write(0, pages=3), write(3), write(1), (LATER, "flush", 0, 0)]
    out = run(rows, at_once(8, in_flight=1))
    assert programs(out) == [(0, 0), (2, WRITE_PAGE), (3, 2 * WRITE_PAGE), (1, 3 * WRITE_PAGE)]
    out = run(rows, at_once(8, in_flight=2))
    assert [lpa for lpa, _ in programs(out)] == [0, 1, 2, 3, 1]  # it was on its way when it was written again


def test_the_default_is_two_pages_a_die(run):
    """As many wait for a die as run on it."""
    rows = [write(0, pages=12), (LATER, "read", 0, PAGE)]
    out = run(rows, at_once(16, hardware={"channels": 3}))
    assert [sent for _, sent in programs(out)].count(0) == 6


def test_no_more_are_sent_because_some_wait(run):
    """Six wait for a buffer of two; when room is needed that sends as many as it can."""
    rows = [write(0, pages=8)]
    assert [sent for _, sent in programs(run(rows, at_once(2, in_flight=1)))].count(0) == 1
    changes = at_once(2)
    changes["buffer"] |= {"write_back": "when_full"}
    assert [sent for _, sent in programs(run(rows, changes))].count(0) == 2
