"""The four scenarios of PCFTL's write cache (Fig. 4), by hand: which pages it holds, in which order, and who leaves.

The cache has four slots, one of them free. A flush at the end has the rest written, from the tail to the head.
"""

from support.requests import flush, write
from support.tiny_device import PAGE, WRITE_PAGE

LATER = 10_000_000
INITIAL = [4923, 9312, 6636]
"""Pages in the cache at first, the tail first."""


def cached(slots=4, planes=1):
    """Return changes that give the tiny device a cache of so many pages, and room for the paper's page numbers."""
    hardware = {"planes_per_die": planes, "blocks_per_plane": 40 // planes, "pages_per_block": 512}
    return {
        "hardware": hardware,
        "ftl": {"plane_allocation": "token"},
        "buffer": {"replacement": "lru", "size_mib": slots * PAGE / 2**20},
    }


def programs(out, after=0):
    """Return the pages programmed, in order, by commands that ended later than `after`."""
    return [row["lpa"] for row in out.commands if row["op"] == "program" and row["end_ns"] > after]


def test_an_update_replaces_the_old_data_and_moves_to_the_head(run):
    out = run([*map(write, INITIAL), write(9312), write(5781), flush(LATER)], cached())
    assert out.done_at()[:5] == [0] * 5
    assert programs(out) == [4923, 6636, 9312, 5781]  # it took no slot, which 5781 could have
    assert out.summary["buffer"]["hit_ratio"] == 1 / 5


def test_an_update_that_leaves_goes_to_the_plane_of_its_old_data_and_a_new_page_to_that_of_the_token(run):
    """4923 lies in plane 3, as the fourth of the pages written first; 9312 is new, and the token is at 4."""
    first = [7000, 7001, 7002, 4923]
    rows = [*map(write, first), flush(LATER)]
    rows += [write(page, 2 * LATER) for page in [*INITIAL, 5781]]
    rows += [write(3349, 3 * LATER), write(3350, 4 * LATER)]
    out = run(rows, cached(planes=4))
    evicted = [(row["lpa"], row["plane"]) for row in out.commands if row["end_ns"] > 2 * LATER]
    assert evicted == [(4923, 3), (9312, 0)]
    assert out.done_at()[-2:] == [3 * LATER + WRITE_PAGE, 4 * LATER + WRITE_PAGE]
    assert out.summary["buffer"]["hit_ratio"] == 0
