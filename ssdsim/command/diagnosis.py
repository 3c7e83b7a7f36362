"""Which override is wrong, and why: the sentences on groups, keys and values that do not fit."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import attrs
import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from . import PROJECT
from .search.settings import WORDS

CONF = PROJECT / "conf"

COMMAND_LINE_KEYS = {
    "overwrite": "Whether results may take the place of those of an earlier run.",
    "plot": "Whether to draw overview.png, with matplotlib: true, false, or auto, from 100,000 requests on.",
    "objective": "What a search (--multirun hydra/sweeper=optuna) is for: fields of summary.json.",
    "directions": "Whether it is to minimize or maximize each; all to be minimized if nothing is said.",
    "prune": "Codes of validity of which one is enough for a point not to count.",
}
"""Keys that are no part of an experiment, and what they mean."""

COMMAND_LINE_DEFAULTS: dict[str, Any] = {"overwrite": False, "plot": "auto", **WORDS}

COMPOSITION = (HydraException, OmegaConfBaseException)
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word", list: "a list"}


def groups() -> list[str]:
    """Return the names of all groups, such as `ftl/gc`, without Hydra's own."""
    return sorted(_presets())


def choices(group: str) -> list[str]:
    """Return the presets of `group`; names that begin with an underscore are building blocks, not choices."""
    return _presets().get(group, [])


@cache
def _presets() -> dict[str, list[str]]:
    presets: dict[str, list[str]] = {}
    for file in sorted(CONF.glob("*/**/[!_]*.yaml")):
        presets.setdefault(file.parent.relative_to(CONF).as_posix(), []).append(file.stem)
    return presets


def options(group: str, searched: Sequence[str] = ()) -> list[str]:
    """Return the presets of `group` that Hydra knows, also in folders that overrides have `searched`."""
    try:
        found = GlobalHydra.instance().config_loader().get_group_options(group, ObjectType.CONFIG, None, [*searched])
    except HydraException:  # the folders are no list, which composition tells
        return []
    return [each for each in found if not each.startswith("_")]


def without_hydra(node: DictConfig) -> DictConfig:
    """Return `node` after taking Hydra's own configuration out of it."""
    with open_dict(node):
        node.pop("hydra", None)
    return node


def flatten(mapping: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted key and value of every leaf of nested mappings; an empty mapping is a leaf."""
    for name, value in mapping.items():
        if isinstance(value, dict) and value:
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def is_open(node: Any) -> bool:
    """Return whether `node` is a mapping that takes any keys."""
    return isinstance(node, DictConfig) and OmegaConf.get_type(node) is dict


def select(node: Any, key: str) -> Any:
    """Return the value at `key`, or None if there is none or it cannot be resolved yet."""
    try:
        return OmegaConf.select(node, key)
    except OmegaConfBaseException:
        return None


def section_of(node: DictConfig, key: str) -> tuple[DictConfig, str]:
    """Return the deepest section on the way to `key`, and what is left of the key there."""
    section, rest = node, key
    while "." in rest and isinstance(below := select(section, rest.partition(".")[0]), DictConfig):
        section, rest = below, rest.partition(".")[2]
    return section, rest


def wrong_presets(chosen: Sequence[Override], searched: Sequence[str], error: Exception) -> ConfigError:
    """Return the mistake in the first wrong choice of presets that do not compose, or the `error` that came of them."""
    for each in chosen:
        allowed, value = options(each.key_or_group, searched), each.value()
        wrong = [name for name in (value if isinstance(value, list) else [value]) if name not in allowed]
        if str(each.input_line) in searched or not wrong:
            continue
        if not allowed:
            return ConfigError(f"{each.input_line}: no such group; there are {_names(groups(), each.key_or_group)}.")
        return ConfigError(f"{each.input_line}: must be one of {_names(allowed, wrong[0])}.")
    reason = (str(error) or str(error.__cause__)).splitlines()[:2]  # the remedy, if there is one, is in the second
    words = f"{' '.join(str(each.input_line) for each in chosen)}: {' '.join(reason)}".split()
    return ConfigError(f"{' '.join(words).rstrip('.?')}.")


def unresolved(overrides: Sequence[Override], error: OmegaConfBaseException) -> ConfigError:
    """Return the mistake in a value that stands for another, or is missing, as `error` says."""
    lines = (str(each.input_line) for each in overrides if each.key_or_group == error.full_key)
    reason = str(error).partition("\n")[0].rstrip(".")
    return ConfigError(f"{next(lines, error.full_key)}: {reason}.")


def unknown_key(text: str, key: str, node: DictConfig) -> ConfigError:
    """Return the error of an override that lists the keys of the deepest section on the way to its own."""
    tree: Any = OmegaConf.to_container(node)
    every = {path for path, _ in flatten(tree) if path.startswith("hydra.") == key.startswith("hydra.")}
    section, rest = section_of(node, key)
    level = key.removesuffix(rest)
    here = [f"{level}{name}" for name in map(str, section) if name != "hydra"] + [*COMMAND_LINE_KEYS] * (not level)
    namesakes = [path for path in every if path.rpartition(".")[2] == key.rpartition(".")[2]]
    hint = _of_other_preset(key) or nearest(key, namesakes or {*here, *every, *(groups() if not level else ())})
    return ConfigError(f"{text}: no such key; there are {', '.join(here)}{hint}.")


def _of_other_preset(key: str) -> str:
    """Return the hint which other presets of the key's group have it, as only some workloads have `rate_iops`."""
    group, having = key.partition(".")[0], []
    for choice in choices(group):
        tree: Any = OmegaConf.to_container(hydra.compose("config", [f"{group}={choice}"]))
        if key in dict(flatten(tree)):
            having.append(choice)
    return f" (it is a key of {group}={', '.join(having)})" if having else ""


def wrong_value(text: str, key: str, value: Any, node: DictConfig) -> ConfigError:
    """Return the key's own complaint about the value, from the validator of its class, or one about its type."""
    if (group := key.replace(".", "/")) in groups():
        return ConfigError(f"{text}: a preset is chosen with a slash, {group}={value}.")
    section, name = section_of(node, key)
    owner: Any = OmegaConf.get_type(section)
    attribute = attrs.fields_dict(owner).get(name) if attrs.has(owner) else None
    if attribute is not None and attribute.validator is not None:
        try:
            attribute.validator(object.__new__(owner), attribute, value)
        except ConfigError as error:
            return error
    below = select(section, name)
    if is_open(below):
        allowed = "a mapping, {name: value}"
    elif isinstance(below, DictConfig):
        allowed = f"one of its own keys, {', '.join(map(str, below))}"
    else:
        allowed = KINDS.get(OmegaConf.get_type(section, name) or object, "of another type")
    return ConfigError(f"{text}: must be {allowed}.")


def _names(allowed: list[str], given: object) -> str:
    return ", ".join(allowed) + nearest(given, allowed)
