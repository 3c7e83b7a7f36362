"""Every stack on the fullest device that is allowed: written over and over, it never gets stuck, and loses nothing."""

import re
from functools import cache

import attrs
import numpy as np
import pytest

from ssdsim.config import PowerLossConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.mapping import dftl
from ssdsim.ftl.reclaim.progress import FUTILE_ROUNDS, PAGES_A_WRITE
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList
from support.thinned import grid, thinned
from support.tiny_stacks import ALL_STACKS, chosen, configured, sized

TINY = [
    *("hardware.channels=1", "hardware.chips_per_channel=2", "hardware.dies_per_chip=1", "hardware.planes_per_die=2"),
    *("hardware.blocks_per_plane=16", "hardware.pages_per_block=6", "hardware.over_provisioning=0.9"),
    *("ftl.gc.soft_threshold=2", "ftl.gc.hard_threshold=2", "precondition=none", "integrity=on", "check=gc"),
    *("buffer.size_mib=0.05", "ftl.return_to_fast_blocks=3"),
]
CASES = [
    (name, active)
    for name in ALL_STACKS
    for active in ("shared", "separate", "hot_cold")
    if not (name in ("parity_ftl", "flex_ftl") and active != "shared")  # refused
    and (name, active) not in (("fast", "hot_cold"), ("rtf_ftl", "hot_cold"))  # refused
]
TABLES = [name for name in ALL_STACKS if name != "fast"]
ENTRIES = 8
"""Of a translation page, in tests of DFTL: many such pages for few logical ones."""
LOADS = {"everywhere": (1.0, 500), "on few pages": (0.1, 1000)}
"""Shares of the logical pages, and how many requests; a write buffer takes more of those on few pages."""


@cache
def stack(name):
    """Return the stack on a tiny device."""
    return configured(*chosen(name), *TINY)


def churn(config, share, count, seed):
    """Return requests that write every logical page, and then `count` at random in a share of them; a few trim."""
    pages, size = config.hardware.logical_pages, config.hardware.page_bytes
    random = np.random.default_rng(seed)
    first = [*range(pages), *random.integers(0, max(int(pages * share), 1), count).tolist()]
    ops = ["write"] * pages + random.choice(["write", "trim"], count, p=[0.95, 0.05]).tolist()
    sizes = np.minimum(random.integers(1, 4, len(first)), pages - np.array(first)) * size
    return [(0, op, lpa * size, length) for op, lpa, length in zip(ops, first, sizes.tolist(), strict=True)]


@pytest.mark.parametrize(("name", "active", "load"), thinned(0.2, ((*case, load) for case in CASES for load in LOADS)))
def test_the_fullest_device_goes_on(name, active, load):
    chosen = stack(name)
    config = sized(attrs.evolve(chosen, ftl=attrs.evolve(chosen.ftl, active_blocks=active, hot_window_s=1e-2)), 0)
    rows = churn(config, *LOADS[load], seed=len(name))
    config = attrs.evolve(config, host=attrs.evolve(config.host, queue_depth=256))
    programs = 2 * config.hardware.logical_pages
    cut = PowerLossConfig(after_programs=programs)
    for depth, loss in ((1, None), (256, None), (256, cut)):
        loss = loss or config.power_loss
        out = simulate(attrs.evolve(config, workload=RequestList(rows=rows, queue_depth=depth), power_loss=loss))
        assert out.summary["gc"]["collections"] > 20
        assert sum(of["count"] for of in out.summary["requests"].values()) >= len(rows) - (256 if loss is cut else 0)


def with_table_in_flash(config, trigger):
    """Return `config` with DFTL and next to no cache, and thresholds of two blocks, or as many pages."""
    mapping = attrs.evolve(config.ftl.mapping, scheme="dftl", cache_kib=16 * 8 / 1024)
    soft = 2 if trigger == "free_blocks" else 2 / config.hardware.physical_blocks
    gc = attrs.evolve(config.ftl.gc, trigger=trigger, soft_threshold=soft, hard_threshold=soft)
    return attrs.evolve(config, ftl=attrs.evolve(config.ftl, mapping=mapping, gc=gc))


@pytest.mark.parametrize(("name", "trigger"), grid(0.5, TABLES, ["free_blocks", "free_pages"]))
def test_the_fullest_device_goes_on_with_its_mapping_table_in_flash(name, trigger, monkeypatch):
    config = with_table_in_flash(stack(name), trigger)
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: config.hardware.page_bytes // ENTRIES)
    config = sized(config, 0)
    rows = churn(config, *LOADS["everywhere"], seed=len(name))
    for depth in (1, 64):
        out = simulate(attrs.evolve(config, workload=RequestList(rows=rows, queue_depth=depth)))
        assert out.summary["mapping"]["writes"] > 20
        assert sum(of["count"] for of in out.summary["requests"].values()) == len(rows)


@pytest.mark.parametrize("victim", ["fifo", "random"])
@pytest.mark.parametrize(("scheme", "over_provisioning"), [("page", None), ("dftl", None), ("dftl", 0.75)])
def test_collection_that_feeds_itself_is_stopped_with_the_reason(scheme, over_provisioning, victim, monkeypatch):
    """Each page moved has a translation page of two entries written; with a page map, or enough slack, it pays."""
    config = with_table_in_flash(stack("baseline"), "free_blocks")
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: config.hardware.page_bytes // 2)
    gc = attrs.evolve(config.ftl.gc, victim=victim)
    mapping = attrs.evolve(config.ftl.mapping, scheme=scheme, cache_kib=8 / 1024)
    config = attrs.evolve(config, ftl=attrs.evolve(config.ftl, gc=gc, mapping=mapping))
    flash = config.hardware if over_provisioning is None else attrs.evolve(config.hardware, over_provisioning=0.75)
    config = sized(config, 0) if over_provisioning is None else attrs.evolve(config, hardware=flash)
    rows = churn(config, *LOADS["everywhere"], seed=3)
    config = attrs.evolve(config, workload=RequestList(rows=rows, queue_depth=16))
    if scheme == "page" or over_provisioning:
        assert sum(of["count"] for of in simulate(config).summary["requests"].values()) == len(rows)
        return
    with pytest.raises(SimulationError, match=r"makes no progress.*raise hardware\.over_") as stopped:
        simulate(config)
    collections, pages, valid = map(int, re.findall(r"\d+", str(stopped.value))[:3])
    assert valid < pages == collections * config.hardware.block_pages
    most = FUTILE_ROUNDS * config.hardware.planes * config.hardware.pages_per_plane
    assert most < pages < most + 3 * len(rows) * PAGES_A_WRITE
