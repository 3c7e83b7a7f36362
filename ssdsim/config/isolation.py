"""Which parts of the device each stream has for itself."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config.validators import checked, is_whole, one_of, whole_floats

LEVELS = ("channel", "chip", "die", "plane")
"""What streams can have for themselves, the largest first."""


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(is_whole(number) and number >= 0 for number in value)


@define(kw_only=True, field_transformer=whole_floats)
class IsolationConfig:
    """What streams have for themselves, with `ftl.plane_allocation=by_stream`: `docs/pages/model/isolation.md`."""

    group: ClassVar[str] = "ftl.isolation."

    unit: str = field(default="channel", validator=one_of(*LEVELS))
    """Whether it is channels, chips of every channel, dies of every chip, or planes of every die."""
    units: dict[str, list[int]] = field(
        factory=dict,
        validator=checked(lambda v: all(map(_are_numbers, v.values())), "a list of numbers from 0 on a stream"),
    )
    """Numbers, by stream, of those that it has; streams that are not named share the others evenly."""
