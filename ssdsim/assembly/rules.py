"""What does not go together, and why: a row of `rules.tsv` each, so that all that a configuration breaks can be told.

A rule is broken where its first two keys have the values that stand there, or none of those behind `!=`, and its `case`
holds as well: another such condition, or one of `CASES`. It is told as `first key=value: reason; remedy.` In both texts
`{1}` is the second key with its value, and `{found}` what the case has found.
"""

import csv
from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from attrs import frozen, has

from ssdsim.assembly.parts import Parts
from ssdsim.config.ftl import MOVES
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.errors import ConfigError
from ssdsim.flash.scheduler import Flin, Paq
from ssdsim.ftl.frontier import TwoPhaseFrontier

OTHERWISE = {
    "power_loss.at_s": "power_loss.after_programs",
    "hardware.bits_used": "hardware.bits_per_cell",
    "ftl.slc_cache.blocks": "ftl.slc_cache.free_share",
}
"""Keys that speak where the first one is null."""


def _unknown_streams(p: Parts) -> str:
    return ", ".join(sorted(p.ftl.page_type_by_stream.keys() - {*p.streams}))


def _unused_options(p: Parts) -> str:
    used = {name for names in p.scheme_lists.values() for name in names}
    return ", ".join(sorted(p.ftl.page_type_options.keys() - used))


def _forbidden_phases(p: Parts) -> bool:
    order = p.order
    by_type = [order.page_of(k, page_type) for page_type in range(order.types) for k in range(order.wordlines)]
    return isinstance(p.page_order, TwoPhaseFrontier) and order.first_illegal(by_type) >= 0


def _lacks_role(p: Parts, role: str) -> bool:
    return not p.is_fast and p.moves.role == role and role not in p.page_order.roles


def _mixes_streams(p: Parts, span: int) -> bool:
    return p.isolates and any(p.owners[plane] != p.owners[plane // span * span] for plane in range(p.hardware.planes))


CASES: dict[str, Callable[[Parts], Any]] = {
    "dynamic_allocation": lambda p: p.ftl.plane_allocation not in STATIC_ORDERS,
    "more_page_types": lambda p: p.backup is not None and p.hardware.page_types > p.backup.most_types,
    "other_page_order": lambda p: p.backup is not None and p.backup.needs_frontier not in ("", p.ftl.page_order),
    "page_order_for_backup": lambda p: p.backup is not None and p.backup.needs_frontier,
    "without_copies": lambda p: p.backup is None or not p.backup.copies,
    "backup_beforehand": lambda p: p.backup is not None and p.backup.beforehand,
    "shared_blocks": lambda p: p.page_order.shares_blocks,
    "forbidden_phases": _forbidden_phases,
    "unheeded_page_types": lambda p: bool(p.ftl.page_type) != p.page_order.heeds_page_types,
    "unknown_streams": _unknown_streams,
    "unused_options": _unused_options,
    "unknown_only_stream": lambda p: (
        p.config.host.only_stream not in (None, *p.streams) and (p.config.host.only_stream or "''")
    ),
    "adaptive_page_types": lambda p: p.asks_for_buffer,
    "flin": lambda p: isinstance(p.scheduling, Flin),
    "paq": lambda p: isinstance(p.scheduling, Paq),
    "rows_of_blocks": lambda p: p.ftl.moves not in MOVES[p.ftl.unit],
    "no_write_points": lambda p: _lacks_role(p, "points"),
    "no_page_ready": lambda p: _lacks_role(p, "copies"),
    "heedless_allocation": lambda p: not p.plane_allocation.dispatches,
    "several_write_points": lambda p: not p.is_fast and "points" not in p.page_order.roles,
    "cells_of_one_bit": lambda p: p.ftl.slc_cache.wanted and p.hardware.page_types == 1,
    "filled_cache": lambda p: p.ftl.slc_cache.wanted and p.config.precondition.mode == "fill",
    "mixed_units": lambda p: p.ftl.unit != "superblock" and _mixes_streams(p, len(p.places)),
    "mixed_superblocks": lambda p: p.ftl.unit == "superblock" and _mixes_streams(p, len(p.places)),
    "mixed_dies": lambda p: _mixes_streams(p, p.hardware.planes_per_die),
    "not_isolated": lambda p: not p.isolates,
    "own_mapping": lambda p: p.own_mapping is not None,
    "buffer_without_dies": lambda p: p.replacement is None or not p.replacement.knows_dies,
}
"""Cases that no value of a key tells."""


def value_of(config: Any, key: str) -> Any:
    """Return the value at a dotted key."""
    return attrgetter(key)(config)


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _holds(condition: str, parts: Parts) -> Any:
    """Return whether a condition holds, with anything that a case has found; a key alone is no condition."""
    key, values, is_excluded = _parsed(condition)
    if values:
        return (shown(value_of(parts.config, key)) in values) != is_excluded
    return CASES[key](parts) if key in CASES else True


@cache
def _parsed(condition: str) -> tuple[str, frozenset[str], bool]:
    """Return the key of a condition, the values that it is about, and whether the key must have none of them."""
    key, equals, values = condition.partition("=")
    return key.rstrip("!"), frozenset(values.split(",")) if equals else frozenset(), key.endswith("!")


@frozen
class Rule:
    """A row of `rules.tsv`."""

    first: str
    second: str
    case: str
    reason: str
    remedy: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The two keys that it is about."""
        return tuple(condition.partition("=")[0].rstrip("!") for condition in (self.first, self.second))

    def refusal(self, parts: Parts) -> "Refusal | None":
        """Return the refusal of a configuration that breaks this rule, None of any other."""
        if not (_holds(self.first, parts) and _holds(self.second, parts)):
            return None
        found = _holds(self.case, parts)
        if not found:
            return None
        keys = tuple(
            OTHERWISE[key] if key in OTHERWISE and value_of(parts.config, key) is None else key for key in self.keys
        )
        given = [_given(key, value_of(parts.config, key)) for key in keys]
        reason, remedy = (text.format(*given, found=found, p=parts) for text in (self.reason, self.remedy))
        return Refusal(self, keys, f"{given[0]}: {reason}; {remedy}.")


@frozen
class Refusal:
    """A rule that is broken: the keys that speak, and what is said."""

    rule: Rule
    keys: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def _given(key: str, value: Any) -> str:
    """Return a key with its value, or alone if that is a structure."""
    parts = value if isinstance(value, list) else [value]
    return key if any(isinstance(each, dict) or has(type(each)) for each in parts) else f"{key}={shown(value)}"


with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as _file:
    RULES = tuple(Rule(**row) for row in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))
"""In the order in which they are told."""


def refusals(parts: Parts) -> Iterator[Refusal]:
    """Yield all refusals of a configuration, the one to tell first of all."""
    yield from filter(None, (rule.refusal(parts) for rule in RULES))


def check_rules(parts: Parts) -> None:
    """Raise `ConfigError` for the first rule that is broken."""
    for refusal in refusals(parts):
        raise ConfigError(str(refusal))
