"""FAST's merges, step by step, with their reads, programs, erases and times added up by hand, on both kernels."""

import pytest

from support.requests import GAP, flush, writes
from support.rows import ERASE_TWO, READ_TWO, WRITE_TWO
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

FAST = {
    "hardware": {"blocks_per_plane": 9, "over_provisioning": 1 - 16 / 36},
    "ftl": {"mapping": {"scheme": "fast", "log_blocks": 2, "sequential_log_blocks": 2, "in_place": False}},
}
"""Four logical blocks of four pages, two random and two sequential log blocks, and one more for merges;
nothing goes in place, so that each merge takes few writes."""
MERGES_FIRST = merge(FAST, {"ftl": {"gc": {"holds_writes": True}}})
ONE_LOG_BLOCK = merge(FAST, {"ftl": {"mapping": {"log_blocks": 1}}})


def spaced(*lpas):
    """Return writes of pages one by one, and a request so late that all is over."""
    return [*writes(*lpas, gap=GAP), flush(99 * GAP)]


def at_once(*lpas):
    """Return writes of pages that all come at the start."""
    return [*writes(*lpas), flush(99 * GAP)]


def merging(out):
    """Return the commands of merges: operation, logical page, block, page."""
    done = sorted((r for r in out.commands if r["source"] == "merge"), key=lambda r: (r["bus_start_ns"], r["plane"]))
    return [(r["op"], r["lpa"], r["block"], r["page"]) for r in done]


def merges(out):
    """Return the merges: switch, partial, full."""
    return tuple(out.summary["mapping"]["merges"].values())


def test_a_full_sequential_log_block_becomes_the_data_block_as_it_is(run):
    out = run(spaced(0, 1, 2, 3), FAST)
    assert merges(out) == (1, 0, 0) and not merging(out)
    assert [(c["lpa"], c["block"], c["page"]) for c in out.commands] == [(page, 0, page) for page in range(4)]


def test_the_old_data_block_is_erased_after_a_switch_merge(run):
    out = run(spaced(0, 1, 2, 3, 0, 1, 2, 3), FAST)
    assert merges(out) == (2, 0, 0) and merging(out) == [("erase", -1, 0, 0)]
    assert out.ends("erase", "merge") == [7 * GAP + WRITE_PAGE + ERASE_BLOCK]


def test_a_partial_merge_copies_the_rest_behind_what_was_written(run):
    """Page 4 begins the next sequential log block, so the one with pages 0 and 1 is completed with 2 and 3."""
    out = run(spaced(0, 1, 2, 3, 0, 1, 4), FAST)
    assert merges(out) == (1, 1, 0)
    assert merging(out) == [
        ("read", 2, 0, 2),
        ("read", 3, 0, 3),
        ("program", 2, 1, 2),
        ("program", 3, 1, 3),
        ("erase", -1, 0, 0),
    ]
    assert out.ends("erase", "merge") == [6 * GAP + WRITE_PAGE + 2 * READ_PAGE + 2 * WRITE_PAGE + ERASE_BLOCK]


def test_a_partial_merge_of_what_was_never_written_copies_nothing(run):
    out = run([*spaced(0, 1, 4)[:-1], (50 * GAP, "read", 0, 4 * PAGE)], FAST)
    assert merges(out) == (0, 1, 0) and not merging(out)
    assert out.summary["unmapped_reads"] == 2


def test_a_sequential_log_block_with_a_dead_page_takes_a_full_merge(run):
    """Page 1, written again, is on its way to the random log, and stays there; the others come from two blocks."""
    out = run(spaced(0, 1, 2, 3, 0, 1, 1), FAST)
    assert merges(out) == (1, 0, 1)
    assert merging(out) == [
        ("read", 0, 1, 0),
        ("read", 2, 0, 2),
        ("read", 3, 0, 3),
        *(("program", page, 3, page) for page in (0, 2, 3)),
        ("erase", -1, 0, 0),
        ("erase", -1, 1, 0),
    ]
    assert out.ends("erase", "merge")[-1] == 6 * GAP + WRITE_PAGE + 3 * READ_PAGE + 3 * WRITE_PAGE + 2 * ERASE_BLOCK
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (2, 3)
    assert out.summary["gc"]["victim_valid_share"] == 1 / 4


def test_the_oldest_random_log_block_is_merged_when_the_last_one_is_begun(run):
    """The second log block begins with page 1; pages 1, 5 and 9 of the first one belong to three logical blocks.

    Page 1 has been written again, so the newest one is copied, and page 5 joins page 6.
    """
    out = run(spaced(1, 5, 6, 9, 1), FAST)
    assert merges(out) == (0, 0, 2)
    assert merging(out) == [
        ("read", 5, 0, 1),
        ("read", 6, 0, 2),
        ("program", 5, 2, 1),
        ("program", 6, 2, 2),
        ("read", 9, 0, 3),
        ("program", 9, 3, 1),
        ("erase", -1, 0, 0),
    ]
    assert out.ends("erase", "merge") == [4 * GAP + WRITE_PAGE + 3 * READ_PAGE + 3 * WRITE_PAGE + ERASE_BLOCK]


def test_a_full_merge_takes_pages_of_other_log_blocks_along_and_erases_the_old_data_block(run):
    """Page 1 is in the data block since the first merges; 2 is in the victim, and 3 in the log block just begun."""
    out = run(spaced(1, 5, 9, 13, 5, 2, 9, 13, 3), FAST)
    assert merges(out) == (0, 0, 7)
    assert merging(out)[7:] == [
        ("read", 5, 1, 0),
        ("program", 5, 6, 1),
        ("read", 1, 2, 1),
        ("read", 2, 1, 1),
        ("read", 3, 5, 0),
        *(("program", page, 7, page) for page in (1, 2, 3)),
        ("erase", -1, 2, 0),
        ("read", 9, 1, 2),
        ("program", 9, 8, 1),
        ("erase", -1, 3, 0),
        ("read", 13, 1, 3),
        ("program", 13, 0, 1),
        ("erase", -1, 4, 0),
        ("erase", -1, 1, 0),
    ]
    times = out.ends("erase", "merge")
    assert times[0] == 4 * GAP + WRITE_PAGE + 3 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    assert times[-1] == 8 * GAP + WRITE_PAGE + 6 * (READ_PAGE + WRITE_PAGE) + 4 * ERASE_BLOCK


def test_a_full_merge_leaves_pages_of_the_sequential_log_block_there(run):
    """Page 2 is merged while page 0 is in a sequential log block: of pages 0 to 3 the fresh block gets 2 alone."""
    out = run(spaced(2, 0, 5, 9, 13, 6), FAST)
    assert merging(out)[:2] == [("read", 2, 0, 0), ("program", 2, 3, 2)]
    assert not any(lpa == 0 for _, lpa, *_ in merging(out)) and merges(out) == (0, 0, 4)


def test_writes_wait_for_the_end_of_the_merges_if_there_is_one_log_block(run):
    """Pages 1, 5, 9 and 13 fill it: four merges of a page each, then the erase, and the fifth write."""
    out = run(at_once(1, 5, 9, 13, 2), ONE_LOG_BLOCK)
    freed = 4 * WRITE_PAGE + 4 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    assert out.done_at()[:5] == [WRITE_PAGE, 2 * WRITE_PAGE, 3 * WRITE_PAGE, 4 * WRITE_PAGE, freed + WRITE_PAGE]
    assert out.requests[4]["gc_ns"] == freed and merges(out) == (0, 0, 4)


def test_a_page_that_the_host_rewrites_in_a_merge_stays_where_the_host_put_it(run):
    """Page 5 is written again while it is being read: its place in the fresh block is passed over."""
    again = 4 * GAP + WRITE_PAGE + 1000
    rows = [*spaced(1, 5, 9, 13, 2)[:-1], (again, "write", PAGE, PAGE), (50 * GAP, "read", 0, 16 * PAGE)]
    out = run(rows, FAST)
    assert ("read", 1, 0, 0) in merging(out) and not any(op == "program" and lpa == 1 for op, lpa, *_ in merging(out))
    (read,) = (c for c in out.commands if c["op"] == "read" and c["source"] == "host" and c["lpa"] == 1)
    assert (read["block"], read["page"]) == (1, 1)


def test_a_write_that_begins_a_log_block_waits_for_the_former_one_if_merges_come_first(run):
    """Page 4 is written when pages 2 and 3 have been copied and the old data block is erased, and so is page 9."""
    at = 6 * GAP
    rows = [*spaced(0, 1, 2, 3, 0, 1, 4)[:-1], (at + 1, "write", 9 * PAGE, PAGE), (50 * GAP, "flush", 0, 0)]
    out = run(rows, MERGES_FIRST)
    over = at + 2 * READ_PAGE + 2 * WRITE_PAGE + ERASE_BLOCK
    assert out.done_at()[6:8] == [over + WRITE_PAGE, over + 2 * WRITE_PAGE]
    assert [row["gc_ns"] for row in out.requests[6:8]] == [over - at, over - at - 1]
    assert merges(out) == (1, 1, 0)


def test_a_write_that_comes_in_a_merge_waits_for_its_end_if_merges_come_first(run):
    """Page 4 is to begin the next sequential log block, for which three pages are copied; page 9 waits, too."""
    begun = 5 * GAP
    out = run([*spaced(0, 1, 2, 3, 0)[:-1], *writes(4, 9, at=begun, gap=1000)], MERGES_FIRST)
    freed = begun + 3 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    assert out.done_at()[5:] == [freed + WRITE_PAGE, freed + 2 * WRITE_PAGE] and merges(out) == (1, 1, 0)


def test_a_random_log_block_is_merged_only_for_the_write_that_needs_it_if_merges_come_first(run):
    """Eight pages fill both log blocks; the ninth waits for four merges of two pages each, and for an erase."""
    out = run(spaced(1, 5, 9, 13, 2, 6, 10, 14, 3), MERGES_FIRST)
    freed = 4 * (2 * READ_PAGE + 2 * WRITE_PAGE) + ERASE_BLOCK
    assert [row["response_ns"] for row in out.requests[:9]] == [*[WRITE_PAGE] * 8, freed + WRITE_PAGE]
    assert merges(out) == (0, 0, 4) and out.requests[8]["gc_ns"] == freed


def test_a_write_in_order_waits_for_nothing_if_merges_come_first(run):
    out = run(spaced(*range(16), *range(16)), MERGES_FIRST)
    assert {row["response_ns"] for row in out.requests[:32]} == {WRITE_PAGE} and merges(out) == (8, 0, 0)


@pytest.mark.parametrize("first", [False, True])
def test_without_timing_the_same_merges_are_done(run, first):
    rows = spaced(*range(16), 3, 7, 1, 1, 9, 0, 1, 8, 5, 6, 2, 3, 0, 1, 2, 3, 11, 7, 4)
    changes = MERGES_FIRST if first else FAST
    timed, untimed = run(rows, changes), run(rows, merge(changes, {"timing": "off"}))
    assert all(merges(timed))
    assert merges(timed) == merges(untimed)
    for key in ("collections", "page_moves", "victim_valid_share"):
        assert timed.summary["gc"][key] == untimed.summary["gc"][key]
    assert timed.summary["flash"] == untimed.summary["flash"]


def test_a_filled_device_has_every_page_at_its_own_place(run):
    """The data blocks are full and the log is empty: a read goes to the page's own offset, a write to a log block."""
    rows = [(0, "read", 6 * PAGE, PAGE), (GAP, "write", 6 * PAGE, PAGE), (2 * GAP, "read", 6 * PAGE, PAGE)]
    out = run(rows, merge(FAST, {"precondition": {"mode": "fill"}}))
    assert [c["page"] for c in out.commands] == [6 % 4, 0, 0]
    assert out.summary["unmapped_reads"] == 0


ALIGNED = merge(
    FAST,
    {
        "hardware": {"planes_per_die": 2},
        "flash": {"multi_plane": ["read", "program", "erase"]},
        "ftl": {"unit": "twin"},
    },
)
"""Two planes, so that logical blocks have eight pages: four rows."""


def test_paired_log_blocks_are_merged_by_rows(run):
    """Page 8 begins the next pair of sequential log blocks: rows 2 and 3 are copied behind rows 0 and 1."""
    out = run(spaced(*range(8), 0, 1, 2, 3, 8), ALIGNED)
    assert merges(out) == (1, 1, 0)
    assert merging(out) == [
        *(("read", lpa, 0, lpa // 2) for lpa in range(4, 8)),
        *(("program", lpa, 1, lpa // 2) for lpa in range(4, 8)),
        *[("erase", -1, 0, 0)] * 2,
    ]
    begun = 12 * GAP + WRITE_PAGE
    assert out.ends("program", "merge")[::2] == [begun + 2 * READ_TWO + n * WRITE_TWO for n in (1, 2)]
    assert out.ends("erase", "merge") == [begun + 2 * READ_TWO + 2 * WRITE_TWO + ERASE_TWO] * 2


def test_a_row_with_a_hole_is_programmed_where_it_holds_something(run):
    """Of the rows of the first logical block page 3 alone holds something, in plane 1."""
    out = run(spaced(3, 9, 10, 17, 18, 25, 26, 27, 11), ALIGNED)
    assert ("read", 3, 0, 0) in merging(out)
    (programmed,) = (c for c in out.commands if (c["op"], c["source"], c["lpa"]) == ("program", "merge", 3))
    assert (programmed["plane"], programmed["page"]) == (1, 1)


def test_rows_in_order_go_to_the_sequential_log_blocks_whatever_the_order_of_eviction(run):
    """SPD's writes come by the row: a stream of them is switched, with nothing copied."""
    spd = {"ftl": {"unit": "die"}, "buffer": {"replacement": "epo", "size_mib": 2 * PAGE / 2**20}}
    rows = [(number * GAP, "write", pair * 2 * PAGE, 2 * PAGE) for number, pair in enumerate([*range(16), *range(16)])]
    rows += [(number * GAP + 1, "flush", 0, 0) for number in range(32)]
    out = run(sorted(rows), merge(ALIGNED, spd))
    assert merges(out) == (8, 0, 0) and {op for op, *_ in merging(out)} == {"erase"}
    assert out.summary["padded_pages"] == 0


@pytest.mark.parametrize("planes", ["PDWC", "CWDP"])
def test_super_pages_are_rows_of_a_logical_block(run, planes):
    wide = {"ftl": {"unit": "super_page", "plane_allocation": planes}, "hardware": {"dies_per_chip": 2}}
    rows = [(number * GAP, "write", lpa * PAGE, 2 * PAGE) for number, lpa in enumerate(range(0, 64, 2))]
    out = run(rows, merge(ALIGNED, wide))
    assert out.summary["padded_pages"] == 0 and merges(out)[1:] == (0, 0)


PUBLISHED = merge(FAST, {"ftl": {"mapping": {"sequential_log_blocks": 1, "in_place": True}}})
"""As Lee et al. have it: pages go in place where that is free, and there is one sequential log block."""


def placed(out):
    """Return the host's programs: logical page, block, page."""
    return [(c["lpa"], c["block"], c["page"]) for c in out.commands if (c["op"], c["source"]) == ("program", "host")]


def test_first_writes_go_to_their_own_place_in_the_data_block(run):
    """Page 2 leaves out 0 and 1; page 5 begins another data block; page 0 is behind by then, and begins a log block."""
    out = run(spaced(2, 5, 3, 0), PUBLISHED)
    assert placed(out) == [(2, 0, 2), (5, 1, 1), (3, 0, 3), (0, 2, 0)]
    assert merges(out) == (0, 0, 0) and not merging(out)


@pytest.mark.parametrize("timing", ["on", "off"])
def test_a_part_of_a_page_goes_in_place_with_the_rest_that_there_was(run, timing):
    """Each write of 512 bytes of page 2 is read back: the first in the data block, the second in a log block."""
    ops = ["write", "read"] * 2
    parts = [(number * GAP, op, 2 * PAGE + 1024 * (number // 2), 512) for number, op in enumerate(ops)]
    out = run([*parts, (4 * GAP, "read", 2 * PAGE, PAGE)], merge(PUBLISHED, {"timing": timing}))
    assert out.summary["flash"]["programs"]["host"] == 2 and out.summary["unmapped_reads"] == 0


def test_pages_written_in_order_need_no_merge_at_all(run):
    out = run(spaced(*range(16)), PUBLISHED)
    assert placed(out) == [(lpa, lpa // 4, lpa % 4) for lpa in range(16)] and merges(out) == (0, 0, 0)


def test_another_page_of_its_owner_has_the_sequential_log_block_merged(run):
    """Page 2 is not the next after 0: the rest is copied behind that, save 2, which stays in the other log."""
    out = run(spaced(0, 1, 2, 3, 0, 2), PUBLISHED)
    assert placed(out)[4:] == [(0, 1, 0), (2, 2, 0)]
    assert merges(out) == (0, 1, 0)
    assert merging(out)[-1] == ("erase", -1, 0, 0)


def test_the_next_one_waits_until_the_only_sequential_log_block_has_been_merged(run):
    """Pages 0 and 4 are written again at once; in between 1 to 3 are copied behind page 0, and a block is erased."""
    rows = [*writes(*range(8), gap=GAP), *writes(0, 4, at=20 * GAP), flush(99 * GAP)]
    out = run(rows, PUBLISHED)
    merged = 20 * GAP + WRITE_PAGE + 3 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    assert out.done_at()[8:10] == [20 * GAP + WRITE_PAGE, merged + WRITE_PAGE]
    assert merges(out) == (0, 1, 0)


def test_a_merge_closes_a_data_block_that_has_places_left(run):
    """Pages 4 and 5 are in place and 4 again in the log: the merge moves both to a fresh block; page 6 goes there."""
    out = run(spaced(4, 5, 4, 5, 4, 5, 4, 5, 4, 6), merge(PUBLISHED, {"ftl": {"mapping": {"log_blocks": 1}}}))
    assert sum(merges(out)) > 0 and out.summary["unmapped_reads"] == 0
