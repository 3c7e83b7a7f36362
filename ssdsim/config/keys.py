"""What there is to say of each key: meaning, unit, default and what it may be, from where it is declared.

The meaning is the string that stands below a field in its class, the unit is in its name, and its validator says what
it may be.
"""

import ast
import csv
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

from attrs import NOTHING, Attribute, Factory, fields, frozen, has

from ssdsim.config.experiment import SimulationConfig
from ssdsim.config.saved import WORKLOADS

UNITS = {
    "_ns_per_byte": "nanoseconds a byte",
    "_gt_s": "gigatransfers a second",
    "_ns": "nanoseconds",
    "_us": "microseconds",
    "_ms": "milliseconds",
    "_s": "seconds",
    "_kib": "KiB",
    "_mib": "MiB",
    "_bytes": "bytes",
    "_iops": "requests a second",
}
"""The unit that the end of a key's name stands for."""

KINDS: dict[Any, str] = {
    bool: "true or false",
    str: "a word",
    "null": "a word, or null",
    dict: "a mapping",
    list: "a list",
}


@frozen
class Key:
    """A key of the configuration, dotted, as `owner` declares it; `declared` tells more than its class knows."""

    name: str
    owner: type
    declared: Attribute

    @property
    def meaning(self) -> str:
        """One sentence."""
        return meanings(self.owner).get(self.declared.name, "")

    @property
    def unit(self) -> str:
        """The unit in words, empty without one."""
        return next((unit for end, unit in UNITS.items() if self.declared.name.endswith(end)), "")

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, none if it is no choice."""
        return getattr(self.declared.validator, "allowed", ())

    @property
    def explained(self) -> dict[str, str]:
        """What each word that it may be does; empty where it is no choice, or a policy, whose class says it."""
        return _explained().get(self.name, {})

    @property
    def must_be(self) -> str:
        """What it may be, in words."""
        if self.choices:  # names of policies, beside which a path may stand
            path = ", or the dotted path of a class" if getattr(self.declared.validator, "takes_paths", False) else ""
            return f"one of {', '.join(self.choices)}{path}"
        kind = "null" if self.declared.type == str | None else get_origin(self.declared.type) or self.declared.type
        return getattr(self.declared.validator, "must_be", KINDS.get(kind, ""))

    @property
    def default(self) -> Any:
        """What it is if nothing is said, `NOTHING` if something must be."""
        given: Any = self.declared.default
        return given.factory() if isinstance(given, Factory) else given  # type: ignore[arg-type]


@cache
def _explained() -> dict[str, dict[str, str]]:
    """Return the sentences of `choices.tsv` by key and word."""
    by_key: dict[str, dict[str, str]] = {}
    with Path(__file__).with_name("choices.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            by_key.setdefault(row["key"], {})[row["choice"]] = row["what it does"]
    return by_key


@cache
def meanings(cls: type) -> dict[str, str]:
    """Return by field of `cls`, and of the classes that it is derived from, the string that stands below it."""
    # those of the base class first, so that its own win
    texts = meanings(cls.__mro__[1]) if has(cls.__mro__[1]) else {}
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(body, ast.ClassDef)
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            texts = texts | {ast.unparse(field.target): str(below.value.value)}
    return texts


def keys(cls: type = SimulationConfig, prefix: str = "") -> Iterator[Key]:
    """Yield every key; one that several kinds of workload have comes once for each."""
    for declared in fields(cls):
        kind: Any = declared.type
        (item,) = get_args(kind) if get_origin(kind) is list else (None,)
        if has(kind):  # a section is no key, its keys are
            yield from keys(kind, f"{prefix}{declared.name}.")
            continue
        if meanings(cls).get(declared.name):
            yield Key(f"{prefix}{declared.name}", cls, declared)
        if isinstance(item, type) and has(item):
            yield from keys(item, f"{prefix}{declared.name}.")
    if cls is SimulationConfig:  # under one name, whatever the kind of workload
        for workload in WORKLOADS.values():
            yield from keys(workload, "workload.")


__all__ = ["NOTHING", "Key", "keys", "meanings"]
