"""Superblocks: aligned blocks of all planes of many dies, filled stripe by stripe and collected as one, by hand."""

import pytest

from support.requests import GAP, read, writes
from support.tiny_device import ERASE_BLOCK, READ_PAGE, WRITE_PAGE, merge

SUPERBLOCKS = {"hardware": {"channels": 2}, "ftl": {"unit": "superblock"}}


@pytest.mark.parametrize(
    ("ftl", "planes"),
    [
        ({}, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]),
        (
            {"plane_allocation": "PCWD"},
            [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)],
        ),
    ],
)
def test_each_page_takes_the_next_plane_of_the_stripe(run, ftl, planes):
    """The order is that of the plane allocation: whichever page is written, and whether its die is busy or not."""
    device = merge(SUPERBLOCKS, {"hardware": {"dies_per_chip": 2, "planes_per_die": 2}, "ftl": ftl})
    out = run(writes(3, 3, 17, 1, 0, 60, 61, 62, 3, gap=GAP), device)
    programs = [(c["channel"], c["die"], c["plane"]) for c in out.commands if c["op"] == "program"]
    assert programs == [*planes, planes[0]]
    pages = [c["page"] for c in out.commands if c["op"] == "program"]
    assert pages == [0] * 8 + [1]


def test_a_superblock_is_collected_and_erased_on_all_dies_at_once(run):
    """Eight superblocks of 2 x 4 pages, 32 pages logical; pages 0 and 1, the first stripe, are all that is kept.

    Page 49 takes the last but one, on the first channel, so that page 1 is read at once on the second. It is to be
    written to the first of the stripe of the last one, and page 0, read behind the host's write, to the second. Then
    one superblock is free of the two that are wanted, and another is erased, of which nothing is kept.
    """
    pages = [*range(32), *(2 + number % 30 for number in range(17))]
    device = merge(SUPERBLOCKS, {"ftl": {"gc": {"victim": "fifo"}}})
    out = run([*writes(*pages, gap=GAP), read(0, 49 * GAP)], device)
    start = 48 * GAP
    first_read = start + READ_PAGE
    second_read = start + WRITE_PAGE + READ_PAGE
    moved = second_read + WRITE_PAGE
    of_collection = [(c["op"], c["channel"], c["end_ns"]) for c in out.commands if c["source"] == "gc"]
    assert sorted(of_collection) == sorted(
        [
            ("read", 1, first_read),
            ("read", 0, second_read),
            ("program", 0, moved),
            ("program", 1, moved),
            ("erase", 0, moved + ERASE_BLOCK),
            ("erase", 1, moved + ERASE_BLOCK),
            ("erase", 0, moved + 2 * ERASE_BLOCK),
            ("erase", 1, moved + 2 * ERASE_BLOCK),
        ]
    )
    assert out.summary["gc"]["collections"] == 2
