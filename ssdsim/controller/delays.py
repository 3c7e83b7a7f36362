# cython: infer_types=True
"""What delays requests between host and flash: the host's link, the controller's processor, and its DRAM."""

from __future__ import annotations

from array import array
from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.either_kernel import now, set_timer
from ssdsim._core.schedule import Timer
from ssdsim.config import ControllerConfig, LinkConfig
from ssdsim.host.request import Request, RequestOwner
from ssdsim.stage import Stage

# The messages of a request in their order, and then those that nobody waits for.
MESSAGES = ("doorbell", "fetch", "command", "data_request", "data", "completion", "accepted", "release", "read_setup")
DOORBELL: Final = 0
FETCH: Final = 1
COMMAND: Final = 2
DATA_REQUEST: Final = 3
DATA: Final = 4
COMPLETION: Final = 5
ACCEPTED: Final = 6
RELEASE: Final = 7
READ_SETUP: Final = 8
READ_DATA: Final = 9
NOT_SENT: Final = -1  # in place of the time of a message that the protocol does not have


class Delay(Stage):
    """A stage that serves requests for a time, first come, first served, and takes a step with each after that."""

    env: Any
    host: RequestOwner  # which is told of completions
    free_ns: Int64s  # by server: when all that was asked of it is done
    spare: list[Any]  # steps that have been taken, to be used again

    def __init__(self, inner: Any, servers: int = 1) -> None:
        self.inner = inner
        self.busy_ns = 0  # all that was asked for
        self.free_ns = array("q", [0] * servers)
        self.spare = []

    @cfunc
    def serve(self, duration: int, now_ns: int) -> int:
        """Occupy the server that is free first for `duration`, and return the time until that is over."""
        chosen = 0
        for server in range(1, len(self.free_ns)):
            if self.free_ns[server] < self.free_ns[chosen]:
                chosen = server
        self.free_ns[chosen] = max(self.free_ns[chosen], now_ns) + duration
        self.busy_ns += duration
        return self.free_ns[chosen] - now_ns

    @cfunc
    def step(self, request: Request, number: int, time_ns: int) -> Step:
        """Return a step with a request, to be told to `take` with a number and a time of its own."""
        step: Step = cast(Step, self.spare.pop()) if self.spare else Step()
        step.stage = self
        step.request = request
        step.number = number
        step.time_ns = time_ns
        return step

    @cfunc
    def take(self, request: Request, number: int, time_ns: int) -> None:
        """Take a step with a request, whose time has come: pass it on."""
        self.inner.submit(request)


@final
class Step(Timer):
    """A step that a stage takes with a request when its time has come."""

    stage: Delay
    request: Request
    number: int
    time_ns: int
    behind: Any  # the next message of a `Direction`, or None

    def due(self) -> int:
        """Take the step; after that this may be another one."""
        self.stage.take(self.request, self.number, self.time_ns)
        self.stage.spare.append(self)
        return 0


@final
class Dram(Delay):
    """One server, which moves data: a page takes `access_ns`, as it has a row of its own, and a byte `ns_per_byte`.

    What leaves for flash holds up others, but its own program does not wait. Where all data passes through it, each
    page that is looked up, or moved by collection, takes `table_accesses` more, of `access_bytes` each.
    """

    def __init__(self, access_ns: float, ns_per_byte: float, table_accesses: int = 0, access_bytes: int = 0) -> None:
        Delay.__init__(self, None)
        self.access_ns = access_ns
        self.ns_per_byte = ns_per_byte
        self.table_accesses = table_accesses
        self.access_bytes = access_bytes

    @cfunc
    def occupy(self, pages: int, size_bytes: int) -> int:
        """Move so much after all else, with nobody waiting, and return how long that takes."""
        duration: int = int(pages * self.access_ns + size_bytes * self.ns_per_byte + 0.5)
        self.serve(duration, now(self.env))
        return duration

    @cfunc
    def carry(self, size_bytes: int, changes_table: bool) -> None:
        """Move the data of a page of flash, and the entry of a page that has been moved, with nobody waiting."""
        accesses = self.table_accesses if changes_table else 0
        self.occupy(1 + accesses, size_bytes + accesses * self.access_bytes)

    def move(self, request: Request, pages: int, size_bytes: int) -> None:
        """Move so much of the data of `request`, and then count a part of it as done."""
        moved = self.step(request, 0, self.occupy(pages, size_bytes))
        set_timer(self.env, self.backlog_ns(), moved)

    @cfunc
    def take(self, request: Request, number: int, time_ns: int) -> None:
        """Count a part of a request as done."""
        request.needed_no_flash(0, time_ns)
        request.part_done()

    def backlog_ns(self) -> int:
        """Return the time until all is moved that was asked for."""
        return max(self.free_ns[0] - now(self.env), 0)


@final
class Processor(Delay):
    """Passes requests on once a core has dealt with them for the time of their kind.

    What changes data goes on in the order in which it came, as an older write must not undo a newer one.
    """

    command_ns: Int64s  # by operation
    in_order_ns: int  # when the last of what is kept in order goes on

    def __init__(self, inner: Stage, config: ControllerConfig) -> None:
        Delay.__init__(self, inner, config.cores)
        self.command_ns = array("q", [int(ns + 0.5) for ns in (config.read_ns, config.write_ns, config.trim_ns, 0.0)])
        self.in_order_ns = 0

    def submit(self, request: Request) -> None:
        """Give a request to the core that is free first."""
        now_ns: int = now(self.env)
        wait_ns = self.serve(self.command_ns[request.op], now_ns)
        if request.op != READ:
            wait_ns = max(wait_ns, self.in_order_ns - now_ns)
            self.in_order_ns = now_ns + wait_ns
        request.processor_ns = wait_ns
        set_timer(self.env, wait_ns, self.step(request, 0, 0))


@final
class DataPath(Delay):
    """Moves data into the DRAM and out of it on each way over the host's link; a channel's bus does so by itself.

    An entry of the mapping table is looked up for each page of a request.
    """

    def __init__(self, inner: Stage, dram: Dram, page_bytes: int) -> None:
        Delay.__init__(self, inner)
        self.dram = dram
        self.page_bytes = page_bytes

    def submit(self, request: Request) -> None:
        """Look up the pages of a request, and move the data of a write in."""
        self.host, request.owner = request.owner, self
        if request.op == READ and not self.dram.table_accesses:
            self.inner.submit(request)
            return
        pages = request.pages(self.page_bytes)
        accesses = pages * self.dram.table_accesses
        size = accesses * self.dram.access_bytes
        if request.op == WRITE:
            accesses, size = accesses + pages, size + request.size_bytes
        self.move(request, accesses, size, True)

    def completed(self, request: Request) -> None:
        """Move the data of a read out."""
        if request.op == READ:
            self.move(request, request.pages(self.page_bytes), request.size_bytes, False)
        else:
            self.take(request, False, 0)

    @cfunc
    def move(self, request: Request, accesses: int, size: int, is_inbound: bool) -> None:
        """Delay a request until so much has been moved, after all else; then it takes a step."""
        self.dram.occupy(accesses, size)
        wait_ns = self.dram.backlog_ns()
        request.dram_ns += wait_ns
        set_timer(self.env, wait_ns, self.step(request, is_inbound, 0))

    @cfunc
    def take(self, request: Request, is_inbound: int, time_ns: int) -> None:
        """Pass on a request, or tell the host that it is complete."""
        if is_inbound:
            self.inner.submit(request)
        else:
            request.buffer_ns = request.dram_ns
            self.host.completed(request)


class Link(Delay):
    """Takes requests to the controller and their results back, message by message, each behind those before it.

    A message is cut into packets of a maximal payload, each of which has its overhead; their bytes are spread over the
    lanes. Either direction sends one message at a time, or both together do where the link is half duplex.

    The messages are those of NVMe over PCIe (NVM Express Base Specification 2.0, 3.3 and 4): a doorbell, the command,
    data, a completion, and a doorbell for that. What changes data goes on in the order of its commands, flushes, too.
    """

    to_device: Direction
    to_host: Direction  # the same where the link is half duplex
    latency_ns: int  # between the last byte of a message and its arrival
    message_ns: Int64s  # by message, or `NOT_SENT`
    awaited: list[Any]  # requests whose data is on its way, and flushes behind them, in the order of their commands

    def __init__(self, inner: Stage, config: LinkConfig) -> None:
        Delay.__init__(self, inner)
        self.config = config
        self.payload_bytes: int = config.payload_bytes
        self.overhead_bytes: int = config.overhead_bytes
        self.lanes: int = config.lanes
        self.ns_per_byte: float = config.lane_ns_per_byte
        self.latency_ns = round(config.latency_ns)
        sizes: list[int | None] = [getattr(config, f"{message}_bytes", None) for message in MESSAGES]
        self.message_ns = array("q", [NOT_SENT if size is None else self.sending_ns(size) for size in sizes])
        self.to_device = Direction(self)
        self.to_host = self.to_device if config.duplex == "half" else Direction(self)
        self.awaited = []

    @cfunc
    def sending_ns(self, size_bytes: int) -> int:
        """Return the time for which a message of so many bytes, or of none, holds its direction."""
        packets = max((size_bytes + self.payload_bytes - 1) // self.payload_bytes, 1)
        of_lane = (size_bytes + packets * self.overhead_bytes + self.lanes - 1) // self.lanes
        return int(of_lane * self.ns_per_byte + 0.5)

    def submit(self, request: Request) -> None:
        """Send a request to the controller."""
        self.host, request.owner = request.owner, self
        request.link_ns = -now(self.env)
        self.send(request, DOORBELL)

    @cfunc
    def send(self, request: Request, message: int) -> None:
        """Send a message on the way to the controller, or the next one that there is."""
        while message < DATA and self.message_ns[message] == NOT_SENT:
            message += 1
        direction = self.to_host if message in (FETCH, DATA_REQUEST) else self.to_device
        duration_ns = self.message_ns[message]
        if message == DATA:
            duration_ns = self.sending_ns(self.config.trim_bytes if request.op == TRIM else request.size_bytes)
        direction.send(request, message, duration_ns)

    @cfunc
    def take(self, request: Request, message: int, time_ns: int) -> None:
        """Take the next step of a request of which a message has arrived."""
        if message == COMPLETION:
            request.link_ns += now(self.env)
            self.to_device.send(request, RELEASE, self.message_ns[RELEASE])
            self.host.completed(request)
        elif message == DATA:
            self.pass_on(self.awaited.pop(0))
            while self.awaited and self.awaited[0].op == FLUSH:
                self.pass_on(self.awaited.pop(0))
        elif message == COMMAND:
            self.to_host.send(request, ACCEPTED, self.message_ns[ACCEPTED])
            if request.op in (WRITE, TRIM):  # which bring data
                self.awaited.append(request)
                self.send(request, DATA_REQUEST)
            elif request.op == FLUSH and self.awaited:
                self.awaited.append(request)
            else:
                self.pass_on(request)
        else:
            self.send(request, message + 1)

    @cfunc
    def pass_on(self, request: Request) -> None:
        """Pass on a request that is whole."""
        request.link_ns += now(self.env)
        self.inner.submit(request)

    def completed(self, request: Request) -> None:
        """Send the result of a request to the host."""
        request.link_ns -= now(self.env)
        if request.op == READ:
            self.to_host.send(request, READ_SETUP, self.message_ns[READ_SETUP])
            self.to_host.send(request, READ_DATA, self.sending_ns(request.size_bytes))
        self.to_host.send(request, COMPLETION, self.message_ns[COMPLETION])


@final
class Direction(Timer):
    """A direction of a `Link`, which sends one message after another, each behind all that was on its way (MQSim)."""

    first: Any  # of the messages to be sent: the step with the one that is under way, or None
    last: Any

    def __init__(self, link: Link) -> None:
        self.link = link
        self.first = self.last = None

    @cfunc
    def send(self, request: Request, message: int, duration_ns: int) -> None:
        """Send a message, if there is such, behind all others; the link is told when one that is awaited arrives."""
        if duration_ns == NOT_SENT:
            return
        step = self.link.step(request, message, duration_ns)
        step.behind = None
        if self.first is None:
            self.first = step
            set_timer(self.link.env, duration_ns, self)
        else:
            cast(Step, self.last).behind = step
        self.last = step

    def due(self) -> int:
        """Take the message that was under way to the other side, and begin with the next one."""
        first: Step = cast(Step, self.first)
        if first.number > COMPLETION:  # nobody waits for it
            self.link.spare.append(first)
        elif self.link.latency_ns:
            set_timer(self.link.env, self.link.latency_ns, first)
        else:
            first.due()
        self.first = first.behind
        if self.first is not None:
            set_timer(self.link.env, cast(Step, self.first).time_ns, self)
        return 0
