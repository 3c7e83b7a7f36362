"""States of a simulation at one moment, and events as they happen: plain data that never changes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs

from ssdsim._core.blocks import STATES
from ssdsim._core.codes import OPERATIONS, READ, SOURCES
from ssdsim.assembly.device import Device
from ssdsim.flash.views import Die, Transaction, dies_of
from ssdsim.run.context import Context

LOOKED_FOR = ("command_started", "array_began", "data_out_began", "collection_began", "collection_ended")
"""Those `EVENTS` that a look at the device after each step finds; the others are told of where they happen."""

EVENTS = (
    *("request_admitted", "request_completed", *LOOKED_FOR[:3], "command_ended", "page_sensed", "page_programmed"),
    *("block_erased", *LOOKED_FOR[3:], "power_cut"),
)
"""Names of events for `Simulation.on`; those of a command happen for each of its pages.

`array_began` is when command and data have come over the bus, `data_out_began` when the data of a read begins to. A
collection is one of the garbage collector, or a merge of a logical block in FAST; one that takes no time is left out.
"""


@attrs.frozen
class Happening:
    """One of the `EVENTS`, at `at_ns`; -1 and None stand for what it does not have.

    `request` is the number of the request by admission. `die`, `plane` and `block` count through the device, `page`
    through the block; a collection of several planes has the first, and its block.
    """

    name: str
    at_ns: int
    request: int = -1
    die: int = -1
    op: str | None = None
    source: str | None = None
    plane: int = -1
    block: int = -1
    page: int = -1
    lpa: int = -1


@attrs.frozen
class PageState:
    """A page of the command that a die executes, or the block of an erase; `request` and `lpa` are -1 without one."""

    plane: int
    block: int
    page: int
    lpa: int
    request: int


@attrs.frozen
class DieState:
    """What a die does: its command's `op` and `source`, None while there is none, and `pages`, one a plane.

    `phase` is idle, bus, array or, of a read whose data has left the array and not yet the chip, data_out: then `pages`
    are those still to be moved. Of reads side by side there are all pages, with `source` of one and the first of the
    phases array, bus and data_out that any is in. The four numbers count the transactions that wait for it.
    """

    index: int
    channel: int
    phase: str
    op: str | None
    source: str | None
    pages: tuple[PageState, ...]
    host_reads: int
    host_writes: int
    gc_reads: int
    gc_writes: int


@attrs.frozen
class BusState:
    """The bus of a channel: whether it is held, and for how long it has been, up to now."""

    channel: int
    taken: bool
    busy_ns: int


@attrs.frozen
class BlockState:
    """A block: its state (free, active, full, collecting, set aside), and its pages that are valid and programmed.

    `next_pages` has for each page type the page that can be written next, -1 for none, and nothing unless it is active.
    """

    plane: int
    state: str
    valid: int
    programmed: int
    erases: int
    next_pages: tuple[int, ...]


@attrs.frozen
class StreamState:
    """A stream of requests: those admitted so far, of them those in the device, and those that wait for admission."""

    name: str
    admitted: int
    outstanding: int
    waiting: int


@attrs.frozen
class BufferState:
    """The write buffer, in pages: how many it can hold, holds, and has on their way to flash."""

    capacity: int
    used: int
    leaving: int


@attrs.frozen
class State:
    """A simulation at `now_ns`: its requests, dies, buses and blocks, and its write buffer if there is one.

    `outstanding` are the numbers of the requests in the device, oldest first; `admitted` and `done` count since the
    start, or since power came back. `page_types` has the type of each page of a block, 0 for the fastest.
    """

    now_ns: int
    admitted: int
    done: int
    outstanding: tuple[int, ...]
    streams: tuple[StreamState, ...]
    buffer: BufferState | None
    page_types: tuple[int, ...]
    dies: tuple[DieState, ...]
    buses: tuple[BusState, ...]
    blocks: tuple[BlockState, ...]


def state_of(run: Context) -> State:
    """Return the state of the run's device, its queue and its streams now."""
    device, host, now_ns = run.device, run.host, run.now
    blocks, buffer = device.blocks, device.buffer
    columns = [blocks.column(name).tolist() for name in ("state", "valid", "programmed", "erases")]
    return State(
        now_ns,
        0 if host is None else host.admitted,
        0 if host is None else host.requests_done,
        () if host is None else tuple(host.outstanding()),
        tuple(StreamState(s.name, s.admitted, s.outstanding, s.waiting(now_ns)) for s in run.streams),
        None if buffer is None else BufferState(buffer.pages.capacity, buffer.pages.used, buffer.pages.leaving),
        tuple(device.timing.page_type),
        tuple(_die(die, now_ns) for die in dies_of(device.dies)),
        tuple(
            BusState(channel, bool(bus.bus_taken), bus.bus_time_ns(now_ns))
            for channel, bus in enumerate(device.controllers)
        ),
        tuple(_block(blocks, block, *state) for block, state in enumerate(zip(*columns, strict=True))),
    )


def _block(blocks: Any, block: int, state: int, valid: int, programmed: int, erases: int) -> BlockState:
    types = range(blocks.page_types if STATES[state] == "active" else 0)
    next_pages = tuple(blocks.candidate(block, page_type) for page_type in types)
    return BlockState(blocks.plane_of(block), STATES[state], valid, programmed, erases, next_pages)


def request_of(transaction: Any) -> int:
    """Return the number of the request that a transaction is of, or -1."""
    return -1 if transaction.request is None else int(transaction.request.id)


def _die(die: Die, now_ns: int) -> DieState:
    """Return the state of `die`."""
    queues = [len(queue) for queue in die.queues]
    commands = [command for command in die.commands if command != die.suspended] or die.commands
    if not commands:
        return DieState(die.index, die.channel, "idle", None, None, (), *queues)
    # The array's times tell the phase: the die's own is the kernel's business.
    phases = {
        "bus" if t.array_start_ns < 0 else "data_out" if t.op == READ and now_ns >= t.array_end_ns else "array"
        for t in commands
    }
    pages = tuple(
        PageState(page.plane, page.block, page.page, page.lpa, request_of(page))
        for t in commands
        for page in t.command()
    )
    t = commands[-1]
    return DieState(die.index, die.channel, min(phases), OPERATIONS[t.op], SOURCES[t.source], pages, *queues)


def pages_of(device: Device, block: int) -> tuple[str, ...]:
    """Return the state of each page of `block`, which is decided when it is allocated.

    It is free, as it can be written, valid, as it holds the data of its logical page, or dead, as it no longer does.
    """
    blocks, order = device.blocks, device.blocks.order
    # Pages of a type are written in the order of wordlines: how many have been is all there is to know.
    written = [order.wordlines - blocks.unwritten_of(block, page_type) for page_type in range(order.types)]
    first = block * blocks.pages_per_block
    return tuple(
        "valid"
        if blocks.is_valid(first + page)
        else "dead"
        if order.wordline_of(page) < written[order.type_of(page)]
        else "free"
        for page in range(blocks.pages_per_block)
    )


Hook = Callable[[Happening], Any]

OBSERVED = {"sensed": "page_sensed", "programmed": "page_programmed", "erased": "block_erased", "done": "command_ended"}
"""The `EVENTS` of the flash, by the name that it has for them (`ssdsim.flash.observer`)."""


def work_under_way(device: Device) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the commands and collections under way: the fields of their events, by name and what no other has."""
    under_way: dict[tuple[Any, ...], dict[str, Any]] = {}
    for die in dies_of(device.dies):
        for t in (page for command in die.commands for page in command.command()):
            times_ns = {"command_started": t.bus_start_ns, "array_began": t.array_start_ns}
            # a time before the array's is of an earlier use
            if t.op == READ and t.array_start_ns >= 0 and t.data_start_ns >= t.array_end_ns:
                times_ns["data_out_began"] = t.data_start_ns
            for name, at_ns in times_ns.items():
                if at_ns >= 0:
                    # when its command began on the bus tells a command from an earlier one to the same page
                    under_way[name, t.bus_start_ns, t.plane, t.block, t.page] = {"at_ns": at_ns, **_facts(t)}
    collector: Any = device.collector
    for task in collector.every_collection:
        if not task.idle:
            # that of a collector has victims, that of FAST a logical block to merge
            merge = (task.kind, task.logical) if hasattr(task, "logical") else ()
            blocks = [task.emptied] if merge else task.victims
            under_way["collection_began", task.plane, *merge, *blocks] = {"plane": task.plane, "block": blocks[0]}
    return under_way


def _facts(t: Any) -> dict[str, Any]:
    """Return the fields of a happening to the page of a transaction."""
    places = {name: getattr(t, name) for name in ("die", "plane", "block", "page", "lpa")}
    return {"request": request_of(t), "op": OPERATIONS[t.op], "source": SOURCES[t.source], **places}


class Hooks:
    """Calls hooks on the events of `run`: an observer of its flash, and of its requests.

    It stands between the device queue and the oracle, if there is one, as that is told of every request.
    """

    observes = tuple(OBSERVED)

    def __init__(self, run: Context):
        self.run = run
        self.hooks: dict[str, list[Hook]] = {name: [] for name in EVENTS}
        self.oracle: Any = None
        self.under_way: dict[tuple[Any, ...], dict[str, Any]] = {}  # what had begun at the last look
        for event, name in OBSERVED.items():
            setattr(self, event, partial(self.tell_of_page, name))

    def on(self, name: str, hook: Hook) -> Callable[[], None]:
        """Call `hook` on every event `name`; return the function that unsubscribes it."""
        if name not in EVENTS:
            raise ValueError(f"{name} is not an event; choose one of {', '.join(EVENTS)}.")
        if name in LOOKED_FOR and not self.look_for:
            self.under_way = work_under_way(self.run.device)
        self.hooks[name].append(hook)
        self.connect()
        return lambda: self.hooks[name].remove(hook)

    def connect(self) -> None:
        """Observe the device and its queue, which may be new ones, once there is a hook."""
        host = self.run.host
        if host is not None and host.oracle is not self and any(self.hooks.values()):
            self.oracle, host.oracle = host.oracle, self
            self.run.device.observers.add(self)
            self.under_way = work_under_way(self.run.device)

    @property
    def look_for(self) -> bool:
        """Whether there is a hook for an event that only a look at the device finds."""
        return any(self.hooks[name] for name in LOOKED_FOR)

    def look(self) -> None:
        """Tell of commands and collections that the last step has begun, and of collections that it has ended."""
        if self.look_for:
            before, self.under_way = self.under_way, work_under_way(self.run.device)
            # ended before begun: a plane collects one block after another in the same instant
            for key in [key for key in before if key[0] == "collection_began" and key not in self.under_way]:
                self.tell("collection_ended", **before[key])
            for key in [key for key in self.under_way if key not in before]:
                self.tell(key[0], **self.under_way[key])

    def tell(self, name: str, at_ns: int | None = None, **facts: Any) -> None:
        """Call the hooks of an event that happens now, or at `at_ns`."""
        if hooks := tuple(self.hooks[name]):
            happening = Happening(name, self.run.now if at_ns is None else at_ns, **facts)
            for hook in hooks:
                hook(happening)

    def tell_of_page(self, name: str, transactions: Any, number: int, at_ns: int | None = None) -> None:
        """Call the hooks of an event of the page of a transaction."""
        if self.hooks[name]:
            self.tell(name, at_ns, **_facts(Transaction(transactions, number)))

    def admitted(self, request: Any, now_ns: int) -> None:
        """Tell of a request that goes into the device."""
        if self.oracle is not None:
            self.oracle.admitted(request, now_ns)
        self.tell("request_admitted", request=request.id)

    def completed(self, request: Any, now_ns: int) -> None:
        """Tell of a request that the device has completed."""
        if self.oracle is not None:
            self.oracle.completed(request, now_ns)
        self.tell("request_completed", request=request.id)
