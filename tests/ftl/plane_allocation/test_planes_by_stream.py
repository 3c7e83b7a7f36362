"""Planes by stream: tenants do not meet, as long as the data of each fits in its planes."""

import pytest

from ssdsim import ConfigError
from ssdsim.config import HardwareConfig, IsolationConfig
from ssdsim.ftl.plane_allocation.policies import planes_of_streams
from support.requests import reads, writes
from support.tiny_device import WRITE_PAGE

SIZES = {"channel": "channels", "chip": "chips_per_channel", "die": "dies_per_chip", "plane": "planes_per_die"}
SHAPE = dict.fromkeys(SIZES.values(), 2)


def planes_written(run, source="host"):
    """Return, by stream, the planes that it wrote to, counted over a device that has several on one level only."""
    stream_of = {request["id"]: request["stream"] for request in run.requests}
    written = {}
    for command in run.commands:
        if command["op"] == "program" and command["source"] == source:
            plane = sum(command[level] for level in SIZES)
            written.setdefault(stream_of.get(command["request"], -1), set()).add(plane)
    return written


@pytest.mark.parametrize(
    ("level", "count", "units", "own"),
    [
        ("channel", 4, [None], [{0, 1, 2, 3}]),
        ("channel", 4, [None, None, None], [{0}, {1}, {2, 3}]),
        ("channel", 4, [[3], [0, 1, 2]], [{3}, {0, 1, 2}]),
        ("channel", 2, [None, None, None], [{0}, {0}, {1}]),
        ("chip", 2, [None, None], [{0}, {1}]),
        ("die", 3, [[1], None], [{1}, {0, 2}]),
        ("plane", 2, [None, None], [{0}, {1}]),
    ],
)
@pytest.mark.parametrize("name", ["by_stream", "by_stream_static"])
def test_each_stream_writes_to_what_is_its_own_whatever_is_collected(level, count, units, own, name, experiment):
    """All streams write pages of their own again and again, more than fit without collection, and arrive at once.

    With `integrity=on` the oracle looks at what collection moves, too.
    """
    names = ["main", "second", "third"][: len(units)]
    pages = min(16 * len(own[number]) // own.count(own[number]) for number in range(len(units)))
    rows = [writes(*(number * pages + i * 7 % pages for i in range(60 * count))) for number in range(len(units))]
    ftl = {"plane_allocation": name, "isolation": {"unit": level}}
    ftl["isolation"]["units"] = {name: units for name, units in zip(names, units, strict=True) if units is not None}
    changes = {"hardware": {SIZES[level]: count}, "ftl": ftl, "host": {"queue_depth": 16}, "check": "end"}
    run = experiment([{"rows": of_stream} for of_stream in rows], changes)
    assert planes_written(run) == dict(enumerate(own))
    assert run.summary["gc"]["collections"] > 0


@pytest.mark.parametrize(
    ("unit", "first"), [("channel", range(8)), ("chip", [0, 1, 2, 3]), ("die", [0, 1]), ("plane", [0])]
)
def test_chips_are_of_every_channel_dies_of_every_chip_and_planes_of_every_die(unit, first):
    """A device of two channels of two chips of two dies of two planes, 16 in all, and two streams."""
    hardware, wanted = HardwareConfig(**SHAPE), IsolationConfig(unit=unit)
    own, others = planes_of_streams(wanted, ("main", "other"), hardware)
    assert set(own) == {plane for plane in range(16) if plane % (2 * len(first)) in first}
    assert sorted(own + others) == list(range(16)) and len(own) == 8


@pytest.mark.parametrize(("name", "waits"), [("by_stream", False), ("by_stream_static", False), ("round_robin", True)])
def test_no_stream_waits_for_a_die_of_another(name, waits, experiment):
    """One stream floods the device, and the other writes a page after 50 us, when both dies are free or none is.

    Its own die is free, so that it takes what a write takes. In turn, both dies program the pages of the first stream.
    """
    loads = [{"rows": writes(*range(16))}, {"rows": writes(16, at=50_000)}]
    run = experiment(
        loads, {"hardware": {"channels": 2}, "ftl": {"plane_allocation": name, "plane_allocation_at": "dispatch"}}
    )
    response_ns = next(row["response_ns"] for row in run.requests if row["stream"] == 1)
    assert response_ns > WRITE_PAGE if waits else response_ns == WRITE_PAGE


def test_a_fill_lies_in_the_planes_of_the_stream_whose_namespace_it_is(experiment):
    changes = {"hardware": {"dies_per_chip": 2}, "host": {"namespace_share": {"main": 0.5}}}
    changes |= {"ftl": {"plane_allocation": "by_stream", "isolation": {"unit": "die"}}}
    changes |= {"precondition": {"mode": "fill"}}
    run = experiment([{"rows": reads(*range(16))}, {"rows": reads(*range(16))}], changes)
    stream_of = {request["id"]: request["stream"] for request in run.requests}
    assert {(stream_of[c["request"]], c["die"]) for c in run.commands if c["op"] == "read"} == {(0, 0), (1, 1)}


@pytest.mark.parametrize("name", ["by_stream", "by_stream_static"])
def test_a_stream_with_more_data_than_fits_in_its_channels_goes_to_others(name, experiment):
    """A channel has 64 pages, of which a block a plane is for collection; the stream keeps 60."""
    loads = [{"rows": writes(*range(60), *range(60))}, {"rows": writes(60)}]
    shape = {"channels": 2, "dies_per_chip": 2}
    run = experiment(loads, {"hardware": shape, "ftl": {"plane_allocation": name}})
    stream_of = {request["id"]: request["stream"] for request in run.requests}
    written = {
        (stream_of[c["request"]], c["channel"]) for c in run.commands if (c["op"], c["source"]) == ("program", "host")
    }
    assert written == {(0, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize(
    ("units", "share", "message"),
    [
        ({"main": [2]}, 0.5, r"units.main=\[2\]: must be numbers of the chips, 0 to 1"),
        ({"third": [0]}, 0.5, "units.third: there is no such stream; they are main, second"),
        ({"main": [0, 1]}, 0.5, "leaves no chip for second"),
        ({}, 0.75, r"planes of main have room for .* namespaces that go there are .* give main more"),
    ],
)
def test_shares_that_cannot_be_are_refused(units, share, message, experiment):
    changes = {"hardware": SHAPE, "host": {"namespace_share": {"main": share}}}
    ftl = {"plane_allocation": "by_stream", "isolation": {"unit": "chip", "units": units}}
    with pytest.raises(ConfigError, match=message):
        experiment([{"rows": writes(0)}, {"rows": writes(0)}], changes | {"ftl": ftl})
