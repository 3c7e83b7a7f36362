"""The options of a job of fio, as its manual (HOWTO) has them: which there are, and their values.

What says how a host gets requests to a device (`NO_MEANING`) is left out and named; every other option that is not
known here is refused, unless it is switched off.
"""

import csv
import difflib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import READ, TRIM, WRITE

with Path(__file__).with_name("fio_options.tsv").open(encoding="utf-8") as _file:
    _ROWS = [*csv.DictReader(_file, delimiter="\t", restval="")]

TAKEN = frozenset(row["option"] for row in _ROWS if row["use"] == "taken")
NO_MEANING = frozenset(row["option"] for row in _ROWS if row["use"] == "none")
"""Options about the host's program, its data, its files and its logs."""

ALIASES = {also: row["option"] for row in _ROWS for also in row["also"].split()}
"""Usual names of options by other ones."""

OFF = ("0", "none", "false")
"""Values that switch an option off."""

USUAL = {("nrfiles", "1")}
"""Options with the one value that is supported."""

LONGEST_S = 25 * 86400

DIRECTIONS = (READ, WRITE, TRIM)
"""The operations in the order of values that are separated by commas."""

TIMES_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6}
_NUMBER = re.compile(r"(0x[0-9a-f]{1,16})|(\d{1,16})([kmgtp]?)(i?b?)", re.IGNORECASE)


@attrs.frozen
class Amount:
    """Bytes, or a percentage of a file."""

    value: float
    is_percent: bool = False

    def in_bytes(self, length: int) -> int:
        """Return the bytes, of a file of so many."""
        return int(length * self.value / 100) if self.is_percent else int(self.value)


Sizes = tuple[tuple[int, ...], tuple[float, ...]]
"""Sizes of requests in bytes, and the probability of each."""


class Options:
    """The options of a job, each read as the kind of value that it has."""

    def __init__(self, place: str, given: Mapping[str, str]) -> None:
        self.place, self.given = place, given
        for name, value in given.items():
            if name in TAKEN or name in NO_MEANING or value.lower() in OFF or (name, value) in USUAL:
                continue
            # only a slip of the pen: most others are options of fio, too
            near = difflib.get_close_matches(name, sorted(TAKEN), 1, 0.75)
            raise self.refused(name, f"not supported; take it out{nearest(name, near)}")

    def refused(self, name: str, problem: str) -> ConfigError:
        """Return the error of an option that has a `problem`."""
        return ConfigError(f"{self.place} {shown(name)}={shown(self.given.get(name, ''))}: {problem}.")

    def flag(self, name: str) -> bool:
        """Return whether an option is switched on."""
        return self.given.get(name, "0").lower() not in OFF

    def word(self, name: str, default: str, allowed: Mapping[str, Any] | tuple[str, ...]) -> str:
        """Return a word that is one of those `allowed`."""
        value = self.given.get(name, default)
        if value not in allowed:
            raise self.refused(name, f"must be one of {', '.join(allowed)}{nearest(value, allowed)}")
        return value

    def count(self, name: str, default: int, least: int = 1) -> int:
        """Return a whole number that is not below the `least`."""
        value = self.given.get(name, str(default))
        if not re.fullmatch("[0-9]{1,9}", value) or int(value) < least:
            raise self.refused(name, f"must be a whole number of at least {least}, of nine digits at most")
        return int(value)

    def bytes(self, name: str, text: str) -> int:
        """Return a number with a suffix as the program has it, not its manual: k, kb and ki are 1024 and kib is 1000.

        With kb_base=1000 it is the other way.
        """
        match = _NUMBER.fullmatch(text.strip())
        if match is None:
            raise self.refused(name, f"'{shown(text)}' is no size in whole numbers, as 4k or 1g")
        hexadecimal, number, prefix, suffix = match.groups()
        if hexadecimal:
            value = int(hexadecimal, 16)
        else:
            is_decimal = (suffix.lower() == "ib") != (self.given.get("kb_base") == "1000")
            value = int(number) * (1000 if is_decimal else 1024) ** " kmgtp".find(prefix.lower())
        # 2**53 is as far as a float counts bytes
        if value >= 1 << 53:
            raise self.refused(name, f"'{shown(text)}' is too large")
        return value

    def amount(self, name: str) -> Amount | None:
        """Return a number of bytes or a percentage of them, None where nothing is said."""
        text = self.given.get(name)
        if text is None or (name in ("size", "io_size") and text == "0"):
            return None
        if text.endswith("%"):
            share = text[:-1]
            if not re.fullmatch(r"\d+(\.\d+)?", share) or float(share) > 100:
                raise self.refused(name, "must be at most 100%")
            return Amount(float(share), True)
        return Amount(self.bytes(name, text))

    def time_ns(self, name: str, unit_s: float = 1.0) -> int:
        """Return a time, in seconds if no unit is given."""
        text = self.given.get(name, "0").lower()
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text)
        if match is None or (match[2] and match[2] not in TIMES_S):
            raise self.refused(name, f"must be a time, with one of {', '.join(TIMES_S)}")
        length_s = float(match[1]) * (TIMES_S[match[2]] if match[2] else unit_s)
        if length_s >= LONGEST_S:
            raise self.refused(name, "must be under 25 days, as simulated time ends after 104")
        return round(length_s * 1e9)

    def by_op(self, name: str, read: Callable[[str], Any]) -> dict[int, Any]:
        """Return values of reads, writes and trims that are separated by commas, the last one for what is left out."""
        texts = self.given[name].split(",")
        if len(texts) > len(DIRECTIONS):
            raise self.refused(name, "has values for reads, writes and trims, at most three")
        values: dict[int, Any] = {}
        for place, op in enumerate(DIRECTIONS):
            text = texts[min(place, len(texts) - 1)]
            # nothing between two commas is what is usual
            values[op] = read(text) if text.strip() else None
        return values

    def shares(self, name: str, text: str, read: Callable[[str], Any]) -> list[tuple[Any, float]]:
        """Return the parts of a list as a/b:c/d with the percentage of each, the others sharing what is left."""
        parts = [part.partition("/") for part in text.split(":")]
        return [(read(first), percent(second) if second else -1.0) for first, _, second in parts]


def percent(text: str) -> float:
    """Return a percentage; raise `ValueError` for anything else."""
    if not re.fullmatch(r"\d{1,3}(\.\d+)?", text.strip()):
        raise ValueError
    return float(text)
