"""Each supported system, on the fullest device it may have: written over and over, it goes on and loses nothing."""

import re

import attrs
import numpy as np
import pytest

from ssdsim.command.compose import session
from ssdsim.config import PowerLossConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.mapping import dftl
from ssdsim.ftl.reclaim.collector import FUTILE_ROUNDS, PAGES_A_WRITE
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList
from support.mixes import MIXES, changed, small_stack
from support.tiny_stacks import sized

TINY = {
    "hardware.blocks_per_plane": 16,
    "hardware.pages_per_block": 6,
    "ftl.gc.soft_threshold": 2,
    "ftl.gc.hard_threshold": 2,
    "ftl.gc.trigger": "free_blocks",
    "ftl.return_to_fast_blocks": 3,
    "buffer.size_mib": 0.05,
    "integrity": "on",
    "check": "gc",
}
ENTRIES = 8
"""Of a translation page: many such pages for few logical ones."""


@pytest.fixture(scope="module", autouse=True)
def composing():
    with session():
        yield


def fullest(stack, changes):
    """Return the stack with these changes on a tiny device that is as full as it may be, and a queue for all."""
    given = {**TINY, **changes, "hardware.pages_per_block": 6 * changes.get("hardware.bits_per_cell", 3) // 3 or 2}
    return sized(changed(small_stack(stack), {**given, "host.queue_depth": 256}), 0)


def churn(config, count, seed=1):
    """Return requests that write every logical page, and then `count` at random: some read, trim or are of parts."""
    pages, size = config.hardware.logical_pages, config.hardware.page_bytes
    random = np.random.default_rng(seed)
    first = [*range(pages), *random.integers(0, pages, count).tolist()]
    ops = ["write"] * pages + random.choice(
        ["write", "read", "trim", "flush"], count, p=[0.8, 0.1, 0.08, 0.02]
    ).tolist()
    sizes = np.minimum(random.integers(1, 4, len(first)), pages - np.array(first)) * size
    sizes -= np.where(random.random(len(first)) < 0.1, size // 2, 0)
    places = zip(ops, first, sizes.tolist(), strict=True)
    return [(0, op, *((0, 0) if op == "flush" else (lpa * size, length))) for op, lpa, length in places]


def ran(config, rows, depth, **changes):
    """Run these requests, and return the summary."""
    return simulate(attrs.evolve(config, workload=RequestList(rows=rows, queue_depth=depth), **changes)).summary


def completed(summary):
    return sum(of["count"] for of in summary["requests"].values())


@pytest.mark.parametrize("name", MIXES)
def test_the_fullest_device_goes_on_also_after_a_loss_of_power(name, monkeypatch):
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: 4096 // ENTRIES)
    config = fullest(*MIXES[name])
    rows = churn(config, 250)
    capacitor = config.buffer.replacement == "lru"
    cut = PowerLossConfig(after_programs=config.hardware.logical_pages + 50, capacitor=capacitor)
    if config.ftl.mapping.scheme == "fast":
        cut = PowerLossConfig()  # which does not go with it
    out = ran(config, rows, 64, power_loss=cut)
    aborted = (out["power_loss"] or {}).get("aborted_requests", 0)
    assert completed(out) + aborted == len(rows)
    assert out["gc"]["collections"] > 2
    assert config.ftl.mapping.scheme != "dftl" or out["mapping"]["writes"] > 10


@pytest.mark.parametrize("victim", ["fifo", "random"])
@pytest.mark.parametrize(("scheme", "over_provisioning"), [("page", None), ("dftl", None), ("dftl", 0.75)])
def test_collection_that_feeds_itself_is_stopped_with_the_reason(scheme, over_provisioning, victim, monkeypatch):
    """Each page moved has a translation page of two entries written; with a page map, or enough slack, it pays."""
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: 4096 // 2)
    keys = {"ftl.mapping.scheme": scheme, "ftl.mapping.cache_kib": 8 / 1024, "ftl.gc.victim": victim}
    config = fullest("baseline", keys)
    if over_provisioning:
        config = changed(config, {"hardware.over_provisioning": over_provisioning})
    rows = churn(config, 500, seed=3)
    if scheme == "page" or over_provisioning:
        assert completed(ran(config, rows, 16)) == len(rows)
        return
    with pytest.raises(SimulationError, match=r"makes no progress.*raise hardware\.over_") as stopped:
        ran(config, rows, 16)
    collections, pages, valid = map(int, re.findall(r"\d+", str(stopped.value))[:3])
    assert valid < pages == collections * config.hardware.block_pages
    most = FUTILE_ROUNDS * config.hardware.planes * config.hardware.pages_per_plane
    assert most < pages < most + 3 * len(rows) * PAGES_A_WRITE
