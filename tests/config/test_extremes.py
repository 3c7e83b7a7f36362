"""Numbers at and beyond their bounds: every declared key takes them, or refuses them with a sentence."""

import typing
from typing import Any

import pytest

from ssdsim import SsdsimError
from ssdsim.config import FioConfig, GeneratorConfig, SyntheticConfig, TraceConfig
from ssdsim.config.keys import keys
from ssdsim.run.simulation import Simulation
from support.tiny_device import merge, tiny_config

EXTREMES = [0, 1, -1, 0.5, 1e-300, 500, 1e9, 2**31 - 1, 2**31, 2**63, 10**30, 1e300, 10**400]
NONSENSE = [float("nan"), float("inf"), float("-inf"), True, "much", [], {}, [[1]], {"x": 2}]
TOO_LONG = {"workload.requests", "precondition.max_windows", "precondition.window_share"}
"""Keys of which a large value is nothing wrong and makes a long run: that is set up, and not begun."""

SMALL: dict[str, Any] = {
    "check": "off",
    "integrity": "off",
    "hardware": {"planes_per_die": 2, "blocks_per_plane": 12, "pages_per_block": 6, "bits_per_cell": 3},
    "workload": {"requests": 3, "queue_depth": 2, "read_share": 0.0},
}
OTHER_LOADS = {TraceConfig, FioConfig, GeneratorConfig}


def parts(kind):
    """Return the plain types of an annotation, as int and None of `int | None`."""
    return {each for below in typing.get_args(kind) for each in parts(below)} or {kind}


def numbers():
    """Yield section, name and whether a list is wanted, of every key whose type is a number, or numbers."""
    for section in dict.fromkeys(key.owner for key in keys() if key.owner not in OTHER_LOADS):
        for name, kind in typing.get_type_hints(section).items():
            if name != "group" and parts(kind) & {int, float} and typing.get_origin(kind) is not dict:
                yield section, name, typing.get_origin(kind) is list


def experiment(**sections):
    """Return the small experiment with keys by section; of another stack where a key needs that."""
    changes = SMALL
    for group, given in sections.items():
        for name in reversed(group.split(".")[:-1]):
            given = {name: given}
        changes = merge(changes, given)
    return tiny_config(changes | {"workload": SyntheticConfig(**changes["workload"])})


COMPANIONS = {
    "buffer.": {"buffer.": {"replacement": "lru"}},
    "ftl.mapping.": {"ftl.mapping.": {"scheme": "dftl"}},
    "ftl.mapping.log_blocks": {"ftl.mapping.": {"scheme": "fast"}},
    "precondition.": {"precondition.": {"mode": "writes"}},
    "precondition.fill_share": {"precondition.": {"mode": "fill"}},
    "precondition.valid_share": {"precondition.": {"mode": "fill"}},
    "workload.rate_iops": {"workload.": {"queue_depth": None}},
    "workload.queue_depth": {"workload.": {"rate_iops": None}},
    "workload.zipf_theta": {"workload.": {"pattern": "zipf"}},
    "workload.hot_share": {"workload.": {"pattern": "hot_cold"}},
    "workload.idle_ms": {"workload.": {"arrival": "bursts", "burst_requests": 2}},
    "ftl.hot_window_s": {"ftl.": {"active_blocks": "hot_cold"}},
    "ftl.gc.soft_threshold": {"ftl.gc.": {"hard_threshold": 1e-9}},
    "ftl.wear_leveling.": {"ftl.wear_leveling.": {"static": True}},
}


def outcome(make, key):
    """Return the sentence that refuses what `make` makes, or stops its run, or None if that ends as it should."""
    try:
        simulation = Simulation(make())
        if key not in TOO_LONG:
            simulation.run()
    except SsdsimError as error:
        assert len(str(error).splitlines()) == 1 and str(error).endswith(".")
        return error
    return None


@pytest.mark.parametrize(
    ("section", "name", "listed"), list(numbers()), ids=lambda value: getattr(value, "group", value)
)
def test_every_number_is_used_or_refused(section, name, listed):
    """Run what is accepted: a traceback of any kind fails."""
    key = section.group + name
    company = COMPANIONS.get(key) or COMPANIONS.get(section.group) or {}
    for value in EXTREMES:
        given = [value] if listed else value
        sections = {group: dict(keys) for group, keys in company.items()}
        sections.setdefault(section.group, {})[name] = given
        outcome(lambda s=sections: experiment(**s), key)
    for value in NONSENSE:
        with pytest.raises(SsdsimError, match=name):
            section(**{name: [value] if listed else value})
    if listed:
        with pytest.raises(SsdsimError, match=name):
            section(**{name: 3})


@pytest.mark.parametrize("name", [n for n, k in typing.get_type_hints(TraceConfig).items() if parts(k) & {int, float}])
def test_every_number_of_a_trace_has_bounds(name):
    for value in [*NONSENSE, 10**30, 1e300, -1, 10**400]:
        with pytest.raises(SsdsimError, match=name):
            TraceConfig(**{name: value})


OPTIONS = [
    lambda v: experiment(**{"ftl.gc.": {"victim": "rga", "options": {"choices": v}}}),
    lambda v: experiment(
        **{
            "scheduler.": {"policy": "paq", "options": {"pass_limit": v}},
            "flash.": {"multi_plane": ["read", "program", "erase"]},
        }
    ),
    *(
        lambda v, scheme=scheme, option=option: experiment(
            **{
                "ftl.": {
                    "page_type": [scheme, "uniform"],
                    "page_type_options": {scheme: {option: v}},
                    "page_order": "page_type",
                    "active_blocks": "shared",
                },
                "flash.": {"program_order": "relaxed"},
                "buffer.": {"replacement": "lru"},
            }
        )
        for scheme, option in (("queue_depth", "threshold"), ("size_based", "kib"))
    ),
    lambda v: experiment(**{"host.": {"weights": {"main": v}, "arbitration": "weighted"}}),
    lambda v: experiment(**{"workload.": {"size_kib": v}}),
    lambda v: experiment(**{"workload.": {"size_kib": {4: v, 8: v}}}),
]


@pytest.mark.parametrize("make", OPTIONS)
def test_numbers_in_mappings_are_used_or_refused(make):
    refused = [outcome(lambda v=value: make(v), "") for value in EXTREMES]
    assert None in refused or "page_type" in str(refused[1])
    assert all(outcome(lambda v=value: make(v), "") for value in [-1, 10**30, *NONSENSE])


SLOW = {"hardware.": {"program_us": [1e9]}, "workload.": {"requests": 10_000, "queue_depth": 1}}
LATE = {"workload.": {"requests": 2, "queue_depth": None, "rate_iops": 1e-8}}


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
@pytest.mark.parametrize(
    ("sections", "sentence"),
    [
        (SLOW, "simulated time has come to its end after 9000000 seconds, 104 days"),
        (LATE, "to below 9000000000000000 ns"),
    ],
    ids=["slow flash", "late arrivals"],
)
def test_time_ends_alike_on_both_kernels(sections, sentence, kernel):
    """Programs of 1000 s, one after the other, come to 9e6 s before the ten thousandth."""
    told = outcome(lambda: experiment(**sections | {"": {"kernel": kernel}}), "")
    assert sentence in str(told)


@pytest.mark.parametrize("name", ["read_command_us", "program_command_us", "erase_command_us", "ready_busy_us"])
def test_times_that_are_long_are_no_stall(name):
    """One program and one read of it, each of which takes 1000 s at most for each part."""
    sections = {"hardware.": {name: 1e9}, "workload.": {"requests": 30, "read_share": 0.5}}
    assert outcome(lambda: experiment(**sections), "") is None
