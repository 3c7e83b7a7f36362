"""SuperPage: what an update leaves out is read and written anew, and only whole super pages are trimmed."""

import pytest

from support.requests import GAP, reads, writes
from support.rows import AT_LAST, WRITE_TWO, device, steps
from support.tiny_device import PAGE, READ_PAGE


def test_the_partner_of_a_page_that_is_updated_is_read_and_written_with_it(run):
    out = run([(0, "write", 0, 2 * PAGE), (GAP, "write", PAGE, PAGE)], device("super_page"))
    assert out.done_at() == [WRITE_TWO, GAP + READ_PAGE + WRITE_TWO]
    assert steps(out, since=GAP) == [("read", [(0, 0, 0)]), ("program", [(1, 0, 1), (0, 1, 1)])]
    assert out.summary["filled_pages"] == 1 and out.summary["write_amplification"] == 4 / 3


@pytest.mark.parametrize("buffer", [0, 4])
def test_a_trim_of_part_of_a_super_page_leaves_it(run, buffer):
    rows = [(0, "write", 0, 4 * PAGE), (GAP, "flush", 0, 0), (2 * GAP, "trim", PAGE, 3 * PAGE)]
    last = reads(*range(4), at=3 * GAP)
    out = run([*rows, *last, AT_LAST], device("super_page", buffer=buffer))
    assert out.summary["unmapped_reads"] == 2
    assert [lpa for op, pages in steps(out, since=3 * GAP) for lpa, _, _ in pages] == [0, 1]


def test_pages_of_a_super_page_leave_the_buffer_together_with_what_it_has_of_them(run):
    """Pages 0 and 4 are the oldest; 1 goes along with 0, and what 4 lacks is written as it is."""
    out = run([*writes(0, 4, 1), (GAP, "write", 8 * PAGE, 3 * PAGE)], device("super_page", buffer=3))
    assert steps(out) == [("program", [(0, 0, 0), (1, 1, 0)]), ("program", [(4, 0, 1), (5, 1, 1)])]


def test_pages_as_far_apart_as_there_are_dies_make_a_super_page(run):
    """Of two dies of two planes: 0 and 2, 1 and 3. Page 0 leaves for 4, and 2 along with it. Nothing is trimmed."""
    changes = device("super_page", buffer=3)
    changes["hardware"]["dies_per_chip"] = 2
    changes["ftl"]["super_page_of"] = "stripe"
    changes["integrity"] = "off"
    rows = [*writes(0, 1, 2), (GAP, "write", 4 * PAGE, 2 * PAGE), (2 * GAP, "trim", 0, 8 * PAGE)]
    out = run([*rows, *reads(0, 2, at=3 * GAP)], changes)
    assert next((op, [plane for _, plane, _ in pages]) for op, pages in steps(out)) == ("program", [0, 1])
    assert out.summary["filled_pages"] == out.summary["unmapped_reads"] == 0


def test_a_collection_that_goes_before_the_write_lets_its_row_be_completed(run):
    rows = [(turn * GAP, "write", turn * 3 % 4 * 2 * PAGE, 2 * PAGE) for turn in range(60)]
    changes = device("super_page")
    changes["ftl"]["gc"] = {**changes["ftl"].get("gc", {}), "starts_before_write": True}
    out = run(rows, changes)
    assert out.summary["gc"]["collections"] > 0
    programs = [sorted(lpa for lpa, *_ in pages) for op, pages in steps(out) if op == "program"]
    assert all(first % 2 == 0 and second == first + 1 for first, second in programs)
