"""What can be named on a command line: groups of presets by the files of `conf/`, keys, and the sentences on others."""

import re
from collections.abc import Iterable
from functools import cache

from attrs import fields_dict
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ssdsim.config import nearest
from ssdsim.config.experiment import CommandConfig
from ssdsim.config.keys import Key, keys
from ssdsim.errors import ConfigError

from . import PROJECT

CONF = PROJECT / "conf"

SETTINGS = {name: Key(name, CommandConfig, fields_dict(CommandConfig)[name]) for name in CommandConfig.__annotations__}
"""Keys of the command line that are no part of an experiment."""

COMPOSITION = (HydraException, OmegaConfBaseException, ValueError, TypeError, AttributeError, AssertionError, YAMLError)
"""What Hydra raises for overrides, or for a file of a preset."""

EXTRAS = {"joblib": "joblib", "ray": "ray", "submitit_local": "submitit", "submitit_slurm": "submitit"}
"""The extra of this package that brings a launcher of Hydra."""


@cache
def groups() -> dict[str, list[str]]:
    """Return the presets of each group, such as `ftl/gc`; names that begin with an underscore are building blocks."""
    presets: dict[str, list[str]] = {}
    for file in sorted(CONF.glob("*/**/[!_]*.yaml")):
        presets.setdefault(file.parent.relative_to(CONF).as_posix(), []).append(file.stem)
    return dict(sorted(presets.items()))


def choices(group: str) -> list[str]:
    """Return the presets of `group`, none if there is no such group."""
    return groups().get(group, [])


def text_of(group: str, choice: str) -> str:
    """Return the file of a preset."""
    return (CONF / group / f"{choice}.yaml").read_text(encoding="utf-8")


def describe(group: str, choice: str) -> str:
    """Return the first comment line of a preset."""
    comments = re.findall(r"^# *([^@\n]+)$", text_of(group, choice), re.MULTILINE)  # "# @package" is meant for Hydra
    return comments[0] if comments else ""


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


def of_experiment(words: Iterable[str]) -> list[str]:
    """Return the overrides that say what is simulated, and not how, or where results go."""
    return [word for word in words if key_of(word) not in SETTINGS and not key_of(word).startswith("hydra")]


def wrong_choice(group: str, choice: str, known: Iterable[str]) -> ConfigError:
    """Return the error of a preset that is not there, or of a launcher that is not installed."""
    allowed = [name for name in known if not name.startswith("_")] or choices(group)
    if group == "hydra/launcher" and choice in EXTRAS:
        return ConfigError(f"{group}={choice}: is not installed; install ssdsim[{EXTRAS[choice]}].")
    if not allowed:
        return unknown_key(f"{group}={choice}")
    return ConfigError(f"{group}={choice}: must be one of {', '.join(allowed)}{nearest(choice, allowed)}.")


def unknown_key(text: str) -> ConfigError:
    """Return the error of an override of a key, or a group, that there is not, with the nearest that there is."""
    key = key_of(text)
    if "/" in key:
        return ConfigError(f"{text}: no such group; there are {', '.join(groups())}{nearest(key, groups())}.")
    every = list(dict.fromkeys(declared.name for declared in keys()))
    if key in every:
        return ConfigError(f"{text}: no such key of this workload; it is one of another kind, as `presets {key}` says.")
    near = nearest(key, [*every, *groups(), *SETTINGS])
    return ConfigError(f"{text}: no such key{near}; `presets` lists all.")
