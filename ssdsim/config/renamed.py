"""Keys that have another name now: an old one is answered with the new one, on the command line and in Python."""

from functools import wraps
from typing import Any

from ssdsim.errors import ConfigError

RENAMED: dict[str, str] = {}
"""The old key, dotted, and what to write in its place, as it may stand in a sentence."""


def check_name(key: str, given: str) -> None:
    """Raise `ConfigError` for the old name of a key, set as in `given`."""
    if key in RENAMED:
        raise ConfigError(f"{given}: {key} has a new name; write {RENAMED[key]}.")


def answering(cls: type) -> None:
    """Have the constructor of a section of the configuration tell the new name of a key instead of a `TypeError`."""
    construct: Any = cls.__init__  # type: ignore[misc]

    @wraps(construct)
    def init(self: Any, **given: Any) -> None:
        for name in RENAMED and given:
            key = f"{cls.group}{name}"  # type: ignore[attr-defined]
            check_name(key, f"{key}={given[name]}")
        construct(self, **given)

    cls.__init__ = init  # type: ignore[misc]
