"""Collection in idle time: when it begins, how it stops, and that nothing but time comes of it."""

import sys
from itertools import accumulate

import pytest

from support.idle_time import FILLED, LONG_AFTER
from support.requests import GAP, flush, writes
from support.rows import device, watched
from support.tiny_device import COPY_PAGE, ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

QUIET = 20 * WRITE_PAGE
BACKGROUND = {"ftl": {"gc": {"background_threshold": 0.5}}}
"""Below four free blocks of eight; above two, nothing is collected otherwise."""


COPIES = {"ftl": {"gc": {"moves": "copyback", "copyback_waste": 0.5, "background_threshold": 0.5}}}
"""By copy-back, which may waste half of what is won."""
TAKES = {"read": READ_PAGE, "program": WRITE_PAGE, "copyback": COPY_PAGE, "erase": ERASE_BLOCK}


def collected(out):
    """Return what was done in the background, with its start and end."""
    return [(c["op"], c["block"], c["bus_start_ns"], c["end_ns"]) for c in out.commands if c["source"] == "gc"]


def one_after_another(at, *steps):
    """Return steps of (operation, block) with their starts and ends, from `at` on."""
    ends = list(accumulate((TAKES[op] for op, _ in steps), initial=at))
    return [(*step, start, end) for step, start, end in zip(steps, ends, ends[1:], strict=False)]


FIRST = [("read", 0), ("program", 5), ("erase", 0)]
SECOND = [*[("read", 1), ("program", 5)] * 3, ("erase", 1)]


def test_it_collects_page_after_page_until_there_are_enough_free_blocks(run):
    out = run([*FILLED, LONG_AFTER], BACKGROUND)
    assert collected(out) == one_after_another(QUIET, *FIRST, *SECOND)
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (2, 4)


COPIED = [("copyback", 5), ("erase", 0)]
"""Page 3 of block 0 goes to page 1 of a fresh block: page 0 is wasted, three are gained."""

THROUGH_THE_CONTROLLER = [*[("read", 1), ("program", 5)] * 2, ("read", 1), ("program", 6), ("erase", 1)]
"""Pages 1, 2 and 3 of block 1, of which one would be wasted for the first and one gained."""

COPIED_AGAIN = [*[("copyback", 6)] * 3, ("erase", 5)]
"""What is in block 5, of which page 0 was wasted, fits as it is; then four blocks are free."""


@pytest.mark.parametrize("reads", [0, 2])
def test_between_two_copybacks_it_stops_and_goes_on_where_it_was(run, reads):
    """The host comes while the second of the last three pages is copied, for reads one after the other."""
    before = one_after_another(QUIET, *COPIED, *THROUGH_THE_CONTROLLER, *COPIED_AGAIN[:2])
    begun, stopped = before[-1][-2:]
    out = run([*FILLED, *((begun + 50_000, "read", lpa * PAGE, PAGE) for lpa in range(reads)), LONG_AFTER], COPIES)
    assert collected(out) == before + one_after_another(stopped + reads * READ_PAGE, *COPIED_AGAIN[2:])
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"], out.summary["wasted_pages"]) == (3, 7, 1)


def test_it_begins_when_the_host_has_been_quiet_for_long_enough(run):
    """500 us of quiet: not between the write and the read, which are 300 us apart."""
    rows = [*FILLED, (QUIET + 300_000, "read", 0, PAGE), LONG_AFTER]
    out = run(rows, merge(BACKGROUND, {"ftl": {"gc": {"idle_us": 500.0}}}))
    assert collected(out) == one_after_another(QUIET + 300_000 + READ_PAGE + 500_000, *FIRST, *SECOND)


def test_a_page_that_was_read_is_not_programmed_when_the_host_is_back(run):
    """The read is finished, in vain, the host is served, and the page is read again."""
    out = run([*FILLED, (QUIET + 1_000, "read", 0, PAGE), LONG_AFTER], BACKGROUND)
    again = one_after_another(QUIET + 2 * READ_PAGE, *FIRST, *SECOND)
    assert collected(out) == [("read", 0, QUIET, QUIET + READ_PAGE), *again]
    assert out.requests[20]["response_ns"] == READ_PAGE - 1_000 + READ_PAGE


def test_what_the_host_rewrites_meanwhile_is_not_moved(run):
    """The one valid page of the victim is written anew while the collection is stopped: only the erase is left."""
    out = run([*FILLED, (QUIET + 1_000, "write", 3 * PAGE, PAGE), LONG_AFTER], BACKGROUND)
    done = QUIET + READ_PAGE + WRITE_PAGE
    assert collected(out)[:2] == [("read", 0, QUIET, QUIET + READ_PAGE), *one_after_another(done, ("erase", 0))]


@pytest.mark.parametrize(("written", "is_short"), [((5, 6), False), ((5, 6, 8, 9, 10, 12, 13, 14, 5, 6), True)])
def test_when_space_runs_short_it_goes_on_beside_the_host(run, written, is_short):
    """Ten pages take two of the three free blocks at once, while the first page is read: it cannot wait any longer."""
    rows = [(QUIET + 1_000, "write", lpa * PAGE, PAGE) for lpa in written]
    first, second, *_ = collected(run([*FILLED, *rows, LONG_AFTER], BACKGROUND))
    assert first == ("read", 0, QUIET, QUIET + READ_PAGE)
    if is_short:
        assert second == ("program", 7, QUIET + READ_PAGE, QUIET + READ_PAGE + WRITE_PAGE)
    else:
        assert second == ("read", 0, QUIET + READ_PAGE + 2 * WRITE_PAGE, QUIET + READ_PAGE + 2 * WRITE_PAGE + READ_PAGE)


def test_it_ends_where_every_collection_leaves_as_much_to_collect(run):
    """Seven pages of an aligned block of eight move to four rows of two, which padding completes, without end.

    Each of the ten blocks of a plane might have been collected since the host's last write, and that is all.
    """
    rows = [*writes(*range(8)), flush(), (GAP, "trim", 0, PAGE), (100 * GAP, "read", PAGE, PAGE)]
    out = run(rows, device("die", blocks=10, buffer=8, ftl={"gc": {"background_threshold": 1.0}}))
    assert out.summary["gc"]["collections"] == out.summary["padded_pages"] == 10


@pytest.mark.parametrize(("share", "free"), [(1, 7), (0.8, 5), (0.5, 4)])
@pytest.mark.parametrize("active", ["separate", "shared"])
def test_with_spare_blocks_as_the_trigger_it_brings_back_a_share_of_the_extra_ones(monkeypatch, active, share, free):
    """Of fifteen blocks, seven of them extra, four are free; what is in the others is dead but for four pages."""
    gc = {"trigger": "spare_blocks", "soft_threshold": 0.5, "hard_threshold": 0.5, "background_threshold": share}
    changes = {"hardware": {"extra_blocks": 7, "over_provisioning": 0.0}, "ftl": {"active_blocks": active, "gc": gc}}
    rows = [(0, "write", lpa * PAGE, PAGE) for lpa in [*range(4)] * 11]
    devices = []
    watched(monkeypatch, sys.modules, [*rows, (10**9, "read", 0, PAGE)], changes, devices.append)
    assert devices[-1].blocks.free_blocks(0) == free
