"""What does not go together, and why: a row of `rules.tsv` each, so that all that a configuration breaks can be told.

A rule is broken by each condition in `second` that holds along with one in `first`. A condition is a key, with the
values that it is about (`key=one,other`), those that it is not about (`key!=one`), one of `CASES` (`key?case`), or
nothing where it always holds. It is told as `key=value: reason; remedy.`, in which `{wrong}` is the second key with its
value, `{right}` the value to set it to, `{found}` what its case has found.
"""

import csv
import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

from attrs import field, frozen, has

from ssdsim._core.cells import first_illegal
from ssdsim.assembly.parts import Parts
from ssdsim.config import SimulationConfig
from ssdsim.config.ftl import MOVES
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.ftl.frontier.page_type import PageTypeFrontier, TwoPhaseFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier

GIVEN_BY = {
    "power_loss.wanted": ("power_loss.at_s", "power_loss.after_programs"),
    "hardware.page_types": ("hardware.bits_used", "hardware.bits_per_cell"),
    "ftl.slc_cache.wanted": ("ftl.slc_cache.blocks", "ftl.slc_cache.free_share"),
    "ftl.moves": ("ftl.gc.moves",),
}
"""What follows of several keys, or of another where that is null: it is told as the first of these that is not null."""

DEFAULT = SimulationConfig()


CASES: dict[str, Callable[[Parts], Any]] = {
    "dynamic_allocation": lambda p: p.ftl.plane_allocation not in STATIC_ORDERS and "CWDP",
    "shared_blocks": lambda p: p.page_order.shares_blocks and "sequential",
    "forbidden_phases": lambda p: (
        isinstance(p.page_order, TwoPhaseFrontier) and first_illegal(p.order, p.order.page_at) >= 0 and "rps"
    ),
    "unheeded_page_types": lambda p: bool(p.ftl.page_type) != p.page_order.heeds_page_types,
    "unknown_only_stream": lambda p: (
        p.config.host.only_stream not in (None, *p.streams) and (p.config.host.only_stream or "''")
    ),
    "adaptive_page_types": lambda p: bool(p.schemes) and "adaptive" in p.ftl.page_type + p.gc.page_type,
    "other_moves": lambda p: p.ftl.moves not in MOVES[p.ftl.unit],
    "heedless_allocation": lambda p: not p.plane_allocation.dispatches and "f",
    "write_points": lambda p: not p.is_fast and not isinstance(p.page_order, SequentialFrontier) and "sequential",
    "no_copies": lambda p: (
        not p.is_fast and not isinstance(p.page_order, SequentialFrontier | PageTypeFrontier) and "sequential"
    ),
    "cells_of_one_bit": lambda p: p.hardware.page_types == 1 and "2",
    "fills_partly": lambda p: not p.config.precondition.whole_blocks and p.config.precondition.mode == "fill",
    "written_untimed": lambda p: (
        p.config.precondition.mode == "writes" and p.config.precondition.timed is False and "true"
    ),
    "no_buffer": lambda p: p.replacement is None and "epo",
    "buffer_without_dies": lambda p: (p.replacement is None or not p.replacement.knows_dies) and "epo",
}
"""Cases that no value of a key tells: each finds the value to set instead, what is wrong, or just that it is so."""


def value_of(config: Any, key: str) -> Any:
    """Return the value at a dotted key."""
    return attrgetter(key)(config)


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


@frozen
class Condition:
    """A key and the values of it, or the case, for which the condition holds; without either it always does."""

    key: str
    kind: str = ""
    values: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Return the condition that is written so."""
        key, kind, values = re.fullmatch(r"([\w.]+)(!=|=|\?|)(.*)", text).groups()  # type: ignore[union-attr]
        return cls(key, kind, tuple(values.split(",")))

    def holds(self, parts: Parts) -> Any:
        """Return the truth of the condition, or the finding of its case."""
        if self.kind == "?":
            return CASES[self.values[0]](parts)
        return not self.kind or (shown(value_of(parts.config, self.key)) in self.values) == (self.kind == "=")

    def told_key(self, config: SimulationConfig) -> str:
        """Return the key to name: its own, or the one that gives its value."""
        keys = GIVEN_BY.get(self.key, (self.key,))
        return next((key for key in keys if value_of(config, key) is not None), keys[-1])

    def told(self, config: SimulationConfig) -> str:
        """Return the key to name with its value, or alone if that is a structure."""
        key = self.told_key(config)
        value = value_of(config, key)
        value = value_of(config, self.key) if value is None else value
        parts = value if isinstance(value, list) else [value]
        return key if any(isinstance(each, dict) or has(type(each)) for each in parts) else f"{key}={shown(value)}"

    def right(self, config: SimulationConfig) -> str:
        """Return a value to set instead, where no case has found one: one of its own, or the default."""
        return self.values[0] if self.kind == "!=" else shown(value_of(DEFAULT, self.told_key(config)))


def _parse_conditions(text: str) -> tuple[Condition, ...]:
    return tuple(map(Condition.parse, text.split()))


@frozen
class Rule:
    """A row of `rules.tsv`."""

    first: tuple[Condition, ...] = field(converter=_parse_conditions)
    second: tuple[Condition, ...] = field(converter=_parse_conditions)
    reason: str
    remedy: str


with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as _file:
    RULES = tuple(Rule(**row) for row in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))
"""In the order in which they are told."""


class Refusal:
    """A rule that is broken by a condition: the keys to name, the value to set the second one to, and the sentence."""

    def __init__(self, rule: Rule, feature: Condition, wrong: Condition, parts: Parts, found: Any):
        config = parts.config
        self.rule, self.condition = rule, wrong
        self.keys = feature.told_key(config), wrong.told_key(config)
        self.right = found if isinstance(found, str) else wrong.right(config)
        words = {"wrong": wrong.told(config), "right": self.right, "found": found, "p": parts}
        self.sentence = f"{feature.told(config)}: {rule.reason}; {rule.remedy}.".format(**words)

    def __str__(self) -> str:
        return self.sentence


def refusals(parts: Parts) -> Iterator[Refusal]:
    """Yield the refusals of a configuration in the order of the rules, one for each pair of conditions that holds."""
    for rule in RULES:
        for feature in (first for first in rule.first if first.holds(parts)):
            for wrong in rule.second:
                if found := wrong.holds(parts):
                    yield Refusal(rule, feature, wrong, parts, found)
