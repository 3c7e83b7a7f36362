"""Print tables of what goes with what: of every two values of two axes whether they run, or the reason why not.

Each pair is tried on a small device. A value brings along what it has no meaning without (`WITH`), where the other one
leaves that as it was. What the rules allow is only said to run if the device has room, and has been built.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import attrs

from ssdsim.assembly.capacity import check_limits
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import refusals, shown, value_of
from ssdsim.config import SimulationConfig, load, nearest
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.errors import ConfigError

from . import failures, parser
from .compose import session
from .diagnosis import without_hydra
from .groups import choices
from .presets import compose

WIDTH = 120
RUNS = "runs"
STACK = "stack"
KEYS = (
    "ftl.unit",
    "ftl.page_order",
    "ftl.mapping.scheme",
    "ftl.gc.moves",
    "ftl.backup",
    "buffer.replacement",
    "ftl.plane_allocation",
    "scheduler.policy",
    "ftl.gc.victim",
)
"""The axes that are keys; `stack` is another one."""

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and return 0, or 2 if the axes are no two that there are."""
    options = parser("combinations", __doc__)
    options.epilog = f"Axes: {', '.join((*KEYS, STACK))}. {options.epilog}"
    options.add_argument("axes", nargs="*", metavar="AXIS", help="two of them, by their keys or the ends of these")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _show(given.axes))


def _show(asked: Sequence[str]) -> int:
    with session():
        for line in matrix(asked):
            print(line)
    return 0


def axes() -> tuple[str, ...]:
    """Return the names of the axes, within a session of `compose`."""
    return (*KEYS, STACK)


def values(axis: str) -> list[str]:
    """Return the values of an axis; of the static plane allocations, the default stands for all."""
    if axis == STACK:
        return choices(STACK)
    section, _, name = axis.rpartition(".")
    attribute = attrs.fields_dict(type(value_of(SimulationConfig(), section)))[name]
    left_out = {"null", *STATIC_ORDERS} - {attribute.default}
    return [choice for choice in getattr(attribute.validator, "allowed", ("false", "true")) if choice not in left_out]


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
            node = compose(f"stack={name}", "hardware/cells=all", "workload=synthetic")
            self.stacks[name] = changed(load(without_hydra(node)), SMALL)
        return self.stacks[name]

    def verdict(self, pair: Mapping[str, str]) -> str:
        """Return `RUNS`, or the sentence that refuses a pair of values: the one that says most about these axes."""
        try:
            config = self.config(pair)
            # most of these axes first; of equals the rule that stands first
            refused = sorted(refusals(Parts(config)), key=lambda refusal: -len({*refusal.keys} & {*pair}))
            if refused:
                return explained(str(refused[0]), pair)
            check_limits(config)
            Device(config)
        except ConfigError as refusal:
            return explained(str(refusal), pair)
        return RUNS


def explained(sentence: str, pair: Mapping[str, str]) -> str:
    """Return a refusal that also names the values of which it is only about what comes with them."""
    comes = []
    for axis, value in pair.items():
        brought = [f"{key}={shown(given)}" for key, given in WITH.get((axis, value), {}).items()]
        told = [override for override in brought if override in sentence]
        if told and f"{axis}=" not in sentence:  # a sentence that has the value needs no more
            comes.append(f"{axis}={value} comes with {' and '.join(told)}")
    return f"{sentence.rstrip('.')} ({'; '.join(comes)})." if comes else sentence


def chosen_axes(asked: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of axes that `asked` names, all if it is empty, by their keys or the ends of these at a dot."""
    if not asked:
        return list(combinations(axes(), 2))
    # any end of a key at a dot is a name: victim, gc.victim, ftl.gc.victim
    names = {axis.split(".", dots)[-1]: axis for axis in axes() for dots in range(axis.count(".") + 1)}
    for name in asked:
        if name not in names:
            raise ConfigError(f"{name}: is no axis; they are {', '.join(axes())}{nearest(name, names)}.")
    if len(asked) != 2 or names[asked[0]] == names[asked[1]]:
        raise ConfigError(
            f"combinations {' '.join(asked)}: takes two axes, or none for all; they are {', '.join(axes())}."
        )
    return [(names[asked[0]], names[asked[1]])]


def matrix(asked: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table for each two axes: rows and columns are values, and numbers refer to reasons below."""
    trials = Trials()
    for first, second in chosen_axes(asked):
        # the longer one goes down: columns are few, lines are not
        if len(values(first)) < len(values(second)):
            first, second = second, first
        rows, columns = values(first), values(second)
        verdicts = [[trials.verdict({first: row, second: column}) for column in columns] for row in rows]
        reasons = dict.fromkeys(verdict for line in verdicts for verdict in line if verdict != RUNS)
        numbers = {reason: f"({number})" for number, reason in enumerate(reasons, 1)} | {RUNS: RUNS}
        yield f"{first} by {second}"
        yield from table(rows, columns, [[numbers[verdict] for verdict in line] for line in verdicts])
        for number, reason in enumerate(reasons, 1):
            yield from textwrap.wrap(reason, WIDTH, initial_indent=f"  ({number}) ", subsequent_indent="      ")
        yield ""


def table(rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    head = max(map(len, rows))
    widths = [max(len(column), len("(99)")) for column in columns]  # as wide as a number of a reason, up to 99
    for name, line in [("", columns), *zip(rows, cells, strict=True)]:
        shown_cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield f"  {name.ljust(head)}  {'  '.join(shown_cells)}".rstrip()
