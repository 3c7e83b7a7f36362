"""What the read cache keeps and forgets, and the times of its answers, each equal to a sum written here."""

from support.requests import GAP, flush, read, trim, write, writes
from support.tiny_device import PAGE, READ_PAGE, buffered, merge

ACCESS, BYTE = 50, 0.5
PAGE_NS = ACCESS + PAGE // 2
"""What a whole page takes in the DRAM."""


def cache(pages, **changes):
    """Return the settings of a read cache of so many pages."""
    times = {"access_ns": float(ACCESS), "transfer_ns_per_byte": BYTE}
    return {"read_cache": {"size_mib": pages / 256, **changes}, "buffer": times}


def later(*rows):
    """Return writes of four pages, and then these rows, each by itself."""
    return [*writes(0, 1, 2, 3), *((GAP * number, *row[1:]) for number, row in enumerate(rows, 1))]


def from_flash(out):
    """Return whether each read after those writes found its data in flash."""
    return [row["bus_ns"] > 0 for row in out.requests[4:] if row["op"] == "read"]


def test_a_page_read_again_takes_the_time_of_its_data(run):
    out = run(later(read(0), read(0), (0, "read", 512, 1024)), cache(2))
    assert [row["response_ns"] for row in out.requests[4:]] == [READ_PAGE, PAGE_NS, ACCESS + 512]
    assert [row["buffer_ns"] for row in out.requests[5:]] == [PAGE_NS, ACCESS + 512]
    assert out.summary["read_cache"] == {"hit_ratio": 2 / 3, "hits": 2, "misses": 1}


def test_the_page_used_longest_ago_leaves(run):
    assert from_flash(run(later(*map(read, (0, 1, 0, 2, 0, 1))), cache(2))) == [True, True, False, True, False, True]


def test_writes_and_trims_are_forgotten_or_kept(run):
    rows = later(read(0), write(0), read(0), read(0), trim(0), read(0))
    assert from_flash(run(rows, cache(4))) == [True, True, False, False]  # nothing is left after the trim
    assert from_flash(run(rows, cache(4, keeps="reads_and_writes"))) == 4 * [False]


def test_of_a_page_read_in_part_that_part_is_kept(run):
    half = PAGE // 2
    rows = later((0, "read", 0, half), read(0), read(0), (0, "read", half, half))
    assert from_flash(run(rows, cache(4))) == [True, True, False, False]
    rows = later((0, "read", 0, half), (0, "read", half, half), read(0))
    assert from_flash(run(rows, cache(4))) == [True, True, False]


def test_what_is_written_while_it_is_read_is_not_kept(run):
    """The oracle would tell of a page that is older than its write."""
    rows = [*later(read(0)), write(0, GAP + 50), read(0, 2 * GAP)]
    assert from_flash(run(rows, cache(4))) == [True, True]


def test_what_a_buffer_takes_while_flash_is_read_is_newer_than_what_comes_from_there(run):
    """The write is complete long before the read, which then brings what it has replaced: the oracle would tell."""
    rows = [*writes(0, 1, 2, 3), flush(GAP), read(0, 2 * GAP), write(0, 2 * GAP + 50), read(0, 3 * GAP)]
    out = run(rows, merge(cache(4), buffered(2)))
    before, written, after = out.requests[5:]
    assert written["response_ns"] < before["response_ns"] and before["bus_ns"] and not after["bus_ns"]
