"""The command that makes a run again, of its configuration: the overrides that lead from the defaults to it."""

import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from ssdsim.command.from_python import spelled
from ssdsim.config import SimulationConfig, load
from ssdsim.config.saved import WORKLOADS
from ssdsim.errors import SsdsimError
from ssdsim.report.comparison import flattened

from . import presets
from .compose import located, prepared, session
from .diagnosis import choices, without_hydra
from .origin import own_classes

PRESETS = {"path": "trace", "requests": "synthetic", "generator": "generator"}
"""The preset of each kind of workload, by the key that only it has."""


FEW = 3
"""Keys that can be told one by one, so that no stack is looked for that says them shorter."""


def command(config: SimulationConfig, folder: Path, program: str) -> str:
    """Return a command that simulates `config`, which the run in `folder` has.

    It has the stack that leaves least to say, and the other keys one by one. Where these do not add up to the same
    configuration it refers to the folder; so it does with policies of a user's own, as nothing is imported here.
    """
    again = [*shlex.split(program), "--config", str(folder)]
    if next(own_classes(config), None) is not None:
        return shlex.join([*again, "--allow-imports"])
    with session():
        for overrides in _attempts(config):
            if _makes(overrides, config):
                return shlex.join([*shlex.split(program), *overrides])
    return shlex.join(again)


def _attempts(config: SimulationConfig) -> Iterator[list[str]]:
    """Yield lists of overrides that may make `config`, the shortest first."""
    loads = [f"workload={_kind(config.workload)}"] if _kind(config.workload) not in ("", "trace") else []
    loads += [f"+workload@workloads.{name}={_kind(of)}" for name, of in config.workloads.items()]
    found = []
    for stack in ("", *choices("stack")):
        chosen = [*([f"stack={stack}"] if stack else []), *loads]
        try:
            usual = _flat(load(without_hydra(presets.compose(*chosen))))
        except Exception:  # of several kinds, from Hydra: a stack that asks for other hardware
            continue
        wanted = _flat(config)
        changed = {key: value for key, value in wanted.items() if key not in usual or usual[key] != value}
        found.append([*chosen, *(f"{key}={spelled(value)}" for key, value in changed.items())])
        if len(changed) <= (0 if stack else FEW):
            break
    yield from sorted(found, key=len)[:3]


def _kind(workload: Any) -> str:
    return next((PRESETS[key] for key, kind in WORKLOADS.items() if isinstance(workload, kind)), "")


def _makes(overrides: list[str], config: SimulationConfig) -> bool:
    try:
        made = prepared(overrides).config
    except SsdsimError:
        return False
    return _flat(made) == _flat(config)


def _flat(config: SimulationConfig) -> dict[str, Any]:
    """Return the keys of a configuration with their values; traces lie where they are found from here."""
    with contextlib.suppress(SsdsimError):
        config = located(config)
    return dict(flattened(attrs.asdict(config)))
