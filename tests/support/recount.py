"""The oracle of a summary: a run whose figures are counted again, from its tables of requests and commands alone.

Nothing here is shared with what counts them (`ssdsim.metrics`, `ssdsim.run.measurement`). Figures of the flash are
counted where it is at rest as the measured run begins and ends, as the tables have all commands then.
"""

import sys
from collections.abc import Iterator, Mapping
from math import isclose
from types import ModuleType
from typing import Any

import attrs

from ssdsim._core.rebuild import programmed_pages
from ssdsim.flash.views import dies_of
from support.recount_figures import Claims, commands_of, of_commands, of_requests, requests_of


class Keeping:
    """Has a `Simulation` note where its measured run begins, and whether flash is at rest then and at the end."""

    def begin_measurement(self, *given: Any) -> None:
        """Note where the measured run begins."""
        self.start_ns, self.rests = self.now, is_at_rest(self.device)
        self.erases = programmed_pages(self.device.blocks)[1].copy()  # goes on changing
        super().begin_measurement(*given)

    def counted(self) -> tuple[Any, Claims]:
        """Finish; return the result, and what the tables say of the fields of its summary."""
        self.end_ns, at_rest = self.now, self.rests and is_at_rest(self.device)
        result = self.finish()
        if self.config.power_loss.wanted:  # which takes requests and commands that are in no table
            return result, {}
        r = requests_of(result.requests, self)
        self.elapsed_ns = max(int(r["end_ns"].max(initial=0)) - self.start_ns, 0)
        claims = list(of_requests(r, self))
        if at_rest:
            claims += of_commands(r, commands_of(result.commands, self), self)
        return result, dict(flat(claims))


def is_at_rest(device: Any) -> bool:
    """Return whether nothing is under way in the flash, nor waits there, nor is about to be erased."""
    wordlines = device.scheduler.wordlines
    busy = any(die.phases or any(die.queues) for die in dies_of(device.dies))
    return not (busy or device.collector.victims or (wordlines is not None and wordlines.begun))


def counted(config: Any, modules: Mapping[str, ModuleType] = sys.modules) -> tuple[Any, Claims]:
    """Run `config`; return the result with tables of requests and commands, and what they say of its summary."""
    recording = attrs.evolve(config, record=["requests", "commands"])
    run = type("Kept", (Keeping, modules["ssdsim.run.simulation"].Simulation), {})(recording)
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
    if isinstance(value, list):
        return len(written) == len(value) and all(map(agree, written, value))
    if isinstance(written, float) or isinstance(value, float):
        # as it is added up in another order; 1e-12: numbers about 0, where nothing is relative
        return None not in (written, value) and isclose(written, value, rel_tol=1e-9, abs_tol=1e-12)
    return bool(written == value)
