"""Which override is wrong, and why: the sentences on groups, keys and values that do not fit."""

import re
from collections.abc import Iterable
from typing import Any

import attrs
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException, ValidationError
from yaml import YAMLError

from ssdsim.config import nearest
from ssdsim.config.keys import KINDS, keys
from ssdsim.config.saved import WORKLOADS
from ssdsim.errors import ConfigError

from .groups import choices, groups

COMMAND_LINE_KEYS = {
    "overwrite": "Whether results may take the place of those of an earlier run.",
    "plot": "Whether to draw overview.png, with altair: true, false, or null, from 100,000 requests on.",
    "quiet": "Whether only errors are told, and where the results are; -q is the same.",
}
"""Keys that are no part of an experiment, and what they mean."""

COMMAND_LINE_DEFAULTS: dict[str, Any] = {"overwrite": False, "plot": None, "quiet": False}

COMPOSITION = (HydraException, OmegaConfBaseException, ValueError, TypeError, AttributeError, YAMLError)
"""What Hydra raises for overrides, or for a file of a preset."""

EXTRAS = {"joblib": "joblib", "ray": "ray", "submitit_local": "submitit", "submitit_slurm": "submitit"}
"""The extra of this package that brings a launcher of Hydra."""


def explained(error: Exception, overrides: Iterable[str]) -> ConfigError:
    """Return the error that Hydra found in `overrides` as one sentence, with the override and its allowed values."""
    cause = error.__cause__ or error
    if isinstance(error, OverrideParseException):
        return ConfigError(
            f"{error.override or repr('')}: key or value cannot be read; write key=value, as in seed=7 or ftl/gc=rga."
        )
    if swept := re.match(r"Ambiguous value for argument '(.*)'", str(error)):
        return ConfigError(f"{swept[1]}: several values need --multirun, or [...] if they are one list.")
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, choice = str(error.missing_cfg_file).rpartition("/")
        return wrong_choice(group, choice, error.options or [])
    if isinstance(error, AttributeError) and error.name:
        text = next((override for override in overrides if error.name in override), error.name)
        return unknown_key(text, text.lstrip("+").partition("=")[0])
    if isinstance(cause, ConfigKeyError | ConfigAttributeError):
        key = next(iter(re.findall(r"Could not override '([^']*)'", str(error))), _key(str(cause.full_key), overrides))
        return unknown_key(_text(key, overrides), key)
    if isinstance(cause, ValidationError) and cause.full_key:
        return wrong_value(_text(cause.full_key, overrides), cause)
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return ConfigError(f"{_text(cause.full_key, overrides)}: {str(cause).partition(chr(10))[0].rstrip('.')}.")
    lines = (str(cause) or str(error)).splitlines()[:2]  # the remedy, if there is one, is in the second
    told = next(iter(re.findall(r"Error merging override (.*)", str(error))), "")
    return ConfigError(f"{told and f'{told}: '}{' '.join(' '.join(lines).split()).rstrip('.')}.")


def wrong_choice(group: str, choice: str, known: Iterable[str]) -> ConfigError:
    """Return the error of a preset that is not there, or of a launcher that is not installed."""
    allowed = [name for name in known if not name.startswith("_")] or choices(group)
    if group == "hydra/launcher" and choice in EXTRAS:
        return ConfigError(f"{group}={choice}: is not installed; install ssdsim[{EXTRAS[choice]}].")
    if not allowed:
        return unknown_key(f"{group}={choice}", group)
    return ConfigError(f"{group}={choice}: must be one of {', '.join(allowed)}{nearest(choice, allowed)}.")


def unknown_key(text: str, key: str) -> ConfigError:
    """Return the error of an override that lists the keys beside its own, and the nearest that there is."""
    if "/" in key:
        return ConfigError(f"{text}: no such group; there are {', '.join(groups())}{nearest(key, groups())}.")
    if key.startswith("hydra."):
        return ConfigError(f"{text}: no such key of Hydra's.")
    every = _every()
    level = key.rpartition(".")[0]
    while level and not any(name.startswith(f"{level}.") for name in every):
        level = level.rpartition(".")[0]
    below = [name.removeprefix(f"{level}." if level else "") for name in every if name.startswith(level)]
    here = [f"{level}.{name}" if level else name for name in dict.fromkeys(name.partition(".")[0] for name in below)]
    kinds = [kind for kind in WORKLOADS.values() if key in {declared.name for declared in keys(kind, "workload.")}]
    if kinds:
        loads = ", ".join(kind.__name__.removesuffix("Config").lower() for kind in kinds)
        return ConfigError(f"{text}: no such key of this workload; it is a key of workload={loads}.")
    namesakes = [name for name in every if name.rpartition(".")[2] == key.rpartition(".")[2]]
    near = nearest(key, namesakes or [*here, *every, *groups(), *COMMAND_LINE_KEYS])
    return ConfigError(f"{text}: no such key; there are {', '.join(here)}{near}.")


def _every() -> dict[str, None]:
    """Return the names of all keys in order."""
    return dict.fromkeys(declared.name for declared in keys())


def wrong_value(text: str, error: OmegaConfBaseException) -> ConfigError:
    """Return the key's own complaint about a value, from the validator of its class, or one about its type."""
    given = re.search(r"Value '(.*)' (?:of type|is not)", str(error))
    key, value, owner = str(error.full_key), given[1] if given else text.partition("=")[2], error.object_type
    text = text if "=" in text else f"{key}={value}"
    if (group := key.replace(".", "/")) in groups():
        return ConfigError(f"{text}: a preset is chosen with a slash, {group}={value}.")
    below = dict.fromkeys(
        name.removeprefix(f"{key}.").partition(".")[0] for name in map(str, _every()) if name.startswith(f"{key}.")
    )
    if below:
        return ConfigError(f"{text}: must be one of its own keys, {', '.join(below)}.")
    attribute = attrs.fields_dict(owner).get(key.rpartition(".")[2]) if owner and attrs.has(owner) else None
    if attribute is not None and attribute.validator is not None:
        try:
            attribute.validator(object.__new__(owner), attribute, value)  # type: ignore[arg-type]
        except ConfigError as told:
            return told
    if attribute is not None and attribute.type == bool | None:
        return ConfigError(f"{text}: must be true, false or null.")
    if attribute is not None and attribute.type in KINDS:
        return ConfigError(f"{text}: must be {KINDS[attribute.type]}.")
    return ConfigError(f"{text}: {str(error).partition(chr(10))[0]}.")


def _key(key: str, overrides: Iterable[str]) -> str:
    """Return the whole key of an override of which OmegaConf has told the beginning."""
    keys_given = (text.lstrip("+~").partition("=")[0] for text in overrides)
    return next((given for given in keys_given if given.startswith(key)), key)


def _text(key: str, overrides: Iterable[str]) -> str:
    """Return the override of a `key` as it was written, or the key."""
    return next((text for text in overrides if text.lstrip("+~").partition("=")[0].partition("@")[0] == key), key)
