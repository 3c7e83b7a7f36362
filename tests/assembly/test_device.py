"""The device as a whole: its wiring, its check, and what it says of those who wait."""

import pytest

from ssdsim import SimulationError
from ssdsim.assembly.device import Device
from ssdsim.host.request import Request


def test_the_check_says_what_is_wrong(tiny):
    device = Device(tiny())
    device.layer.writes.write_now(Request(), 0)
    device.mapping.update(0, 3)
    with pytest.raises(SimulationError, match=r"^check: page 0 is marked valid for logical page 0, which is not"):
        device.check()
