# cython: infer_types=True
"""Tables that grow with the run, written to Parquet as it goes: one row a request, one row a flash command."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any, Final, final

import numpy as np
import pyarrow as pa

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, COPIES, ERASE, HOST, MOVES_DATA, OPERATIONS, PROGRAM, READ, REQUESTS, SOURCES
from ssdsim._core.columns import Int64s
from ssdsim.config import HardwareConfig
from ssdsim.flash.transactions import Transactions
from ssdsim.host.request import MEASURED, OUTER_PARTS, Request, RequestObserver
from ssdsim.metrics.blame import CAUSES, blamed
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import open_writer

CONTENTS = ("none", "data", "asked", "fill", "padding")
"""The kinds of data that a command writes, by the numbers that follow."""
NOTHING: Final = 0
DATA: Final = 1
ASKED: Final = 2  # data of the host for a row of collection
FILL: Final = 3  # the rest of a super page
PADDING: Final = 4  # the rest of a row


@final
class Rows:
    """Rows of whole numbers on their way into a Parquet file, or into memory where no `path` is given.

    A row has all `columns` of a table, of which those that are `absent` are not written; those of names take the
    position of the name in `names`.
    """

    values: Int64s
    width: int
    most: int  # rows that are kept in memory before they are written

    def __init__(self, columns: pa.Schema, absent: list[str], names: dict[str, tuple[str, ...]], path: Any) -> None:
        self.places: list[int] = [place for place, name in enumerate(columns.names) if name not in absent]
        self.schema: Any = pa.schema([columns.field(place) for place in self.places])
        self.names = names
        self.writer: Any = None if path is None else open_writer(path, self.schema)
        self.tables: list[Any] = []
        self.width = len(columns)
        self.most = 65_000
        self.place = 0  # of the next number
        self.begin()

    def begin(self) -> None:
        """Begin anew, in other memory, which is taken as it is written to."""
        memory: Any = np.empty(self.most * self.width, np.int64)
        self.values = memory
        self.place = 0

    @cfunc
    def put(self, value: int) -> None:
        """Add a number to the row that is being written."""
        self.values[self.place] = value
        self.place += 1

    @cfunc
    def end_row(self) -> None:
        """Write the rows if there is no room for another."""
        if self.place == self.most * self.width:
            self.write()

    def write(self) -> None:
        """Write the rows that have come since the last time."""
        rows = np.asarray(self.values)[: self.place].reshape(-1, self.width)
        self.begin()
        columns: list[Any] = []
        for field, values in zip(self.schema, rows.T[self.places], strict=True):
            if field.name in self.names:
                columns.append(pa.DictionaryArray.from_arrays(values.astype(np.int8), list(self.names[field.name])))
            else:
                columns.append(pa.array(np.ascontiguousarray(values), type=field.type))
        table = pa.Table.from_arrays(columns, schema=self.schema)
        if self.writer is None:
            self.tables.append(table)
        else:
            self.writer.write_table(table)

    def close(self) -> Any:
        """Write the rows that are left, and return the table if it was kept in memory."""
        self.write()
        if self.writer is None:
            return pa.concat_tables(self.tables)
        return self.writer.close()


@final
class RequestLog(RequestObserver):
    """One row a request: in the file in the order of completion, as others would wait in memory for one that starves.

    What is read, from memory here or by `Result`, is in the order of `id`, the number that a request has by admission.
    A row has the `OUTER_PARTS` of a request where a device has those, and with queue pairs when it was submitted.
    """

    parts_ns: Int64s  # of the request that is written
    inner: int  # measured parts that every device has

    def __init__(self, path: Path | None, has_outer_parts: bool = False, has_pairs: bool = False) -> None:
        blames = [f"blame_{cause}_ns" for cause in CAUSES]  # which the record tells of when the run is over
        columns = pa.schema([column for column in schema("requests") if column.name not in blames])
        self.parts_ns = array("q", [0] * MEASURED)
        self.inner = MEASURED - len(OUTER_PARTS)
        absent = [] if has_outer_parts else [f"{part}_ns" for part in OUTER_PARTS]
        self.rows = Rows(columns, absent + ([] if has_pairs else ["submitted_ns"]), {"op": REQUESTS}, path)

    def add(self, request: Request, response_ns: int) -> None:
        """Record a completed request, in the order of the table's columns."""
        rows = self.rows
        rows.put(request.id)
        rows.put(request.stream)
        rows.put(request.arrival_ns)
        rows.put(request.admitted_ns)
        rows.put(request.op)
        rows.put(request.offset_bytes)
        rows.put(request.size_bytes)
        rows.put(response_ns)
        queue_ns = response_ns + request.urgent_gc_ns  # which is a part of another
        for part in range(MEASURED):
            self.parts_ns[part] = 0
        request.add_parts(self.parts_ns, 0)
        for part in range(MEASURED):
            queue_ns -= self.parts_ns[part]
        rows.put(queue_ns)
        for part in range(self.inner):
            rows.put(self.parts_ns[part])
        rows.put(request.buffer_pages)
        for part in range(self.inner, MEASURED):
            rows.put(self.parts_ns[part])
        rows.put(request.submitted_ns)
        rows.end_row()

    def close(self) -> Any:
        """Write the rows that are left, and return the table, sorted, if it was kept in memory."""
        table = self.rows.close()
        return None if table is None else table.sort_by("id")


@final
class CommandLog:
    """One row a page of a flash command: who used which die and bus, from when to when, in the order of their ends.

    Pages of one command begin at the same time on the same die. With `suspends` a row has how its command was
    suspended, too. Where data to be programmed may wait on the chip, the bus has been left `cached_ns` before
    `array_start_ns`; while it waits, that is below zero: the time of its coming.
    """

    observes = ("done",)

    dies_per_chip: int
    chips_per_channel: int
    planes_per_die: int
    physical_blocks: int

    def __init__(self, path: Path | None, hardware: HardwareConfig, suspends: bool = False) -> None:
        absent = [] if suspends else ["suspensions", "suspended_ns"]
        absent += ["cached_ns"] if hardware.cache_program_us is None else []
        names = {"op": OPERATIONS, "source": SOURCES, "content": CONTENTS}
        self.rows = Rows(schema("commands"), absent, names, path)
        self.dies_per_chip = hardware.dies_per_chip
        self.chips_per_channel = hardware.chips_per_channel
        self.planes_per_die = hardware.planes_per_die
        self.physical_blocks = hardware.physical_blocks

    def done(self, transactions: Transactions, page: int, end_ns: int) -> None:
        """Record the page of a command that is over (`ssdsim.flash.observer`)."""
        rows, op = self.rows, transactions.op[page]
        request: Request = transactions.request[page]
        rows.put(op)
        rows.put(transactions.source[page])
        rows.put(content_of(transactions, page))
        die = transactions.plane[page] // self.planes_per_die
        chip = die // self.dies_per_chip
        rows.put(chip // self.chips_per_channel)
        rows.put(chip % self.chips_per_channel)
        rows.put(die % self.dies_per_chip)
        rows.put(transactions.plane[page] % self.planes_per_die)
        rows.put(transactions.block[page] % self.physical_blocks)
        rows.put(transactions.page[page])
        rows.put(transactions.page_type[page])
        rows.put(transactions.specified_type[page])
        rows.put(transactions.lpa[page])
        rows.put(transactions.before[page] if COPIES >> op & 1 else -1)
        # -2 marks a page that fills up a super page (`content_of`)
        rows.put(max(transactions.request_number[page], -1) if request is None else request.id)
        rows.put(transactions.bytes[page] if MOVES_DATA >> op & 1 else 0)
        rows.put(transactions.valid_pages[page] if op == ERASE else -1)
        rows.put(transactions.queued_ns[page])
        rows.put(transactions.bus_start_ns[page])
        rows.put(transactions.array_start_ns[page])
        rows.put(transactions.array_end_ns[page])
        # of other operations it has an earlier use's value
        rows.put(transactions.data_start_ns[page] if op == READ else -1)
        rows.put(end_ns)
        rows.put(transactions.line_ns[page] + transactions.held_ns[page])  # waited for a place in line, or held up
        rows.put(transactions.gc_ns[page])
        rows.put(transactions.cached_ns[page])
        rows.put(transactions.suspensions[page])
        rows.put(transactions.suspended_ns[page])
        rows.end_row()

    def close(self) -> Any:
        """Write the rows that are left, and return the table if it was kept in memory."""
        return self.rows.close()


@cfunc
def content_of(transactions: Transactions, page: int) -> int:
    """Return the kind of data that a page of a command writes, as its place in `CONTENTS`."""
    if transactions.op[page] in (READ, ERASE):
        return NOTHING
    if transactions.lpa[page] < 0 and transactions.source[page] != BACKUP:  # a backup has no logical page either
        return PADDING
    if transactions.op[page] == PROGRAM and transactions.source[page] == HOST:
        return FILL if transactions.request_number[page] == -2 else ASKED if transactions.asked[page] else DATA
    return DATA


def with_blame(requests: pa.Table, commands: pa.Table) -> pa.Table:
    """Return the table of requests with a column for each cause of their response times."""
    for cause, times_ns in blamed(requests, commands).items():
        requests = requests.append_column(schema("requests").field(f"blame_{cause}_ns"), pa.array(times_ns))
    return requests
