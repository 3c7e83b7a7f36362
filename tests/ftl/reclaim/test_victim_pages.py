"""Pages of victims and those valid among them: a unit of several blocks has the pages of all of them."""

from random import Random

import pytest

from support.requests import GAP, flush, writes
from support.rows import AT_LAST, device
from support.tiny_device import merge

SIX_BLOCKS = {"blocks": 6, "logical": 8, "ftl": {"active_blocks": "shared", "gc": {"victim": "fifo"}}}
"""Dies of two planes of six blocks of four pages: a victim has eight pages."""


@pytest.mark.parametrize(
    ("rewritten", "valid"), [((1, 4, 5, 6, 7), 3), ((0, 2, 4, 6), 4), (range(8), 0), ((5,), 7), ((4, 5, 6), 5)]
)
def test_the_valid_share_of_aligned_blocks_by_hand(run, rewritten, valid):
    """Pages 0 to 7 fill the first aligned blocks; 25 writes of those rewritten and of pages 8 to 15 follow.

    The last of these takes the first page of the fifth, and the first ones are collected, two blocks in one collection.
    """
    others = [*rewritten, *range(8, 16)] * 4
    out = run([*writes(*range(8), *others[:25], gap=GAP), AT_LAST], device("page", **SIX_BLOCKS))
    gc = out.summary["gc"]
    assert (gc["collections"], gc["page_moves"], len(out.ends("erase"))) == (1, valid, 2)
    assert gc["victim_valid_share"] == valid / (2 * 4)


@pytest.mark.parametrize("planes", [2, 3, 4])
@pytest.mark.parametrize(("unit", "timing"), [("page", "on"), ("page", "off"), ("super_page", "on"), ("die", "on")])
def test_it_is_the_pages_moved_of_the_blocks_erased(experiment, unit, planes, timing):
    """Each write comes long after the one before, so that nothing is overwritten that is being collected."""
    random = Random(planes)
    rows = writes(*[random.randrange(16 * planes) for _ in range(60 * planes)], gap=GAP)
    changes = device(unit, planes, buffer=2 * planes if unit == "die" else 0)
    recorded = {"record": ["commands"] if timing == "on" else [], "timing": timing}
    out = experiment([{"rows": [*rows, flush(1000 * GAP)]}], merge(changes, recorded))
    gc, erases = out.summary["gc"], out.summary["flash"]["erases"]["gc"]
    assert gc["collections"] > 3 and erases == planes * gc["collections"]
    assert gc["victim_valid_share"] == gc["page_moves"] / (4 * erases)


@pytest.mark.parametrize("planes", [1, 2, 3])
def test_log_blocks_have_the_pages_of_all_planes(run, planes):
    """FAST: half as many pages as a log block has are written twice, and one more; the log block is half valid.

    None of the pages is the first of a logical block, which would begin a sequential log block.
    """
    size = 4 * planes
    hardware = {"planes_per_die": planes, "blocks_per_plane": 9, "over_provisioning": 1 - 16 / 36}
    mapping = {"scheme": "fast", "log_blocks": 2, "sequential_log_blocks": 1, "in_place": False}
    ftl = {"mapping": mapping} | ({"unit": "twin"} if planes > 1 else {})
    half = [*range(1, size // 2 + 1)]
    out = run([*writes(*half, *half, size + 1, gap=GAP), flush(99 * GAP)], {"hardware": hardware, "ftl": ftl})
    gc = out.summary["gc"]
    assert (gc["collections"], gc["victim_valid_share"]) == (1, 0.5)
