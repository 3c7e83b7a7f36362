"""The device as a whole: its wiring, its check, and what it says of those who wait."""

import numpy as np
import pytest

from ssdsim import SimulationError
from ssdsim.assembly.device import Device
from ssdsim.host.request import Request


def test_the_check_says_what_is_wrong(tiny):
    device = Device(tiny())
    device.layer.writes.write_now(Request(), 0)
    device.mapping.update(0, 3)
    with pytest.raises(
        SimulationError, match=r"^check: page 0 of block 0 is marked valid for logical page 0, which is not"
    ):
        device.check()


@pytest.mark.parametrize("check", ["gc", "always"])
def test_a_check_after_each_collection_stops_the_run_there(tiny, check):
    device = Device(tiny({"check": check}))
    device.layer.writes.write_now(Request(), 15)
    device.mapping.update(15, 3)
    with pytest.raises(SimulationError, match=r"^check: "):
        for lpa in np.random.default_rng(1).integers(0, 8, 200).tolist():
            device.layer.writes.write_now(Request(), lpa)
    assert device.collector.collections <= 2
