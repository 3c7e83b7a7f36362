"""From overrides to checked configurations, with Hydra doing the composition."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import product
from pathlib import Path
from pickle import dumps, loads
from typing import Any, NamedTuple

import hydra
from attrs import evolve
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from ssdsim.assembly.capacity import check_limits
from ssdsim.assembly.memory import check_memory
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import check_rules
from ssdsim.config import FioConfig, GeneratorConfig, SimulationConfig, TraceConfig, nearest, saved
from ssdsim.config.experiment import keys_of, register
from ssdsim.errors import ConfigError, TraceError
from ssdsim.run.workloads import expanded, make_generator

from . import PROJECT
from .diagnosis import COMMAND_LINE_DEFAULTS, COMPOSITION, explained
from .groups import CONF, groups

SEARCHED = "hydra.searchpath"
"""The one key that decides which presets there are, and that Hydra therefore has to read itself."""

TRACE_FOLDERS = (Path(), PROJECT, PROJECT / "traces")


class Point(NamedTuple):
    """A checked experiment; in `composed` paths of traces are as they were given."""

    config: SimulationConfig
    composed: SimulationConfig


@contextmanager
def session() -> Iterator[Any]:
    """Within it `conf/` can be composed, also within a program that composes with Hydra itself; yield Hydra's own."""
    if sys.flags.optimize:
        raise ConfigError("python -O: Hydra cannot read overrides without assertions; leave out -O (PYTHONOPTIMIZE).")
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
        parser = OverridesParser.create(GlobalHydra.instance().config_loader())
        parsed = parser.parse_overrides([*overrides])
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    for override in parsed:
        if not override.key_or_group:
            raise ConfigError(f"{override.input_line or repr('')}: has no key; write key=value, as in seed=7.")
        if override.is_delete():
            raise ConfigError(f"{override.input_line}: a key can be changed but not taken away.")
    return parsed


def points(overrides: Sequence[Override]) -> list[list[str]]:
    """Return the overrides of each point that a sweep over `overrides` has, as Hydra's sweeper makes them."""
    for override in overrides:
        if override.is_sweep_override() and not override.is_discrete_sweep():
            raise ConfigError(f"{override.input_line}: an interval is for `search`; sweep over a,b or range(...).")
    values = {
        override.get_key_element(): [*override.sweep_string_iterator()]
        if override.is_sweep_override()
        else [override.get_value_element_as_str()]
        for override in overrides
    }
    return [list(point) for point in product(*([f"{key}={value}" for value in values[key]] for key in values))]


def own_keys(overrides: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Split the keys of the command line that are no part of an experiment, with their values, from the overrides."""
    own = COMMAND_LINE_DEFAULTS | {"hydra.run.dir": ""}
    rest = []
    for override in parse(overrides):
        name, text = override.key_or_group.replace("hydra.sweep.dir", "hydra.run.dir"), str(override.input_line)
        if name not in own:
            rest.append(text)
        elif override.is_sweep_override():
            raise ConfigError(f"{text}: has several values, and takes one value for all points.")
        elif name in COMMAND_LINE_DEFAULTS and override.value() not in (True, False, COMMAND_LINE_DEFAULTS[name]):
            raise ConfigError(f"{text}: must be true or false{', or null' * (name == 'plot')}.")
        elif "${" in str(override.value()):
            raise ConfigError(f"{text}: must be written out; hydra.sweep.subdir takes values of a sweep's points.")
        else:
            own[name] = override.value()
    return rest, own


def compose(*overrides: str) -> DictConfig:
    """Return the configuration of presets and values; raise ConfigError for what is wrong.

    The composition of presets is kept until a file of `conf/` changes: a study has hundreds of experiments of a few.
    """
    parsed = parse(overrides)
    searches = any(override.key_or_group == SEARCHED for override in parsed)
    presets, values = list[str](), list[Override]()
    for override in parsed:
        key = override.key_or_group
        if override.is_sweep_override():
            raise ConfigError(f"{override.input_line}: several values need --multirun, or [...] if they are one list.")
        # where other folders are searched, any word may be that of a group
        if key == SEARCHED or "/" in key or override.package or key in groups() or (searches and "." not in key):
            presets.append(str(override.input_line))
        elif key.startswith("hydra."):
            raise ConfigError(f"{override.input_line}: no such key of Hydra's, or none of a single run.")
        else:
            values.append(override)
    try:
        make = _presets.__wrapped__ if searches else _presets
        node: DictConfig = loads(make(tuple(presets), _changes()))
    except COMPOSITION as error:
        raise explained(error, presets) from None
    return _changed(node, values)


@lru_cache(512)
def _presets(chosen: tuple[str, ...], changes: tuple[tuple[str, int], ...]) -> bytes:
    """Return the pickled composition: to read that takes less than half the time of a deep copy."""
    return dumps(hydra.compose("config", list(chosen)))


def _changes() -> tuple[tuple[str, int], ...]:
    """Return the files of presets, and when each was changed in nanoseconds."""
    return tuple((str(path), path.stat().st_mtime_ns) for path in sorted(CONF.rglob("*.yaml")))


def _changed(node: DictConfig, overrides: Sequence[Override]) -> DictConfig:
    """Set the values of keys, as Hydra does, and return `node`; raise ConfigError for what is wrong with one."""
    for override in overrides:
        if (group := override.key_or_group.replace(".", "/")) in groups() and isinstance(override.value(), str):
            raise ConfigError(f"{override.input_line}: a preset is chosen with a slash, {group}={override.value()}.")
        try:
            added = override.is_add() or override.is_force_add()
            OmegaConf.update(node, override.key_or_group, override.value(), force_add=added)
        except (*COMPOSITION, AssertionError) as error:
            raise explained(error, [str(override.input_line)]) from None
    return node


def prepared(overrides: Sequence[str], place: str | None = None) -> Point:
    """Return the experiment that `overrides` describe, on the ground of presets, or of the run kept at `place`.

    Raise ConfigError or TraceError naming what is wrong.
    """
    return made(compose(*overrides) if place is None else _varied(saved.load_config(place), overrides), overrides)


def made(node: DictConfig, overrides: Sequence[str] = ()) -> Point:
    """Return the checked experiment of a configuration that was composed of `overrides`."""
    try:
        keys: Any = OmegaConf.to_container(node, resolve=True, throw_on_missing=True)
        own = {name: value for name, value in keys.items() if name not in COMMAND_LINE_DEFAULTS}
        composed: SimulationConfig = saved.made(SimulationConfig, own, "")
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    config = located(composed)
    check(config)
    return Point(config, composed)


def _varied(base: SimulationConfig, overrides: Sequence[str]) -> DictConfig:
    """Return a configuration that is there, with values changed; none of presets, which would set more than is told."""
    node: DictConfig = keys_of(base)
    OmegaConf.set_struct(node, True)
    parsed = parse(overrides)
    for override in parsed:
        if "/" in override.key_or_group or override.key_or_group in groups():
            raise ConfigError(
                f"{override.input_line}: a preset cannot be chosen on the ground of --config; set its keys."
            )
    return _changed(node, parsed)


def composed(overrides: Sequence[str]) -> SimulationConfig:
    """Return the configuration that `overrides` describe."""
    with session():
        return prepared(overrides).config


def check(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a configuration whose parts do not go together, or for which there is no room."""
    check_memory(config)  # before a list of all planes, as some parts make
    parts = Parts(config)
    check_rules(parts)
    parts.make_all()
    for workload in (config.workload, *config.workloads.values()):
        if isinstance(workload, GeneratorConfig):
            make_generator(workload)
    check_limits(config)


def located(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with the paths of its traces found, and jobs as streams; raise TraceError for one not there."""
    workloads = {name: _located(workload) for name, workload in config.workloads.items()}
    return expanded(evolve(config, workload=_located(config.workload), workloads=workloads))


def _located(workload: object) -> object:
    if not isinstance(workload, TraceConfig | FioConfig):
        return workload
    for folder in TRACE_FOLDERS:
        if (folder / workload.path).is_file():
            return evolve(workload, path=str(folder / workload.path))
    near = nearest(Path(workload.path).name, [file.name for folder in TRACE_FOLDERS for file in folder.glob("*.*")])
    raise TraceError(f"workload.path={workload.path}: no such file, here or in the project's traces/{near}.")
