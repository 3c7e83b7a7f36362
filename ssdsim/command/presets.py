"""Composition of presets, each set of them once: a study composes hundreds of experiments from a few of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType
from omegaconf import DictConfig, IntegerNode, OmegaConf, open_dict

from ssdsim.config import SimulationConfig

KEPT = 512
"""Sets of presets whose composition is kept."""

HYDRAS_OWN = ConfigLoaderImpl._apply_overrides_to_config


def compose(*overrides: Override | str) -> DictConfig:
    """Return the configuration that `hydra.compose` makes of `overrides`, with Hydra's own part as presets make it.

    Presets are composed anew when a file in their folders has changed, and where a key of Hydra's is given.
    """
    loader: Any = GlobalHydra.instance().config_loader()
    parsed = _parsed(overrides)
    if any(each.key_or_group.startswith("hydra") for each in parsed):
        with applied_here():
            return hydra.compose("config", [str(each.input_line) for each in parsed], return_hydra_config=True)
    is_group = loader.repository.group_exists
    values = [each for each in parsed if not is_group(each.key_or_group) or isinstance(each.value(), dict)]
    chosen = tuple(str(each.input_line) for each in parsed if each not in values)
    node: DictConfig = loads(_composed(chosen, tuple(_changes(loader))))
    apply(values, node)
    return node


def vary(base: SimulationConfig, *overrides: Override | str) -> DictConfig:
    """Return the same of a configuration that is there, in place of one made of presets, of which none is chosen."""
    parsed = _parsed(overrides)
    of_hydra = [each for each in parsed if each.key_or_group.startswith("hydra")]
    node: DictConfig = OmegaConf.structured(base)
    if base.ftl.extra_block_share is not None:
        node.hardware.extra_blocks = 0  # which follow from it
    OmegaConf.set_struct(node, True)
    apply([each for each in parsed if each not in of_hydra], node)
    with open_dict(node):
        node.hydra = compose(*of_hydra).hydra
    return node


def apply(overrides: list[Override], node: DictConfig) -> None:
    """Set values in `node`: new keys of an open mapping (options, weights) need no plus, and 1e6 is a whole number."""
    for each in overrides:
        key, value = each.key_or_group, each.value()
        above, _, name = key.rpartition(".")
        parent = OmegaConf.select(node, above) if above else node
        while parent is None:  # of a mapping within an open one that has none there yet
            above, _, name = above.rpartition(".")
            parent = OmegaConf.select(node, above) if above else node
        there = parent._get_node(name) if isinstance(parent, DictConfig) and name in parent else None
        if isinstance(there, IntegerNode) and isinstance(value, float) and value.is_integer():
            each = replace(each, _value=int(value))
        if not each.is_delete() and (is_open(parent) or (is_open(there) and isinstance(value, dict))):
            each = replace(each, type=OverrideType.FORCE_ADD)
        HYDRAS_OWN([each], node)


@contextmanager
def applied_here() -> Iterator[None]:
    """Within it Hydra sets values by `apply`, too."""
    loader: Any = ConfigLoaderImpl
    loader._apply_overrides_to_config = staticmethod(apply)
    try:
        yield
    finally:
        loader._apply_overrides_to_config = staticmethod(HYDRAS_OWN)


def is_open(node: Any) -> bool:
    """Return whether `node` is a mapping that takes any keys."""
    return isinstance(node, DictConfig) and OmegaConf.get_type(node) is dict


def _parsed(overrides: tuple[Override | str, ...]) -> list[Override]:
    parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
    return [parser.parse_overrides([each])[0] if isinstance(each, str) else each for each in overrides]


@lru_cache(KEPT)
def _composed(chosen: tuple[str, ...], changes: tuple[tuple[str, int], ...]) -> bytes:
    """Return the pickled composition: to read that takes less than half the time of a deep copy."""
    return dumps(hydra.compose("config", list(chosen), return_hydra_config=True))


def _changes(loader: Any) -> Iterator[tuple[str, int]]:
    """Yield the files that presets may stand in, and when each was changed in nanoseconds."""
    for source in loader.repository.get_sources():
        if source.scheme() == "file":
            yield from ((str(path), path.stat().st_mtime_ns) for path in sorted(Path(source.path).rglob("*.yaml")))
