"""Keys that have another name now: an old one is answered with the new one, on the command line and in Python."""

from functools import wraps
from typing import Any

from attrs import fields

from ssdsim.errors import ConfigError

RENAMED: dict[str, str] = {
    "ftl.block_allocation": "ftl.page_order, or ftl.unit=twin for aligned blocks",
    "ftl.write_unit": "ftl.unit",
    "ftl.gc.unit": "ftl.unit for aligned blocks, or ftl.gc.moves=parallel",
    "ftl.gc.copyback": "ftl.gc.moves=copyback for true, ftl.gc.moves=controller for false",
}
"""The old key, dotted, and what to write in its place, as it may stand in a sentence."""


def check_name(key: str, given: str) -> None:
    """Raise `ConfigError` for the old name of a key, set as in `given`."""
    if key in RENAMED:
        raise ConfigError(f"{given}: {key} has a new name; write {RENAMED[key]}.")


def answering(cls: type) -> None:
    """Have the constructor of a section of the configuration tell the new name of a key instead of a `TypeError`.

    It takes 1e6 for a whole number, too.
    """
    construct: Any = cls.__init__  # type: ignore[misc]
    counts = {each.name for each in fields(cls) if each.type in (int, int | None)}  # type: ignore[arg-type]

    @wraps(construct)
    def init(self: Any, **given: Any) -> None:
        for name in RENAMED and given:
            key = f"{cls.group}{name}"  # type: ignore[attr-defined]
            check_name(key, f"{key}={given[name]}")
        for name in counts & given.keys():
            if isinstance(given[name], float) and given[name].is_integer():
                given[name] = int(given[name])
        construct(self, **given)

    cls.__init__ = init  # type: ignore[misc]
