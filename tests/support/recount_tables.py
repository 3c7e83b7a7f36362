"""The tables that a recount starts from, as columns of whole numbers, and what may be said of a figure."""

from typing import Any, NamedTuple

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


class Between(NamedTuple):
    """A number from `low` to `high`, as far as the tables tell it."""

    low: float
    high: float


def bounded(least: float, more: float) -> Any:
    """Return a number to which `more`, at most, may come that is in no table."""
    return Between(least, least + more) if more else least


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
    op, *asked = np.array([request[1:4] for request in run.aborted], np.int64).reshape(-1, 3).T
    run.pages_aborted = [int(pages_of(run, op, *asked)[op == each].sum()) for each in (READ, WRITE)]
    return columns


def commands_of(table: pa.Table, run: Any) -> Columns:
    """Return the columns of the commands, those left open at the end.

    Times that had not come for those are -1, and all is counted up to `until_ns`. Dies, planes and blocks are numbered
    through the device, and `command` numbers what began at the same time on the same die: one command, if commands take
    time.
    """
    done, left, before = (numbers(t, NAMES) for t in (table, run.open.rows.close(), run.under_way.rows.close()))
    c = {name: np.concatenate([done[name], left[name]]) for name in done}
    over, count = len(done["op"]), len(done["op"]) + len(left["op"])
    hardware = run.config.hardware
    for columns in (c, before):
        columns["die"] += (columns["channel"] * hardware.chips_per_channel + columns["chip"]) * hardware.dies_per_chip
        columns["plane"] += columns["die"] * hardware.planes_per_die
        columns["block"] += columns["plane"] * hardware.physical_blocks
    c["is_slc"] = c["page_type"] < 0
    c["page_type"] = np.maximum(c["page_type"], 0)  # pages in SLC mode are as those of the fastest type
    c["is_write"] = c["is_program"] | c["is_copyback"]
    c["is_over"] = np.arange(count) < over
    c["is_cut"] = ~c["is_over"] & (np.arange(count) < over + run.cut_short)
    c["until_ns"] = np.concatenate([done["end_ns"], np.array(run.until_ns, np.int64)])
    c["begun"] = c["bus_start_ns"] >= 0
    began, ranks = np.where(c["begun"], c["bus_start_ns"], -1 - np.arange(count)), {}  # what waits is alone
    keys = zip(*(each.tolist() for each in (c["die"], began, c["array_start_ns"], c["op"])), strict=True)
    c["command"] = np.array([ranks.setdefault(key, len(ranks)) for key in keys], np.int64)
    rows = np.unique(c["command"] * (c["plane"].max(initial=0) + 1) + c["plane"], return_index=True)[1]
    c["begins_plane"], c["begins"] = np.zeros(count, bool), np.zeros(count, bool)  # first of its command, and plane
    c["begins_plane"][rows] = c["begins"][np.unique(c["command"], return_index=True)[1]] = True
    c["planes"] = np.bincount(c["command"][rows])[c["command"]]  # of its command
    c["collects"] = c["of_gc"] | c["of_merge"] | c["of_refresh"]
    c["is_new"] = ~are_among(c, before, before["queued_ns"])  # was handed to the flash in the measured run
    c["is_started"] = c["begun"] & ~are_among(c, before, before["bus_start_ns"])
    c["is_sensed"] = (c["array_end_ns"] >= 0) & ~are_among(c, before, before["array_end_ns"])  # the array is done
    # a die may begin several commands in an instant, which cannot be told apart then
    reads_at_once = hardware.lanes_per_die > 1 and round(hardware.read_command_us * 1000) == 0
    run.is_instant = reads_at_once or bool((c["is_over"] & (c["end_ns"] == c["bus_start_ns"])).any())
    return c


def are_among(c: Columns, others: Columns, reached_ns: np.ndarray) -> np.ndarray:
    """Return a mask of the commands that `others` have with that time: queued in the same instant for the same page."""
    names = ("queued_ns", "op", "block", "page")
    known = set(zip(*(others[name][reached_ns >= 0].tolist() for name in names), strict=True))
    return np.array([row in known for row in zip(*(c[name].tolist() for name in names), strict=True)], bool)
