"""Write frontiers on their own."""

import sys

from ssdsim.assembly.parts import built
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.device_view import DeviceView
from ssdsim.ftl.frontier.separation import HotCold, Separate, Separation, Shared
from ssdsim.ftl.frontier.sequential import SequentialFrontier

HOST_DATA = 0
MOVED_DATA = 1


class SixKinds(Separation):
    """Two kinds of the host's data, and four of moved data apart from these."""

    hosts, moved = range(2), range(2, 6)


SEPARATIONS = {"separate": Separate, "shared": Shared, "hot_cold": HotCold, "tests.SixKinds": SixKinds}


def bound(made, blocks, config):
    """Return a frontier of class `made` over `blocks`."""
    frontier = made()
    frontier.separation = SEPARATIONS[config.active_blocks]()
    frontier.bind(blocks, config)
    return frontier


def plane_allocation(made, hardware, frontier=None, modules=sys.modules, **options):
    """Return a plane allocation of class `made` on an idle device."""
    view = modules["ssdsim.device_view"].DeviceView(hardware, ("main",), (0,))
    policy = modules["ssdsim.assembly.parts"].built(made, "", options, view)
    policy.frontier, policy.mapping, policy.at_dispatch, policy.dies = frontier, None, False, None
    return policy


def page_type_scheme(made, blocks, buffer=None, random=None, **options):
    """Return a page-type scheme of class `made` over `blocks`."""
    shape = {"channels": 1, "chips_per_channel": 1, "dies_per_chip": 1, "planes_per_die": blocks.planes}
    cells = {"bits_per_cell": blocks.page_types, "program_us": [100.0], "page_kib": 4}
    hardware = HardwareConfig(**shape, **cells)
    scheme = built(made, "", options, DeviceView(hardware, ("main",), (0,)))
    scheme.blocks, scheme.types, scheme.buffer, scheme.random = blocks, blocks.page_types, buffer, random
    return scheme


def sequential(blocks, shared=True):
    """Return the conventional frontier over `blocks`."""
    return bound(SequentialFrontier, blocks, FtlConfig(active_blocks="shared" if shared else "separate"))


def given_page(frontier, plane, purpose, lpa, page_type=0):
    """Return the page of `plane` that host data, or moved data, is given, of its own kind or what it shares."""
    return frontier.allocate(plane, min(purpose, frontier.kinds - 1), lpa, page_type)
