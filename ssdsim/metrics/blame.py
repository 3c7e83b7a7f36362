"""The causes of response times: each nanosecond of one is blamed on one cause, from the tables of a run.

A request is as slow as its last page. While that waits for its die, the commands that the die executes are to blame,
and while it executes none the channel's bus, if that is taken. A wait for a place in the device queue is divided in
proportion to what those had spent their time on that left it meanwhile. Source: ours.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ssdsim.host.request import OUTER_PARTS

Ns = npt.NDArray[np.int64]

OWN_WORK = {"array": "array_ns", "transfer": "bus_ns", "dram": "buffer_ns"}
OWN_WORK |= {part: f"{part}_ns" for part in OUTER_PARTS}
"""The causes that are a request's own work, each with the part of the response time that it is."""

CAUSES = (
    *(*OWN_WORK, "own_reads", "own_writes", "other_reads", "other_writes"),
    *("collection", "mapping", "backup", "bus", "room", "order"),
)
"""The causes that a response time is divided into."""

COLLECTION, MAPPING, BACKUP, BUS, ROOM, ORDER, STREAMS = range(7)
"""Columns of waits; from the last on, reads and writes of each stream."""

WORDS = ("op", "source", "content")
"""Columns of the tables that are no numbers."""


def summarize(requests: pa.Table, by_operation: dict[str, Any], by_stream: dict[str, Any]) -> None:
    """Add the mean blame, in microseconds, to the parts of a summary on requests and on streams."""
    times_ns = np.column_stack([requests[f"blame_{cause}_ns"] for cause in CAUSES])
    stream = requests["stream"].to_numpy()

    def mean_us(rows: Ns) -> dict[str, float | None]:
        means = (times_ns[rows].mean(axis=0) / 1000).tolist() if len(rows) else [None] * len(CAUSES)
        return dict(zip(CAUSES, means, strict=True))

    for op, fields in by_operation.items():
        of_op = np.flatnonzero(is_word(requests["op"], op))
        fields["blame_us"] = mean_us(of_op)
        for number, served in enumerate(by_stream.values()):
            served[op] = served[op] | {"blame_us": mean_us(of_op[stream[of_op] == number])}


def blamed(requests: pa.Table, commands: pa.Table) -> dict[str, Ns]:
    """Return the nanoseconds of each of `requests` by cause: none is below 0, and all are its response time."""
    column = {name: requests[name].to_numpy() for name in requests.column_names if name not in WORDS}
    every, streams = np.arange(requests.num_rows), 1 + int(column["stream"].max(initial=0))
    is_write = ~is_word(requests["op"], "read")
    waits = np.zeros((len(every), STREAMS + 2 * streams), np.int64)
    waits[:, COLLECTION], waits[:, MAPPING] = column["gc_ns"], column["mapping_ns"]
    left = column["queue_ns"].copy()

    def blame(cause: int, rows: Ns, wait_ns: Ns) -> None:
        taken = np.minimum(wait_ns, left[rows])
        waits[rows, cause] += taken
        left[rows] -= taken

    for cause, rows, wait_ns in waits_in_flash(column, commands):
        blame(cause, rows, wait_ns)
    outside = np.minimum(column["admitted_ns"] - column["arrival_ns"], left)
    is_buffered = is_write & (column["bus_ns"] == 0)
    waits[every, np.where(is_buffered, ROOM, ORDER)] += left - outside
    own_work = {cause: column[part] for cause, part in OWN_WORK.items() if part in column}
    # what a request does in the device is what those outside wait for, its own work included; it is told of later
    inside = waits.copy()
    inside[every, STREAMS + 2 * column["stream"] + is_write] += sum(own_work.values())
    waits += divided(column, inside, outside)
    by_stream = waits[:, STREAMS:].reshape(-1, streams, 2)
    own = by_stream[every, column["stream"]]
    causes = own_work | dict(zip(CAUSES[-STREAMS:], waits.T, strict=False))
    for place, op in enumerate(("reads", "writes")):
        causes |= {f"own_{op}": own[:, place], f"other_{op}": by_stream[:, :, place].sum(axis=1) - own[:, place]}
    return {name: causes.get(name, np.zeros_like(every)) for name in CAUSES}


def waits_in_flash(requests: dict[str, Ns], commands: pa.Table) -> Iterator[tuple[int, Ns, Ns]]:
    """Yield the waits of the last pages of requests that were not for collection: a cause, rows, and times.

    A wait is from when a page is queued until its command begins on the bus, that of a read also until its data does,
    and that of a command which is suspended also while others pass it.
    """
    commands = commands.filter(pa.array(commands["bus_start_ns"].to_numpy() >= 0))  # else it never began
    if not len(requests["id"]) or not commands.num_rows:
        return
    column = {name: commands[name].to_numpy() for name in commands.column_names if name not in WORDS}
    is_read, source = is_word(commands["op"], "read"), commands["source"]
    # of the request that a page is for, which was lost with power if there is none
    row = np.minimum(np.searchsorted(requests["id"], column["request"]), len(requests["id"]) - 1)
    is_known = requests["id"][row] == column["request"]
    cause = STREAMS + 2 * requests["stream"][row] + ~is_read
    cause[~is_known] = STREAMS + ~is_read[~is_known]
    cause[~is_word(source, "host")] = COLLECTION
    cause[is_word(source, "mapping")], cause[is_word(source, "backup")] = MAPPING, BACKUP
    channel = column["channel"].astype(np.int64)
    die = (channel << 32) + (column["chip"] << 16) + column["die"]  # a number that no other die has
    pages = np.flatnonzero(is_known & (cause >= STREAMS))
    pages = pages[np.lexsort((column["end_ns"][pages], row[pages]))]
    last = pages[np.append(np.diff(row[pages]) > 0, True)] if len(pages) else pages
    # of each command its first page, by die and time, and when it is over
    order = np.lexsort((column["bus_start_ns"], die))
    begins = np.append(True, np.diff(np.stack([die, column["bus_start_ns"]])[:, order]).any(axis=0)).nonzero()[0]
    first, over_ns = order[begins], np.maximum.reduceat(column["end_ns"][order], begins)
    for one in np.unique(die[last]):
        mine, executed = last[die[last] == one], die[first] == one
        on_bus, data = first[channel[first] == one >> 32], is_read & (channel == one >> 32)
        taken_ns = np.sort(np.concatenate([column["bus_start_ns"][on_bus], column["data_start_ns"][data]]))
        left_ns = np.sort(np.concatenate([column["array_start_ns"][on_bus], column["end_ns"][data]]))
        start_ns, end_ns = column["bus_start_ns"][first[executed]], over_ns[executed]
        edges_ns = np.unique(np.concatenate([start_ns, end_ns, taken_ns, left_ns]))
        is_taken = np.searchsorted(taken_ns, edges_ns, "right") > np.searchsorted(left_ns, edges_ns, "right")
        holder = holders(start_ns, end_ns, edges_ns)
        culprit = np.where(holder >= 0, cause[first[executed]][holder], np.where(is_taken, BUS, ORDER))
        # collection has a part of its own, and what nobody is to blame for is left over
        for number in (*np.setdiff1d(culprit, (COLLECTION, BUS, ORDER)), BUS):
            sums_ns = np.append(0, np.cumsum(np.diff(edges_ns) * (culprit[:-1] == number)))
            spans = [(mine, "queued_ns", "bus_start_ns")]
            if "suspended_ns" in column and number != BUS:
                passed = mine[(column["suspended_ns"][mine] > 0) & (cause[mine] != number)]
                spans.append((passed, "array_start_ns", "array_end_ns"))
            for waiting, begin, end in spans:
                up_to_ns = [np.interp(column[moment][waiting], edges_ns, sums_ns) for moment in (begin, end)]
                yield number, row[waiting], (up_to_ns[1] - up_to_ns[0]).astype(np.int64)
    reads = last[is_read[last]]
    yield BUS, row[reads], column["data_start_ns"][reads] - column["array_end_ns"][reads]


def holders(start_ns: Ns, end_ns: Ns, at_ns: Ns) -> Ns:
    """Return the numbers of the commands that hold a die at some moments: of several the one that began last, or -1."""
    number = np.searchsorted(start_ns, at_ns, "right") - 1
    number[np.maximum.accumulate(end_ns)[number] <= at_ns] = -1
    passed = np.flatnonzero(number >= 0)
    while len(passed := passed[end_ns[number[passed]] <= at_ns[passed]]):
        number[passed] -= 1  # it has passed another one, which goes on
    return number


def divided(requests: dict[str, Ns], inside: Ns, outside: Ns) -> Ns:
    """Return the waits `outside` the device queue by what those had spent their time on `inside` that left meanwhile.

    Running sums are rounded down, so that the parts are whole and add up; where nobody has left it is `ORDER`.
    """
    done_ns = requests["arrival_ns"] + requests["response_ns"]
    order = np.argsort(done_ns, kind="stable")
    sums = np.vstack([np.zeros_like(inside[:1]), np.cumsum(inside[order], axis=0)])
    first, behind = (
        np.searchsorted(done_ns[order], requests[f"{moment}_ns"], "right") for moment in ("arrival", "admitted")
    )
    spent = np.cumsum(sums[behind] - sums[first], axis=1)
    whole_ns = spent[:, -1:]
    up_to = np.floor(outside[:, None] * (spent / np.maximum(whole_ns, 1))).astype(np.int64)
    parts = np.diff(up_to, axis=1, prepend=0)
    parts[:, ORDER] += np.where(whole_ns[:, 0] > 0, 0, outside)
    return parts


def is_word(column: pa.ChunkedArray, word: str) -> npt.NDArray[np.bool_]:
    """Return where a column of words has this one."""
    words = column.combine_chunks()
    is_equal: npt.NDArray[np.bool_] = words.indices.to_numpy() == words.dictionary.to_pylist().index(word)
    return is_equal
