"""The trace formats, one row of `formats.tsv` each, and how a file's own is told from its content.

A column of a row is called by what it means (`ROLES`), `_` if it is of no use; in files with a header its name comes
first, and what ends in ? may be missing. Offsets and sizes are in bytes, or in units of so many. Groups of a pattern
have the names of what they mean.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import ConfigError, shown
from ssdsim.workload.chunk import FLUSH, READ, TRIM, WRITE
from ssdsim.workload.delimited import Rows
from ssdsim.workload.layouts import ROLES, Layout, Ops, Table, rows_before, split_line
from ssdsim.workload.lines import Blkparse, Etw, Lines

KINDS: dict[str, type[Layout]] = {
    "rows": Rows, "header": Rows, "lines": Lines, "blkparse": Blkparse, "etw": Etw
}  # fmt: skip


def words(**meanings: int | str) -> Ops:
    """Return the meaning of operations that are words, in any case."""
    return lambda token: meanings.get(token.lower().replace("-", "_"))


def numbers(meanings: Mapping[int, int | str], mask: int = -1, base: int = 10, other: str | None = None) -> Ops:
    """Return the meaning of operations that are numbers, of which the bits in `mask` count."""

    def meaning(token: str) -> int | str | None:
        try:
            return meanings.get(int(token, base) & mask, other)
        except ValueError:
            return None

    return meaning


def inverted(ops: Ops, read_op: str) -> Ops:
    """Return `ops` with `read_op` for reads, and all other reads and writes for writes."""

    def meaning(token: str) -> int | str | None:
        if token.lower() == read_op.strip().lower():
            return READ
        return WRITE if ops(token) == READ else ops(token)

    return meaning


def rwbs(token: str) -> int | str | None:
    """Return the meaning of blkparse's flags: D discard, W write, R read, F flush; the others only qualify.

    An event without sectors, marked by -, is a flush if it says so.
    """
    if token.endswith("-"):
        return FLUSH if "F" in token else "no data"
    # The order matters: a discard is flagged W as well, and F beside W is a write with a flush before it.
    meanings = (("D", TRIM), ("W", WRITE), ("R", READ), ("F", FLUSH))
    return next((op for letter, op in meanings if letter in token), "no data")


WORDS = words(
    read=READ, r=READ, write=WRITE, w=WRITE, trim=TRIM, discard=TRIM, flush=FLUSH, sync=FLUSH, datasync=FLUSH,
    sync_=FLUSH, datasync_=FLUSH,
)  # fmt: skip
SCSI = {
    **dict.fromkeys((0x08, 0x28, 0x88, 0xA8), READ),
    **dict.fromkeys((0x0A, 0x2A, 0x8A, 0xAA, 0x2E, 0x8E, 0xAE), WRITE),  # the last three verify what they write
    **dict.fromkeys((0x35, 0x91), FLUSH),
}
"""Operation codes; of others the records do not tell what they touch: UNMAP has its ranges in its data (SBC-3)."""

OPS: dict[str, Ops] = {
    "words": WORDS,
    "words_or_numbers": lambda token: WRITE if WORDS(token) is None else WORDS(token),
    "letters": words(r=READ, w=WRITE),
    "letters_or_none": lambda token: WORDS(token) if token else "no response",
    "read_is_1": numbers({0: WRITE, 1: READ}),
    "read_is_0": numbers({0: READ, 1: WRITE}),
    "read_is_even": numbers({0: READ, 1: WRITE}, mask=1),
    "hex_read_is_odd": numbers({0: WRITE, 1: READ}, mask=1, base=16),
    "scsi": numbers(SCSI, base=16, other="other commands"),
    "rwbs": rwbs,
    "disk_words": words(diskread=READ, diskwrite=WRITE),
}
"""The meanings of operations by the names that `formats.tsv` has for them."""


def _declared(row: dict[str, str]) -> Layout:
    """Return the format of a row of `formats.tsv`."""
    columns = row["columns"].split()
    more: dict[str, Any] = {}
    units = {role: f"*{row[f'{role}_unit']}" if row[f"{role}_unit"] else "" for role in ("offset", "size")}
    if row["kind"] == "header":
        more["header"] = dict(column.split("=") for column in columns)
        meanings = units
    elif row["kind"] == "rows":
        more |= {"like": row["like"], "names": tuple(columns)}
        places = {role: [f"c{place}" for place, name in enumerate(columns, 1) if name == role] for role in ROLES}
        meanings = {role: " ".join(numbers) + units.get(role, "") for role, numbers in places.items() if numbers}
    else:
        more |= {"pattern": row["pattern"], "others": row["others"]}
        meanings = {role: role + units.get(role, "") for role in ROLES if f"<{role}>" in row["pattern"]}
        meanings |= {"device": "device device2"} if "<device2>" in row["pattern"] else {}
        meanings.setdefault("arrival", "end-elapsed")
    return KINDS[row["kind"]](
        name=row["name"], meanings=meanings, time_unit=row["time_unit"], ops=OPS[row["ops"]],
        takes_decimals=bool(row["decimals"]), joint=row["joint"] or "_", example=row["example"], **more,
    )  # fmt: skip


with Path(__file__).with_name("formats.tsv").open(encoding="utf-8") as _file:
    _ROWS = {row["name"]: row for row in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")}

FORMATS = {name: _declared(row) for name, row in _ROWS.items()}
"""All trace formats by name, the value of `workload.format`."""


def configured(layout: Layout, config: TraceConfig) -> Layout:
    """Return a layout with the units and the operations that a configuration gives."""
    if config.size_unit_bytes:
        layout = _declared(_ROWS[layout.name] | {"size_unit": str(config.size_unit_bytes)})
    ops = inverted(layout.ops, config.read_op) if config.read_op else layout.ops
    return attrs.evolve(layout, time_unit=config.time_unit or layout.time_unit, ops=ops)


def own(config: TraceConfig, is_table: bool = False) -> Layout:
    """Return the layout that `workload.columns` and `workload.pattern` describe; raise `ConfigError` if it is none."""
    given = {name: str(text) for name, text in config.columns.items()}
    ops = OPS["words_or_numbers" if config.read_op else "words"]
    common: dict[str, Any] = {"name": "own", "time_unit": config.time_unit or "ns", "ops": ops, "is_own": True}
    if is_table:
        return Table(meanings=given, header=FORMATS["ssdsim_csv"].header, **common)  # type: ignore[attr-defined]
    if config.pattern is None:
        return Rows(meanings=given, **common)
    layout = Lines(meanings={}, pattern=config.pattern, **common)
    try:
        groups = [field.name for field in layout.groups_in([]).type]
    except ValueError as error:
        raise ConfigError(
            f"workload.pattern={config.pattern}: is no regular expression of RE2 with named groups alone: {error}; "
            "other groups are written (?:...), and there is no looking around."
        ) from None
    # groups that have the names of meanings need no columns
    return attrs.evolve(layout, meanings={role: role for role in ROLES if role in groups} | given)


def _counts_bytes(lines: list[bytes]) -> bool:
    """Tell whether all of a DiskSim-like file's addresses and sizes are multiples of 512, as bytes would be."""
    rows = list(map(split_line, lines))
    values = [number for row in rows if len(row) == 5 for number in row[2:4] if number.isdigit() and len(number) < 20]
    return all(int(number) % 512 == 0 for number in values)


def recognise(lines: list[bytes]) -> tuple[Layout, str]:
    """Return the format that most of the records fit in the first lines of a file, and why it is taken.

    Raise a `ValueError` that says why none does.
    """
    claims = {name: layout.claims(lines) for name, layout in FORMATS.items() if isinstance(layout, Rows)}
    if max(claims.values()) < 1:  # regular expressions of Arrow take long to load
        claims |= {name: layout.claims(lines) for name, layout in FORMATS.items() if isinstance(layout, Lines)}
    best = max(claims.values())
    fitting = {name for name, claim in claims.items() if claim == best}
    if best < 0.5:  # a format claims half of the records at least
        first = shown(lines[rows_before(lines)].strip().decode("utf-8", "replace"))
        raise ValueError(
            f"its rows, such as '{first}', fit no known format; say what its columns are by workload.columns, "
            "of a log by workload.pattern, or set workload.format"
        )
    reason = f"{best:.0%} of its first records fit"
    if len(fitting) == 1:
        (name,) = fitting
        second = max((claim, other) for other, claim in claims.items() if other != name)
        reason += f", the next being {second[1]} with {second[0]:.0%}" if second[0] else ", and no other format"
    elif fitting == {"ssdsim", "mqsim"}:
        name, reason = "ssdsim", f"{reason}, and mqsim reads the same"
    elif fitting == {"disksim", "heimdall"}:
        name = "heimdall" if _counts_bytes(lines) else "disksim"
        why = "all numbers are of whole sectors in bytes" if name == "heimdall" else "numbers are no multiples of 512"
        in_ms = "set workload.format=mqsim workload.time_unit=s if they are MQSim's in seconds"
        reason += f", and {why}, so it is not {min(fitting - {name})}; its times are taken for ms: {in_ms}"
    else:
        raise ValueError(f"its rows fit several formats; set workload.format to {listed(fitting)}")
    return FORMATS[name], reason


def chosen(config: TraceConfig, lines: list[bytes], is_table: bool) -> tuple[Layout, str]:
    """Return the format of a file that begins with such lines, and why; raise `ConfigError` or `ValueError`."""
    name = config.format
    if config.columns or config.pattern or is_table:
        if name != "auto":
            raise ConfigError(f"workload.format={name}: goes without columns, pattern and Parquet; set it to auto.")
        if config.size_unit_bytes:
            raise ConfigError("workload.size_unit_bytes: goes without columns; multiply there, as size: n*512.")
        return own(config, is_table), "workload.columns or workload.pattern describes it"
    if name == "auto":
        return recognise(lines)
    if name not in FORMATS:
        raise ConfigError(f"workload.format={name}: must be auto, {listed(FORMATS)}{nearest(name, FORMATS)}.")
    return FORMATS[name], "workload.format says so"


def listed(names: Iterable[str]) -> str:
    """Return names as in `a, b or c`."""
    *others, last = sorted(names)
    return f"{', '.join(others)} or {last}" if others else last
