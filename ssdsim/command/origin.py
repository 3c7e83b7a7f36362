"""Where a value comes from that nobody typed: which preset sets a key."""

import re
import sys
from typing import Any

from attrs import asdict, evolve
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.types import Override
from hydra.types import RunMode

from ssdsim.config import CheckpointConfig, SimulationConfig, flatten, register
from ssdsim.errors import ConfigError, printable

from .groups import CONF, groups
from .point import own_classes
from .presets import SEARCHED, content

KEY = re.compile(r"\b([a-z_]+(?:\.[a-z_]+)+)=")


def presets_of(key: str, overrides: list[Override]) -> list[str]:
    """Return the preset that sets `key` in the experiment of `overrides`, and those that brought it, the nearest first.

    They are named as `stack=slc_mode`; there are none for a default, or a key that stands in an override.
    """
    lines = [str(override.input_line) for override in overrides]
    register()
    results = GlobalHydra.instance().config_loader().compute_defaults_list("config", lines, RunMode.RUN).defaults
    searched: list[Any] = [override.value() for override in overrides if override.key_or_group == SEARCHED]
    folders = [CONF, *(path.removeprefix("file://") for paths in searched for path in paths)]
    parents = {result.config_path: result.parent for result in results}
    for result in reversed(results):
        path = str(result.config_path)
        if "/" not in path or path.startswith("hydra/") or "/_" in path:
            continue
        keys = flatten(content(path, folders), f"{result.package}." if result.package else "")
        if any(f"{name}.".startswith(f"{key}.") for name, _ in keys):
            paths = [path]
            while "/" in (above := parents.get(paths[-1]) or ""):
                paths.append(above)
            return ["=".join(preset.rsplit("/", 1)) for preset in paths]
    return []


def typed(key: str, overrides: list[Override]) -> bool:
    """Return whether one of `overrides` sets `key`, or a part of it."""
    presets = set(groups())
    given = [override.key_or_group for override in overrides if override.key_or_group not in presets]
    return any(f"{key}.".startswith(f"{name}.") or name.startswith(f"{key}.") for name in given)


def explained(error: ConfigError, overrides: list[Override]) -> ConfigError:
    """Return `error` with the presets that set the keys of its sentence, those that nobody typed."""
    keys = [key for key in dict.fromkeys(KEY.findall(str(error))) if not typed(key, overrides)]
    named = [f"{override.key_or_group}={override.value()}" for override in overrides]
    reasons = []
    for key in keys:
        presets = presets_of(key, overrides)
        asked = next((preset for preset in presets if preset in named), presets[-1] if presets else "")
        if presets:
            reasons.append(f"{key} is set by {presets[0]}{f', on which {asked} builds' if asked != presets[0] else ''}")
    return type(error)(f"{str(error).rstrip('.')} ({'; '.join(reasons)}).") if reasons else error


def check_classes(config: SimulationConfig, overrides: list[Override], place: str | None = None) -> None:
    """Raise `ConfigError` for dotted paths of classes that the command line names neither itself nor by their preset.

    Nothing is imported that was not asked for: presets may bring others with them, and the configuration at `place`,
    which stands in for presets, may be anybody's.
    """
    package = SimulationConfig.__module__.partition(".")[0]
    named = [f"{override.key_or_group}={override.value()}" for override in overrides]
    for key, path in dict.fromkeys(own_classes(config)):
        if typed(key, overrides) or path.startswith(f"{package}."):
            continue
        if place:
            raise ConfigError(
                f"{key}={path}: stands in {place}, which may be anybody's, and to import it is to run it: add "
                "--allow-imports if you would, or set the key on the command line."
            )
        if next(iter(presets_of(key, overrides)), None) not in named:
            raise ConfigError(
                f"{key}={path}: stands in a preset that the command line does not name; name that preset or the class "
                "there to have it imported."
            )


def without_output(config: SimulationConfig, place: str, overrides: list[Override]) -> SimulationConfig:
    """Return the configuration at `place` without the files that it names for output; say so on standard error."""
    group, kept = CheckpointConfig.group, CheckpointConfig(load=config.checkpoint.load)
    usual = asdict(kept)
    given = [(f"{group}{name}", value) for name, value in asdict(config.checkpoint).items() if value != usual[name]]
    left = [f"{key}={value}" for key, value in given if not typed(key, overrides)]
    if left:
        told = f"{place}: {', '.join(left)} left out; name on the command line what is written beside the results."
        print(printable(told), file=sys.stderr)
    return evolve(config, checkpoint=kept)
