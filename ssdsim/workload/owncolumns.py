"""A text format that `workload.columns` or `workload.pattern` describes: what requests are, in terms of its columns.

An expression of `columns` is made of names of columns, numbers, + - * / and parentheses, as `lba * 512`; those of op
and device are names alone. Columns have the names of the first line, or are called c1, c2 and so on where that has
numbers. With a `pattern`, a regular expression that is looked for in each line, they are its named groups, and lines
without it are skipped. RE2 looks for it, which takes a time in proportion to the line, whatever the pattern. Numbers
are exact, down to nine decimals; a quotient is rounded down.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Self

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import ConfigError, shown
from ssdsim.workload.columns import TOKEN, UnreadableError, integers, read_table
from ssdsim.workload.lineformat import LineFormat
from ssdsim.workload.textformat import InBytes, Lines, TextFormat, head_lines, split_line
from ssdsim.workload.traceformat import Ops, RowError

WORDS = ("op", "device")
"""Meanings whose columns are of words."""

DECIMALS = 9
MOST_DIGITS = 18
MOST_PARTS = 100
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")

Value = tuple[Any, int]
"""Whole numbers, an array or one, and how many decimals they have."""


def own_format(config: TraceConfig, ops: Ops) -> "OwnColumns":
    """Return the format that `config` describes, with `ops` for its operations; raise `ConfigError` if it is none."""
    groups: tuple[str, ...] = ()
    if config.pattern is not None:
        try:
            groups = _groups(config.pattern)
        except pa.ArrowInvalid as error:
            raise ConfigError(
                f"workload.pattern={config.pattern}: is no regular expression of RE2 with named groups alone: {error}; "
                "other groups are written (?:...), and there is no looking around."
            ) from None
    # groups that have the names of meanings need no columns
    usual = {name: name for name in groups if name in ("arrival", *WORDS, "offset", "size")}
    given = usual | (config.columns or {})
    if missing := [name for name in ("offset", "size") if name not in given]:
        raise ConfigError(f"workload.columns={given}: lacks {' and '.join(missing)}, as {{offset: lba*512}}.")
    if "arrival" in given and config.time_unit is None:
        raise ConfigError("workload.time_unit=null: must be given with columns or a pattern, as us.")
    trees = {name: _parsed(name, str(text)) for name, text in given.items()}
    record = config.pattern or ""
    unit = config.time_unit or "ns"
    return OwnColumns(name="own", columns="", example="", time_unit=unit, ops=ops, record=record, trees=trees)


def _matches(pattern: str, lines: list[bytes]) -> pa.StructArray:
    """Return the named groups of a regular expression in each line, null in lines without it."""
    import pyarrow.compute as pc  # which takes long to load, and few traces need

    return pc.extract_regex(pa.array(lines, pa.binary()), pattern=pattern)


def _groups(pattern: str) -> tuple[str, ...]:
    """Return the names of its groups; raise `ArrowInvalid` for one that RE2 does not know."""
    return tuple(field.name for field in _matches(pattern, []).type)


def _parsed(name: str, text: str) -> ast.expr:
    """Return an expression; raise `ConfigError` if it is more than one of columns and numbers."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Pass()  # type: ignore[assignment]
    parts = [part for part in ast.walk(tree) if not isinstance(part, ast.expr_context)]
    kinds = (ast.Name,) if name in WORDS else (ast.Name, ast.BinOp, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div)
    is_number = all(_is_number(part.value) for part in parts if isinstance(part, ast.Constant))
    if len(parts) > MOST_PARTS or not is_number or not all(isinstance(part, kinds) for part in parts):
        must_be = "the name of a column" if name in WORDS else "made of columns, numbers and + - * /, as lba*512"
        raise ConfigError(f"workload.columns.{name}={shown(text)}: must be {must_be}.")
    return tree


def _is_number(value: object) -> bool:
    """Return whether a constant is a number that 64 bits may hold, which true and false are not."""
    return type(value) in (int, float) and abs(value) < 2.0**63  # type: ignore[arg-type]


def _evaluated(tree: ast.expr, columns: Mapping[str, Value]) -> Value:
    """Return the values of an expression; raise `UnreadableError` beyond 64 bits, or for a division by 0."""
    if isinstance(tree, ast.Name):
        return columns[tree.id]
    if isinstance(tree, ast.Constant):
        number = Decimal(repr(tree.value))
        decimals = max(-int(number.as_tuple().exponent), 0)
        return _checked(int(number.scaleb(decimals)), float(number.scaleb(decimals))), decimals
    assert isinstance(tree, ast.BinOp)
    (left, places), (right, more) = _evaluated(tree.left, columns), _evaluated(tree.right, columns)
    if isinstance(tree.op, ast.Mult):
        return _checked(left * right, np.multiply(left, right, dtype=float)), places + more
    if isinstance(tree.op, ast.Div):
        if np.any(np.equal(right, 0)):
            raise UnreadableError("a number is divided by 0")
        return _scaled(left, more) // right, places
    left, right = _scaled(left, max(more - places, 0)), _scaled(right, max(places - more, 0))
    join = np.add if isinstance(tree.op, ast.Add) else np.subtract
    return _checked(join(left, right), join(np.asarray(left, float), right)), max(places, more)


def _columns_of(tree: ast.expr) -> set[str]:
    """Return the names in an expression."""
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}


def _scaled(values: Any, decimals: int) -> Any:
    """Return whole numbers times a power of ten, or divided by one and rounded down."""
    if decimals < -MOST_DIGITS:
        raise UnreadableError("a number has too many decimals")
    if decimals <= 0:
        return values // 10**-decimals
    return _checked(values * 10**decimals, np.asarray(values, float) * 10.0**decimals)


def _checked(values: Any, roughly: Any) -> Any:
    """Return `values`, which are `roughly` that, if 64 bits hold them."""
    if np.any(np.abs(roughly) >= 2.0**63):
        raise UnreadableError("a number exceeds 64 bits")
    return values


@attrs.frozen(kw_only=True)
class OwnColumns(LineFormat):
    """Records in columns of one's own, of which `columns` has the kind: word, whole, decimal, or _ for no use."""

    trees: Mapping[str, ast.expr]
    """The expression of each meaning."""

    names: tuple[str, ...] = ()
    """The columns, or named groups, in order."""

    @property
    def has_ops(self) -> bool:  # type: ignore[override]
        """Whether there is a column of operations."""
        return "op" in self.trees

    @property
    def remedy(self) -> str:
        """What to do about a record that cannot be read."""
        return "mend the file, or workload.columns"

    def bind(self, head: bytes, device: str | None) -> Self:
        """Find the columns in the first line, and which have decimals in those that follow."""
        header = {}
        if self.record:
            names = _groups(self.record)
            fields = [field for field in self.fields(head.split(b"\n")) if not isinstance(field, str | None)]
            rows = [[part.decode("utf-8", "replace") for part in row] for row in fields]
        else:
            first, *rows = map(split_line, head_lines(head))
            header = {} if any(map(_NUMBER.fullmatch, first)) else dict.fromkeys(first, "_")
            names = tuple(first) if header else tuple(f"c{place}" for place in range(1, len(first) + 1))
            rows = rows if header else [first, *rows]
        used = {name: _columns_of(tree) for name, tree in self.trees.items()}
        for name in sorted(set().union(*used.values()).difference(names)):
            known = ", ".join(map(shown, names))
            raise RowError(1, f"there is no column {name}, but {known}{nearest(name, names)}")
        whole = {name for place, name in enumerate(names) if not any("." in "".join(row[place:][:1]) for row in rows)}
        kinds = dict.fromkeys(names, "_")
        for name, columns in used.items():
            kinds |= {column: "whole" if column in whole else "decimal" for column in columns if name not in WORDS}
            kinds |= dict.fromkeys(columns, "word") if name in WORDS else {}
        # without decimals a time stays in its unit, so that requests of a coarse one are spread
        decimal_time = not used.get("arrival", set()) <= whole
        roles = " ".join(kinds[name] for name in names)
        return attrs.evolve(self, names=names, columns=roles, header=header, decimal_time=decimal_time)

    def fields(self, lines: list[bytes]) -> Iterator[Sequence[bytes] | str | None]:
        """Yield the named groups of each line, or the reason to skip it."""
        for match in _matches(self.record, lines).to_pylist():
            # tabs are between columns
            yield [text.replace(b"\t", b" ") for text in match.values()] if match else "other lines"

    def lines(self, block: bytes, first_row: int) -> Lines:
        """Return the records of a block of whole lines that starts with line `first_row` of the file."""
        return super().lines(block, first_row) if self.record else TextFormat.lines(self, block, first_row)

    def place_of(self, number: int, line: bytes) -> str:
        """Return the name of column `number`."""
        return f"column {shown(self.names[number])}"

    def read(self, lines: Lines) -> tuple[np.ndarray, InBytes, InBytes, dict[str, list[pa.Array]]]:
        """Return times in ticks, addresses, sizes, and the columns of words; raise `UnreadableError`."""
        kinds = dict(zip(self.names, self._roles, strict=True))
        types = {"word": TOKEN, "whole": pa.int64(), "decimal": pa.decimal128(38, DECIMALS)}
        used = {name: types[kind] for name, kind in kinds.items() if kind != "_"}
        columns = read_table(lines.text, lines.separator, self.names, used) if used else {}
        if any(len(column) != len(lines.rows) for column in columns.values()):
            raise UnreadableError("a line is empty")
        decimals = {"whole": None, "decimal": DECIMALS}
        values: dict[str, Value] = {
            name: (integers(column, decimals[kinds[name]]), decimals[kinds[name]] or 0)
            for name, column in columns.items()
            if kinds[name] != "word"
        }

        def numbers(name: str, digits: int) -> np.ndarray:
            number, places = _evaluated(self.trees[name], values)
            return np.broadcast_to(_scaled(number, digits - places), len(lines.rows)).astype(np.int64)

        exact = np.zeros(len(lines.rows), bool)
        time = numbers("arrival", self._decimals or 0) if "arrival" in self.trees else exact.astype(np.int64)
        if time.min() < 0:
            raise UnreadableError("a time is negative")
        offset = self.in_bytes(numbers("offset", 0), exact, self.address_unit_bytes)
        size = self.in_bytes(numbers("size", 0), exact, self.size_unit_bytes)
        words = {name: [columns[self.trees[name].id]] for name in WORDS if name in self.trees}  # type: ignore[attr-defined]
        return time, offset, size, words

    def _complaint(self, role: str, field: str) -> str | None:
        if role in ("whole", "decimal") and not _NUMBER.fullmatch(field):
            return f"'{shown(field)}' is no number"
        if role == "whole" and "." in field:
            return f"'{shown(field)}' has decimals, and none above has"
        return None
