"""DFTL with a cache that the whole mapping table fits into is the page map, event for event."""

import json

from hypothesis import given, settings

from support.strategies import experiments
from support.tiny_device import merge

MORE_BLOCKS = 2
"""What a plane of the fullest device lacks for a page of the mapping table and a block for it to lie in."""


def everything(out):
    """Return all that a run measured, and apart from that what it says of its mapping."""
    facts = out.facts()
    summary = json.loads(facts["summary"])
    mapping = summary.pop("mapping")
    return (summary, facts["tables"]), mapping


def with_more_blocks(device):
    """Return `device` with more blocks in a plane, as many of them filled as before, and thresholds in blocks."""
    flash, wish, gc = device["hardware"], device["precondition"], device["ftl"]["gc"]
    before = flash["blocks_per_plane"] + flash["extra_blocks"]
    shares = {
        name: share and share * before / (before + MORE_BLOCKS)
        for name, share in wish.items()
        if name in ("fill_share", "fill_share_to")
    }
    thresholds = {} if gc["trigger"] == "free_blocks" else {"soft_threshold": 2, "hard_threshold": 2}
    return merge(
        device,
        {
            "hardware": {"extra_blocks": flash["extra_blocks"] + MORE_BLOCKS},
            "precondition": shares,
            "ftl": {"gc": {"trigger": "free_blocks", **thresholds}},
        },
    )


@settings(max_examples=max(settings.default.max_examples // 5, 1))
@given(experiments())
def test_on_random_devices(experiment, drawn):
    device, loads = drawn
    device = with_more_blocks(device)
    device["ftl"]["mapping"] = {"scheme": "page"}
    expected, _ = everything(experiment(loads, device))
    device["ftl"]["mapping"] = {"scheme": "dftl"}
    found, mapping = everything(experiment(loads, device))
    assert found == expected
    assert mapping["reads"] == mapping["writes"] == 0
