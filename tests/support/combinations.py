"""Pairs of values of the axes, on a small device with room for everything."""

from collections.abc import Mapping
from typing import Any

import attrs

from ssdsim.assembly.rules import value_of
from ssdsim.command.compose import compose
from ssdsim.config import SimulationConfig, load

STACK = "stack"

BY_TYPE = {"ftl.page_type": ["uniform"]}
WITH: dict[tuple[str, str], dict[str, Any]] = {
    ("ftl.unit", "die"): {"buffer.replacement": "epo"},
    ("ftl.page_order", "page_type"): BY_TYPE,
    ("ftl.page_order", "two_phase"): BY_TYPE | {"flash.program_order": "rps"},
    ("ftl.page_order", "return_to_fast"): BY_TYPE,
    ("ftl.gc.moves", "rows"): {"ftl.unit": "twin"},
    ("ftl.gc.moves", "chip"): {"ftl.gc.scope": "device"},
    ("ftl.backup", "block_parity"): BY_TYPE
    | {"ftl.page_order": "two_phase", "flash.program_order": "rps", "ftl.active_blocks": "shared"},
    ("ftl.backup", "pair_parity"): {"flash.program_order": "fps", "ftl.active_blocks": "shared"},
    ("ftl.backup", "page_copy"): {"flash.program_order": "fps"},
    ("scheduler.policy", "paq"): {"flash.multi_plane": ["read", "program", "erase"]},
}
"""What a value of an axis comes with."""

OPTIONS = {"ftl.gc.victim": "ftl.gc.options", "scheduler.policy": "scheduler.options"}
"""Options that are those of a stack's own policy, and not of another one."""

SMALL = {
    "hardware.channels": 1,
    "hardware.chips_per_channel": 2,
    "hardware.dies_per_chip": 1,
    "hardware.planes_per_die": 2,
    "hardware.blocks_per_plane": 32,
    "hardware.pages_per_block": 12,
    "hardware.bits_per_cell": 2,
    "hardware.bits_used": None,
    "hardware.program_us": [450.0, 950.0],
    "hardware.over_provisioning": 0.6,
    "hardware.extra_blocks": 0,
    "buffer.size_mib": 0.125,
    "buffer.footprint_share": None,
    "ftl.mapping.cache_kib": 0.1,
    "precondition.mode": "none",
}
"""A device with room for everything: four planes of 32 blocks of 12 MLC pages, two fifths logical; a cache for 12
entries of DFTL's table."""


def changed(config: Any, changes: Mapping[str, Any]) -> Any:
    """Return a section of the configuration with other values at dotted keys."""
    own = {key: value for key, value in changes.items() if "." not in key}
    for name in {key.partition(".")[0] for key in changes.keys() - own.keys()}:
        below = {key.removeprefix(f"{name}."): value for key, value in changes.items() if key.startswith(f"{name}.")}
        own[name] = changed(getattr(config, name), below)
    return attrs.evolve(config, **own)


class Trials:
    """Tries pairs of values, within a session; stacks are composed once each."""

    def __init__(self) -> None:
        self.stacks: dict[str, SimulationConfig] = {}

    def config(self, pair: Mapping[str, str]) -> SimulationConfig:
        """Return the configuration that a pair of values, by axis, makes of the small device."""
        standard = self.stack("baseline")
        config = self.stack(pair.get(STACK, "baseline"))
        words: dict[str, Any] = {"true": True, "false": False}
        chosen = {axis: words.get(value, value) for axis, value in pair.items() if axis != STACK}
        chosen |= {OPTIONS[axis]: {} for axis in pair if axis in OPTIONS}
        own: dict[str, Any] = {}
        for axis, value in pair.items():
            for key, given in WITH.get((axis, value), {}).items():
                # a stack's own choice stays; of two values that bring the same key along the first does
                if key not in own and value_of(config, key) == value_of(standard, key):
                    own[key] = given
        made: SimulationConfig = changed(config, own | chosen)  # the pair itself wins
        return made

    def stack(self, name: str) -> SimulationConfig:
        """Return a stack on the small device."""
        if name not in self.stacks:
            node = compose(
                f"stack={name}", "hardware=tlc_4g", "precondition=fill", "hardware/cells=all", "workload=synthetic"
            )
            self.stacks[name] = changed(load(node), SMALL)
        return self.stacks[name]
