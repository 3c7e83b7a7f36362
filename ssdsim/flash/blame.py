# cython: infer_types=True
"""What requests wait for: each nanosecond of a response time is blamed on what held up the request meanwhile."""

from __future__ import annotations

from array import array
from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, HOST, MAPPING, READ, WRITE
from ssdsim._core.columns import Int64s
from ssdsim.flash.channel import Channel
from ssdsim.flash.transactions import Transactions
from ssdsim.host.request import Request
from ssdsim.host.waits import (
    ARRAY,
    BACKED_UP,
    BUS,
    COLLECTION,
    DRAM,
    HELD,
    HOSTS,
    LINK,
    MAPPED,
    ORDER,
    PROCESSOR,
    ROOM,
    STREAMS,
    TRANSFER,
    Waits,
)

LATEST: Final = 4096
"""Requests that left a place of which it is known what they had waited for."""

NOBODY: Final = -1


@final
class Turnover:
    """What the requests that left a place had spent their time on, summed up by cause: of the `LATEST` of them.

    The place is the device queue, or the slots of the write buffer. Who waits for it waits for others to leave.
    """

    ends_ns: Int64s  # by number of the request, modulo `LATEST`
    sums: Int64s  # by the same, then cause: of it and all before it
    total: Int64s
    left: int  # requests, and one that never was, from which the sums begin

    def __init__(self, causes: Any) -> None:
        self.causes = int(causes)
        self.ends_ns = array("q", [-1] * LATEST)
        self.sums = array("q", bytes(8 * LATEST * self.causes))
        self.total = array("q", bytes(8 * self.causes))
        self.left = 1

    @cfunc
    def leave(self, waits: Waits, request: Request, now_ns: int) -> None:
        """Count in a request that leaves now; its own work is what those behind it wait for."""
        place = self.left % LATEST
        own_ns = waits.device[ARRAY] + waits.device[TRANSFER] + waits.device[DRAM]
        own_ns += waits.device[LINK] + waits.device[PROCESSOR]
        self.total[STREAMS + 2 * request.stream + (request.op != READ)] += own_ns
        for cause in range(HELD, self.causes):
            self.total[cause] += waits.device[cause]
            self.sums[place * self.causes + cause] = self.total[cause]
        self.ends_ns[place] = now_ns
        self.left += 1

    @cfunc
    def divide(self, wait_ns: int, since_ns: int, into: Int64s) -> None:
        """Add a wait up to now to causes, in proportion to what those spent that have left after `since_ns`.

        Running sums are rounded down, so that the parts are whole and add up. Where nobody has left it is `ORDER`.
        """
        low = max(self.left - LATEST, 0) + 1
        high = self.left
        while low < high:
            middle = (low + high) // 2
            if self.ends_ns[middle % LATEST] > since_ns:
                high = middle
            else:
                low = middle + 1
        first = (low - 1) % LATEST * self.causes  # the last that had left before
        whole = 0
        for cause in range(HELD, self.causes):
            whole += self.total[cause] - self.sums[first + cause]
        if not whole:
            into[ORDER] += wait_ns
            return
        spent = 0
        given = 0
        for cause in range(HELD, self.causes):
            spent += self.total[cause] - self.sums[first + cause]
            up_to = int(float(wait_ns) * (float(spent) / float(whole)))
            into[cause] += up_to - given
            given = up_to


@final
class Blame:
    """Accounts of what has held each die so far, and what each request and transaction has waited for by them.

    A die is held by one command at a time, from the start of that on the bus until it is finished; of reads side by
    side by the one that began last, and after that by another of them. While it is held by none, whatever waits for it
    waits for the bus as long as that is held, and else for its turn (`ORDER`). So an account grows with the clock,
    and a wait is the difference of two looks at it, which add up to the wait. A command of several pages is on account
    of its first.

    A request has the waits of the transaction that finished last. Before it was admitted it waited for others to leave
    the device queue, and a write of a full buffer for others to leave that (`Turnover`).
    """

    accounts: Int64s  # by die, then cause
    since_ns: Int64s  # by die: up to when its account is kept
    holder: Int64s  # by die: the cause that it is held for, or -1
    bus_mark_ns: Int64s  # by die that is not held: for how long its bus had been held by then
    buses: list[Any]
    streams: int
    causes: int  # accounts of a die
    slots: Turnover | None  # of the write buffer, if there is one

    def __init__(
        self, transactions: Transactions, buses: list[Any], streams: Any, is_buffered: bool, now_ns: Any
    ) -> None:
        self.transactions = transactions
        self.buses = buses
        self.streams = streams
        self.causes = STREAMS + 2 * self.streams
        dies = len(buses)
        self.accounts = array("q", bytes(8 * dies * self.causes))
        self.since_ns = array("q", [now_ns] * dies)
        self.holder = array("q", [NOBODY] * dies)
        self.bus_mark_ns = array("q", bytes(8 * dies))
        transactions.record_waits(self.causes)
        self.queue = Turnover(self.causes)
        self.slots = Turnover(self.causes) if is_buffered else None

    # Dies.

    @cfunc
    def bring_up(self, die: int, now_ns: int) -> None:
        """Bring the account of `die` up to now."""
        elapsed_ns = now_ns - self.since_ns[die]
        first = die * self.causes
        if self.holder[die] >= 0:
            self.accounts[first + self.holder[die]] += elapsed_ns
        elif elapsed_ns:
            bus = cast(Channel, self.buses[die])
            bus_ns = bus.bus_time_ns(now_ns)
            self.accounts[first + BUS] += bus_ns - self.bus_mark_ns[die]
            self.accounts[first + ORDER] += elapsed_ns - (bus_ns - self.bus_mark_ns[die])
            self.bus_mark_ns[die] = bus_ns
        self.since_ns[die] = now_ns

    @cfunc
    def queued(self, die: int, transaction: int, now_ns: int) -> None:
        """Record that `transaction` begins to wait for `die`."""
        if self.transactions.request[transaction] is None:
            return
        self.bring_up(die, now_ns)
        row = transaction * self.causes
        account = die * self.causes
        if not self.transactions.array_ns[transaction]:  # else it is issued again, and has waited before
            for cause in range(HELD, self.causes):
                self.transactions.waits[row + cause] = 0
        for cause in range(HELD, self.causes):
            self.transactions.waits[row + cause] -= self.accounts[account + cause]

    @cfunc
    def started(self, die: int, transaction: int, now_ns: int) -> None:
        """Record that `die` starts the command that begins with `transaction`."""
        self.bring_up(die, now_ns)
        self.holder[die] = self.cause_of(transaction)
        account = die * self.causes
        while transaction:
            if self.transactions.request[transaction] is not None:
                row = transaction * self.causes
                for cause in range(HELD, self.causes):
                    self.transactions.waits[row + cause] += self.accounts[account + cause]
            transaction = self.transactions.partner[transaction]

    @cfunc
    def cause_of(self, transaction: int) -> int:
        """Return on whose account a command is that begins with `transaction`."""
        source = self.transactions.source[transaction]
        if source == MAPPING:
            return MAPPED
        if source == BACKUP:
            return BACKED_UP
        if source != HOST:
            return COLLECTION
        stream = max(self.transactions.stream[transaction], 0)
        request: Request = self.transactions.request[transaction]
        if request is not None:
            stream = request.stream
        return STREAMS + 2 * stream + (self.transactions.op[transaction] != READ)

    @cfunc
    def moves_out(self, transaction: int, now_ns: int) -> None:
        """Record that the data of a read, which has stood ready, is moved out: it has waited for the bus."""
        if self.transactions.request[transaction] is not None:
            waited_ns = now_ns - self.transactions.array_end_ns[transaction]
            self.transactions.waits[transaction * self.causes + BUS] += waited_ns

    @cfunc
    def finished(self, die: int, another: int, now_ns: int) -> None:
        """Record that `die` has finished a command, and goes on with `another` unless that is 0."""
        self.bring_up(die, now_ns)
        self.holder[die] = self.cause_of(another) if another else NOBODY
        bus = cast(Channel, self.buses[die])
        self.bus_mark_ns[die] = bus.bus_time_ns(now_ns)

    # Requests.

    @cfunc
    def admitted(self, request: Request) -> None:
        """Divide the wait of a request that is admitted now."""
        waits = request.recorded_waits(self.causes)
        wait_ns = request.admitted_ns - request.arrival_ns
        if wait_ns:
            for cause in range(self.causes):
                waits.queue[cause] = 0
            throttled_ns = request.throttled_ns
            waits.queue[ORDER] += throttled_ns
            self.queue.divide(wait_ns - throttled_ns, request.arrival_ns + throttled_ns, waits.queue)

    @cfunc
    def evicted(self, request: Request, now_ns: int) -> None:
        """Count in a request of the write buffer's own, whose slot becomes free."""
        waits = request.recorded_waits(self.causes)
        self.settle(waits, request, now_ns, None)
        self.slots.leave(waits, request, now_ns)

    @cfunc
    def settle(self, waits: Waits, request: Request, now_ns: int, slots: Turnover | None) -> None:
        """Settle the waits of a request, which is complete, since it was admitted.

        What neither a transaction nor the DRAM accounts for it has waited for a place among `slots`, or for its turn.
        """
        # a wait for room is among those for collection
        waits.device[ROOM] = request.gc_ns - request.held_ns - waits.device[COLLECTION]
        waits.device[COLLECTION] += request.held_ns
        waits.device[MAPPED] += request.mapping_ns
        waits.device[ARRAY] = request.array_ns
        waits.device[TRANSFER] = request.bus_ns
        waits.device[DRAM] = request.buffer_ns
        waits.device[LINK] = request.link_ns
        waits.device[PROCESSOR] = request.processor_ns
        rest_ns = now_ns - request.admitted_ns - request.array_ns - request.bus_ns - request.buffer_ns
        rest_ns -= request.link_ns + request.processor_ns
        for cause in range(HELD, self.causes):
            rest_ns -= waits.device[cause]
        if slots is not None and rest_ns:
            slots.divide(rest_ns, request.admitted_ns, waits.device)
        else:
            waits.device[ORDER] += rest_ns

    @cfunc
    def completed(self, request: Request, now_ns: int) -> None:
        """Divide the response time of a request, which is complete, into `CAUSES`."""
        waits: Waits = request.waits
        in_buffer: bool = request.op == WRITE and not request.bus_ns
        self.settle(waits, request, now_ns, self.slots if in_buffer else None)
        self.queue.leave(waits, request, now_ns)
        if request.admitted_ns > request.arrival_ns:
            for cause in range(HELD, self.causes):
                waits.device[cause] += waits.queue[cause]
        for cause in range(HELD):
            waits.causes[cause] = waits.device[cause]
        for cause in range(HELD, STREAMS):
            waits.causes[cause + HOSTS] = waits.device[cause]
        for place in range(HELD, HELD + HOSTS):
            waits.causes[place] = 0
        for stream in range(self.streams):
            place = HELD if stream == request.stream else HELD + 2
            waits.causes[place] += waits.device[STREAMS + 2 * stream]
            waits.causes[place + 1] += waits.device[STREAMS + 2 * stream + 1]
