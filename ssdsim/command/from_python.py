"""Presets from Python: what the command line composes of `conf/`, as a configuration to change, keep and simulate."""

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve, has

from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError


def preset(stack: str = "baseline", /, *overrides: str, **chosen: Any) -> SimulationConfig:
    """Return the configuration that presets and overrides make, as `preset("pa_ssd", hardware="tlc_4g", seed=3)` does.

    `chosen` are presets by group and values by key, the `overrides` the same as the command line has them, such as
    `"ftl/gc=rga"`; names with a dot or slash also go as `**{"host.queue_depth": 32}`. A section may be given as its
    object: `workload=SyntheticConfig(queue_depth=8)`. It has been checked as on the command line, traces are looked for
    in the same places. Raise `ConfigError` or `TraceError` for what cannot work.
    """
    from .compose import composed  # which imports Hydra

    # sections are put in last, as an override cannot spell an object
    sections = {name: value for name, value in chosen.items() if has(type(value))}
    texts = [f"{name}={spelled(value)}" for name, value in chosen.items() if name not in sections]
    config = composed([f"stack={spelled(stack)}", *overrides, *texts])
    try:
        return evolve(config, **sections)
    except TypeError:
        raise ConfigError(f"{', '.join(sections)}: only a whole section can be given as an object.") from None


def spelled(value: Any) -> str:
    """Return a value as an override of Hydra's grammar has it."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{spelled(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(spelled, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    # backslashes mean something only before a quote and at the end
    escaped = re.sub(r"(\\*)('|$)", lambda match: 2 * match[1] + ("\\'" if match[2] else ""), str(value))
    return f"'{escaped}'"
