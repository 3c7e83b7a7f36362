"""The project's stacks on tiny devices, and how full these may be."""

from bisect import bisect_left
from functools import cache
from pathlib import Path

import attrs

import conf
from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_room
from ssdsim.assembly.parts import Parts
from ssdsim.command.compose import composed
from ssdsim.config import PowerLossConfig

ALL_STACKS = sorted(file.stem for file in (Path(conf.__file__).parent / "stack").glob("*.yaml"))
TINY = [
    *("hardware.dies_per_chip=1", "hardware.page_kib=4", "hardware.over_provisioning=0.95"),
    *("hardware.read_us=[10]", "hardware.erase_us=1000", "hardware.bus_ns_per_byte=1"),
    *("ftl.gc.soft_threshold=2", "ftl.gc.hard_threshold=2", "precondition.mode=none", "integrity=on"),
]


OF_MLC = ("flex_ftl", "page_ftl", "parity_ftl", "rtf_ftl")
"""Stacks that were made for MLC; the last two need it."""


def chosen(name):
    """Return the overrides that choose a stack, and the cells that it was made for."""
    return [f"stack={name}", *(["hardware/cells=mlc"] if name in OF_MLC else [])]


def configured(*overrides):
    """Return the configuration that the command line makes of `overrides`."""
    return composed([*overrides])


@cache
def stack(name, *overrides):
    """Return the stack called `name`, with a power loss to come, on a device whose size is still to be chosen."""
    config = configured(*chosen(name), *TINY, *overrides)
    return attrs.evolve(config, power_loss=PowerLossConfig(at_s=9e6))


def sized(config, slack, **hardware):
    """Return `config` on hardware so changed, with as many logical pages a plane as are allowed, less `slack`."""
    flash = attrs.evolve(config.hardware, **hardware)
    most = flash.pages_per_plane
    missing = bisect_left(range(most), True, key=lambda fewer: is_allowed(holding(config, flash, most - fewer)))
    return holding(config, flash, max(most - missing - slack, 1))


def holding(config, flash, logical):
    """Return `config` on `flash` with so many logical pages a plane."""
    over_provisioning = 1 - logical / flash.pages_per_plane
    return attrs.evolve(config, hardware=attrs.evolve(flash, over_provisioning=over_provisioning))


def is_allowed(config):
    """Return whether garbage collection can work on the device that `config` describes."""
    try:
        check_room(Parts(config))
    except ConfigError:
        return False
    return True
