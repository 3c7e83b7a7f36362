"""Composition of presets, each set of them once: a study composes hundreds of experiments from a few of them."""

from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig

KEPT = 64
"""Sets of presets whose composition is kept."""


def compose(*overrides: Override | str) -> DictConfig:
    """Return the configuration that `hydra.compose` makes of `overrides`, with Hydra's own part as presets make it.

    Presets are composed anew when a file in their folders has changed, and where a key of Hydra's is given.
    """
    loader: Any = GlobalHydra.instance().config_loader()
    parser = OverridesParser.create(config_loader=loader)
    parsed = [parser.parse_overrides([each])[0] if isinstance(each, str) else each for each in overrides]
    if any(each.key_or_group.startswith("hydra") for each in parsed):
        return hydra.compose("config", [str(each.input_line) for each in parsed], return_hydra_config=True)
    is_group = loader.repository.group_exists
    values = [each for each in parsed if not is_group(each.key_or_group) or isinstance(each.value(), dict)]
    chosen = tuple(str(each.input_line) for each in parsed if each not in values)
    node = deepcopy(_composed(chosen, tuple(_changes(loader))))
    ConfigLoaderImpl._apply_overrides_to_config(values, node)
    return node


@lru_cache(KEPT)
def _composed(chosen: tuple[str, ...], changes: tuple[tuple[str, int], ...]) -> DictConfig:
    return hydra.compose("config", list(chosen), return_hydra_config=True)


def _changes(loader: Any) -> Iterator[tuple[str, int]]:
    """Yield the files that presets may stand in, and when each was changed in nanoseconds."""
    for source in loader.repository.get_sources():
        if source.scheme() == "file":
            yield from ((str(path), path.stat().st_mtime_ns) for path in sorted(Path(source.path).rglob("*.yaml")))
