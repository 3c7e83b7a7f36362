# cython: infer_types=True
"""What delays requests between the host's link and the flash: the controller's processor, and its DRAM."""

from __future__ import annotations

from array import array
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import hold, now
from ssdsim.host.request import Request
from ssdsim.stage import Stage, part_done

if TYPE_CHECKING:
    from ssdsim.config import ControllerConfig


@cfunc
def pages_of(request: Request, page_bytes: int) -> int:
    """Return the number of pages that a request touches."""
    if request.op == FLUSH:
        return 0
    first = request.offset_bytes // page_bytes
    return (request.offset_bytes + request.size_bytes - 1) // page_bytes - first + 1


@final
class Dram:
    """One server: what is moved waits for all that was asked for before it.

    A page takes `access_ns`, as it lies in a row of its own, and each of its bytes `ns_per_byte`. Owes a request whose
    data has been moved its `part_done`, and the time that this took as the request's `buffer_ns`. What leaves for flash
    takes its time, too, which holds up others; its program does not wait, as it is much longer.

    Where all data passes through it (`DataPath`), the mapping table lies there, too: each page that is looked up, or
    moved by collection, takes `table_accesses` more, of `access_bytes` each.
    """

    env: Any
    busy_ns: int  # all that was asked for
    free_ns: int  # when all that was asked for is done
    line: deque[tuple[Request, int]]  # (request, duration), oldest first

    def __init__(self, access_ns: float, ns_per_byte: float, table_accesses: int = 0, access_bytes: int = 0) -> None:
        self.env = None
        self.access_ns = access_ns
        self.ns_per_byte = ns_per_byte
        self.table_accesses = table_accesses
        self.access_bytes = access_bytes
        self.busy_ns = self.free_ns = 0
        self.line = deque()

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    @cfunc
    def occupy(self, pages: int, size_bytes: int) -> int:
        """Move so much after all else, with nobody waiting, and return how long that takes."""
        duration: int = int(pages * self.access_ns + size_bytes * self.ns_per_byte + 0.5)
        self.free_ns = max(self.free_ns, now(self.env)) + duration
        self.busy_ns += duration
        return duration

    @cfunc
    def carry(self, size_bytes: int, changes_table: bool) -> None:
        """Move the data of a page of flash, and the entry of a page that has been moved, with nobody waiting."""
        accesses = self.table_accesses if changes_table else 0
        self.occupy(1 + accesses, size_bytes + accesses * self.access_bytes)

    def move(self, request: Request, pages: int, size_bytes: int) -> None:
        """Move so much of the data of `request`, and then count a part of it as done."""
        self.line.append((request, self.occupy(pages, size_bytes)))
        hold(self.env, self.free_ns - now(self.env)).callbacks.append(self.moved)

    def moved(self, event: Any) -> None:
        """Count a part as done: that which has waited for longest."""
        request: Request
        request, duration = self.line.popleft()
        request.needed_no_flash(0, duration)
        part_done(request)

    @cfunc
    def backlog_ns(self) -> int:
        """Return the time until all is moved that was asked for."""
        return max(self.free_ns - now(self.env), 0)

    def worked_ns(self) -> int:
        """Return for how long it has moved data up to now."""
        return self.busy_ns - self.backlog_ns()

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits."""
        return [f"{len(self.line)} requests wait for the write buffer's DRAM"] if self.line else []


class Delay(Stage):
    """A stage that requests leave again some time after they have come, of which it knows when they come."""

    env: Any
    waiting: int  # requests in it
    name: str

    def __init__(self, inner: Stage, name: str) -> None:
        self.inner = inner
        self.env = None
        self.waiting = 0
        self.name = name

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    @cfunc
    def delay(self, request: Request, wait_ns: int, is_complete: bool) -> None:
        """Have a request go on later, to the flash or, if it is complete, back to the host."""
        self.waiting += 1
        hold(self.env, wait_ns).callbacks.append(partial(self.go_on, request, is_complete))

    def go_on(self, request: Request, is_complete: bool, event: Any) -> None:
        """Pass on a request whose time is over."""
        self.waiting -= 1
        if is_complete:
            self.conclude(request)
        else:
            self.inner.submit(request)

    @cfunc
    def conclude(self, request: Request) -> None:
        """Tell the host that a request is complete."""
        raise NotImplementedError

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.inner.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and for what."""
        return [f"{self.waiting} requests wait for the {self.name}"] if self.waiting else []


@final
class Processor(Delay):
    """Passes requests on once a core has dealt with them, first come, first served.

    A request takes a core for the time of its kind, a flush for none. Reads go on when they are done with; what changes
    data, in the order in which it came, as an older write must not undo a newer one.
    """

    command_ns: list[float]  # by operation
    free_ns: Int64s  # by core: when it is done with all that it was given
    in_order_ns: int  # when the last of what is kept in order goes on

    def __init__(self, inner: Stage, config: ControllerConfig) -> None:
        Delay.__init__(self, inner, "processor")
        self.command_ns = [config.read_ns, config.write_ns, config.trim_ns, 0.0]
        self.free_ns = array("q", [0] * config.cores)
        self.in_order_ns = 0

    def submit(self, request: Request) -> None:
        """Give a request to the core that is free first."""
        duration: float = self.command_ns[request.op]
        chosen = 0
        for core in range(1, len(self.free_ns)):
            if self.free_ns[core] < self.free_ns[chosen]:
                chosen = core
        now_ns: int = now(self.env)
        end_ns: int = max(self.free_ns[chosen], now_ns) + int(duration + 0.5)
        self.free_ns[chosen] = end_ns
        if request.op != READ:
            end_ns = max(end_ns, self.in_order_ns)
            self.in_order_ns = end_ns
        request.processor_ns = end_ns - now_ns
        self.delay(request, request.processor_ns, False)


@final
class DataPath(Delay):
    """Moves data into the DRAM and out of it: once on each way over the host's link, and once over a channel's bus.

    A write goes on when its data has been moved in, and a read is complete when its data has been moved out; both come
    after all that was asked for before. What crosses a bus, for whatever reason, is moved while it does: the bus waits
    until that can begin (`FlashController.cross`). An entry of the mapping table is looked up for each page of a
    request, before that goes on, and written for each page that collection moves.
    """

    host: Any  # the `Stage` to be told of completions
    page_bytes: int

    def __init__(self, inner: Stage, dram: Dram, page_bytes: int) -> None:
        Delay.__init__(self, inner, "DRAM")
        self.dram = dram
        self.page_bytes = page_bytes
        self.host = None

    def submit(self, request: Request) -> None:
        """Look up the pages of a request, and move the data of a write in."""
        self.host = request.owner
        request.owner = self
        if request.op == READ and not self.dram.table_accesses:
            self.inner.submit(request)
            return
        pages = pages_of(request, self.page_bytes)
        accesses = pages * self.dram.table_accesses
        size = accesses * self.dram.access_bytes
        if request.op == WRITE:
            accesses += pages
            size += request.size_bytes
        self.move(request, accesses, size, False)

    def completed(self, request: Request) -> None:
        """Move the data of a read out."""
        if request.op == READ:
            self.move(request, pages_of(request, self.page_bytes), request.size_bytes, True)
        else:
            self.conclude(request)

    @cfunc
    def move(self, request: Request, accesses: int, size: int, is_complete: bool) -> None:
        """Have a request wait until so much has been moved, after all else."""
        self.dram.occupy(accesses, size)
        wait_ns = self.dram.free_ns - now(self.env)
        request.dram_ns += wait_ns
        self.delay(request, wait_ns, is_complete)

    @cfunc
    def conclude(self, request: Request) -> None:
        """Tell the host that a request is complete."""
        request.buffer_ns = request.dram_ns
        host: Stage = self.host
        host.completed(request)
