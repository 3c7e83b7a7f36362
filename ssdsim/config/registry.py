"""Which policies there are: for each key of the configuration the base class and the classes that have a name.

The one list of names is `policies.tsv`. Validators, messages, `--help` and tests read it; a new policy is its file and
one entry there, or none, where it is named by the dotted path of its class. Classes are names there, too: what is built
of them imports them (`ssdsim.assembly.parts`).
"""

import csv
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

from attrs import Attribute, frozen

from ssdsim.errors import ConfigError, nearest

STATIC_ORDERS = tuple("".join(order) for order in permutations("CWDP"))
"""The static plane allocations: orders of channel, way, die and plane, fastest first."""


def is_path(value: Any) -> bool:
    """Return whether `value` is the dotted path of a class: a dot tells it from a name."""
    return isinstance(value, str) and "." in value and all(map(str.isidentifier, value.split(".")))


@frozen
class Axis:
    """What can be chosen at `key`: classes derived from one of `bases`, of the package `home` unless they say another.

    Of `named`, an empty class means that there is none of its kind. A class of the user's `own` may be named by its
    dotted path, unless the axis takes none. It is the validator of its key.
    """

    key: str
    home: str
    bases: tuple[str, ...]
    named: Mapping[str, str]
    own: bool

    def __call__(self, owner: Any, attribute: Attribute, value: Any) -> None:
        """Raise `ConfigError` for a value that names nothing."""
        self.check(f"{type(owner).group}{attribute.name}", value)

    def check(self, key: str, value: Any) -> None:
        """Raise `ConfigError`, with the nearest name, for a value at `key` that names nothing."""
        if not (isinstance(value, str) and value in self.named) and not (self.own and is_path(value)):
            raise ConfigError(f"{key}={value}: must be {self.must_be}{nearest(value, self.named)}.")

    @property
    def must_be(self) -> str:
        """What may be chosen, in words."""
        return f"one of {', '.join([*self.named, *['or the dotted path of a class'] * self.own])}"


def _axes() -> Iterator[Axis]:
    """Yield the rows of `policies.tsv`; names are written `name=class`, separated by blanks."""
    with Path(__file__).with_name("policies.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            static = STATIC_ORDERS if row["key"] == "ftl.plane_allocation" else ()
            named = dict(word.split("=") for word in row["named"].split())
            named = dict.fromkeys(static, "StaticPlaneAllocation") | named
            yield Axis(row["key"], row["home"], tuple(row["base"].split()), named, row["own"] == "yes")


AXES = {axis.key: axis for axis in _axes()}
"""The axes by key; the order of names is that of messages."""
