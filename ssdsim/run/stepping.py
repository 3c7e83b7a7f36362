"""What a simulation looks like at one moment, and what it tells of as it happens: plain data that never changes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from ssdsim._core.blocks import STATES
from ssdsim._core.codes import OPERATIONS, READ, SOURCES
from ssdsim.assembly.device import Device
from ssdsim.flash.views import Die, Transaction, dies_of
from ssdsim.host.stream import Stream
from ssdsim.run.context import Context

EVENTS = (
    *("request_admitted", "request_completed", "command_started", "array_began", "data_out_began", "command_ended"),
    *("page_sensed", "page_programmed", "block_erased", "collection_began", "collection_ended", "power_cut"),
)
"""What `Simulation.on` can be asked for; those of a command are told of for each of its pages.

`array_began` is when command and data have come over the bus, `data_out_began` when the data of a read begins to. A
collection is one of the garbage collector, or a merge of a logical block in FAST; one that takes no time is left out.
"""

PAGE_STATES = ("free", "valid", "dead")
"""Of a page: it can be written, holds what its logical page has, or no longer does; decided when it is allocated."""


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
    """A stream of requests: those admitted so far, those of them in the device, and those that wait for admission.

    A closed loop has none that wait.
    """

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


def state_of(device: Device, host: Any, streams: Sequence[Stream], now_ns: int) -> State:
    """Return the state of a device, its queue and its streams now."""
    blocks, buffer = device.blocks, device.buffer
    columns = [blocks.column(name).tolist() for name in ("state", "valid", "programmed", "erases")]
    return State(
        now_ns,
        0 if host is None else host.admitted,
        0 if host is None else host.requests_done,
        () if host is None else tuple(host.outstanding()),
        tuple(
            StreamState(stream.name, stream.admitted, stream.outstanding, stream.waiting(now_ns)) for stream in streams
        ),
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


def pages_of_command(die: Die) -> Iterator[Transaction]:
    """Yield the transactions of the commands that are under way in `die`."""
    return (page for command in die.commands for page in command.command())


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
    """Return for each page of `block` which of `PAGE_STATES` it is in."""
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

OBSERVED = {"command_ended": "done", "page_sensed": "sensed", "page_programmed": "programmed", "block_erased": "erased"}
"""Those `EVENTS` that the flash tells of (`ssdsim.flash.observer`); the others are found by a look after each event."""

OF_COMMANDS = {"command_started", "array_began", "data_out_began"}
OF_COLLECTIONS = {"collection_began", "collection_ended"}


def _happening(name: str, t: Any, at_ns: int) -> Happening:
    """Return that `name` happens to a transaction."""
    return Happening(
        name, at_ns, request_of(t), t.die, OPERATIONS[t.op], SOURCES[t.source], t.plane, t.block, t.page, t.lpa
    )


class Flash:
    """Has the flash tell `tell` of one of `OBSERVED`."""

    def __init__(self, name: str, tell: Any, run: Context):
        self.name, self.tell, self.run = name, tell, run
        self.observes = (OBSERVED[name],)
        setattr(self, OBSERVED[name], self.happened)  # the device calls it by the name of the event

    def happened(self, transactions: Any, number: int, at_ns: int | None = None) -> None:
        """Tell of what has been done with a page."""
        page = Transaction(transactions, number)
        self.tell(_happening(self.name, page, self.run.now_ns() if at_ns is None else at_ns))


class Hooks:
    """Who is told of what happens in `run`, by the name of one of `EVENTS`."""

    def __init__(self, run: Context):
        self.run = run
        self.hooks: dict[str, list[Hook]] = {}
        self.observing: dict[str, Flash] = {}
        self.last_look: Look | None = None
        self.is_connected = False

    def on(self, name: str, hook: Hook) -> Callable[[], None]:
        """Call `hook` whenever what `name` says happens; return what ends that."""
        if name not in EVENTS:
            raise ValueError(f"{name} is not an event; choose one of {', '.join(EVENTS)}.")
        if name not in self.hooks and self.is_connected:
            self.observe(name)
        hooks = self.hooks.setdefault(name, [])
        hooks.append(hook)
        return lambda: hooks.remove(hook)  # it stays if it is empty: its hooks may be being called (`drop_unused`)

    def connect(self) -> None:
        """Have the device of the run, which is new, tell of what it can."""
        self.is_connected = True
        for name in self.hooks:
            self.observe(name)

    def observe(self, name: str) -> None:
        """Have the device tell of `name`, if it is what tells of it."""
        if name in OBSERVED:
            self.observing[name] = Flash(name, self.call, self.run)
            self.run.device.observers.add(self.observing[name])

    def drop_unused(self) -> None:
        """Have nobody told of what nobody wants to know; between events, as the flash may be telling in one."""
        for name in [name for name, hooks in self.hooks.items() if not hooks]:
            del self.hooks[name]
            if name in self.observing:
                self.run.device.observers.remove(self.observing.pop(name))

    @property
    def need_looks(self) -> bool:
        """Whether something is wanted that only a look after each event finds."""
        return bool(self.hooks.keys() - OBSERVED.keys())

    @contextmanager
    def looking(self, is_cut: Callable[[], bool]) -> Iterator[None]:
        """Tell of what an event, processed within this, has changed; afterwards `is_cut` says whether power is."""
        if not self.need_looks:
            yield
            return
        names = frozenset(self.hooks)
        # The look after one event is the one before the next, unless other hooks have come.
        last, self.last_look = self.last_look, None
        before = last if last is not None and last.names == names else look(self.run, names)
        yield
        now_ns, after = self.run.now_ns(), look(self.run, names)
        for happening in happened(before, after, now_ns):
            self.call(happening)
        if not is_cut():
            self.last_look = after
        else:  # of the device that booted nothing has been looked at
            self.call(Happening("power_cut", now_ns))

    def call(self, happening: Happening) -> None:
        """Tell of what has happened."""
        for hook in tuple(self.hooks.get(happening.name, ())):
            hook(happening)


@attrs.frozen
class Look:
    """What goes on between two events of the kernel, as far as it is wanted: compared, two say what has happened."""

    names: Collection[str]
    admitted: int
    outstanding: frozenset[int]
    commands: dict[Any, tuple[str, Any, int]]
    collections: dict[Any, tuple[int, int]]


def look(run: Context, names: Collection[str]) -> Look:
    """Return the state of `run` now, as far as `names` are about it."""
    commands = dict(_commands(run.device.dies, names)) if OF_COMMANDS.intersection(names) else {}
    collections = dict(_collections(run.device.collector)) if OF_COLLECTIONS.intersection(names) else {}
    admitted = sum(stream.admitted for stream in run.streams)
    outstanding = () if run.host is None else run.host.outstanding()
    return Look(names, admitted, frozenset(outstanding), commands, collections)


def _commands(dies: Any, names: Collection[str]) -> Iterator[tuple[Any, tuple[str, Any, int]]]:
    """Yield the phases that the command of each die has begun, and when, each after a key that no other has."""
    for die in dies_of(dies):
        for t in pages_of_command(die):
            reached = [("command_started", t.bus_start_ns)]
            if t.array_start_ns >= 0:
                reached.append(("array_began", t.array_start_ns))
                if t.op == READ and t.data_start_ns >= t.array_end_ns:  # else it is of an earlier use
                    reached.append(("data_out_began", t.data_start_ns))
            for name, at_ns in reached:
                if name in names:
                    # When its command began on the bus tells a command from an earlier one to the same page.
                    yield (name, t.bus_start_ns, t.plane, t.block, t.page), (name, t, at_ns)


def _collections(collector: Any) -> Iterator[tuple[Any, tuple[int, int]]]:
    """Yield plane and block of each collection under way, with what tells it from the next there."""
    for unit in collector.tasks:
        # a collector's task has victims, that of FAST a logical block to merge
        if not unit.idle and hasattr(unit, "victims"):
            victims = tuple(unit.victims[: unit.victim_count])
            yield (unit.plane, victims), (unit.plane, victims[0])
        elif not unit.idle:
            yield (unit.plane, unit.kind, unit.logical, unit.emptied), (unit.plane, unit.emptied)


def happened(before: Look, after: Look, now_ns: int) -> Iterator[Happening]:
    """Yield the happenings between one look and the next."""
    came = range(before.admitted, after.admitted)
    for number in came:
        yield Happening("request_admitted", now_ns, request=number)
    # Ended before begun: a plane collects one block after another in the same instant.
    for changed, name in (
        (before.collections.items() - after.collections.items(), "collection_ended"),
        (after.collections.items() - before.collections.items(), "collection_began"),
    ):
        for _, (plane, block) in sorted(changed):  # by plane: sets have no order of their own
            yield Happening(name, now_ns, plane=plane, block=block)
    for key, command in after.commands.items():
        if key not in before.commands:
            yield _happening(*command)
    # requests that came and went within one event among them
    for number in sorted(before.outstanding.union(came) - after.outstanding):
        yield Happening("request_completed", now_ns, request=number)
