"""What victims held when they were chosen, and the types of the pages that were written, by hand."""

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


TLC = {"bits_per_cell": 3, "pages_per_block": 6, "program_us": [100.0, 300.0, 900.0], "over_provisioning": 0.6}


def test_pages_in_the_strict_order_by_hand(run):
    """Two wordlines, in the order LSB 0, LSB 1, CSB 0, CSB 1, MSB 0, MSB 1."""
    out = run(writes(*range(5)), {"hardware": TLC})
    assert out.summary["page_types"] == {
        "fast": 0.4, "medium": 0.4, "slow": 0.2, "success_rate": None,
        "free_lsb": 14, "free_csb": 14, "free_msb": 15,
    }  # fmt: skip
