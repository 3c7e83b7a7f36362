"""What a recount says of the fields of a summary, and how the two are compared."""

from collections.abc import Iterator, Sequence
from math import isclose
from typing import Any

import attrs
import numpy as np

RELATIVE = 1e-9
"""The relative difference allowed to floating-point numbers that were added up in another order."""


@attrs.frozen
class Between:
    """A number from `low` to `high`, as far as the tables tell it."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


@attrs.frozen
class Claim:
    """What the fields of these names add up to, or what one of them is, and what says so."""

    names: tuple[str, ...]
    value: Any
    source: str = "the tables of requests and commands"


def claims(prefix: str, values: dict[str, Any]) -> Iterator[Claim]:
    """Yield a claim for each value of nested dictionaries, by dotted name."""
    for name, value in values.items():
        path = f"{prefix}.{name}" if prefix else name
        if isinstance(value, dict):
            yield from claims(path, value)
        else:
            yield Claim((path,), value)


def agree(written: Any, counted: Any) -> bool:
    """Return whether a value of the summary is what was counted: whole numbers to the last."""
    if isinstance(counted, Between):
        low, high = counted.low - RELATIVE * abs(counted.low), counted.high + RELATIVE * abs(counted.high)
        return written is not None and low <= written <= high
    if isinstance(counted, Sequence) and not isinstance(counted, str):
        return len(written) == len(counted) and all(map(agree, written, counted))
    if isinstance(written, float) or isinstance(counted, float):
        # 1e-12: numbers about 0, where nothing is relative
        return None not in (written, counted) and isclose(written, counted, rel_tol=RELATIVE, abs_tol=1e-12)
    return bool(written == counted)


def share(part: float, whole: float) -> float | None:
    """Return `part` over `whole`, None without any."""
    return float(part / whole) if whole else None


def bounded(least: float, more: float) -> Any:
    """Return a number to which `more`, at most, may come that is in no table."""
    return Between(least, least + more) if more else least


def how_many(mask: np.ndarray) -> int:
    """Return how many there are that are true."""
    return int(np.count_nonzero(mask))
