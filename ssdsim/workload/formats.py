"""The trace formats, one row of `formats.tsv` each, and how a file's own is told from its content.

`meanings` are those that a user would give by `workload.columns`; a device may have two columns. Rows are told by what
their columns are `like`, joined by commas, or have a header; lines by a pattern whose groups are columns.
"""

import csv
from pathlib import Path
from typing import Any

import attrs

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import ConfigError, shown
from ssdsim.workload.chunk import FLUSH, READ, TRIM, WRITE
from ssdsim.workload.columns import RowError
from ssdsim.workload.layouts import SKIP, Layout, Lines, Ops, Rows, Table, rows_before, split_line

WORDS = {
    **dict.fromkeys(("read", "r"), READ),
    **dict.fromkeys(("write", "w"), WRITE),
    **dict.fromkeys(("trim", "discard"), TRIM),
    **dict.fromkeys(("flush", "sync", "datasync"), FLUSH),
}
SCSI = {
    **dict.fromkeys((0x08, 0x28, 0x88, 0xA8), READ),
    **dict.fromkeys((0x0A, 0x2A, 0x8A, 0xAA, 0x2E, 0x8E, 0xAE), WRITE),  # the last three verify what they write
    **dict.fromkeys((0x35, 0x91), FLUSH),
}
"""Operation codes; of others the records do not tell what they touch: UNMAP has its ranges in its data (SBC-3)."""


def rwbs(flags: str) -> int:
    """Return the meaning of blkparse's flags: D discard, W write, R read, F flush; the others only qualify.

    An event without sectors, whose process follows in brackets, is a flush if it says so.
    """
    if flags.endswith("["):
        return FLUSH if "f" in flags else SKIP
    # The order matters: a discard is flagged W as well, and F beside W is a write with a flush before it.
    meanings = (("d", TRIM), ("w", WRITE), ("r", READ), ("f", FLUSH))
    return next((op for letter, op in meanings if letter in flags), SKIP)


OPS: dict[str, Ops] = {
    "words": WORDS.get,
    "words_or_none": lambda word: WORDS.get(word) if word else SKIP,
    "read_is_1": {"0": WRITE, "1": READ}.get,
    "read_is_0": {"0": READ, "1": WRITE}.get,
    "read_is_even": {f"{flags}": (READ, WRITE)[flags % 2] for flags in range(256)}.get,
    "read_is_odd": {f"{flags:x}": (WRITE, READ)[flags % 2] for flags in range(4096)}.get,
    "scsi": {f"{code:{width}}": SCSI.get(code, SKIP) for code in range(256) for width in ("x", "02x")}.get,
    "rwbs": rwbs,
}
"""The meanings of operations by the names that `formats.tsv` has for them."""


FORMATS: dict[str, Layout] = {}
with Path(__file__).with_name("formats.tsv").open(encoding="utf-8") as _file:
    for _row in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
        _meanings = dict(meaning.split("=") for meaning in _row["meanings"].split("; "))
        _kind: type[Any] = {"lines": Lines, "rows": Rows}[_row.pop("kind")]
        FORMATS[_row["name"]] = _kind(**{**_row, "meanings": _meanings, "ops": OPS[_row["ops"]]})
"""All trace formats by name, the value of `workload.format`."""


def own(config: TraceConfig, is_table: bool = False) -> Layout:
    """Return the layout that `workload.columns` and `workload.pattern` describe."""
    meanings = {name: str(text) for name, text in config.columns.items()}
    common: dict[str, Any] = {"name": "own", "meanings": meanings, "time_unit": "", "ops": WORDS.get, "is_own": True}
    if is_table:
        return Table(usual=FORMATS["ssdsim_csv"].meanings, **common)
    return Rows(**common) if config.pattern is None else Lines(like=config.pattern, **common)


def recognised(head: list[bytes]) -> tuple[Layout, str]:
    """Return the first format that fits best the first lines of a file, and why it is taken; raise `RowError`."""
    claims = {name: layout.claims(head) for name, layout in FORMATS.items() if isinstance(layout, Rows)}
    name = max(claims, key=lambda name: claims[name])
    if claims[name] < 0.5:  # regular expressions of Arrow take long to load; a log has other lines as well
        claims = {name: layout.claims(head) for name, layout in FORMATS.items() if isinstance(layout, Lines)}
        name = next((name for name, claim in claims.items() if claim > 0.05), "")
    if not name:
        first = shown(head[rows_before(head)].strip().decode("utf-8", "replace"))
        remedy = "say what its columns are by workload.columns, of a log by workload.pattern, or set workload.format"
        raise RowError(f"its rows, such as '{first}', fit no known format", remedy=remedy)
    if name == "disksim" and claims["heimdall"] == claims[name]:
        # of which it is the one with addresses and sizes in bytes: they are whole sectors
        numbers = (field for line in head for field in split_line(line)[2:4] if field.isdigit())
        name = "disksim" if any(int(field) % 512 for field in numbers) else "heimdall"
    return FORMATS[name], f"{claims[name]:.0%} of its first lines fit"


def chosen(config: TraceConfig, head: Any, is_table: bool) -> tuple[Layout, str]:
    """Return the layout of a file that begins with such lines, or such a batch, and why it is taken.

    Its unit of time and its reads are those of the configuration. Raise `ConfigError` or `RowError` if there is none.
    """
    name = config.format
    if config.columns or config.pattern or is_table:
        if name != "auto":
            raise ConfigError(f"workload.format={name}: goes without columns, pattern and Parquet; set it to auto.")
        layout, reason = own(config, is_table), "workload.columns or workload.pattern describes it"
    elif name == "auto":
        layout, reason = recognised(head)
    elif name in FORMATS:
        layout, reason = FORMATS[name], "workload.format says so"
    else:
        raise ConfigError(f"workload.format={name}: must be auto or {', '.join(FORMATS)}{nearest(name, FORMATS)}.")
    read_op = (config.read_op or "").strip().lower()

    def ops(word: str) -> int | None:
        """Return a read for that word, and a write for any other that would be one or the other, or is unknown."""
        meaning = layout.ops(word)
        return READ if word == read_op else WRITE if meaning in (READ, None) else meaning

    return attrs.evolve(
        layout, time_unit=config.time_unit or layout.time_unit, ops=ops if config.read_op else layout.ops
    ), reason
