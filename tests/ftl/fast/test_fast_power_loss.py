"""FAST when power is back: what was a data block is one, and the log goes on where it was."""

import pytest

from ssdsim.assembly.device import Device
from ssdsim.host.request import Request
from ssdsim.states.power_loss import cut_power, reboot
from support.tiny_device import merge, tiny_config

FAST = {
    "hardware": {"blocks_per_plane": 10, "over_provisioning": 1 - 16 / 40, "channels": 1, "planes_per_die": 1},
    "ftl": {"mapping": {"scheme": "fast", "log_blocks": 3, "sequential_log_blocks": 2, "in_place": False}},
    "timing": "on",
    "integrity": "off",
    "power_loss": {"at_s": 1.0},
}
"""Four logical blocks of four pages in a plane, three random and two sequential log blocks, and one more for merges."""


@pytest.fixture
def device():
    made = Device(tiny_config(merge(FAST, {"precondition": {"mode": "none"}})))
    assert made.blocks.planes == 1
    return made


def write(device, *lpas):
    for lpa in lpas:
        device.layer.write_now(Request(), lpa)


def lose_power(device):
    """Return the device that comes up again; it says of every logical page what this one does."""
    places = [device.mapping.lookup(lpa) for lpa in range(16)]
    again, report = reboot(device.config, cut_power(device, 0))
    again.check()
    assert report["lost_acknowledged"] == 0
    assert [again.mapping.lookup(lpa) for lpa in range(16)] == places
    return again


def test_data_blocks_and_log_blocks_are_told_apart(device):
    """0 to 3 have become a data block; 4 is in a sequential log block, which may be one, too; others are in the log."""
    write(device, 0, 1, 2, 3, 5, 1, 4)
    before = device.frontier
    data, random, sequential = device.mapping.data_block(0, 0), before.random[0], before.sequential[0]
    assert data >= 0 and len(random) == 1 and sequential >= 0
    again = lose_power(device)
    assert [again.mapping.data_block(0, number) for number in range(4)] == [data, sequential, -1, -1]
    assert again.frontier.random[0] == random and again.frontier.newest[0] == random[0]


def test_a_log_block_in_order_beside_a_data_block_is_retired(device):
    write(device, 0, 1, 2, 3, 0, 1)
    data, sequential = device.mapping.data_block(0, 0), device.frontier.sequential[0]
    again = lose_power(device)
    assert again.mapping.data_block(0, 0) == data
    assert again.frontier.retired[0] == [(sequential, 0)]
    write(again, 2)
    assert again.frontier.blocks.block_of(again.mapping.lookup(1)) == again.mapping.data_block(0, 0) == sequential
    assert list(again.mapping.merges) == [0, 1, 0]


def test_random_log_blocks_keep_their_order(device):
    write(device, 1, 5, 9, 13, 1, 6)
    first, second = device.frontier.random[0]
    again = lose_power(device)
    assert again.frontier.random[0] == [first, second] and again.frontier.newest[0] == second
    write(again, 2, 3)
    assert again.frontier.blocks.block_of(again.mapping.lookup(2)) == second
