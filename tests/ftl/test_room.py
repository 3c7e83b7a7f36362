"""Who waits for room is placed in the order of waiting, by whoever it was to be placed by."""

from collections import deque
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.assembly.device import Device
from ssdsim.errors import SimulationError
from ssdsim.ftl.plane_allocation import PlaneAllocation
from ssdsim.ftl.room import Placer, WriteRoom
from support.tiny_device import tiny_config


class Lines(Placer):
    """Records what is placed, and has room for as much as it is given."""

    def __init__(self):
        self.placed = []

    def page_of(self, waiting):
        return waiting

    def stream_of(self, waiting):
        return 0

    def place_waiting(self, waiting, plane):
        self.placed.append((waiting, plane))


class Anywhere(PlaneAllocation):
    """Names the plane that it is told to."""

    def plane_for(self, lpa, stream):
        return lpa


def waiting_room(keeps_plane):
    device = Device(tiny_config({"hardware": {"channels": 3}}))
    allocation = Anywhere()
    allocation.keeps_plane = keeps_plane
    room, placer = WriteRoom(device.blocks, allocation, device.frontier, device.collector), Lines()
    room.bind(placer)
    return room, placer


@given(st.lists(st.integers(-1, 2), max_size=20), st.booleans(), st.integers(0, 100))
def test_those_of_a_plane_come_first_and_then_those_of_any_each_in_order(planes, keeps_plane, seed):
    room, placer = waiting_room(keeps_plane)
    lines = {plane: deque() for plane in (-1, 0, 1, 2)}
    for number, plane in enumerate(planes):
        room.wait(number, plane)
        lines[plane if keeps_plane else -1].append(number)
        assert room.find(number, plane) == (-1 if plane < 0 or (keeps_plane and lines[plane]) else plane)
    for unit in Random(seed).sample(range(3), 3):
        placer.placed.clear()
        room.space_freed(unit)
        assert placer.placed == [(number, unit) for plane in (unit, -1) for number in lines[plane]]
        lines[unit].clear()
        lines[-1].clear()
    assert not any(room.waiting)


def test_a_plane_that_is_not_there_is_told():
    room, _ = waiting_room(keeps_plane=True)
    with pytest.raises(SimulationError, match=r"^the plane allocation chose plane 3 of 3\.$"):
        room.plane_for(3, 0)
