"""Named runs of a study: systems under workloads, by part."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ssdsim.command.runs import Means, run_all
from ssdsim.metrics.result import Result

Runs = dict[str, list[str]]
"""Overrides by the name of the run, which is `workload/system` as a rule."""


def grid(systems: Mapping[str, list[str]], workloads: Mapping[str, list[str]], common: Sequence[str] = ()) -> Runs:
    """Return the overrides of every system under every workload; a run is called `workload/system`."""
    return {
        # the workload last: it has the last word on a key of several
        f"{workload}/{system}": [*common, *of_system, *of_workload]
        for workload, of_workload in workloads.items()
        for system, of_system in systems.items()
    }


def run_parts(parts: Mapping[str, Mapping[str, list[str]]], folder: Path, means: Means) -> dict[str, dict[str, Result]]:
    """Run all parts of a study, and return their results; the run `name` of a part lies in the folder `part/name`."""
    runs = {
        f"{part}/{name}": overrides for part, runs_of_part in parts.items() for name, overrides in runs_of_part.items()
    }
    results = run_all(runs, folder, means)
    return {part: {name: results[f"{part}/{name}"] for name in runs_of_part} for part, runs_of_part in parts.items()}
