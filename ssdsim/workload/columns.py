"""Separated text to arrays, through Arrow's CSV reader."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from pyarrow import csv

TOKEN = pa.dictionary(pa.int32(), pa.string())
_FINE_SCALE = 24  # decimals of a time that has more of them than the format declares
_COARSE_SCALE = 12  # decimals of offsets and sizes that a spreadsheet has written


class UnreadableError(ValueError):
    """Some row of the text is not what its columns say; which one is for a slower look to find out."""


def read_columns(
    text: bytes, separator: str, roles: Sequence[str], decimals: int | None, rounded: bool = False
) -> dict[str, list[pa.Array]]:
    """Return the columns of `text` by role, those of role `_` left out.

    `decimals` is the number of decimals wanted of `time`, None if it is a whole number. If numbers may be `rounded`,
    offsets and sizes are text, for `rounded_integers`. Raise `UnreadableError`.
    """
    number = pa.string() if rounded else pa.int64()
    if decimals is None:
        return _read(text, separator, roles, pa.int64(), number)
    try:
        return _read(text, separator, roles, pa.decimal128(38, decimals), number)
    except UnreadableError:
        return _read(text, separator, roles, pa.decimal128(38, _FINE_SCALE), number)


def _read(
    text: bytes, separator: str, roles: Sequence[str], time_type: pa.DataType, number: pa.DataType
) -> dict[str, list[pa.Array]]:
    types = {"time": time_type, "offset": number, "size": number}
    types |= dict.fromkeys(("op", "device", "hint", "fua"), TOKEN)
    names = [str(index) for index in range(len(roles))]
    used = {name: types[role] for name, role in zip(names, roles, strict=True) if role != "_"}
    by_role: dict[str, list[pa.Array]] = {}
    for name, column in read_table(text, separator, names, used).items():
        by_role.setdefault(roles[int(name)], []).append(column)
    return by_role


def read_table(
    text: bytes, separator: str, names: Sequence[str], used: Mapping[str, pa.DataType]
) -> dict[str, pa.Array]:
    """Return the columns of `text`, called `names`, that have a type in `used`; raise `UnreadableError`."""
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            # one block, which no thread cuts up
            csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=list(names)),
            # nothing is quoted in a trace: a quote is a character like others
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(column_types=dict(used), include_columns=list(used), null_values=[""]),
        )
    except pa.ArrowException as error:
        raise UnreadableError(str(error)) from error
    return {name: column.combine_chunks() for name, column in zip(table.column_names, table.columns, strict=True)}


def integers(column: pa.Array, decimals: int | None = None) -> np.ndarray:
    """Return an integer column, or a decimal one in units of its last of `decimals` decimals (more are cut off).

    No step goes through floating point. Raise `UnreadableError` for a missing value or one beyond 64 bits.
    """
    if column.null_count:
        raise UnreadableError("a value is missing")
    if decimals is None:
        return column.to_numpy()
    if column.type.scale != decimals:
        import pyarrow.compute as pc  # which takes long to load, and few traces need

        column = pc.round(column, decimals, "down").cast(pa.decimal128(38, decimals))
    # of 128 bits, the low word first
    words = np.frombuffer(column.buffers()[1], np.int64).reshape(-1, 2)[column.offset : column.offset + len(column)]
    if (words[:, 1] != words[:, 0] >> 63).any():  # a high word that is not the sign of the low one
        raise UnreadableError("a number exceeds 64 bits")
    return words[:, 0]


def rounded_integers(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest whole numbers to a column of numbers or of text, and which of them were not written as such.

    Raise `UnreadableError` for a missing value, for text that is no number, and for one beyond 64 bits.
    """
    if not pa.types.is_string(column.type):
        return integers(column), np.zeros(len(column), bool)
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    try:
        whole = pc.round(column.cast(pa.decimal128(38, _COARSE_SCALE)), 0).cast(pa.decimal128(38, 0))
    except pa.ArrowException as error:
        raise UnreadableError(str(error)) from error
    # a point or an exponent: it was not written as a whole number
    is_rounded = pc.match_substring_regex(column, "[.eE]").fill_null(False)
    return integers(whole, 0), is_rounded.to_numpy(zero_copy_only=False)


def translate(column: pa.DictionaryArray, meaning: Callable[[str], int]) -> np.ndarray:
    """Return `meaning` of each row's token, int64; it is asked once for each different token."""
    meanings = np.array([meaning(token.strip()) for token in column.dictionary.to_pylist()], np.int64)
    return meanings[column.indices.to_numpy()]


def joined(columns: Sequence[pa.DictionaryArray], joint: str) -> pa.DictionaryArray:
    """Return one column of tokens out of several, such as `prxy_0` out of `prxy` and `0`."""
    if len(columns) == 1:
        return columns[0]
    *others, last = columns
    first = joined(others, joint)
    pairs = first.indices.to_numpy().astype(np.int64) * len(last.dictionary) + last.indices.to_numpy()
    present, indices = np.unique(pairs, return_inverse=True)
    names = [
        joint.join((first.dictionary[i].as_py().strip(), last.dictionary[j].as_py().strip()))
        for i, j in zip(*(part.tolist() for part in np.divmod(present, len(last.dictionary))), strict=True)
    ]
    return pa.DictionaryArray.from_arrays(indices.astype(np.int32), pa.array(names, pa.string()))
