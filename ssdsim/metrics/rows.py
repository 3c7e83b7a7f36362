# cython: infer_types=True
"""Rows of the tables of requests and flash commands, as they come in the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, HOST, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.config import HardwareConfig
from ssdsim.flash.transactions import Transactions
from ssdsim.host.request import Request, RequestObserver

CONTENTS = ("none", "data", "asked", "fill", "padding")
"""What a command writes, by the numbers that follow."""
NOTHING: Final = 0
DATA: Final = 1
ASKED: Final = 2  # data of the host for a row of collection
FILL: Final = 3  # the rest of a super page
PADDING: Final = 4  # the rest of a row


@final
class Rows:
    """Rows of `width` numbers of 64 bits in memory; `full` is called when there are `most`, and is to take them."""

    values: Int64s

    def __init__(self, width: int, most: int, full: Callable[[], None]) -> None:
        self.width = width
        self.most = most
        self.full: Any = full
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
        """Have the rows taken if there is no room for another."""
        if self.place == self.most * self.width:
            self.full()

    def taken(self) -> np.ndarray:
        """Return the rows in an array of their own, and begin anew."""
        rows = np.asarray(self.values)[: self.place].reshape(-1, self.width)
        self.begin()
        return rows


@final
class RequestRows(RequestObserver):
    """Writes the row of a completed request, in the order of the table's columns."""

    has_outer_parts: bool  # those of a link and a processor that take time

    def __init__(self, rows: Rows, has_outer_parts: bool) -> None:
        self.rows = rows
        self.has_outer_parts = has_outer_parts

    def add(self, request: Request, response_ns: int) -> None:
        """Record a completed request."""
        rows = self.rows
        rows.put(request.id)
        rows.put(request.stream)
        rows.put(request.arrival_ns)
        rows.put(request.admitted_ns)
        rows.put(request.op)
        rows.put(request.offset_bytes)
        rows.put(request.size_bytes)
        rows.put(response_ns)
        served_ns = request.bus_ns + request.array_ns + request.gc_ns + request.mapping_ns + request.buffer_ns
        rows.put(response_ns - served_ns - request.link_ns - request.processor_ns)  # in the queue
        rows.put(request.bus_ns)
        rows.put(request.array_ns)
        rows.put(request.gc_ns)
        rows.put(request.urgent_gc_ns)
        rows.put(request.mapping_ns)
        rows.put(request.buffer_ns)
        rows.put(request.buffer_pages)
        if self.has_outer_parts:
            rows.put(request.link_ns)
            rows.put(request.processor_ns)
        if request.queue >= 0:
            rows.put(request.queue)
            rows.put(request.submitted_ns)
        rows.end_row()


@final
class CommandRows:
    """Writes the row of a page of a flash command, in the order of the table's columns."""

    dies_per_chip: int
    chips_per_channel: int
    planes_per_die: int
    physical_blocks: int
    suspends: bool  # rows tell of suspensions
    caches: bool  # rows tell of data that waits on the chip

    def __init__(self, rows: Rows, hardware: HardwareConfig, suspends: bool) -> None:
        self.rows = rows
        self.suspends = suspends
        self.caches = hardware.cache_program_us is not None
        self.dies_per_chip = hardware.dies_per_chip
        self.chips_per_channel = hardware.chips_per_channel
        self.planes_per_die = hardware.planes_per_die
        self.physical_blocks = hardware.physical_blocks

    def add(self, transactions: Transactions, page: int, end_ns: int) -> None:
        """Record the page of a command that is over (`ssdsim.flash.observer`)."""
        bus_ns, array_ns = transactions.bus_start_ns[page], transactions.array_start_ns[page]
        over_ns, data_ns = transactions.array_end_ns[page], transactions.data_start_ns[page]
        self.add_reached(transactions, page, bus_ns, array_ns, over_ns, data_ns, end_ns)

    def add_reached(
        self, transactions: Transactions, page: int, bus_ns: int, array_ns: int, over_ns: int, data_ns: int, end_ns: int
    ) -> None:
        """Record a page that has reached the bus, the array, the end of that, data-out and its end at these times."""
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
        rows.put(transactions.copied_from[page] if op == COPYBACK else -1)
        # -2 marks a page that fills up a super page (`content_of`)
        rows.put(max(transactions.request_number[page], -1) if request is None else request.id)
        rows.put(transactions.bytes[page] if op in (READ, PROGRAM) else 0)
        rows.put(transactions.valid_pages[page] if op == ERASE else -1)
        rows.put(transactions.queued_ns[page])
        rows.put(bus_ns)
        rows.put(array_ns)
        rows.put(over_ns)
        rows.put(data_ns if op == READ else -1)  # of other operations it has an earlier use's value
        rows.put(end_ns)
        rows.put(transactions.line_ns[page] + transactions.held_ns[page])  # waited for a place in line, or held up
        rows.put(transactions.gc_ns[page])
        if self.caches:
            rows.put(transactions.cached_ns[page] if bus_ns >= 0 else 0)  # else it has an earlier use's value
        if self.suspends:
            rows.put(transactions.suspensions[page])
            rows.put(transactions.suspended_ns[page])
        rows.end_row()


@cfunc
def content_of(transactions: Transactions, page: int) -> int:
    """Return the place in `CONTENTS` of what a page of a command writes."""
    if transactions.op[page] in (READ, ERASE):
        return NOTHING
    if transactions.lpa[page] < 0 and transactions.source[page] != BACKUP:  # a backup has no logical page either
        return PADDING
    if transactions.op[page] == PROGRAM and transactions.source[page] == HOST:
        return FILL if transactions.request_number[page] == -2 else ASKED if transactions.asked[page] else DATA
    return DATA
