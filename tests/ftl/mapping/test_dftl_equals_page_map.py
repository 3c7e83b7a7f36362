"""DFTL with a cache that the whole mapping table fits into is the page map, event for event."""

import json

import attrs
import numpy as np
import pytest
from hypothesis import given, settings

from ssdsim.config import PowerLossConfig, PreconditionConfig
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList
from support.strategies import experiments
from support.tiny_device import PAGE, Run, merge
from support.tiny_stacks import sized, stack

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


def requests(config):
    """Return writes, most of them, reads and trims all over the device that `config` describes."""
    random, pages = np.random.default_rng(1), config.hardware.logical_pages
    rows = []
    for number in range(400):
        op = random.choice(["write", "read", "trim"], p=[0.75, 0.2, 0.05])
        first, size = int(random.integers(pages)), PAGE * int(random.integers(1, 5))
        rows.append((number * 20_000, str(op), first * PAGE, min(size, (pages - first) * PAGE)))
    return RequestList(rows=rows)


@pytest.mark.parametrize(
    ("name", "mode"), [("baseline", "fill"), ("pcftl", "writes"), ("spd_plus", "none"), ("tbm", "fill")]
)
def test_under_a_stack(name, mode):
    config = stack(name, "ftl.mapping.scheme=dftl", "ftl.mapping.cache_kib=64")
    gc = attrs.evolve(config.ftl.gc, trigger="free_blocks", soft_threshold=2, hard_threshold=2)
    config = attrs.evolve(
        config,
        ftl=attrs.evolve(config.ftl, gc=gc),
        buffer=attrs.evolve(config.buffer, footprint_share=None, size_mib=8 * PAGE / 2**20),
        power_loss=PowerLossConfig(),
        precondition=PreconditionConfig(mode=mode, valid_share=0.2, valid_reads=False, timed=True, max_windows=2),
        record=["requests", "commands"],
    )
    size = {"planes_per_die": 2, "pages_per_block": 4 * config.hardware.bits_per_cell, "blocks_per_plane": 16}
    config = sized(config, slack=0, **size)
    config = attrs.evolve(config, workload=requests(config))
    page_map = attrs.evolve(
        config, ftl=attrs.evolve(config.ftl, mapping=attrs.evolve(config.ftl.mapping, scheme="page"))
    )
    expected, _ = everything(Run(simulate(page_map)))
    found, mapping = everything(Run(simulate(config)))
    assert found == expected
    assert mapping["hits"] > 0
    assert mapping["reads"] == mapping["writes"] == 0
