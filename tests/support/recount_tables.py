"""The tables that a recount starts from, as columns of whole numbers."""

from typing import Any

import numpy as np
import pyarrow as pa

REQUESTS = ("read", "write", "trim", "flush")
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
NAMES = {
    "op": ("read", "program", "erase", "copyback"),
    "source": SOURCES,
    "content": ("none", "data", "asked", "fill", "padding"),
}
READ, WRITE = range(2)
how_many = np.count_nonzero

Columns = dict[str, np.ndarray]
Claims = dict[str, Any]
"""What fields of a summary are, by dotted name, or what several add up to (`a + b`)."""


def share(part: float, whole: float) -> float | None:
    """Return `part` over `whole`, None without any."""
    return float(part / whole) if whole else None


def pages_of(run: Any, op: np.ndarray, offset: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return how many pages each request touches."""
    page_bytes = run.config.hardware.page_bytes
    return (offset + size - 1) // page_bytes - offset // page_bytes + 1


def numbers(table: pa.Table, names: dict[str, tuple[str, ...]]) -> Columns:
    """Return the columns of a table; of words a mask each: `is_read` of an operation, `of_gc` of a source."""
    columns: Columns = {}
    for name in table.schema.names:
        column = table[name].combine_chunks()
        if name in names:
            # by the word, so that nothing here rests on the codes of the tables
            places = pa.array(names[name])
            columns[name] = np.asarray(pa.compute.index_in(column.cast(pa.string()), value_set=places), np.int64)
            prefix = "of" if name == "source" else "is"
            columns |= {f"{prefix}_{word}": columns[name] == place for place, word in enumerate(names[name])}
        else:
            columns[name] = np.array(column, np.int64)
    return columns


def requests_of(table: pa.Table, run: Any) -> Columns:
    """Return the columns of the requests, with their ends and their pages, in the order of admission."""
    columns = numbers(table.sort_by("id"), {"op": REQUESTS})
    columns["end_ns"] = columns["arrival_ns"] + columns["response_ns"]
    columns["pages"] = pages_of(run, columns["op"], columns["offset_bytes"], columns["size_bytes"])
    return columns


def commands_of(table: pa.Table, run: Any) -> Columns:
    """Return the columns of the commands.

    Dies, planes and blocks are numbered through the device, and `command` numbers what began at the same time on the
    same die: one command, if commands take time.
    """
    c, hardware = numbers(table, NAMES), run.config.hardware
    count = len(c["op"])
    c["die"] += (c["channel"] * hardware.chips_per_channel + c["chip"]) * hardware.dies_per_chip
    c["plane"] += c["die"] * hardware.planes_per_die
    c["block"] += c["plane"] * hardware.physical_blocks
    c["is_slc"] = c["page_type"] < 0
    c["page_type"] = np.maximum(c["page_type"], 0)  # pages in SLC mode are as those of the fastest type
    c["is_write"] = c["is_program"] | c["is_copyback"]
    ranks: dict[Any, int] = {}
    keys = zip(*(c[name].tolist() for name in ("die", "bus_start_ns", "array_start_ns", "op")), strict=True)
    c["command"] = np.array([ranks.setdefault(key, len(ranks)) for key in keys], np.int64)
    rows = np.unique(c["command"] * (c["plane"].max(initial=0) + 1) + c["plane"], return_index=True)[1]
    c["begins_plane"], c["begins"] = np.zeros(count, bool), np.zeros(count, bool)  # first of its command, and plane
    c["begins_plane"][rows] = c["begins"][np.unique(c["command"], return_index=True)[1]] = True
    c["planes"] = np.bincount(c["command"][rows])[c["command"]]  # of its command
    c["collects"] = c["of_gc"] | c["of_merge"] | c["of_refresh"]
    # a die may begin several commands in an instant, which cannot be told apart then
    reads_at_once = hardware.lanes_per_die > 1 and round(hardware.read_command_us * 1000) == 0
    run.is_instant = reads_at_once or bool((c["end_ns"] == c["bus_start_ns"]).any())
    return c
