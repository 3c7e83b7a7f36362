"""Controllers of flash channels, for policies that look at their buses."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from ssdsim._core.codes import READ
from ssdsim._core.either_kernel import make_environment
from support.tiny_device import tiny_config
from support.transactions import taken


@pytest.fixture(scope="module")
def buses(modules: Mapping[str, ModuleType]) -> dict[bool, Any]:
    """Give the controller of a channel whose bus is taken, by True, and of one whose bus is free."""
    config = tiny_config({"hardware": {"channels": 2}}, modules["ssdsim.config"])
    device, env = modules["ssdsim.assembly.device"].Device(config), make_environment("compiled")
    device.connect(env)
    device.scheduler.submit(taken(device.transactions, op=READ, ppa=0))
    env.run(until=50)  # in the middle of the read's command
    busy, free = device.controllers
    assert busy.bus_taken and not free.bus_taken
    return {True: busy, False: free}
