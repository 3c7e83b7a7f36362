"""PCFTL's plane allocation by token: its example by hand, and against a model through writes, trims and collection."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.config import PowerLossConfig
from support.host import Host
from support.tiny_device import PAGE, tiny_config

TOKEN = {"ftl": {"plane_allocation": "token"}}
SEEDS = st.integers(0, 2**32)


def token(**sections):
    """Return changes that allocate planes by token, with more changes by section."""
    return {**TOKEN, **sections}


def planes_of(out):
    """Return the planes of the host's programs by logical page, in order."""
    found = {}
    for row in sorted(out.commands, key=lambda row: row["queued_ns"]):
        if (row["op"], row["source"]) == ("program", "host"):
            found.setdefault(row["lpa"], []).append(row["die"] * 4 + row["plane"])
    return found


def test_the_example_of_the_papers_figure_2(run):
    """With the token at 4 come new data 4500 and 3009 and an update of 4923, which lies in plane 3."""
    hardware = {"planes_per_die": 4, "blocks_per_plane": 16, "pages_per_block": 200}
    before, evicted = [7000, 7001, 7002, 4923, 7003], [4500, 3009, 4923]
    rows = [(at * 1_000_000, "write", lpa % 6000 * PAGE, PAGE) for at, lpa in enumerate(before[:4] + evicted)]
    out = run(rows, token(hardware=hardware))
    assert planes_of(out) == {1000: [0], 1001: [1], 1002: [2], 4923: [3, 3], 4500: [0], 3009: [1]}


class Model:
    """Planes of logical pages, as the paper's algorithm (Fig. 3) has it, none of them beyond its share."""

    def __init__(self, planes, share, where=()):
        self.planes, self.share, self.token = planes, share, 0
        self.where = dict(where)

    def write(self, lpa):
        while lpa not in self.where:
            plane = self.token % self.planes
            self.token += 1
            if list(self.where.values()).count(plane) < self.share:
                self.where[lpa] = plane
        return self.where[lpa]

    def trim(self, lpa):
        self.where.pop(lpa, None)


def planes_mapped(device):
    """Return the plane that each logical page lies in that holds data."""
    table = device.mapping.table.to_numpy()[: device.config.hardware.logical_pages]
    per_plane = device.config.hardware.pages_per_plane
    return {lpa: ppa // per_plane for lpa, ppa in enumerate(table.tolist()) if ppa >= 0}


@given(SEEDS, st.sampled_from(["separate", "shared"]), st.booleans())
def test_it_does_what_the_model_does_as_the_device_is_collected_and_filled_up(modules, seed, active, filled):
    """Without timing, on the fullest device; data stays in its plane whatever is moved."""
    random = Random(seed)
    logical = 4 * (8 - 2 - (2 if active == "separate" else 1))
    changes = token(
        ftl={"plane_allocation": "token", "active_blocks": active},
        hardware={"planes_per_die": 3, "over_provisioning": 1 - logical / 32},
    )
    config = tiny_config(changes, modules["ssdsim.config"])
    device, request = modules["ssdsim.assembly.device"].Device(config), modules["ssdsim.host.request"].Request()
    if filled:
        modules["ssdsim.states.preconditioning"].fill(device, config, [])
    model = Model(3, logical, planes_mapped(device))
    trims = random.choice([0.0, 0.1, 0.5])
    for step in range(300):
        lpa = random.randrange(3 * logical)
        if step >= 250 or random.random() >= trims:
            device.layer.writes.write_now(request, lpa)
            model.write(lpa)
        else:
            device.layer.writes.trim(None, lpa)
            model.trim(lpa)
        assert planes_mapped(device) == model.where
    device.check()


@pytest.mark.parametrize("replacement", ["none", "lru"])
@pytest.mark.parametrize("seed", range(6))
def test_pages_stay_in_their_planes_across_losses_of_power(replacement, seed):
    """No plane ever has more than its share, and what was not trimmed is found where it was."""
    share, random = 10, Random(seed)
    config = tiny_config(
        token(
            hardware={"planes_per_die": 4, "over_provisioning": 1 - share / 32},
            buffer={"replacement": replacement, "size_mib": 2 / 256},
        )
    )
    config.power_loss = PowerLossConfig(at_s=9e6, capacitor=True)
    host = Host(config)
    if seed % 2:
        host.fill()
    for _ in range(4):
        host.send_any(random, [0.7, 0.1, 0.2, 0.0], 4 * share)
        host.settle()
        before = planes_mapped(host.device)
        host.lose_power()
        kept = planes_mapped(host.device)
        assert before == {lpa: plane for lpa, plane in kept.items() if lpa in before}  # others are trims undone
        most = {plane: max(share, count) for plane, count in Counter(kept.values()).items()}
        host.send_any(random, [0.7, 0.1, 0.2, 0.0], 4 * share)
        host.settle()
        for plane, count in Counter(planes_mapped(host.device).values()).items():
            assert count <= most.get(plane, share)
