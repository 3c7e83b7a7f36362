"""FAST's merges in idle time: page after page, stopped at once, and in no write's way; times added up by hand."""

import pytest

from support.requests import writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

FAST = {
    "hardware": {"blocks_per_plane": 9, "over_provisioning": 1 - 16 / 36},
    "ftl": {
        "mapping": {"scheme": "fast", "log_blocks": 2, "sequential_log_blocks": 2, "in_place": False},
        "gc": {"background_threshold": 1.0},
    },
}
"""Four logical blocks of four pages, two random and two sequential log blocks, and one more for merges;
nothing goes in place, so that each merge takes few writes."""
MERGES_FIRST = merge(FAST, {"ftl": {"gc": {"holds_writes": True}}})
ONE_LOG_BLOCK = merge(FAST, {"ftl": {"mapping": {"log_blocks": 1}}})

FILLED = writes(1, 5, 6, 9)
"""The first random log block is full, with pages of three logical blocks that have no data block yet."""
QUIET = 4 * WRITE_PAGE
LONG_AFTER = (50_000_000, "read", 13 * PAGE, PAGE)
FIRST = [("read", 1, 0), ("program", 1, 1)]
SECOND = [("read", 5, 0), ("program", 5, 2), ("read", 6, 0), ("program", 6, 2)]
THIRD = [("read", 9, 0), ("program", 9, 3), ("erase", -1, 0)]


def merging(out):
    """Return the commands of merges: operation, logical page, block, start and end."""
    done = sorted((r for r in out.commands if r["source"] == "merge"), key=lambda r: r["bus_start_ns"])
    return [(r["op"], r["lpa"], r["block"], r["bus_start_ns"], r["end_ns"]) for r in done]


def one_after_another(at, *steps):
    """Return steps of (operation, logical page, block) with their starts and ends, from `at` on."""
    found = []
    for op, lpa, block in steps:
        end = at + {"read": READ_PAGE, "program": WRITE_PAGE, "erase": ERASE_BLOCK}[op]
        found.append((op, lpa, block, at, end))
        at = end
    return found


@pytest.mark.parametrize("changes", [FAST, MERGES_FIRST])
def test_a_full_random_log_block_is_merged_page_after_page(run, changes):
    out = run([*FILLED, LONG_AFTER], changes)
    assert merging(out) == one_after_another(QUIET, *FIRST, *SECOND, *THIRD)
    assert tuple(out.summary["mapping"]["merges"].values()) == (0, 0, 3)
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (1, 4)


@pytest.mark.parametrize(("share", "merged"), [(0.88, False), (0.89, True), (None, False)])
def test_it_is_left_where_so_many_blocks_are_free(run, share, merged):
    """Eight of nine blocks: 0.88 of them are 7.92, and below 8 are none."""
    out = run([*FILLED, LONG_AFTER], merge(FAST, {"ftl": {"gc": {"background_threshold": share}}}))
    assert bool(merging(out)) == merged


def test_one_that_is_not_full_is_left(run):
    assert not merging(run([*FILLED[:3], LONG_AFTER], FAST))


def test_it_begins_when_the_host_has_been_quiet_for_long_enough(run):
    out = run([*FILLED, LONG_AFTER], merge(FAST, {"ftl": {"gc": {"idle_us": 500.0}}}))
    assert merging(out)[0] == ("read", 1, 0, QUIET + 500_000, QUIET + 500_000 + READ_PAGE)


def test_a_page_that_was_read_is_not_programmed_when_the_host_is_back(run):
    """The read is finished, in vain, the host is served, and the page is read again."""
    out = run([*FILLED, (QUIET + 1_000, "read", 9 * PAGE, PAGE), LONG_AFTER], FAST)
    again = one_after_another(QUIET + 2 * READ_PAGE, *FIRST, *SECOND, *THIRD)
    assert merging(out) == [("read", 1, 0, QUIET, QUIET + READ_PAGE), *again]
    assert out.requests[4]["response_ns"] == READ_PAGE - 1_000 + READ_PAGE


def test_the_next_page_waits_and_so_does_the_next_logical_block(run):
    """The host comes while the first page is programmed, and with it the first logical block is done."""
    begun, moved = QUIET + READ_PAGE + 50_000, QUIET + READ_PAGE + WRITE_PAGE
    out = run([*FILLED, (begun, "read", 9 * PAGE, PAGE), LONG_AFTER], FAST)
    assert merging(out)[:2] == one_after_another(QUIET, *FIRST)
    assert merging(out)[2:] == one_after_another(moved + READ_PAGE, *SECOND, *THIRD)
    assert out.requests[4]["response_ns"] == moved + READ_PAGE - begun


def test_the_erase_waits_too(run):
    moved = QUIET + 4 * (READ_PAGE + WRITE_PAGE)
    out = run([*FILLED, (moved - 50_000, "read", PAGE, PAGE), LONG_AFTER], FAST)
    assert merging(out)[-1] == ("erase", -1, 0, moved + READ_PAGE, moved + READ_PAGE + ERASE_BLOCK)


@pytest.mark.parametrize("rewritten", [9, 13])
def test_a_write_does_not_wait_for_merges_in_idle_time(run, rewritten):
    """Not even where merges come first: it goes to the next log block; what it rewrites is merged from there."""
    out = run([*FILLED, (QUIET + 1_000, "write", rewritten * PAGE, PAGE), LONG_AFTER], MERGES_FIRST)
    assert out.requests[4]["response_ns"] == READ_PAGE - 1_000 + WRITE_PAGE
    assert out.requests[4]["gc_ns"] == READ_PAGE - 1_000
    later = [(op, lpa, block + (op == "program")) for op, lpa, block in SECOND]  # the write has taken block 2
    last = [("erase", -1, 0)] if rewritten == 9 else [("read", 9, 0), ("program", 9, 4), ("erase", -1, 0)]
    again = one_after_another(QUIET + READ_PAGE + WRITE_PAGE, *FIRST, *later, *last)
    assert merging(out) == [("read", 1, 0, QUIET, QUIET + READ_PAGE), *again]


def test_a_merge_that_presses_does_not_wait_for_idle_time(run):
    """The write begins the last log block, so the first has to make way: the page read is programmed behind it."""
    out = run([*FILLED, (QUIET + 1_000, "write", 13 * PAGE, PAGE), LONG_AFTER], FAST)
    (first, second, *_) = merging(out)
    assert first == ("read", 1, 0, QUIET, QUIET + READ_PAGE)
    assert second == ("program", 1, 1, QUIET + READ_PAGE + WRITE_PAGE, QUIET + READ_PAGE + 2 * WRITE_PAGE)


def test_a_write_without_room_waits_for_all_merges_of_its_log_block(run):
    """There is one: the write comes while the first of four merges is under way, and goes on after the erase."""
    rows = writes(1, 5, 9, 13)
    for holds in (False, True):
        changes = merge(ONE_LOG_BLOCK, {"ftl": {"gc": {"holds_writes": holds}}})
        out = run([*rows, (QUIET + 1_000, "write", 2 * PAGE, PAGE), LONG_AFTER], changes)
        freed = QUIET + 4 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
        assert out.requests[4]["response_ns"] == freed + WRITE_PAGE - QUIET - 1_000


def test_a_write_without_room_waits_for_one_log_block_and_not_for_the_next(run):
    """Where merges come first: four writes fill the second log block, a fifth comes while the last is programmed."""
    rows = writes(1, 2, 3, 1)
    rows += writes(5, 6, 9, 13, at=QUIET + 1_000)
    written = QUIET + READ_PAGE + 4 * WRITE_PAGE
    out = run([*rows, (written - 50_000, "write", 14 * PAGE, PAGE), LONG_AFTER], MERGES_FIRST)
    freed = written + 3 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    assert out.requests[8]["response_ns"] == freed + WRITE_PAGE - (written - 50_000)


def test_a_sequential_log_block_that_has_to_make_way_does_not_wait_either(run):
    """Where merges come first, page 4 has to wait for that of page 0, which nothing is to be copied behind.

    The merge under way is ended before: of two logical blocks in the random log block, the second is left for later.
    """
    rows = writes(0, 9, 10, 11, 13)
    out = run([*rows, (5 * WRITE_PAGE + 1_000, "write", 4 * PAGE, PAGE), LONG_AFTER], MERGES_FIRST)
    at, block = 5 * WRITE_PAGE, 1
    first = [each for lpa in (9, 10, 11) for each in (("read", lpa, block), ("program", lpa, 2))]
    ended = at + 3 * READ_PAGE + 3 * WRITE_PAGE
    found = merging(out)
    assert sorted(each[:3] for each in found[:6]) == sorted(first)
    assert found[0][3] == at
    assert found[5][4] == ended
    assert out.requests[5]["response_ns"] == ended + WRITE_PAGE - at - 1_000
    last = [("read", 13, block), ("program", 13, 4), ("erase", -1, block)]  # page 4 went to block 3
    assert found[6:] == one_after_another(ended + WRITE_PAGE, *last)
