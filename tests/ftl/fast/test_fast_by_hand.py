"""FAST's merges, step by step, with their reads, programs, erases and times added up by hand, on both kernels."""

from support.requests import GAP, flush, writes
from support.rows import ERASE_TWO, READ_TWO, WRITE_TWO
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

FAST = {
    "hardware": {"blocks_per_plane": 9, "over_provisioning": 1 - 16 / 36},
    "ftl": {"mapping": {"scheme": "fast", "log_blocks": 2}},
}
"""Four logical blocks of four pages, two random log blocks and a sequential one, and one more for merges."""
ALIGNED = merge(
    FAST,
    {
        "hardware": {"planes_per_die": 2},
        "flash": {"multi_plane": ["read", "program", "erase"]},
        "ftl": {"unit": "twin"},
    },
)
"""Two planes, so that logical blocks have eight pages: four rows."""
ALL = range(16)
AFTER = 16 * GAP
"""When what comes after the writes of `ALL` pages begins."""


def spaced(*lpas):
    """Return writes of pages one by one, and a request so late that all is over."""
    return [*writes(*lpas, gap=GAP), flush(99 * GAP)]


def placed(out):
    """Return the host's programs: logical page, block, page."""
    return [(c["lpa"], c["block"], c["page"]) for c in out.commands if (c["op"], c["source"]) == ("program", "host")]


def merging(out):
    """Return the commands of merges: operation, logical page, block, page."""
    done = sorted((r for r in out.commands if r["source"] == "merge"), key=lambda r: (r["bus_start_ns"], r["plane"]))
    return [(r["op"], r["lpa"], r["block"], r["page"]) for r in done]


def merges(out):
    """Return the merges: switch, partial, full."""
    return tuple(out.summary["mapping"]["merges"].values())


def test_first_writes_go_to_their_own_place_in_the_data_block(run):
    """Page 2 leaves out 0 and 1; page 5 begins another data block; page 0 is behind by then, and begins a log block."""
    out = run(spaced(2, 5, 3, 0), FAST)
    assert placed(out) == [(2, 0, 2), (5, 1, 1), (3, 0, 3), (0, 2, 0)]
    assert merges(out) == (0, 0, 0) and not merging(out)


def test_a_full_sequential_log_block_becomes_the_data_block_and_the_old_one_is_erased(run):
    """Pages written in order go in place; written in order again they need switch merges alone, and wait for none."""
    out = run(spaced(*ALL, *ALL), FAST)
    assert placed(out)[:16] == [(lpa, lpa // 4, lpa % 4) for lpa in ALL]
    assert merges(out) == (4, 0, 0)
    assert merging(out) == [("erase", -1, number, 0) for number in range(4)]
    assert out.ends("erase", "merge") == [AFTER + (n * 4 + 3) * GAP + WRITE_PAGE + ERASE_BLOCK for n in range(4)]
    assert {row["response_ns"] for row in out.requests[:32]} == {WRITE_PAGE}


def test_a_partial_merge_copies_the_rest_behind_what_was_written_and_writes_wait_for_it(run):
    """Page 4 begins the next sequential log block, so the one with 0 and 1 is completed with 2 and 3; 9 waits, too."""
    at = AFTER + 2 * GAP
    out = run([*spaced(*ALL, 0, 1, 4)[:-1], (at + 1, "write", 9 * PAGE, PAGE), flush(99 * GAP)], FAST)
    assert merges(out) == (0, 1, 0)
    assert merging(out) == [
        ("read", 2, 0, 2),
        ("read", 3, 0, 3),
        ("program", 2, 4, 2),
        ("program", 3, 4, 3),
        ("erase", -1, 0, 0),
    ]
    over = at + 2 * READ_PAGE + 2 * WRITE_PAGE + ERASE_BLOCK
    assert out.ends("erase", "merge") == [over]
    assert out.done_at()[18:20] == [over + WRITE_PAGE, over + 2 * WRITE_PAGE]
    assert [row["gc_ns"] for row in out.requests[18:20]] == [over - at, over - at - 1]


def test_a_sequential_log_block_with_a_dead_page_takes_a_full_merge(run):
    """Page 1 has been trimmed; the others come from two blocks, which are both erased."""
    trim = (AFTER + 2 * GAP, "trim", PAGE, PAGE)
    out = run([*spaced(*ALL, 0, 1)[:-1], trim, *writes(4, at=AFTER + 3 * GAP)], FAST)
    assert merges(out) == (0, 0, 1)
    assert merging(out) == [
        ("read", 0, 4, 0),
        ("read", 2, 0, 2),
        ("read", 3, 0, 3),
        *(("program", page, 5, page) for page in (0, 2, 3)),
        ("erase", -1, 0, 0),
        ("erase", -1, 4, 0),
    ]
    assert out.ends("erase", "merge")[-1] == AFTER + 3 * GAP + 3 * READ_PAGE + 3 * WRITE_PAGE + 2 * ERASE_BLOCK
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (1, 3)
    assert out.summary["gc"]["victim_valid_share"] == 1 / 4


def test_the_oldest_random_log_block_is_merged_for_the_write_that_finds_no_room(run):
    """Eight pages fill both log blocks; the ninth waits for four merges, each with an erase, and that of the log."""
    out = run(spaced(*ALL, 1, 5, 9, 13, 2, 6, 10, 14, 3), FAST)
    freed = 4 * (4 * READ_PAGE + 4 * WRITE_PAGE + ERASE_BLOCK) + ERASE_BLOCK
    assert [row["response_ns"] for row in out.requests[16:25]] == [*[WRITE_PAGE] * 8, freed + WRITE_PAGE]
    assert merges(out) == (0, 0, 4) and out.requests[24]["gc_ns"] == freed
    # of the first logical block, 1 is in the oldest log block, 2 in the other one
    assert merging(out)[:4] == [("read", 0, 0, 0), ("read", 1, 4, 0), ("read", 2, 5, 0), ("read", 3, 0, 3)]


def test_without_timing_the_same_merges_are_done(run):
    rows = spaced(*ALL, 3, 7, 1, 1, 9, 0, 1, 8, 5, 6, 2, 3, 0, 1, 2, 3, 11, 7, 4)
    timed, untimed = run(rows, FAST), run(rows, merge(FAST, {"timing": "off"}))
    assert all(merges(timed))
    assert merges(timed) == merges(untimed)
    for key in ("collections", "page_moves", "victim_valid_share"):
        assert timed.summary["gc"][key] == untimed.summary["gc"][key]
    assert timed.summary["flash"] == untimed.summary["flash"]


def test_paired_log_blocks_are_merged_by_rows(run):
    """Page 8 begins the next pair of sequential log blocks: rows 2 and 3 are copied behind rows 0 and 1."""
    out = run(spaced(*range(32), 0, 1, 2, 3, 8), ALIGNED)
    assert merges(out) == (0, 1, 0)
    assert merging(out) == [
        *(("read", lpa, 0, lpa // 2) for lpa in range(4, 8)),
        *(("program", lpa, 4, lpa // 2) for lpa in range(4, 8)),
        *[("erase", -1, 0, 0)] * 2,
    ]
    begun = 36 * GAP
    assert out.ends("program", "merge")[::2] == [begun + 2 * READ_TWO + n * WRITE_TWO for n in (1, 2)]
    assert out.ends("erase", "merge") == [begun + 2 * READ_TWO + 2 * WRITE_TWO + ERASE_TWO] * 2


def test_rows_in_order_go_to_the_sequential_log_blocks_whatever_the_order_of_eviction(run):
    """SPD's writes come by the row: a stream of them is switched, with nothing copied."""
    spd = {"ftl": {"unit": "die"}, "buffer": {"replacement": "epo", "size_mib": 2 * PAGE / 2**20}}
    rows = [(number * GAP, "write", pair * 2 * PAGE, 2 * PAGE) for number, pair in enumerate([*range(16), *range(16)])]
    rows += [(number * GAP + 1, "flush", 0, 0) for number in range(32)]
    out = run(sorted(rows), merge(ALIGNED, spd))
    assert merges(out) == (4, 0, 0) and {op for op, *_ in merging(out)} == {"erase"}
    assert out.summary["padded_pages"] == 0
