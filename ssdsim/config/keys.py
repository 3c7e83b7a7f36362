"""What there is to say of each key: meaning, default and what it may be, from where it is declared.

The meaning is the string that stands below a field in its class, and its validator says what it may be.
"""

import ast
import csv
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import Attribute, Factory, fields, frozen, has

from ssdsim.config.experiment import SimulationConfig
from ssdsim.config.saved import WORKLOADS


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
    def explained(self) -> dict[str, str]:
        """What each word that it may be does, where the words do not say it; a policy's class says it."""
        return {word: said for key, word, said in _choices() if key == self.name}

    @property
    def must_be(self) -> str:
        """What it may be, in words."""
        return getattr(self.declared.validator, "must_be", "")

    @property
    def default(self) -> Any:
        """What it is if nothing is said, `NOTHING` if something must be."""
        given: Any = self.declared.default
        return given.factory() if isinstance(given, Factory) else given  # type: ignore[arg-type]


@cache
def _choices() -> list[list[str]]:
    """Return key, word and sentence of each row of `choices.tsv`."""
    with Path(__file__).with_name("choices.tsv").open(encoding="utf-8") as file:
        return [*csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


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
        if has(kind):  # a section is no key, its keys are
            yield from keys(kind, f"{prefix}{declared.name}.")
            continue
        if meanings(cls).get(declared.name):
            yield Key(f"{prefix}{declared.name}", cls, declared)
    if cls is SimulationConfig:  # under one name, whatever the kind of workload
        for workload in WORKLOADS.values():
            yield from keys(workload, "workload.")
