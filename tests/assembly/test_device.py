"""The device as a whole: its wiring, its check, and what it says of those who wait."""

import numpy as np
import pytest

from ssdsim import SimulationError
from ssdsim._core.kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.check.words import UNIT
from ssdsim.config import STATIC_ORDERS
from ssdsim.flash.data import EMPTY
from ssdsim.flash.views import dies_of
from ssdsim.host.request import Request


def test_the_wiring_fits_one_screen(tiny):
    text = str(Device(tiny({"hardware": {"channels": 3}, "ftl": {"gc": {"victim": "rga"}}})))
    assert len(text.splitlines()) <= 24 and max(map(len, text.splitlines())) <= 120
    for part in (
        "48 logical pages",
        "CWDP",
        "rga below 2",
        "read_priority",
        "3 flash controllers",
        "8 blocks x 4 pages",
    ):
        assert part in text


def test_dies_belong_to_their_chips_and_channels(tiny):
    device = Device(tiny({"hardware": {"channels": 2, "chips_per_channel": 3, "dies_per_chip": 2}}))
    device.connect(make_environment("compiled"))
    assert [(die.index, die.channel, die.chip) for die in dies_of(device.dies)] == [
        (i, i // 6, i // 2) for i in range(12)
    ]


@pytest.mark.parametrize("order", STATIC_ORDERS)
def test_consecutive_pages_spread_over_all_planes_first(tiny, order):
    shape = {"channels": 2, "chips_per_channel": 2, "dies_per_chip": 2, "planes_per_die": 2}
    device = Device(tiny({"hardware": shape, "ftl": {"plane_allocation": order}}))
    for lpa in range(32):
        device.layer.write_now(Request(), lpa)
    assert device.blocks.column("valid").reshape(16, -1).sum(axis=1).tolist() == [2] * 16
    device.check()


def test_the_check_says_what_is_wrong(tiny):
    device = Device(tiny())
    device.layer.write_now(Request(), 0)
    device.mapping.update(0, 3)
    with pytest.raises(
        SimulationError, match=r"^check: page 0 of block 0 is marked valid for logical page 0, which is not"
    ):
        device.check()


@pytest.mark.parametrize("check", ["gc", "always"])
def test_a_check_after_each_collection_stops_the_run_there(tiny, check):
    device = Device(tiny({"check": check}))
    device.layer.write_now(Request(), 15)
    device.mapping.update(15, 3)
    with pytest.raises(SimulationError, match=r"^check: "):
        for lpa in np.random.default_rng(1).integers(0, 8, 200).tolist():
            device.layer.write_now(Request(), lpa)
    assert device.collector.collections <= 2


def test_a_page_is_read_as_it_was_written_last(tiny):
    device = Device(tiny())
    for image in (UNIT, 2 * UNIT):
        request = Request()
        request.data = {3: image}
        device.layer.write_now(request, 3)
    assert read_now(device, 3) == 2 * UNIT and read_now(device, 4) == EMPTY
    device.layer.trim_now(3)
    assert read_now(device, 3) == EMPTY
    assert device.mapping.lookup(3) == -1 and device.blocks.column("valid").sum() == 0


def read_now(device, lpa):
    request = Request()
    request.data = {}
    device.layer.read_now(request, lpa)
    return request.data[lpa]


def test_nobody_waits_in_a_fresh_device(tiny):
    assert list(Device(tiny()).waiting()) == []


def test_erases_are_those_of_the_blocks(tiny):
    device = Device(tiny())
    for lpa in range(60):
        device.layer.write_now(Request(), lpa % 4)
    assert device.erases().sum() == device.collector.collections > 0
