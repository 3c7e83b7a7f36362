"""What a search may choose: a dimension for each override with several values."""

import re
from collections.abc import Sequence
from copy import deepcopy
from math import ceil, floor
from typing import Any

import attrs
from hydra.core.override_parser.types import ChoiceSweep, IntervalSweep, Override, RangeSweep
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException, ValidationError
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from ssdsim.errors import ConfigError


@attrs.frozen
class Dimension:
    """Optuna's distribution of a key, with its values in order; an interval has no end of them, and none here."""

    distribution: Any
    values: tuple[Any, ...] = ()

    @property
    def ends(self) -> tuple[Any, Any]:
        """The first and the last value."""
        return (self.values[0], self.values[-1]) if self.values else (self.distribution.low, self.distribution.high)


@attrs.frozen
class Space:
    """The dimensions by the names of their keys, and the overrides in order, in which None stands for those."""

    dimensions: dict[str, Dimension]
    fixed: dict[str, str | None]

    def overrides(self, chosen: dict[str, Any]) -> list[str]:
        """Return the overrides of a point."""
        return [fixed or f"{key}={written(chosen[key])}" for key, fixed in self.fixed.items()]


def written(value: Any) -> str:
    """Return a value as an override has it."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)  # 12 digits, as of ranges below


def space_of(parsed: Sequence[Override], node: DictConfig) -> Space:
    """Return the search space of `parsed`; `node`, the configuration without it, knows which keys are whole numbers.

    Raise ConfigError if there is nothing to choose, or what cannot be.
    """
    fixed: dict[str, str | None] = {}
    dimensions: dict[str, Dimension] = {}
    for override in parsed:
        key = override.get_key_element()
        dimensions.pop(key, None)  # of one key the last override holds
        fixed[key] = f"{key}={override.get_value_element_as_str()}" if not override.is_sweep_override() else None
        if override.is_sweep_override():
            if override.key_or_group == "seed":
                raise ConfigError(
                    f"{override.input_line}: a search has one seed for all points, or it would choose by luck."
                )
            dimensions[key] = _dimension(override, key, node)
    if not dimensions:
        raise ConfigError("A search needs something to choose, as in hardware.over_provisioning=interval(0.1,0.4).")
    return Space(dimensions, fixed)


def _dimension(override: Override, key: str, node: DictConfig) -> Dimension:
    value: Any = override.value()
    if isinstance(value, IntervalSweep):
        return _interval(override, key, node)
    if isinstance(value, ChoiceSweep | RangeSweep):
        value.shuffle = False  # a sampler chooses in an order of its own
    if not isinstance(value, RangeSweep):
        values = tuple(dict.fromkeys(override.sweep_string_iterator()))
        if not values:
            raise ConfigError(f"{override.input_line}: stands for nothing.")
        return Dimension(CategoricalDistribution(values), values)
    # without the rounding errors of steps
    numbers: list[Any] = [float(f"{number:.12g}") if isinstance(number, float) else number for number in value.range()]
    if not numbers:
        raise ConfigError(f"{override.input_line}: holds no values.")
    step: Any = abs(value.step) if len(numbers) > 1 else None  # steps may go down
    if all(isinstance(number, int) for number in numbers):
        return Dimension(IntDistribution(min(numbers), max(numbers), step=step or 1), tuple(numbers))
    return Dimension(FloatDistribution(min(numbers), max(numbers), step=step), tuple(numbers))


def _interval(override: Override, key: str, node: DictConfig) -> Dimension:
    """Return the dimension of an interval; one of whole numbers if its key takes no others, or if it is written so.

    What is written (0,1) holds no whole numbers but its ends, and is one of shares.
    """
    value: Any = override.value()
    low, high, log = value.start, value.end, "log" in value.tags
    if low > high or (log and low <= 0):
        needs = "must begin above 0, as it is logarithmic" if low <= high else "must not end before it begins"
        raise ConfigError(f"{override.input_line}: {needs}.")
    takes_no_others = False
    try:
        OmegaConf.update(deepcopy(node), key.lstrip("+"), 0.5)
    except ValidationError:
        takes_no_others = True
    except OmegaConfBaseException:  # the key is not there, which is told when the points are composed
        pass
    has_no_point = not re.search(r"\d[.e]|[.]\d", override.get_value_string().lower())
    if takes_no_others or isinstance(low, int) or (has_no_point and high - low > 1):
        return Dimension(IntDistribution(ceil(low), floor(high), log=log))  # inwards, as both ends belong to it
    return Dimension(FloatDistribution(low, high, log=log))
