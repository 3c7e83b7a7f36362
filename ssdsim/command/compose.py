"""From the words of a command line to checked configurations: keys, and presets of `conf/`, which Hydra composes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import hydra
from attrs import evolve, fields_dict
from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ssdsim.assembly.capacity import check_memory, checked_parts
from ssdsim.config import FioConfig, GeneratorConfig, SimulationConfig, TraceConfig, nearest, saved
from ssdsim.config.experiment import CommandConfig, keys_of, register
from ssdsim.config.keys import Key, keys
from ssdsim.errors import ConfigError, TraceError
from ssdsim.run.workloads import expanded, make_generator

from . import PROJECT

CONF = PROJECT / "conf"
TRACE_FOLDERS = (Path(), PROJECT, PROJECT / "traces")

SETTINGS = {name: Key(name, CommandConfig, fields_dict(CommandConfig)[name]) for name in CommandConfig.__annotations__}
"""Keys of the command line that are no part of an experiment."""

COMPOSITION = (HydraException, OmegaConfBaseException, ValueError, TypeError, AttributeError, AssertionError, YAMLError)
"""What Hydra raises for overrides, or for a file of a preset."""


@contextmanager
def session() -> Iterator[Any]:
    """Within it `conf/` can be composed, also within a program that composes with Hydra itself; yield Hydra's own."""
    register()
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), job_name="ssdsim", version_base="1.3"):
            yield GlobalHydra.instance().hydra
    finally:
        GlobalHydra.instance().hydra = outer


def parse(overrides: Sequence[str]) -> list[Override]:
    """Return the parsed overrides; raise ConfigError for one that is not of the form key=value."""
    try:
        parsed = OverridesParser.create(GlobalHydra.instance().config_loader()).parse_overrides([*overrides])
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    for override in parsed:
        if override.key_or_group in ("", "hydra"):
            raise ConfigError(f"{override.input_line}: sets no single key; write key=value, as in seed=7.")
    return parsed


def points(overrides: list[Override]) -> list[list[str]]:
    """Return the overrides of each point that a sweep over `overrides` has, as Hydra's sweeper makes them."""
    for override in overrides:
        if override.is_sweep_override() and not override.is_discrete_sweep():
            raise ConfigError(f"{override.input_line}: an interval is for `search`; sweep over a,b or range(...).")
    return BasicSweeper.split_arguments(overrides, None)[0]


def compose(*overrides: str, place: str | None = None) -> DictConfig:
    """Return the configuration of presets and values, or of the run kept at `place` and values, with Hydra's own part.

    Raise ConfigError for what is wrong. Hydra composes the same presets once in a process: a study has hundreds of
    experiments of a few.
    """
    parsed = parse(overrides)
    presets = [word for word in parsed if "/" in word.key_or_group or word.package or word.key_or_group in groups()]
    for word in parsed:
        if word.is_sweep_override():
            raise ConfigError(f"{word.input_line}: several values need --multirun, or [...] if they are one list.")
    if place is not None and presets:
        raise ConfigError(f"{presets[0].input_line}: a preset cannot be chosen beside --config; set its keys.")
    try:
        if any(word.key_or_group == "hydra.searchpath" for word in parsed):
            presets = parsed  # as any word may be that of a group
        node: DictConfig = loads(_presets(*(str(word.input_line) for word in presets)))
        if place is not None:
            base = saved.load_config(place)
            for name, section in keys_of(base).items_ex(resolve=False):
                node[name] = section
        ConfigLoaderImpl._apply_overrides_to_config([word for word in parsed if word not in presets], node)
        str(node.hydra.sweep.dir)  # tells of what is no folder
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    return node


@lru_cache(512)
def _presets(*chosen: str) -> bytes:
    """Return the pickled composition: to read that takes less than half the time of a deep copy."""
    return dumps(hydra.compose("config", [*chosen], return_hydra_config=True))


def made(node: DictConfig, overrides: Sequence[str] = ()) -> SimulationConfig:
    """Return the experiment of a configuration that was composed of `overrides`, with the paths of traces found.

    Raise ConfigError or TraceError for a key, parts that do not go together, too little room, or a trace not there.
    """
    try:
        own = OmegaConf.masked_copy(node, [str(name) for name in node if name != "hydra"])
        given: Any = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
        saved.made(CommandConfig, {name: given.pop(name) for name in SETTINGS}, "")  # refuses overwrite=maybe
        config: SimulationConfig = saved.made(SimulationConfig, given, "")
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    workloads = {name: _located(workload) for name, workload in config.workloads.items()}
    config = expanded(evolve(config, workload=_located(config.workload), workloads=workloads))
    checked_parts(config)
    for workload in (config.workload, *config.workloads.values()):
        if isinstance(workload, GeneratorConfig):
            make_generator(workload)
    check_memory(config)
    return config


def composed(overrides: Sequence[str], place: str | None = None) -> SimulationConfig:
    """Return the configuration that `overrides` describe, on the ground of presets, or of the run kept at `place`."""
    with session():
        return made(compose(*overrides, place=place), overrides)


def _located(workload: object) -> object:
    if not isinstance(workload, TraceConfig | FioConfig):
        return workload
    for folder in TRACE_FOLDERS:
        if (folder / workload.path).is_file():
            return evolve(workload, path=str(folder / workload.path))
    near = nearest(Path(workload.path).name, [file.name for folder in TRACE_FOLDERS for file in folder.glob("*.*")])
    raise TraceError(f"workload.path={workload.path}: no such file, here or in the project's traces/{near}.")


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
        return ConfigError(f"{error.override or repr('')}: cannot be read; write key=value, as in ftl/gc=rga.")
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
    if group == "hydra/launcher" and choice in ("joblib", "ray", "submitit_local", "submitit_slurm"):
        return ConfigError(f"{group}={choice}: is not installed; install ssdsim[{choice.partition('_')[0]}].")
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
