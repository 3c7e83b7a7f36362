"""Which override is wrong, and why: the sentences on groups, keys and values that do not fit."""

from collections.abc import Sequence
from typing import Any

import attrs
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from ssdsim.config import SimulationConfig, flatten, nearest
from ssdsim.errors import ConfigError

from .groups import choices, groups
from .search.settings import WORDS

COMMAND_LINE_KEYS = {
    "overwrite": "Whether results may take the place of those of an earlier run.",
    "plot": "Whether to draw overview.png, with altair: true, false, or auto, from 100,000 requests on.",
    "objective": "What a search (--multirun hydra/sweeper=optuna) is for: fields of summary.json.",
    "directions": "Whether it is to minimize or maximize each; all to be minimized if nothing is said.",
    "prune": "Codes of validity of which one is enough for a point not to count.",
}
"""Keys that are no part of an experiment, and what they mean."""

COMMAND_LINE_DEFAULTS: dict[str, Any] = {"overwrite": False, "plot": "auto", **WORDS}

COMPOSITION = (HydraException, OmegaConfBaseException)
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word", list: "a list"}


def options(group: str, searched: Sequence[str] = ()) -> list[str]:
    """Return the presets of `group` that Hydra knows, also in folders that overrides have `searched`."""
    try:
        presets = GlobalHydra.instance().config_loader().get_group_options(group, ObjectType.CONFIG, None, [*searched])
    except HydraException:  # the folders are no list, which composition tells
        return []
    return [preset for preset in presets if not preset.startswith("_")]


def without_hydra(node: DictConfig) -> DictConfig:
    """Return `node` after taking Hydra's own configuration out of it."""
    with open_dict(node):
        node.pop("hydra", None)
    return node


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
    for override in chosen:
        allowed, value = options(override.key_or_group, searched), override.value()
        wrong = [name for name in (value if isinstance(value, list) else [value]) if name not in allowed]
        if not wrong or str(override.input_line) in searched:
            continue
        if not allowed:
            return mistake("group", override.input_line, groups(), override.key_or_group)
        return mistake("choice", override.input_line, allowed, wrong[0])
    reason = (str(error) or str(error.__cause__)).splitlines()[:2]  # the remedy, if there is one, is in the second
    return mistake("reason", " ".join(str(override.input_line) for override in chosen), reason)


MISTAKES = {
    "group": "{text}: no such group; there are {allowed}{near}.",
    "choice": "{text}: must be one of {allowed}{near}.",
    "slash": "{text}: a preset is chosen with a slash, {allowed}.",
    "key": "{text}: no such key; there are {allowed}{near}.",
    "value": "{text}: must be {allowed}.",
    "reason": "{text}: {allowed}.",
}
"""The sentences on what can be wrong with an override of this `text`."""


def mistake(kind: str, text: object, allowed: Sequence[str], given: object = None, hint: str = "") -> ConfigError:
    """Return the error of an override, with the nearest of the allowed names, or a `hint` in place of it."""
    near = hint or ("" if given is None else nearest(given, allowed))
    joined = " ".join(" ".join(allowed).split()).rstrip(".?") if kind == "reason" else ", ".join(allowed)
    return ConfigError(MISTAKES[kind].format(text=text, allowed=joined, near=near))


def unresolved(overrides: Sequence[Override], error: OmegaConfBaseException) -> ConfigError:
    """Return the mistake in a value that stands for another, or is missing, as `error` says."""
    lines = (str(override.input_line) for override in overrides if override.key_or_group == error.full_key)
    return mistake("reason", next(lines, error.full_key), [str(error).partition("\n")[0]])


def unknown_key(text: str, key: str, node: DictConfig) -> ConfigError:
    """Return the error of an override that lists the keys of the deepest section on the way to its own."""
    tree: Any = OmegaConf.to_container(node)
    every = {path for path, _ in flatten(tree) if path.startswith("hydra.") == key.startswith("hydra.")}
    section, rest = section_of(node, key)
    level = key.removesuffix(rest)
    here = [f"{level}{name}" for name in map(str, section) if name != "hydra"] + [*COMMAND_LINE_KEYS] * (not level)
    namesakes = [path for path in every if path.rpartition(".")[2] == key.rpartition(".")[2]]
    near = nearest(key, namesakes or {*here, *every, *(groups() if not level else ())})
    having = ", ".join(presets_having(key))
    return mistake("key", text, here, hint=f" (it is a key of {key.partition('.')[0]}={having})" if having else near)


def presets_having(key: str) -> list[str]:
    """Return the presets that have a `key`, of a group in which not all have the same, as only some workloads do."""
    from . import presets

    group = key.partition(".")[0]
    section = attrs.fields_dict(SimulationConfig).get(group)
    if section is None or section.type is not Any:
        return []
    composed = {choice: section_of(presets.compose(f"{group}={choice}"), key) for choice in choices(group)}
    return [choice for choice, (within, name) in composed.items() if name in within]


def wrong_value(text: str, key: str, value: Any, node: DictConfig) -> ConfigError:
    """Return the key's own complaint about the value, from the validator of its class, or one about its type."""
    if (group := key.replace(".", "/")) in groups():
        return mistake("slash", text, [f"{group}={value}"])
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
        return mistake("value", text, ["a mapping, {name: value}"])
    if isinstance(below, DictConfig):
        return mistake("value", text, ["one of its own keys", *map(str, below)])
    return mistake("value", text, [KINDS.get(OmegaConf.get_type(section, name) or object, "of another type")])
