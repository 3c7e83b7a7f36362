"""Composition of presets, each set of them once: a study composes hundreds of experiments from a few of them.

Hydra composes the presets; `apply` sets values in the configuration, and says at once what is wrong with one.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from pickle import dumps, loads
from typing import Any, cast

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import ValidationError
from yaml import YAMLError

from ssdsim.config import SimulationConfig, register, register_resolver
from ssdsim.errors import ConfigError

from .diagnosis import (
    COMPOSITION,
    is_open,
    options,
    section_of,
    select,
    unknown_key,
    wrong_presets,
    wrong_value,
)
from .groups import CONF, groups

KEPT = 512
"""Sets of presets whose composition is kept."""

SEARCHED = "hydra.searchpath"
"""The one key that decides which presets there are, and that Hydra therefore has to read itself."""


def compose(*overrides: Override | str) -> DictConfig:
    """Return the configuration of presets and values, with Hydra's own part; raise ConfigError for what is wrong.

    Presets are composed anew when a file in their folders has changed, and where further folders are searched.
    """
    register_resolver()  # what was composed before may need it, and be all that is needed
    parsed = _parsed(overrides)
    chosen, searched = _chosen(parsed)
    make = _composed.__wrapped__ if searched else _composed
    try:
        node: DictConfig = loads(make(tuple(str(override.input_line) for override in chosen), tuple(_changes())))
    # Hydra takes what is in a list for words, whatever it is
    except (*COMPOSITION, ValueError, TypeError, AttributeError, YAMLError) as error:
        raise wrong_presets(chosen, searched, error) from None
    with read_write(node.hydra):
        node.hydra.runtime.cwd = str(Path.cwd())  # the composition may be an earlier one
    for override in parsed:
        if override not in chosen:
            apply(override, node)
    if any(override.is_hydra_override() for override in parsed):
        _name(node, parsed)
    return node


def vary(base: SimulationConfig, *overrides: Override | str) -> DictConfig:
    """Return the same of a configuration that is there, in place of one made of presets, of which none is chosen."""
    parsed = _parsed(overrides)
    node: DictConfig = OmegaConf.structured(base)
    if base.ftl.extra_block_share is not None:
        node.hardware.extra_blocks = 0  # which follow from it
    OmegaConf.set_struct(node, True)
    of_hydra = [override for override in parsed if override.key_or_group.startswith("hydra")]
    for override in parsed:
        if override in of_hydra:
            continue
        if _chooses(override, ()):
            raise ConfigError(
                f"{override.input_line}: a preset cannot be chosen on the ground of --config, which has all keys; set "
                f"keys of {override.key_or_group.replace('/', '.')}, or leave --config out."
            )
        apply(override, node)
    with open_dict(node):
        node.hydra = compose(*of_hydra).hydra
    return node


def apply(override: Override, node: DictConfig) -> None:
    """Set a value in `node`; raise ConfigError for a key that is not there, and for a value that it cannot have.

    New keys of an open mapping (options, weights) need no plus, and 1e6 is a whole number.
    """
    text, key, value = str(override.input_line), override.key_or_group, override.value()
    is_new = select(node, key) is None or is_open(section_of(node, key)[0])
    if override.is_add() and not is_new and not isinstance(value, dict | list):
        raise ConfigError(f"{text}: {key} is there already; write {text.removeprefix('+')} to change it.")
    _put(node, text, key, value, override.is_add() or override.is_force_add())


def _put(node: DictConfig, text: str, key: str, value: Any, added: bool) -> None:
    """Set the `value` of `key`, or those of the keys of a section, that an override of this `text` gives."""
    section, rest = section_of(node, key)
    there = select(node, key)
    if not is_open(section) and rest.partition(".")[0] not in [*section]:
        raise unknown_key(text, key, node)
    if isinstance(there, DictConfig) and not is_open(there):
        if not isinstance(value, dict):
            raise wrong_value(text, key, value, node)
        for below, part in value.items():
            _put(node, text, f"{key}.{below}", part, added)
        return
    added = added or is_open(section) or (is_open(there) and isinstance(value, dict))
    try:
        try:
            OmegaConf.update(node, key, value, force_add=added)
        except ValidationError:
            if not isinstance(value, float) or not value.is_integer() or isinstance(there, bool):
                raise
            OmegaConf.update(node, key, int(value), force_add=added)
    except (*COMPOSITION, ValueError, TypeError, AssertionError):
        if "." in rest:
            raise unknown_key(text, key, node) from None
        raise wrong_value(text, key, value, node) from None


def content(path: str, folders: Sequence[str | Path] = (CONF,)) -> dict[str, Any]:
    """Return the content of the file of a preset, such as `ftl/gc/rga`, from the first of the folders that has it."""
    files = [file for folder in folders if (file := Path(folder, f"{path}.yaml")).is_file()]
    return cast(dict[str, Any], OmegaConf.to_container(OmegaConf.load(files[0]))) if files else {}


def _name(node: DictConfig, parsed: list[Override]) -> None:
    """Set the name that folders can take of the overrides, as in hydra.sweep.subdir=${hydra.job.override_dirname}."""
    how = node.hydra.job.config.override_dirname
    told = [override for override in parsed if not override.is_hydra_override()]
    lines = sorted(str(override.input_line) for override in told if override.key_or_group not in how.exclude_keys)
    with read_write(node.hydra):
        node.hydra.job.override_dirname = how.item_sep.join(lines).replace("=", how.kv_sep)


def _chooses(override: Override, searched: Sequence[str]) -> bool:
    """Return whether an override chooses a preset: its key is that of a group, and its value no mapping."""
    key = override.key_or_group
    if "/" in key or override.package is not None:
        return True
    is_group = key in groups() or bool(searched and "." not in key and options(key, searched))
    return is_group and not isinstance(override.value(), dict)


def _chosen(parsed: Sequence[Override]) -> tuple[list[Override], list[str]]:
    """Return the overrides that choose presets, and those of them that say where else these are looked for."""
    searched = [str(override.input_line) for override in parsed if override.key_or_group == SEARCHED]
    choosing = [override for override in parsed if override.key_or_group == SEARCHED or _chooses(override, searched)]
    return choosing, searched


def _parsed(overrides: tuple[Override | str, ...]) -> list[Override]:
    parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
    return [parser.parse_overrides([override])[0] if isinstance(override, str) else override for override in overrides]


@lru_cache(KEPT)
def _composed(chosen: tuple[str, ...], changes: tuple[tuple[str, int], ...]) -> bytes:
    """Return the pickled composition: to read that takes less than half the time of a deep copy."""
    register()
    return dumps(hydra.compose("config", list(chosen), return_hydra_config=True))


def _changes() -> Iterator[tuple[str, int]]:
    """Yield the files that presets may stand in, and when each was changed in nanoseconds."""
    for source in GlobalHydra.instance().config_loader().get_sources():
        if source.scheme() == "file":
            yield from ((str(path), path.stat().st_mtime_ns) for path in sorted(Path(source.path).rglob("*.yaml")))
