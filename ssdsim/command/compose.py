"""From overrides to checked configurations, with Hydra doing the composition."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import hydra
from attrs import evolve
from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from ssdsim.assembly.capacity import check_limits
from ssdsim.assembly.memory import check_memory
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import check_rules
from ssdsim.config import FioConfig, GeneratorConfig, SimulationConfig, TraceConfig, nearest, register, saved
from ssdsim.config.experiment import CommandConfig, keys_of
from ssdsim.errors import ConfigError, TraceError
from ssdsim.run.workloads import expanded, make_generator

from . import PROJECT
from .groups import COMPOSITION, CONF, SETTINGS, explained, groups

TRACE_FOLDERS = (Path(), PROJECT, PROJECT / "traces")


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
        raise ConfigError(
            f"{presets[0].input_line}: a preset cannot be chosen on the ground of --config; set its keys."
        )
    try:
        if any(word.key_or_group == "hydra.searchpath" for word in parsed):
            presets = parsed  # as any word may be that of a group
        node: DictConfig = loads(_presets(*(str(word.input_line) for word in presets)))
        if place is not None:
            base = saved.load_config(place)
            for name, section in keys_of(base).items_ex(resolve=False):
                node[name] = section
            if base.ftl.extra_block_share is not None:
                node.hardware.extra_blocks = 0  # which follow from it
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
    """Return the checked experiment of a configuration that was composed of `overrides`.

    Raise ConfigError or TraceError naming what is wrong.
    """
    try:
        own = OmegaConf.masked_copy(node, [str(name) for name in node if name != "hydra"])
        keys: Any = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
        saved.made(CommandConfig, {name: keys.pop(name) for name in SETTINGS}, "")  # refuses overwrite=maybe
        config = located(saved.made(SimulationConfig, keys, ""))
    except COMPOSITION as error:
        raise explained(error, overrides) from None
    check(config)
    return config


def composed(overrides: Sequence[str], place: str | None = None) -> SimulationConfig:
    """Return the configuration that `overrides` describe, on the ground of presets, or of the run kept at `place`."""
    with session():
        return made(compose(*overrides, place=place), overrides)


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
