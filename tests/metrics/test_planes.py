"""What victims held when they were chosen."""

import pytest

from support.requests import writes
from support.tiny_device import PAGE, merge

SHARED = {"ftl": {"active_blocks": "shared"}}
ONE_VICTIM = [*range(16), 0, 1, 2, 4, 5, 8, 9, 12, 13]
"""With the 25th page one block is free: block 0 is collected, where page 3 is the only one not written again."""


@pytest.mark.parametrize("moves", ["controller", "copyback"])
@pytest.mark.parametrize("timing", ["on", "off"])
def test_a_victim_by_hand(run, timing, moves):
    """A page that is copied back is written like one that is programmed."""
    much_later = (10**9, "read", 0, PAGE)
    changes = merge(SHARED, {"timing": timing, "ftl": {"gc": {"moves": moves}}})
    out = run([*writes(*ONE_VICTIM), much_later], changes)
    assert sum(out.summary["flash"]["copybacks"].values()) == (moves == "copyback")
    assert out.summary["gc"]["collections"] == 1
    assert out.summary["gc"]["victim_valid_share"] == 0.25
    assert out.summary["page_writes_per_plane_std"] == 0.0 and out.summary["wasted_pages"] == 0
