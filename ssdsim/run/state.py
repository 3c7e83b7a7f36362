"""What a simulation looks like at one moment, and what it tells of as it happens: plain data that never changes."""

from typing import TYPE_CHECKING, Any

import attrs

from ssdsim._core.blocks import STATES
from ssdsim._core.codes import OPERATIONS, READ, SOURCES

if TYPE_CHECKING:
    from ssdsim.run.simulation import Simulation

EVENTS = (
    *("request_admitted", "request_completed", "command_ended", "page_sensed", "page_programmed", "block_erased"),
    *("collection_began", "power_cut"),
)
"""What `Simulation.on` can be asked for."""

OBSERVED = {
    "command_ended": "done",
    "page_sensed": "sensed",
    "page_programmed": "programmed",
    "block_erased": "erased",
}
"""Those of them that the flash tells of (`ssdsim.flash.observer`); the others are found by looking after each event."""


@attrs.frozen
class Happening:
    """One of the `EVENTS`, at `at_ns`; -1 and None stand for what it does not have.

    `request` is the number of the request by admission. `block` counts through the device, `page` through the block.
    """

    name: str
    at_ns: int
    request: int = -1
    die: int = -1
    op: str | None = None
    source: str | None = None
    block: int = -1
    page: int = -1
    lpa: int = -1


@attrs.frozen
class DieState:
    """What a die does. `op`, `source`, `block` and `page` are of its command, None or -1 while there is none.

    `phase` is idle, bus, array or, of a read whose data has left the array and not yet the chip, data_out. The four
    numbers count the transactions that wait for it.
    """

    index: int
    channel: int
    phase: str
    op: str | None
    source: str | None
    block: int
    page: int
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
    """A block: its state (free, active, full, collecting, set aside), and its pages that are valid and programmed."""

    plane: int
    state: str
    valid: int
    programmed: int
    erases: int


@attrs.frozen
class State:
    """A simulation at `now_ns`: its requests, dies, buses and blocks.

    `outstanding` are the numbers of the requests in the device, oldest first; `admitted` and `done` count since the
    start, or since power came back.
    """

    now_ns: int
    admitted: int
    done: int
    outstanding: tuple[int, ...]
    dies: tuple[DieState, ...]
    buses: tuple[BusState, ...]
    blocks: tuple[BlockState, ...]


def state_of(run: "Simulation") -> State:
    """Return what `run` looks like now."""
    host: Any = run.host
    device, now_ns = run.device, run.now_ns()
    blocks = device.blocks
    columns = [blocks.column(name).tolist() for name in ("state", "valid", "programmed", "erases")]
    return State(
        now_ns,
        0 if host is None else host.admitted,
        0 if host is None else host.done,
        () if host is None else tuple(host.outstanding()),
        tuple(_die(die, now_ns) for die in device.dies),
        tuple(
            BusState(channel, bool(bus.bus_taken), bus.bus_time_ns(now_ns))
            for channel, bus in enumerate(device.controllers)
        ),
        tuple(
            BlockState(blocks.plane_of(number), STATES[state], *counts)
            for number, (state, *counts) in enumerate(zip(*columns, strict=True))
        ),
    )


def _die(die: Any, now_ns: int) -> DieState:
    """Return what `die` does."""
    queues = [queue.length for queue in (die.host_reads, die.host_writes, die.gc_reads, die.gc_writes)]
    t = die.transaction
    if t is None:
        return DieState(die.index, die.channel, "idle", None, None, -1, -1, *queues)
    phase = "bus" if t.array_start_ns < 0 else "data_out" if t.op == READ and now_ns >= t.array_end_ns else "array"
    return DieState(die.index, die.channel, phase, OPERATIONS[t.op], SOURCES[t.source], t.block, t.page, *queues)


class Flash:
    """Has the flash tell `tell` of one of `OBSERVED`."""

    def __init__(self, name: str, tell: Any, run: "Simulation"):
        self.name, self.tell, self.run = name, tell, run
        self.observes = (OBSERVED[name],)
        setattr(self, OBSERVED[name], self.happened)

    def happened(self, transaction: Any, at_ns: int | None = None) -> None:
        """Tell of what has been done with a page."""
        t, now_ns = transaction, self.run.now_ns() if at_ns is None else at_ns
        request = -1 if t.request is None else t.request.id
        self.tell(
            Happening(self.name, now_ns, request, t.die, OPERATIONS[t.op], SOURCES[t.source], t.block, t.page, t.lpa)
        )
