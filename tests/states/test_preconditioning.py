"""Filling: every page lies where the plane allocation of the run would have placed it."""

import sys
from collections import Counter

import numpy as np
import pytest

from support.tiny_device import tiny_config

GEOMETRY = {
    "channels": 2,
    "chips_per_channel": 2,
    "dies_per_chip": 2,
    "planes_per_die": 2,
    "blocks_per_plane": 12,
    "pages_per_block": 8,
    "over_provisioning": 0.5,
}
PLANES = 16
SHARE = 12 * 8 // 2
"""Logical pages for each plane."""

SOURCE = f"""
PLANES = {PLANES}

from ssdsim.ftl.plane_allocation.policies import PlaneAllocation, StaticPlaneAllocation


class Backwards(PlaneAllocation):
    keeps_plane = True

    def plane_for(self, lpa, stream):
        return PLANES - 1 - lpa % PLANES


class OnlyTheFirst(PlaneAllocation):
    def plane_for(self, lpa, stream):
        return 0


class OfTheStripe(StaticPlaneAllocation):
    def plane_for(self, lpa, stream):
        return PLANES - 1 - lpa % PLANES
"""


def filled(allocation, modules=sys.modules, **changes):
    """Return a device that has been filled, and the plane of each logical page, -1 if it holds nothing."""
    ftl = {"plane_allocation": allocation, **changes.pop("ftl", {})}
    config = tiny_config({"hardware": GEOMETRY, "ftl": ftl, "check": "end", **changes}, modules["ssdsim.config"])
    device = modules["ssdsim.assembly.device"].Device(config)
    modules["ssdsim.states.preconditioning"].fill(device, config, [])
    device.check()
    table = device.mapping.table.to_numpy()[: config.hardware.logical_pages]
    return device, np.where(table >= 0, table // config.hardware.pages_per_plane, -1)


@pytest.mark.parametrize("order", ["CWDP", "PDWC", "WPCD"])
@pytest.mark.parametrize("valid", [None, 0.3])
def test_by_a_static_order_a_page_lies_in_its_plane(modules, order, valid):
    device, planes = filled(order, modules, precondition={"valid_share": valid})
    assert all(plane in (-1, device.plane_allocation.plane_for(lpa, 0)) for lpa, plane in enumerate(planes.tolist()))
    assert len({count for plane, count in Counter(planes.tolist()).items() if plane >= 0}) == 1


@pytest.mark.parametrize("allocation", ["token", "round_robin", "f", "d", "f2"])
@pytest.mark.parametrize("aligned", [False, True])
def test_what_goes_by_turns_is_spread_evenly_whatever_its_number(modules, allocation, aligned):
    """Of the pages of one place in the stripe no plane has more than a few; each plane has as many as any other."""
    if aligned and allocation == "token":
        pytest.skip("tokens are of planes")
    ftl = {"unit": "twin"} if aligned else {}
    _, planes = filled(allocation, modules, ftl=ftl)
    assert set(Counter(planes.tolist()).values()) == {SHARE}
    of_one_place = Counter(planes[::PLANES].tolist())
    assert max(of_one_place.values()) < SHARE / 2
    assert len(of_one_place) >= PLANES / 2  # with D, those of its die


@pytest.fixture
def own_places(tmp_path, monkeypatch):
    """Stand in a folder that holds `places.py`."""
    (tmp_path / "places.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("places", None)


def test_a_policy_of_the_users_own_is_asked(own_places):
    for name in ("Backwards", "OfTheStripe"):
        _, planes = filled(f"places.{name}")
        assert planes.tolist() == [PLANES - 1 - lpa % PLANES for lpa in range(len(planes))]
    _, planes = filled("places.OnlyTheFirst")  # it cannot have its will, as a plane has room for its share
    assert set(Counter(planes.tolist()).values()) == {SHARE}


def points(device):
    """Return the pages written in each plane, beyond whole blocks."""
    blocks = device.blocks
    return [int(each) % 8 for each in blocks.column("written").reshape(blocks.planes, -1).sum(axis=1)]


@pytest.mark.parametrize("unit", ["block", "twin", "die", "super_page"])
def test_a_fill_to_the_page_leaves_write_points_apart_but_for_rows(modules, unit):
    shares = {"fill_share": 0.4, "fill_share_to": 0.6, "valid_share": 0.5, "whole_blocks": False}
    more = {"buffer": {"replacement": "epo"}, "flash": {"multi_plane": ["program"]}} if unit == "die" else {}
    device, planes = filled("CWDP", modules, ftl={"unit": unit}, precondition=shares, **more)
    found = points(device)
    assert len(set(found)) > 2
    assert unit == "block" or found[::2] == found[1::2]
    written = device.blocks.column("written").reshape(PLANES, -1).sum(axis=1)
    assert all(0.4 * 96 - 1 <= pages <= 0.6 * 96 for pages in written.tolist())
    valid = Counter(planes.tolist())
    assert all(abs(valid[plane] - written[plane] / 2) <= 1 for plane in range(PLANES))


def test_dies_stay_in_rows_where_their_fill_is_collected_before_the_run(modules):
    """An odd number of moved pages is padded: write points of a die are equal, whatever its victims held."""
    shares = {"fill_share": 0.7, "fill_share_to": 0.8, "valid_share": 0.4, "whole_blocks": False, "collected": True}
    more = {"buffer": {"replacement": "epo"}, "flash": {"multi_plane": ["program"]}}
    gc = {"soft_threshold": 3, "hard_threshold": 3}
    padded = 0
    for seed in range(4):
        device, _ = filled("CWDP", modules, ftl={"unit": "die", "gc": gc}, precondition=shares, seed=seed, **more)
        assert points(device)[::2] == points(device)[1::2]
        padded += device.collector.padded_pages
    assert padded > 0


@pytest.mark.parametrize("collected", [True, False])
def test_what_collection_wants_is_done_before_the_run_or_in_it(run, collected):
    gc = {"trigger": "free_pages", "soft_threshold": 0.3, "hard_threshold": 0.3}
    state = {"mode": "fill", "fill_share": 0.75, "valid_share": 0.3, "valid_reads": False, "collected": collected}
    shape = {"blocks_per_plane": 24, "over_provisioning": 0.6}
    out = run([(10**9, "read", 0, 4096)], {"ftl": {"gc": gc}, "precondition": state, "hardware": shape})
    assert (out.summary["gc"]["collections"] == 0) == collected


def test_a_full_buffer_holds_what_is_written_last(run):
    """Pages 3, 1 and 2 are the last three written: the write of page 5 evicts page 3, and a read of page 2 is a hit."""
    write = [(at, "write", page * 4096, 4096) for at, page in ((10, 5), (10**6, 3), (2 * 10**6, 1), (3 * 10**6, 2))]
    buffer = {"replacement": "lru", "size_mib": 3 * 4096 / 2**20}
    changes = {"buffer": buffer, "precondition": {"mode": "none", "full_buffer": True}}
    out = run([(5, "read", 2 * 4096, 4096), *write], changes)
    assert out.done_at()[0] == 5
    assert next(row["lpa"] for row in out.commands if row["op"] == "program") == 3
    assert out.done_at()[1] == 10 + 200 + 4096 + 100_000
    assert run([(5, "read", 2 * 4096, 4096), *write], {"buffer": buffer}).done_at()[1] == 10
