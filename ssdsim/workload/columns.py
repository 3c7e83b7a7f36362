"""What the columns of a trace say: exact numbers, words, and expressions of columns as `lba*512`.

Numbers are whole, with as many decimals as are kept of them, so that no step goes through floating point.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.errors import ConfigError, shown

WORD = pa.dictionary(pa.int32(), pa.string())
WHOLE = pa.int64()
MOST_DIGITS = 18
FINE = pa.decimal128(38, 20)
"""Numbers with decimals, more than are kept."""

Value = tuple[Any, int]
"""Whole numbers, an array or one, and how many decimals they have."""


class RowError(Exception):
    """A row of a trace cannot be used, all of them, or one that a slower look is to find (`row` 0).

    The reader adds the file, and the remedy if it is the usual one.
    """

    def __init__(self, reason: str, row: int = 0, remedy: str = "") -> None:
        super().__init__(reason, row, remedy)
        self.reason, self.row, self.remedy = reason, int(row), remedy


def number_type(texts: Sequence[bytes]) -> pa.DataType:
    """Return the type of a column of numbers, or of date and time, with such values."""
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC")) if texts and not texts[0].isdigit() else ():
        with suppress(pa.ArrowException):
            pa.array(texts[:1]).cast(pa.string()).cast(kind)
            return kind
    return FINE if any(re.search(b"[.eE]", text) for text in texts) else WHOLE


def fault(error: pa.ArrowException, names: Sequence[str]) -> str:
    """Return the fault that Arrow finds in a row of columns with such names, as part of a sentence."""
    text = str(error)
    if counts := re.search(r"Expected (\d+) columns, got (\d+)", text):
        return f"it has {counts[2]} columns instead of {counts[1]}"
    place, value = re.search(r"column #(\d+)", text), re.search("'(.*)'", text, re.DOTALL)
    column = f"column {shown(names[int(place[1])])}: " if place else ""
    if value is None:
        return f"{column}{'its text is not in UTF-8' if 'UTF8' in text else 'a number has too many digits'}"
    kinds = {"timestamp": "date and time as 2024-01-31 12:00:00.5", "int64": "whole number of 64 bits"}
    kind = next((kind for word, kind in kinds.items() if word in text), "number")
    return f"{column}'{shown(value[1])}' is no {kind}"


def cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column as one of another type."""
    if kind == WORD:
        return column.cast(pa.string()).dictionary_encode()
    if pa.types.is_integer(column.type):
        return column.cast(WHOLE)
    return (column.cast(pa.string()) if pa.types.is_binary(column.type) else column).cast(kind)


def integers(name: str, column: pa.Array, decimals: int) -> Value:
    """Return the whole numbers of a column and how many decimals they have, at most so many."""
    if column.null_count:
        raise RowError(f"column {shown(name)}: a value is missing")
    if not pa.types.is_decimal(column.type):  # a cast loads what takes long
        return (column if column.type == WHOLE else column.cast(WHOLE)).to_numpy(), 0
    if column.type.scale != decimals:
        import pyarrow.compute as pc  # which takes long to load, and few traces need

        column = pc.round(column, decimals, "down").cast(pa.decimal128(38, decimals))
    # of 128 bits, the low word first
    words = np.frombuffer(column.buffers()[1], np.int64).reshape(-1, 2)[column.offset : column.offset + len(column)]
    if (words[:, 1] != words[:, 0] >> 63).any():  # a high word that is not the sign of the low one
        raise RowError("a number exceeds 64 bits")
    return words[:, 0], decimals


def codes(columns: Sequence[Any], joint: str, meaning: Callable[[str], int]) -> np.ndarray:
    """Return `meaning` of the word in each row, asked once for each word; several columns make one, as prxy_0."""
    first, *others = columns
    if first.null_count:
        raise RowError("a word is missing")
    indices, words = first.indices.to_numpy(), [word.strip() for word in first.dictionary.to_pylist()]
    for other in others:
        pairs = indices.astype(np.int64) * len(other.dictionary) + other.indices.to_numpy()
        present, indices = np.unique(pairs, return_inverse=True)
        parts = [word.strip() for word in other.dictionary.to_pylist()]
        words = [joint.join((words[pair // len(parts)], parts[pair % len(parts)])) for pair in present.tolist()]
    return np.array([meaning(word) for word in words], np.int32).take(indices)


@attrs.frozen
class Expression:
    """A sum of products of columns and numbers, as `lba*512` or `end-elapsed`."""

    terms: Sequence[Sequence[str]]
    """Each the sign of a product, and its factors."""

    columns: frozenset[str]

    @property
    def is_column(self) -> bool:
        """Whether it is nothing but one column."""
        return len(self.columns) == len(self.terms) == 1 and len(self.terms[0]) == 2

    @classmethod
    def parsed(cls, key: str, text: str, names: Sequence[str]) -> Self:
        """Return an expression of columns called `names`, which may be any, as `TIME (s)`; words are columns, too.

        Raise `ConfigError` if it is more than that.
        """
        any_name = "".join(f"{re.escape(name)}|" for name in sorted(filter(None, names), key=len, reverse=True))
        factor = re.compile(rf"\s*([-+*]?)\s*({any_name}[^\W\d]\w*|\d{{1,18}}(?:\.\d{{1,9}})?)(?!\w)\s*")
        terms: list[list[str]] = []
        columns, place = set(), 0
        while match := factor.match(text, place):
            sign, name = match.groups()
            if (sign == "*" and not terms) or (not sign and terms):
                break
            if sign == "*":
                terms[-1].append(name)
            else:
                terms.append([sign or "+", name])
            if name in names or not name[0].isdecimal():
                columns.add(name)
            place = match.end()
        if place < len(text) or not terms:
            raise ConfigError(
                f"workload.columns.{key}={shown(text)}: must be made of columns, numbers and + - *, as lba*512."
            )
        return cls(terms, frozenset(columns))

    def evaluated(self, values: Mapping[str, Value], decimals: int) -> np.ndarray:
        """Return whole numbers, with so many decimals, that the expression has with those of its columns."""
        whole: Any = 0
        places = 0
        for sign, *factors in self.terms:
            term: Any = -1 if sign == "-" else 1
            more = 0
            for factor in factors:
                before, _, after = factor.partition(".")
                number, digits = values[factor] if factor in self.columns else (int(before + after), len(after))
                _check(_most(term) * _most(number))
                term, more = term * number, more + digits
            whole, term = _scaled(whole, max(more - places, 0)), _scaled(term, max(places - more, 0))
            _check(_most(whole) + _most(term))
            whole, places = whole + term, max(places, more)
        return np.asarray(_scaled(whole, decimals - places), np.int64)


def _scaled(values: Any, decimals: int) -> Any:
    """Return whole numbers times a power of ten, or divided by one and rounded down."""
    if decimals < -MOST_DIGITS:
        raise RowError("a number has too many decimals")
    if decimals < 0:
        return values // 10**-decimals
    _check(_most(values) * 10**decimals)
    return values * 10**decimals if decimals else values


def _most(values: Any) -> int:
    """Return the largest absolute value."""
    return max(abs(int(np.min(values))), abs(int(np.max(values)))) if np.size(values) else 0


def _check(most: int) -> None:
    """Raise `RowError` unless 64 bits hold a number."""
    if most >= 1 << 63:
        raise RowError("a number exceeds 64 bits")
