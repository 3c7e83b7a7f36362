"""What a run says of the page types that its writes were given, and of those that are left."""

from support.requests import writes

TLC = {"bits_per_cell": 3, "pages_per_block": 6, "program_us": [100.0, 300.0, 900.0], "over_provisioning": 0.6}


def test_pages_in_the_strict_order_by_hand(run):
    """Two wordlines, in the order LSB 0, LSB 1, CSB 0, CSB 1, MSB 0, MSB 1."""
    out = run(writes(*range(5)), {"hardware": TLC})
    assert out.summary["page_types"] == {
        "fast": 0.4, "medium": 0.4, "slow": 0.2, "success_rate": None,
        "free_lsb": 14, "free_csb": 14, "free_msb": 15,
    }  # fmt: skip
