"""What values may be: a test and the words for it. A field that names none has those of its type and its unit."""

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, ClassVar, get_args, get_origin

from attrs import Attribute, evolve, frozen
from attrs.validators import deep_iterable, deep_mapping

from ssdsim.config.registry import AXES
from ssdsim.errors import ConfigError, nearest

MOST = 2**31 - 1  # inclusive
"""The largest count: what a C integer holds."""

MOST_NS = 9_000_000_000_000_000
"""Simulated time ends here, after 104 days: whole nanoseconds are exact up to 2**53, two hours later."""


class Section:
    """Base of the classes of keys; `group` is what stands before their names, with a dot behind it."""

    __slots__ = ()
    group: ClassVar[str] = ""

    def __init_subclass__(cls, group: str = "") -> None:
        """Take the group from the line of the class; attrs makes each anew, with what it was given."""
        if group:
            cls.group = group


def refuse(owner: Any, name: str, value: object, must_be: str) -> ConfigError:
    """Return the error for key `name` of config object `owner`."""
    return ConfigError(f"{type(owner).group}{name}={value}: must be {must_be}.")


def require(owner: Any, name: str, holds: bool, must_be: str) -> None:
    """Refuse the value of key `name` of config object `owner` unless it `holds` beside the other keys."""
    if not holds:
        raise refuse(owner, name, getattr(owner, name), must_be)


def passes(test: Callable[[Any], bool], value: Any) -> bool:
    """Return whether `test` is true for `value`, and does not fail."""
    try:
        return bool(test(value))  # a test may be of a value of any type
    except (AttributeError, TypeError, ValueError, OverflowError):
        return False


def check_option(key: str, value: Any, test: Callable[[Any], bool], must_be: str) -> None:
    """Raise `ConfigError` unless an option of a policy passes `test`; `key` is where it stands in the configuration."""
    if not passes(test, value):
        raise ConfigError(f"{key}={value}: must be {must_be}.")


def is_whole(value: Any) -> bool:
    """Return whether `value` is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)  # True is an int in Python


def is_count(value: Any, minimum: int = 1, maximum: int = MOST) -> bool:
    """Return whether `value` is a whole number from `minimum` to `maximum`."""
    return is_whole(value) and minimum <= value <= maximum


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite number, and no truth value."""
    # infinity and NaN are no numbers here: comparisons with NaN are false
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


@frozen
class Allowed:
    """An attrs validator: the test that a value has to pass, and in words what it must be.

    The nearest of the `words` is suggested in place of a wrong one.
    """

    test: Callable[[Any], bool]
    must_be: str
    words: tuple[str, ...] = ()

    def __call__(self, owner: Any, attribute: Attribute, value: Any) -> None:
        """Raise `ConfigError` for a value that does not pass."""
        if not passes(self.test, value):
            raise refuse(owner, attribute.name, value, f"{self.must_be}{nearest(value, self.words)}")


def whole(least: int, most: int = MOST) -> Allowed:
    """Return the validator of whole numbers from `least` to `most`."""
    return Allowed(lambda value: is_count(value, least, most), f"a whole number, {least} to {most}")


def number(least: float, most: float = 1e12) -> Allowed:
    """Return the validator of finite numbers from `least` to `most`."""
    bounds = f"{least:g} to {most:g}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-")  # 1e+09 is 1e9
    return Allowed(lambda value: is_number(value) and least <= value <= most, f"a number, {bounds}")


def one_of(*words: str) -> Allowed:
    """Return the validator that accepts the words given."""
    return Allowed(words.__contains__, f"one of {', '.join(words)}", words)


def some_of(*words: str) -> Allowed:
    """Return the validator of lists of the words given."""
    return Allowed(lambda value: set(value) <= set(words), f"a list of {', '.join(words)}", words)


def list_of(entry: Allowed) -> Allowed:
    """Return the validator of lists whose entries pass `entry`, of one at least."""
    return Allowed(lambda values: len(values) > 0 and all(map(entry.test, values)), f"a list, each {entry.must_be}")


def by_stream(value: Allowed) -> Allowed:
    """Return the validator of a mapping of streams to values that pass `value`."""
    return Allowed(lambda values: all(map(value.test, values.values())), f"by stream {value.must_be}", value.words)


def _is_sizes(value: Any) -> bool:
    given = value if isinstance(value, Mapping) else {value: 1}
    sizes = [float(size) * 1024 for size in given if not isinstance(size, bool)]  # True would be 1 KiB
    # bytes: an exabyte at most
    whole = len(sizes) == len(given) > 0 and all(1 <= size <= 2**60 and size % 1 == 0 for size in sizes)
    # a weight of 0 would be a size that never comes
    return whole and all(map(POSITIVE.test, given.values()))


SHARE = number(0, 1)
POSITIVE = number(1e-9)
SIZES = Allowed(_is_sizes, "a size of whole bytes, or a mapping of sizes to weights above 0, as {4: 3, 64: 1}")

USUAL: dict[Any, Allowed] = {
    bool: Allowed(lambda value: isinstance(value, bool), "true or false"),
    str: Allowed(lambda value: isinstance(value, str), "a word"),
    dict: Allowed(lambda value: isinstance(value, Mapping), "a mapping"),
    int: whole(1),
    float: number(0, 1e9),
}
"""What a value may be by its type, where the field says nothing."""

SCHEMES = deep_iterable(
    AXES["ftl.page_type"], Allowed(lambda value: isinstance(value, list | tuple), "a list of page-type schemes")
)
OPTIONS_BY_SCHEME = deep_mapping(AXES["ftl.page_type"], mapping_validator=USUAL[dict])


def completed(section: type, fields: list[Attribute]) -> list[Attribute]:
    """Give fields, as an attrs `field_transformer`, the bounds that go without saying; null passes where it may be.

    Whole numbers may be given as 1e6, and others as 5.
    """
    return [field if field.inherited else _completed(field) for field in fields]  # type: ignore[attr-defined]


def _completed(field: Attribute) -> Attribute:
    kinds = set(get_args(field.type)) - {NoneType} if NoneType in get_args(field.type) else {field.type}
    (kind,) = kinds
    validator = field.validator or (SHARE if field.name.endswith("_share") else USUAL.get(get_origin(kind) or kind))
    if isinstance(validator, Allowed) and kinds != {field.type}:
        test = validator.test
        must_be = f"{validator.must_be}, or null"
        validator = evolve(validator, test=lambda value: value is None or test(value), must_be=must_be)
    converters: dict[Any, Any] = {int: _counted, float: _measured, list[float]: _measured}
    return field.evolve(validator=validator, converter=field.converter or converters.get(kind))


def _counted(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value  # 1.5 is left to be refused


def _measured(value: Any) -> Any:
    if isinstance(value, list):
        return [_measured(entry) for entry in value]
    return float(value) if type(value) is int and abs(value) < 2**53 else value  # a larger one is left to be refused
