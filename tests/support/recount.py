"""The oracle of a summary: a run whose figures are counted again, from its tables of requests and commands alone.

Nothing here is shared with what counts them (`ssdsim.metrics`, `ssdsim.run.measurement`). Of what a request that power
took may have added to, and of what a reboot writes, the tables tell bounds; of much they tell nothing.
"""

import sys
from collections.abc import Iterator, Mapping
from math import inf, isclose
from types import ModuleType
from typing import Any

import attrs

from ssdsim._core.rebuild import programmed_pages
from support.recount_figures import of_commands, of_requests
from support.recount_tables import Between, Claims, commands_of, requests_of


class Keeping:
    """Has a `Simulation` keep what its tables do not hold.

    `open` is, as the commands' table, what was not over when power was cut, or at the end; it went on `until_ns`.
    `under_way` was queued or begun before the measured run, and blocks had been erased so often (`erases`). `pending`
    has the valid pages of victims that are chosen and not erased, before and after. A reboot may write `more`.
    """

    modules: Mapping[str, ModuleType]

    def begin_measurement(self, *given: Any) -> None:
        """Note where the measured run begins."""
        self.start_ns = self.now
        self.erases = programmed_pages(self.device.blocks)[1].copy()  # goes on changing
        self.pending = [list(self.device.collector.victims.values())]
        self.lost_ns, self.aborted, self.cut_short, self.until_ns = None, [], 0, []
        log, suspends = self.modules["ssdsim.metrics.logs"].CommandLog, self.config.flash.suspension.wanted
        self.under_way, self.open = (log(None, self.config.hardware, suspends) for _ in range(2))
        self.record_open(self.under_way)
        super().begin_measurement(*given)

    def next_leg(self) -> None:
        """Note what a loss of power takes, before it does."""
        host = self.host
        if host is not None and not host.finished.triggered:
            self.lost_ns = now = self.now
            for q in host.requests_inside():
                came = now if q.admitted_ns < 0 else q.admitted_ns
                self.aborted.append((q.stream, q.op, q.offset_bytes, q.size_bytes, came, now))
            self.cut_short = self.record_open(self.open)
            self.until_ns = [now] * self.cut_short
        super().next_leg()

    def counted(self) -> tuple[Any, Claims]:
        """Finish; return the result, and what the tables say of the fields of its summary."""
        self.end_ns = self.now
        self.until_ns += [self.end_ns] * self.record_open(self.open)
        self.pending.append(list(self.device.collector.victims.values()))
        result = self.finish()
        r = requests_of(result.requests, self)
        self.elapsed_ns = max(int(r["end_ns"].max(initial=0)) - self.start_ns, 0)
        self.more = 0 if self.lost_ns is None else inf
        c = commands_of(result.commands, self)
        return result, dict(flat([*of_requests(r, self), *of_commands(r, c, self)]))

    def record_open(self, log: Any) -> int:
        """Record the pages that dies execute, or that wait for these or for wordlines; return how many there are."""
        number, nothing = 0, (-1,) * 5
        for die in self.modules["ssdsim.flash.views"].dies_of(self.device.dies):
            pages = [(page, reached(page, phase)) for first, phase in die.phases for page in first.command()]
            pages += [(page, nothing) for queue in die.queues for first in queue for page in first.command()]
            for page, times in pages:
                record(log, page.transactions, page.number, times)
            number += len(pages)
        wordlines = self.device.scheduler.wordlines
        waiting = [] if wordlines is None else wordlines.all_waiting()
        for transaction in waiting:
            record(log, wordlines.transactions, transaction, nothing)
        return number + len(waiting)


def record(log: Any, transactions: Any, number: int, times: tuple[int, ...]) -> None:
    """Record a page as if it were over, having reached only these times."""
    names = ("bus_start_ns", "array_start_ns", "array_end_ns", "data_start_ns", "cached_ns")
    columns = [getattr(transactions, name) for name in names]
    own = [column[number] for column in columns]
    shown = [*times[:4], own[4] if times[0] >= 0 else 0]  # else it has an earlier use's value
    for values in (shown, own):
        for column, value in zip(columns, values, strict=True):
            column[number] = value
        if values is shown:
            log.done(transactions, number, times[4])


def reached(t: Any, phase: int) -> tuple[int, int, int, int, int]:
    """Return the times that an executed transaction has reached (`record`), and -1 for the others."""
    # the array's end is set beforehand, when its time begins, and a program may wait on the chip
    is_sensed = phase == 3 and t.op == 0  # data goes out, of a read
    # a time before the array's end is left of an earlier use
    moves = is_sensed and t.data_start_ns >= t.array_end_ns
    return t.bus_start_ns, t.array_start_ns, t.array_end_ns if is_sensed else -1, t.data_start_ns if moves else -1, -1


def counted(config: Any, modules: Mapping[str, ModuleType] = sys.modules) -> tuple[Any, Claims]:
    """Run `config`; return the result with tables of requests and commands, and what they say of its summary."""
    recording = attrs.evolve(config, record=["requests", "commands"])
    run = type("Kept", (Keeping, modules["ssdsim.run.simulation"].Simulation), {"modules": modules})(recording)
    run.run()
    return run.counted()


def recounted(config: Any, modules: Mapping[str, ModuleType] = sys.modules) -> Any:
    """Run `config` and return the result; raise `AssertionError` with the first figure that is not as counted."""
    result, claims = counted(config, modules)
    fault = next(differences(result.summary, claims), None)
    assert fault is None, fault
    return result


def flat(claims: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield each name with one value: of nested dictionaries the dotted names."""
    for name, value in claims:
        if isinstance(value, dict):
            yield from flat([(f"{name}.{part}", below) for part, below in value.items()])
        else:
            yield name, value


def differences(summary: dict[str, Any], claims: Claims) -> Iterator[str]:
    """Yield a sentence for each field of the summary, or sum of fields, that is not what was counted."""
    for name, value in claims.items():
        written = [value_at(summary, part) for part in name.split(" + ")]
        # a sum with a part that is not known is none
        held = written[0] if len(written) == 1 else None if None in written else sum(written)
        if not agree(held, value):
            yield f"{name} is {held} in the summary, but {value} by the tables"


def value_at(summary: Any, name: str) -> Any:
    """Return the field of a dotted name."""
    for part in name.split("."):
        summary = summary[int(part)] if isinstance(summary, list) else summary[part]
    return summary


def agree(written: Any, value: Any) -> bool:
    """Return whether a value of the summary is what was counted: whole numbers to the last."""
    if isinstance(value, Between):
        low, high = (bound * (1 + sign * 1e-9) for bound, sign in zip(value, (-1, 1), strict=True))  # none below 0
        return written is not None and low <= written <= high
    if isinstance(value, list):
        return len(written) == len(value) and all(map(agree, written, value))
    if isinstance(written, float) or isinstance(value, float):
        # as it is added up in another order; 1e-12: numbers about 0, where nothing is relative
        return None not in (written, value) and isclose(written, value, rel_tol=1e-9, abs_tol=1e-12)
    return bool(written == value)
