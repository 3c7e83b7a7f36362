"""Which override is wrong, and why: one sentence in place of Hydra's error.

Composition tells of the first thing it trips over, in its own terms. Here each override is looked at by itself:
is there such a group, such a choice, such a key, and does the key take the value?
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import attrs
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from ssdsim.config import load, nearest
from ssdsim.errors import ConfigError

from .presets import apply, compose, is_open
from .search.settings import WORDS

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
    return list(_presets(_search_path()))


def choices(group: str) -> list[str]:
    """Return the presets of `group`; names that begin with an underscore are building blocks, not choices."""
    known = _presets(_search_path()).get(group)
    return list(known if known is not None else _options(group, GlobalHydra.instance().config_loader()))


def _search_path() -> tuple[str, ...]:
    return tuple(each.path for each in GlobalHydra.instance().config_loader().get_search_path().get_path())


@cache
def _presets(search_path: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the choices by group: Hydra, which is asked once in a process, reads all folders anew for each answer."""
    return dict(_below("", GlobalHydra.instance().config_loader()))


def _below(parent: str, loader: ConfigLoader) -> Iterator[tuple[str, list[str]]]:
    for name in loader.list_groups(parent):
        path = f"{parent}/{name}" if parent else name
        if path != "hydra":
            if options := _options(path, loader):
                yield path, options
            yield from _below(path, loader)


def _options(group: str, loader: ConfigLoader) -> list[str]:
    return [each for each in loader.get_group_options(group, ObjectType.CONFIG) if not each.startswith("_")]


def diagnose(
    overrides: list[Override], error: Exception, make: Callable[..., DictConfig] = compose
) -> ConfigError | None:
    """Return the mistake in the first wrong override, or None if `error` has nothing to do with them.

    Others are composed by `make` to see what each does by itself.
    """
    key = next((each for each in _keys_of(error) if each), "")
    known = list(groups())
    of_groups = [each for each in overrides if _is_group(each, known)]
    of_keys = [each for each in overrides if each not in of_groups]
    for override in of_groups:
        if wrong := _wrong_group(override, known):
            return wrong
    shared = [each for each in overrides if each in of_groups or each.key_or_group == "hydra.searchpath"]
    try:
        base = make(*shared)
    except COMPOSITION as reason:
        return ConfigError(f"{' '.join(str(each.input_line) for each in shared)}: {_first_line(reason)}.")
    for override in of_keys:
        if wrong := _wrong_key(override, base, known) or _unusable(make, override, shared):
            return wrong
    return ConfigError(f"{f'{key}: ' if key else ''}{_first_line(error)}.") if isinstance(error, COMPOSITION) else None


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


def _unusable(make: Callable[..., DictConfig], override: Override, shared: list[Override]) -> ConfigError | None:
    """Return the error of an override that composes but makes no configuration, say by an interpolation."""
    try:
        load(without_hydra(make(*shared, override)))
    except COMPOSITION as reason:
        return ConfigError(f"{override.input_line}: {_first_line(reason)}.")
    except ConfigError:
        pass
    return None


def _keys_of(error: BaseException | None) -> Iterator[str]:
    """Yield the keys that an error and those that brought it about name."""
    while error is not None:
        yield str(getattr(error, "full_key", None) or "")
        error = error.__cause__ or error.__context__


def _first_line(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    return (str(cause).splitlines() or [type(cause).__name__])[0].rstrip(".")


def _is_group(override: Override, known: list[str]) -> bool:
    key = override.key_or_group
    return key in known or key == "hydra" or "/" in key


def _wrong_group(override: Override, known: list[str]) -> ConfigError | None:
    key, value = override.key_or_group, override.value()
    allowed = choices(key)
    if not allowed:
        return ConfigError(f"{override.input_line}: no such group; there are {_names(known, key)}.")
    for choice in value if isinstance(value, list) else [value]:
        if choice not in allowed:
            return ConfigError(f"{override.input_line}: must be one of {_names(allowed, choice)}.")
    return None


def _wrong_key(override: Override, base: DictConfig, known: list[str]) -> ConfigError | None:
    key, text = override.key_or_group, str(override.input_line)
    above, _, name = key.rpartition(".")
    parent = _select(base, above) if above else base
    if not isinstance(parent, DictConfig) or (name not in parent and not is_open(parent)):
        return _unknown(override, base, known)
    if _accepts(base, override):
        return None
    if override.is_add() and not override.is_force_add():
        return ConfigError(f"{text}: {key} is there already; write {text.removeprefix('+')} to change it.")
    group = key.replace(".", "/")
    if group in known:
        return ConfigError(f"{text}: a preset is chosen with a slash, {group}={override.get_value_element_as_str()}.")
    return _wrong_value(override, parent, name)


def _unknown(override: Override, base: DictConfig, known: list[str]) -> ConfigError:
    """Return the error that lists what stands at the deepest level of the key that exists."""
    key = override.key_or_group
    tree: Any = OmegaConf.to_container(base)
    every = {path for path, _ in flatten(tree) if path.startswith("hydra.") == key.startswith("hydra.")}
    level = ""
    for name in key.split("."):
        if not isinstance(tree.get(name), dict):
            break
        level, tree = f"{level}{name}.", tree[name]
    here = [f"{level}{name}" for name in tree if name != "hydra"] + [*COMMAND_LINE_KEYS] * (not level)
    namesakes = [path for path in every if path.rpartition(".")[2] == key.rpartition(".")[2]]
    hint = _of_other_preset(key, known) or nearest(key, namesakes or {*here, *every, *(known if not level else ())})
    return ConfigError(f"{override.input_line}: no such key; there are {', '.join(here)}{hint}.")


def _of_other_preset(key: str, known: list[str]) -> str:
    """Return the hint which other presets of the key's group have it, as only some workloads have `rate_iops`."""
    group, having = key.partition(".")[0], []
    for choice in choices(group) if group in known else ():
        tree: Any = OmegaConf.to_container(compose(f"{group}={choice}"))
        if key in dict(flatten(tree)):
            having.append(choice)
    return f" (it is a key of {group}={', '.join(having)})" if having else ""


def _select(node: DictConfig, key: str) -> Any:
    """Return the value at `key`, or None if there is none or it cannot be resolved yet."""
    try:
        return OmegaConf.select(node, key)
    except OmegaConfBaseException:
        return None


def _accepts(base: DictConfig, override: Override) -> bool:
    try:
        apply([override], base)
    except (*COMPOSITION, ValueError, TypeError):
        return False
    return True


def _wrong_value(override: Override, parent: DictConfig, name: str) -> ConfigError:
    """Return the key's own complaint about the value, from the validator of its class, or one about its type."""
    value, text = override.value(), override.input_line
    owner: Any = OmegaConf.get_type(parent)
    attribute = getattr(attrs.fields(owner), name) if attrs.has(owner) else None
    if attribute is not None and attribute.validator is not None:
        try:
            attribute.validator(object.__new__(owner), attribute, value)
        except ConfigError as error:
            return error
    below = _select(parent, name)
    if isinstance(below, DictConfig) and isinstance(value, dict) and (new := sorted(map(str, set(value) - set(below)))):
        return ConfigError(f"{text}: there is no {', '.join(new)} among {', '.join(map(str, below))}.")
    if isinstance(below, DictConfig):
        allowed = f"one of its own keys, {', '.join(map(str, below))}" if below else "a mapping, {name: value}"
    else:
        allowed = KINDS.get(OmegaConf.get_type(parent, name) or object, "of another type")
    return ConfigError(f"{text}: must be {allowed}.")


def _names(allowed: list[str], given: object) -> str:
    return ", ".join(allowed) + nearest(given, allowed)
