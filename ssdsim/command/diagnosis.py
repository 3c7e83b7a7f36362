"""Which override is wrong, and why: the sentences on groups, keys and values that do not fit."""

from collections.abc import Iterable
from typing import Any

import attrs
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ssdsim.config import nearest
from ssdsim.config.experiment import CommandConfig
from ssdsim.config.keys import keys
from ssdsim.config.saved import WORKLOADS
from ssdsim.errors import ConfigError

from .groups import choices, groups

COMMAND_LINE_FIELDS = [attrs.fields_dict(CommandConfig)[name] for name in CommandConfig.__annotations__]
COMMAND_LINE_DEFAULTS: dict[str, Any] = {field.name: field.default for field in COMMAND_LINE_FIELDS}
"""Keys that are no part of an experiment, and their defaults."""

COMPOSITION = (HydraException, OmegaConfBaseException, ValueError, TypeError, AttributeError, YAMLError)
"""What Hydra raises for overrides, or for a file of a preset."""

EXTRAS = {"joblib": "joblib", "ray": "ray", "submitit_local": "submitit", "submitit_slurm": "submitit"}
"""The extra of this package that brings a launcher of Hydra."""


def explained(error: Exception, overrides: Iterable[str]) -> ConfigError:
    """Return the error that Hydra found in `overrides` as one sentence, with the override and its allowed values."""
    cause = error.__cause__ or error
    if isinstance(error, OverrideParseException):
        return ConfigError(
            f"{error.override or repr('')}: cannot be read; write key=value, as in seed=7 or ftl/gc=rga."
        )
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, choice = str(error.missing_cfg_file).rpartition("/")
        return wrong_choice(group, choice, error.options or [])
    key = str(getattr(cause, "full_key", None) or getattr(error, "name", None) or "")
    # OmegaConf may tell of the beginning of a key alone
    text = next((text for text in overrides if key and key_of(text).startswith(key)), key)
    if isinstance(cause, AttributeError | KeyError) and text:
        return unknown_key(text)
    # the remedy, if there is one, is in the second line, or else what the sentence begins with anyway
    lines = [line for line in (str(cause) or str(error)).splitlines()[:2] if "full_key" not in line]
    return ConfigError(f"{text and f'{text}: '}{' '.join(' '.join(lines).split()).rstrip('.')}.")


def key_of(text: str) -> str:
    """Return the key of an override."""
    return text.lstrip("+~").partition("=")[0].partition("@")[0]


def wrong_choice(group: str, choice: str, known: Iterable[str]) -> ConfigError:
    """Return the error of a preset that is not there, or of a launcher that is not installed."""
    allowed = [name for name in known if not name.startswith("_")] or choices(group)
    if group == "hydra/launcher" and choice in EXTRAS:
        return ConfigError(f"{group}={choice}: is not installed; install ssdsim[{EXTRAS[choice]}].")
    if not allowed:
        return unknown_key(f"{group}={choice}")
    return ConfigError(f"{group}={choice}: must be one of {', '.join(allowed)}{nearest(choice, allowed)}.")


def unknown_key(text: str) -> ConfigError:
    """Return the error of an override that lists the keys beside its own, and the nearest that there is."""
    key = key_of(text)
    if "/" in key:
        return ConfigError(f"{text}: no such group; there are {', '.join(groups())}{nearest(key, groups())}.")
    every = list(dict.fromkeys(declared.name for declared in keys()))
    kinds = [kind for kind in WORKLOADS.values() if key in {declared.name for declared in keys(kind, "workload.")}]
    if kinds:
        loads = ", ".join(kind.__name__.removesuffix("Config").lower() for kind in kinds)
        return ConfigError(f"{text}: no such key of this workload; it is a key of workload={loads}.")
    level = key.rpartition(".")[0]
    while level and not any(name.startswith(f"{level}.") for name in every):
        level = level.rpartition(".")[0]
    start = f"{level}." if level else ""
    below = [name.removeprefix(start).partition(".")[0] for name in every if name.startswith(start)]
    here = list(dict.fromkeys(start + name for name in below))
    namesakes = [name for name in every if name.rpartition(".")[2] == key.rpartition(".")[2]]
    near = nearest(key, namesakes or [*every, *here, *groups(), *COMMAND_LINE_DEFAULTS])
    return ConfigError(f"{text}: no such key; there are {', '.join(here)}{near}.")
