"""Tests that values have to pass, and the one sentence for those that do not."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import Attribute

from ssdsim.config.registry import AXES
from ssdsim.errors import ConfigError, nearest


def refuse(owner: Any, name: str, value: object, allowed: str) -> ConfigError:
    """Return the error for key `name` of config object `owner`."""
    return ConfigError(f"{type(owner).group}{name}={value}: must be {allowed}.")


def checked(
    test: Callable[[Any], bool], allowed: str, takes_paths: bool = False
) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator that refuses values for which `test` is false or fails."""

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        if not passes(test, value):
            raise refuse(owner, attribute.name, value, allowed)

    validate.must_be, validate.takes_paths = allowed, takes_paths  # type: ignore[attr-defined]
    return validate


def by_stream(test: Callable[[Any], bool], allowed: str) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator of a mapping of streams to values, each of which passes `test`."""
    return checked(lambda values: all(map(test, values.values())), allowed)


def whole(least: int, most: int, allowed: str, or_null: bool = False) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator of whole numbers from `least` to `most`."""
    return _bounded(is_whole, least, most, allowed, or_null)


def number(least: float, most: float, allowed: str, or_null: bool = False) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator of finite numbers from `least` to `most`."""
    return _bounded(is_number, least, most, allowed, or_null)


def _bounded(is_kind: Callable[[Any], bool], least: float, most: float, allowed: str, or_null: bool) -> Any:
    return checked(
        lambda value: (or_null and value is None) or (is_kind(value) and least <= value <= most),
        f"{allowed}, or null" if or_null else allowed,
    )


def passes(test: Callable[[Any], bool], value: Any) -> bool:
    """Return whether `test` is true for `value`, and does not fail."""
    try:
        return bool(test(value))  # a test may be of a value of any type
    except (AttributeError, TypeError, ValueError, OverflowError):
        return False


def check_option(key: str, value: Any, test: Callable[[Any], bool], allowed: str) -> None:
    """Raise `ConfigError` unless an option of a policy passes `test`; `key` is where it stands in the configuration."""
    if not passes(test, value):
        raise ConfigError(f"{key}={value}: must be {allowed}.")


def one_of(*names: str, or_null: bool = False) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator that accepts the names given, and null if it may, and suggests the nearest."""
    allowed = (*names, "null") if or_null else names

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        if value not in names and not (or_null and value is None):
            raise refuse(owner, attribute.name, value, f"one of {', '.join(allowed)}{nearest(value, names)}")

    validate.allowed = allowed  # type: ignore[attr-defined]
    return validate


def is_whole(value: Any) -> bool:
    """Return whether `value` is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)  # True is an int in Python


def is_count(value: Any, minimum: int = 1, maximum: int | None = None) -> bool:
    """Return whether `value` is a whole number from `minimum` to `maximum`, or to what a C integer holds."""
    # the fields of compiled code are C integers
    return is_whole(value) and minimum <= value <= (MOST if maximum is None else maximum)


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite number, and no truth value."""
    # infinity and NaN are no numbers here: comparisons with NaN are false
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def is_sizes(value: Any) -> bool:
    """Return whether `value` is a size in KiB of whole bytes, or a mapping of such sizes to weights."""
    given = value if isinstance(value, Mapping) else {value: 1}
    sizes = [float(size) * 1024 for size in given if not isinstance(size, bool)]  # True would be 1 KiB
    # bytes: an exabyte at most
    whole = len(sizes) == len(given) > 0 and all(1 <= size <= 2**60 and size % 1 == 0 for size in sizes)
    # a weight of 0 would be a size that never comes
    return whole and all(is_number(weight) and LEAST <= weight <= GREATEST for weight in given.values())


def is_list_of_names(value: Any) -> bool:
    """Return whether `value` is a list of words."""
    return not isinstance(value, str) and all(isinstance(name, str) for name in value)


def whole_floats(section: type, fields: list[Attribute]) -> list[Attribute]:
    """Have whole numbers of a section, as an attrs `field_transformer`, be given as 1e6, and others be given as 5."""
    converters: dict[Any, Any] = dict.fromkeys((int, int | None), _counted)
    converters |= dict.fromkeys((float, float | None, list[float]), _measured)
    return [field.evolve(converter=field.converter or converters.get(field.type)) for field in fields]


def _counted(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value  # 1.5 is left to be refused


def _measured(value: Any) -> Any:
    if isinstance(value, list):
        return [_measured(entry) for entry in value]
    return float(value) if type(value) is int and abs(value) < 2**53 else value  # a larger one is left to be refused


def policy_of(key: str) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator that accepts what the axis `key` does: a name, or the path of a class of one's own."""
    axis = AXES[key]

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        axis.check(f"{type(owner).group}{attribute.name}", value)

    validate.allowed = tuple(axis.named)  # type: ignore[attr-defined]
    validate.takes_paths = axis.own  # type: ignore[attr-defined]
    return validate


def policies_of(key: str, form: str, lists: Callable[[Any], Iterable[Any]]) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator of a value of which `lists` yields the lists of what the axis `key` accepts."""
    axis = AXES[key]

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        if not passes(lambda v: all(map(is_list_of_names, lists(v))), value):
            raise refuse(owner, attribute.name, value, form)
        for names in lists(value):
            for name in names:
                axis.check(f"{type(owner).group}{attribute.name}", name)

    validate.must_be, validate.takes_paths = form, axis.own  # type: ignore[attr-defined]
    return validate


MOST = 2**31 - 1  # inclusive
"""The largest count: what a C integer holds."""

MOST_NS = 9_000_000_000_000_000
"""Simulated time ends here, after 104 days: whole nanoseconds are exact up to 2**53, two hours later."""

MOST_S = MOST_NS // 10**9

LEAST, GREATEST = 1e-9, 1e12
"""Where nothing narrower is said, what a number above 0 may be."""

COUNT = whole(1, MOST, f"a whole number of at least 1, at most {MOST}")
COUNT_OR_ZERO = whole(0, MOST, f"a whole number of at least 0, at most {MOST}")
COUNT_OR_NONE = whole(1, MOST, f"a whole number >= 1, <= {MOST}", or_null=True)
WHOLE = whole(0, 2**63 - 1, "a whole number of at least 0, at most 2**63 - 1")
TRUTH_OR_NONE = checked(lambda value: value is None or isinstance(value, bool), "true, false or null")
SHARE = number(0, 1, "a share between 0 and 1")
SHARE_OR_NONE = number(0, 1, "a share between 0 and 1", or_null=True)
POSITIVE = number(LEAST, GREATEST, "a number above 0, 1e-9 to 1e12")
POSITIVE_OR_NONE = number(LEAST, GREATEST, "a number above 0, 1e-9 to 1e12", or_null=True)
AT_LEAST_1_OR_NONE = number(1, GREATEST, "a number of at least 1, at most 1e12", or_null=True)
MOMENT = number(0, MOST_S, f"a time in seconds, 0 to {MOST_S}")
MOMENT_OR_NONE = number(0, MOST_S, f"a time in seconds, 0 to {MOST_S}", or_null=True)
DURATION = number(0, 1e9, "a time in microseconds, 0 to 1e9")
DURATION_NS = number(0, 1e9, "a time in nanoseconds, 0 to 1e9")
DURATION_OR_NONE = number(0, 1e9, "a time in microseconds, 0 to 1e9", or_null=True)
SIZES = checked(
    is_sizes, "a size of whole bytes above 0, or a mapping of such sizes to weights above 0, as {4: 3, 64: 1}"
)
SCHEMES = policies_of(
    "ftl.page_type", "a list of page-type schemes, as [queue_depth,utilization]", lambda value: [value]
)
SCHEMES_BY_STREAM = policies_of(
    "ftl.page_type", "a list of page-type schemes a stream, as {main: [lsb_first]}", lambda value: value.values()
)
OPTIONS_BY_SCHEME = policies_of(
    "ftl.page_type",
    "a mapping of options a page-type scheme, as {queue_depth: {threshold: 10}}",
    lambda value: [[*value]],
)
PASS_LIMITS = checked(
    lambda v: len(v) > 0 and all(is_whole(item) and 0 <= item <= 1e9 for item in v),
    "a list of at least one whole number, 0 to 1e9",
)
DURATIONS = checked(
    lambda v: len(v) > 0 and all(is_number(item) and 0 <= item <= 1e9 for item in v),
    "a list of times in microseconds, one for each page type or one for all",
)
