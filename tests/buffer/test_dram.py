"""The time that the write buffer's DRAM takes, each equal to a sum written here, on both kernels."""

from ssdsim.metrics.recorder import PARTS
from support.requests import GAP, flush, read, write
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, buffered

ACCESS, BYTE = 50, 0.5
PAGE_NS = ACCESS + PAGE // 2
"""What a whole page takes."""


def buffer(pages, access_ns=ACCESS, **changes):
    """Return the settings of a buffer of so many pages in such a DRAM."""
    return buffered(pages, access_ns=float(access_ns), transfer_ns_per_byte=BYTE, **changes)


def parts(out):
    """Return the parts of each request's response time that are not 0."""
    return [{name: row[f"{name}_ns"] for name in PARTS if row[f"{name}_ns"]} for row in out.requests]


def test_a_write_and_a_hit_take_the_time_of_their_data(run):
    out = run([write(0), read(0, GAP), (2 * GAP, "read", 512, 1024), write(1, 3 * GAP, 2)], buffer(4))
    taken = [PAGE_NS, PAGE_NS, ACCESS + 512, 2 * PAGE_NS]
    assert [row["response_ns"] for row in out.requests] == taken
    assert parts(out) == [{"buffer": ns} for ns in taken]
    assert out.summary["requests"]["read"]["response_us"]["buffer"] == (PAGE_NS + ACCESS + 512) / 2 / 1000


def test_what_comes_at_once_is_moved_one_after_another(run):
    out = run([write(0), write(1), (1000, "read", 0, 512)], buffer(4))
    assert out.done_at() == [PAGE_NS, 2 * PAGE_NS, 2 * PAGE_NS + ACCESS + 256]
    assert parts(out)[1] == {"queue": PAGE_NS, "buffer": PAGE_NS}


def test_a_read_of_a_page_here_and_one_in_flash_ends_with_the_later(run):
    out = run([write(0), flush(1), write(1, GAP), read(0, 2 * GAP, 2)], buffer(4))
    assert out.done_at()[3] == 2 * GAP + READ_PAGE
    assert parts(out)[3] == {"bus": READ_PAGE - 10_000, "array": 10_000}


def test_a_read_whose_data_the_dram_brings_last_says_so(run):
    slow = buffer(4, access_ns=1_000_000)
    out = run([write(0), flush(1), write(1, GAP), read(0, 2 * GAP, 2)], slow)
    taken = 1_000_000 + PAGE // 2
    assert out.done_at()[3] == 2 * GAP + taken
    assert parts(out)[3] == {"buffer": taken}


def test_what_leaves_for_flash_holds_up_others(run):
    """The second write has the first page evicted: that begins at once, and is moved behind the write's own data."""
    out = run([write(0), write(1, GAP), (GAP + 1, "read", PAGE, 512)], buffer(1, slot_free_when="evicted"))
    assert out.ends("program", "host") == [GAP + WRITE_PAGE]
    assert out.done_at()[2] == GAP + 2 * PAGE_NS + ACCESS + 256
    assert out.done_at()[1] == GAP + WRITE_PAGE


def test_a_write_that_waits_for_a_slot_is_moved_when_it_has_one(run):
    out = run([write(0), write(1, GAP)], buffer(1))
    assert out.done_at()[1] == GAP + WRITE_PAGE + PAGE_NS
    assert parts(out)[1] == {"queue": WRITE_PAGE, "buffer": PAGE_NS}
