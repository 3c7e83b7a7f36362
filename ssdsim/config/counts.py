"""Whole numbers in configurations, which may be written as 1e6."""

from functools import wraps
from typing import Any

from attrs import fields


def accept_whole_floats(section: type) -> None:
    """Have the constructor of a section of the configuration take a float such as 1e6 for a whole number."""
    construct: Any = section.__init__  # type: ignore[misc]
    counts = {field.name for field in fields(section) if field.type in (int, int | None)}  # type: ignore[arg-type]

    @wraps(construct)
    def init(self: Any, **given: Any) -> None:
        for name in counts & given.keys():
            if isinstance(given[name], float) and given[name].is_integer():  # 1.5 is left for the validator to refuse
                given[name] = int(given[name])
        construct(self, **given)

    section.__init__ = init  # type: ignore[misc]
