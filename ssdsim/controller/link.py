# cython: infer_types=True
"""The host's link: the messages of each request, and the time that they take from one side to the other."""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING, Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import hold, now
from ssdsim.host.request import Request
from ssdsim.stage import Stage

if TYPE_CHECKING:
    from ssdsim.config import LinkConfig

DOORBELL: Final = 0  # the messages of a request in their order, and places of what they take
FETCH: Final = 1
COMMAND: Final = 2
DATA_REQUEST: Final = 3
DATA: Final = 4
RESULT: Final = 5
ACCEPTED: Final = 6  # messages that nobody waits for
RELEASE: Final = 7
READ_SETUP: Final = 8

NOT_SENT: Final = -1
"""Stands for the time of a message that the protocol does not have."""


class Link(Stage):
    """Takes requests to the controller and their results back, message by message, each behind those before it.

    A message is cut into packets of a maximal payload, each of which has its overhead; their bytes are spread over the
    lanes. Either direction sends one message at a time, or both together do where the link is half duplex. A message
    arrives `latency_ns` after its last byte was sent.

    The messages are those of NVMe over PCIe: the host rings a doorbell, the device fetches the command, fetches the
    data of a write, or sends that of a read, and puts a completion in the host's memory, after which the host rings the
    doorbell of that queue (NVM Express Base Specification 2.0, 3.3 and 4). Those that a protocol does not have are left
    out. A trim brings the list of its ranges as data. What changes data goes on in the order of its commands: a flush
    waits for the data of all writes before it.
    """

    env: Any
    host: Any  # the `Stage` to be told of completions
    to_device: Direction
    to_host: Direction  # the same where the link is half duplex
    latency_ns: int
    lanes: int
    payload_bytes: int  # of a packet, at most
    overhead_bytes: int  # of a packet
    trim_bytes: int
    ns_per_byte: float  # of a lane
    message_ns: Int64s  # by message, or `NOT_SENT`
    awaited: deque[Request]  # whose data is on its way, and flushes behind them, in the order of their commands

    def __init__(self, inner: Stage, config: LinkConfig) -> None:
        self.inner = inner
        self.env = None
        self.host = None
        self.latency_ns = round(config.latency_ns)
        self.lanes = config.lanes
        self.payload_bytes = config.payload_bytes
        self.overhead_bytes = config.overhead_bytes
        self.trim_bytes = config.trim_bytes
        self.ns_per_byte = config.lane_ns_per_byte
        sizes: list[int | None] = [
            *(config.doorbell_bytes, config.fetch_bytes, config.command_bytes, config.data_request_bytes, None),
            *(config.completion_bytes, config.accepted_bytes, config.release_bytes, config.read_setup_bytes),
        ]
        self.message_ns = array("q", [NOT_SENT if size is None else self.sending_ns(size) for size in sizes])
        self.to_device = Direction(self)
        self.to_host = self.to_device if config.duplex == "half" else Direction(self)
        self.awaited = deque()

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    @cfunc
    def sending_ns(self, size_bytes: int) -> int:
        """Return the time for which a message of so many bytes, or of none, holds its direction."""
        packets = max((size_bytes + self.payload_bytes - 1) // self.payload_bytes, 1)
        total = size_bytes + packets * self.overhead_bytes
        of_lane = (total + self.lanes - 1) // self.lanes
        return int(of_lane * self.ns_per_byte + 0.5)

    # From the host to the device.

    def submit(self, request: Request) -> None:
        """Send a request to the controller."""
        self.host = request.owner
        request.owner = self
        request.link_ns = -now(self.env)
        self.send(request, DOORBELL)

    @cfunc
    def send(self, request: Request, message: int) -> None:
        """Send a message on the way to the controller, or the next one that there is."""
        while message < DATA and self.message_ns[message] == NOT_SENT:
            message += 1
        direction: Direction = self.to_device
        if message in (FETCH, DATA_REQUEST):
            direction = self.to_host
        duration_ns = self.message_ns[message]
        if message == DATA:
            duration_ns = self.sending_ns(self.trim_bytes if request.op == TRIM else request.size_bytes)
        direction.send(request, message, duration_ns)

    def arrived(self, request: Request, message: int) -> None:
        """Go on with a request of which a message has arrived."""
        if message == RESULT:
            self.conclude(request)
        elif message == DATA:
            self.pass_on(self.awaited.popleft())
            while self.awaited and self.awaited[0].op == FLUSH:
                self.pass_on(self.awaited.popleft())
        elif message == COMMAND:
            if self.message_ns[ACCEPTED] != NOT_SENT:
                self.to_host.send(None, ACCEPTED, self.message_ns[ACCEPTED])
            self.fetched(request)
        else:
            self.send(request, message + 1)

    @cfunc
    def fetched(self, request: Request) -> None:
        """Have the data of a request follow whose command is here, if it brings any."""
        if request.op in (WRITE, TRIM):
            self.awaited.append(request)
            self.send(request, DATA_REQUEST)
        elif request.op == FLUSH and self.awaited:
            self.awaited.append(request)
        else:
            self.pass_on(request)

    @cfunc
    def pass_on(self, request: Request) -> None:
        """Pass on a request that is whole."""
        request.link_ns += now(self.env)
        self.inner.submit(request)

    # From the device to the host.

    def completed(self, request: Request) -> None:
        """Send the result of a request to the host."""
        request.link_ns -= now(self.env)
        if request.op == READ:
            if self.message_ns[READ_SETUP] != NOT_SENT:
                self.to_host.send(None, READ_SETUP, self.message_ns[READ_SETUP])
            self.to_host.send(None, DATA, self.sending_ns(request.size_bytes))
        self.to_host.send(request, RESULT, self.message_ns[RESULT])

    @cfunc
    def conclude(self, request: Request) -> None:
        """Tell the host that a request is complete."""
        request.link_ns += now(self.env)
        if self.message_ns[RELEASE] != NOT_SENT:
            self.to_device.send(None, RELEASE, self.message_ns[RELEASE])
        host: Stage = self.host
        host.completed(request)

    def unfinished(self) -> set[int]:
        """Return the numbers of the requests of whose completion the host has not been told."""
        return {request.id for request, message in self.to_host.under_way() if message == RESULT}

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.inner.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what is under way."""
        count = len(self.to_device.under_way())
        if self.to_host is not self.to_device:
            count += len(self.to_host.under_way())
        return [f"{count} messages are on the host's link"] if count else []


@final
class Direction:
    """A direction of a `Link`, which sends one message after another.

    Whether a message goes before what else happens in the nanosecond in which it is sent is decided when its sending
    begins, as in MQSim: behind what was on its way by then.
    """

    line: deque[tuple[Request | None, int, int]]  # (request, message, ns) to be sent, the first of which is under way
    sent: deque[tuple[Request | None, int, int]]  # those that are to arrive, where that takes longer
    busy: bool

    def __init__(self, link: Link) -> None:
        self.link = link
        self.line = deque()
        self.sent = deque()
        self.busy = False

    def under_way(self) -> list[tuple[Request, int]]:
        """Return the messages that somebody waits for, each with its request."""
        return [(request, message) for request, message, _ in (*self.line, *self.sent) if request is not None]

    def send(self, request: Request | None, message: int, duration_ns: int) -> None:
        """Send a message behind all others, for `duration_ns`; the link is told when one of a `request` arrives."""
        self.line.append((request, message, duration_ns))
        if not self.busy:
            self.busy = True
            hold(self.link.env, duration_ns).callbacks.append(self.end)

    def end(self, event: Any) -> None:
        """Take the message that was under way to the other side, and begin with the next one."""
        message = self.line.popleft()
        if self.link.latency_ns:
            self.sent.append(message)
            hold(self.link.env, self.link.latency_ns).callbacks.append(self.arrive)
        else:
            self.deliver(message)
        self.busy = len(self.line) > 0
        if self.busy:
            hold(self.link.env, self.line[0][2]).callbacks.append(self.end)

    def arrive(self, event: Any) -> None:
        """Deliver the message that was sent first."""
        self.deliver(self.sent.popleft())

    @cfunc
    def deliver(self, sent: tuple[Request | None, int, int]) -> None:
        """Tell the link of a message that has arrived, if anybody waits for it."""
        if sent[0] is not None:
            self.link.arrived(sent[0], sent[1])
