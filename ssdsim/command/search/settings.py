"""What a search is told: its objectives, which runs it prunes, and how Optuna samples."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, cast, get_args

import attrs
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.core.plugins import Plugins

from ssdsim.config import nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.fields import SUMMARY
from ssdsim.metrics.validity import CODES

GROUP, NAME = "hydra/sweeper", "optuna"

WORDS: dict[str, Any] = {"objective": [], "directions": [], "prune": ["partial", "backlog"]}
"""The keys of the command line that a search has, and what they are if nothing is said. Runs too short for a steady
state are not pruned, as all points of a search are likely to be so."""

Direction = Literal["minimize", "maximize"]
DIRECTIONS = get_args(Direction)
SAMPLERS = ("tpe", "nsga2", "random", "grid")
TRIALS = 20


@attrs.define
class SweeperConfig:
    """The keys of `hydra.sweeper`."""

    n_trials: int | None = None
    """Points that are tried; null: 20, or the whole grid."""
    n_jobs: int = 1
    """Points that are chosen at a time, which a launcher can run side by side."""
    sampler: str = "tpe"
    seed: int = 1
    """Seed of the sampler: the same search with the same seed tries the same points."""


@attrs.frozen
class Settings:
    """A search: objectives with their directions, the codes of validity that prune, and Hydra's keys."""

    objective: tuple[str, ...]
    directions: tuple[Direction, ...]
    prune: tuple[str, ...]
    sweeper: SweeperConfig

    @property
    def identity(self) -> str:
        """What decides which points are tried, in which order; two searches that share it share their points."""
        lists = [f"{key}=[{','.join(getattr(self, key))}]" for key in WORDS]
        # n_jobs, too: the choice depends on the outcomes told by then
        of_sampler = [f"{key}={getattr(self.sweeper, key)}" for key in ("sampler", "n_jobs")]
        return " ".join([*lists, *of_sampler, f"sampler_seed={self.sweeper.seed}"])

    @classmethod
    def from_words(cls, words: Mapping[str, Sequence[str]], sweeper: Any) -> Self:
        """Return the settings of the command line's `words` and of `hydra.sweeper`; raise ConfigError."""
        objective = _objective(words["objective"])
        for key, minimum in (("n_trials", 1), ("n_jobs", 1), ("seed", 0)):
            value = getattr(sweeper, key)
            if value is not None and value < minimum:
                raise ConfigError(f"hydra.sweeper.{key}={value}: must be at least {minimum}.")
        _one_of("hydra.sweeper.sampler", [sweeper.sampler], SAMPLERS)
        directions, prune = _directions(words["directions"], objective), _one_of("prune", words["prune"], list(CODES))
        return cls(objective, directions, prune, sweeper)


def register() -> None:
    """Make the sweeper known to Hydra, in the place of a plugin of that name."""
    Plugins.instance()  # which registers plugins when it is asked for first
    ConfigStore.instance().store(group=GROUP, name=NAME, node=SweeperConfig(), provider="ssdsim")


def take(parsed: Sequence[Override]) -> tuple[dict[str, list[str]], list[Override]]:
    """Split the words of a search from the other overrides."""
    words = {key: list(value) for key, value in WORDS.items()}
    for override in parsed:
        if override.key_or_group in words:
            words[override.key_or_group] = _names(override)
    return words, [override for override in parsed if override.key_or_group not in words]


def is_search(parsed: Sequence[Override]) -> bool:
    """Return whether overrides ask for a search."""
    return [override.value() for override in parsed if override.key_or_group == GROUP][-1:] == [NAME]  # the last holds


def refuse(parsed: Sequence[Override]) -> None:
    """Raise `ConfigError` for a word of a search, of overrides that ask for none, or for one run."""
    for override in parsed:
        if override.key_or_group in WORDS:
            raise ConfigError(f"{override.input_line}: is for a search, --multirun {GROUP}={NAME}.")
    if is_search(parsed):
        raise ConfigError(f"{GROUP}={NAME}: is for --multirun, as one run has nothing to search.")


def _names(override: Override) -> list[str]:
    value = override.value()
    # a single name needs no brackets
    listed = value.list if isinstance(value, ChoiceSweep) else value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) for name in listed):
        raise ConfigError(f"{override.input_line}: must be a list of names, as in {override.key_or_group}=[a,b].")
    return [str(name) for name in listed]


def _objective(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        raise ConfigError(
            f"{GROUP}={NAME}: needs an objective, as in objective=[write_amplification]; `fields` lists what there is."
        )
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"objective=[{','.join(names)}]: {twice[0]} is there twice.")
    for name in names:
        entry = next((field for field in SUMMARY if field.covers(name)), None)
        if entry is None:
            known = [spelled for field in SUMMARY if field.is_number for spelled in field.spelled()]
            raise ConfigError(f"objective={name}: no field is called so{nearest(name, known)}; `fields` lists them.")
        if not entry.is_number:
            raise ConfigError(f"objective={name}: is no single number: {entry.meaning}")
    return tuple(names)


def _directions(words: Sequence[str], objective: Sequence[str]) -> tuple[Direction, ...]:
    for word in words:
        if word not in DIRECTIONS:
            raise ConfigError(f"directions={word}: must be minimize or maximize{nearest(word, DIRECTIONS)}.")
    if words and len(words) != len(objective):
        raise ConfigError(f"directions=[{','.join(words)}]: has {len(words)} for {len(objective)} objectives.")
    return cast(tuple[Direction, ...], tuple(words) or ("minimize",) * len(objective))


def _one_of(key: str, names: Sequence[str], allowed: Sequence[str]) -> tuple[str, ...]:
    """Return `names`; raise ConfigError for one that is not allowed."""
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{key}={name}: must be one of {', '.join(allowed)}{nearest(name, allowed)}.")
    return tuple(names)
