"""From overrides to checked configurations, with Hydra doing the composition."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product

from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

from ssdsim.config import SimulationConfig, load
from ssdsim.config.saved import load_config
from ssdsim.errors import ConfigError

from . import presets
from .diagnosis import unresolved, without_hydra
from .groups import CONF
from .point import Point, check, located
from .search.settings import register as register_search


@contextmanager
def session() -> Iterator[None]:
    """Within it `conf/` can be composed, also within a program that composes with Hydra itself.

    Raise ConfigError under `python -O`, which leaves out what Hydra's parser does within assertions.
    """
    if sys.flags.optimize:
        raise ConfigError(
            "python -O (PYTHONOPTIMIZE): Hydra cannot read overrides without assertions; leave it out, or give "
            "ssdsim.simulate what ssdsim.load_config reads of a config.yaml."
        )
    register_search()
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            yield
    finally:
        GlobalHydra.instance().hydra = outer


def parse(text: str) -> Override:
    """Return the parsed override; raise ConfigError if it is not of the form key=value."""
    loader = GlobalHydra.instance().config_loader()
    try:
        (override,) = OverridesParser.create(config_loader=loader).parse_overrides([text])
    except HydraException:
        override = None
    if override is None or not override.key_or_group:
        form = "an override is written key=value" if "=" not in text[1:] else "key or value cannot be read"
        raise ConfigError(f"{text or repr(text)}: {form}, as in seed=7, ftl/gc=rga or record=[requests].")
    if override.is_delete():
        raise ConfigError(f"{text}: a key can be changed but not taken away.")
    return override


def expand(overrides: Iterable[Override | str], use: str = "swept over") -> list[list[str]]:
    """Return the overrides of each job of the sweep that `overrides` ask for: the last key varies fastest."""
    values: dict[tuple[str, str], list[str]] = {}
    for override in (parse(given) if isinstance(given, str) else given for given in overrides):
        # a dictionary adds to what was chosen by the same key; of other values the last one counts
        text = str(override.input_line).partition("=")[2].lstrip()
        key = override.get_key_element(), text if text.startswith("{") else ""
        if not override.is_sweep_override():
            values[key] = [override.get_value_element_as_str()]
        elif override.key_or_group.startswith("hydra"):
            raise ConfigError(f"{override.input_line}: Hydra's own keys take one value for the whole sweep.")
        elif override.is_discrete_sweep():
            values[key] = list(override.sweep_string_iterator())
        else:
            raise ConfigError(
                f"{override.input_line}: only lists, range(...) and glob(...) can be {use}; an interval is for a "
                "search, --multirun hydra/sweeper=optuna."
            )
    choices = [[f"{key}={value}" for value in key_values] for (key, _), key_values in values.items()]
    return [list(point) for point in product(*choices)]


def prepared(overrides: list[str], job: int | None = None, place: str | None = None) -> Point:
    """Return the experiment that `overrides` describe, or a job of a sweep; of presets, or of the run kept at `place`.

    Raise ConfigError or TraceError naming what is wrong.
    """
    parsed = [parse(text) for text in overrides]
    for override in parsed:
        if override.is_sweep_override():
            raise ConfigError(f"{override.input_line}: several values need --multirun, or [...] if they are one list.")
    base = None if place is None else load_config(place)
    node = presets.compose(*parsed) if base is None else presets.vary(base, *parsed)
    try:
        with read_write(node.hydra), open_dict(node):
            if job is not None:  # whose folder lies below that of its sweep
                node.hydra.job.num = job
            folder = str(node.hydra.run.dir if job is None else node.hydra.sweep.subdir)
        only_hydra = all(override.key_or_group.startswith("hydra") for override in parsed)
        composed = base if base is not None and only_hydra else load(without_hydra(node))
        config = located(composed)
        check(config)
    except OmegaConfBaseException as error:
        raise unresolved(parsed, error) from None
    return Point(config, folder, composed)


def composed(overrides: list[str]) -> SimulationConfig:
    """Return the configuration that `overrides` describe."""
    with session():
        return prepared(overrides).config
