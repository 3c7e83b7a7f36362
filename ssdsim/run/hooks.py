"""What a simulation tells of as it happens: the flash says it, or two looks at the device do."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from ssdsim._core.codes import OPERATIONS, READ, SOURCES
from ssdsim.flash.views import Transaction, dies_of
from ssdsim.run.context import Context
from ssdsim.run.state import EVENTS, Happening, pages_of_command, request_of

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
