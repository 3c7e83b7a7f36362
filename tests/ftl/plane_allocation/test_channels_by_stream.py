"""Channels by stream: tenants do not meet, as long as the data of each fits in its channels."""

import pytest

from support.requests import writes

SHAPE = {"channels": 4, "chips_per_channel": 1, "dies_per_chip": 2}
CHANNEL_PAGES = 2 * 16  # logical pages of a channel: two planes of the tiny device


def programs(run):
    """Return stream and channel of each page that the host wrote."""
    stream_of = {request["id"]: request["stream"] for request in run.requests}
    written = [c for c in run.commands if c["op"] == "program" and c["source"] == "host"]
    return [(stream_of[c["request"]], c["channel"]) for c in written]


@pytest.mark.parametrize(
    ("streams", "channels"), [(1, [range(4)]), (2, [range(2), range(2, 4)]), (3, [range(1), range(1, 2), range(2, 4)])]
)
@pytest.mark.parametrize("at", ["admission", "dispatch"])
def test_each_stream_writes_to_channels_of_its_own_whatever_is_collected(streams, channels, at, experiment):
    """All streams write the same pages again and again, more than a device holds, and arrive at once."""
    pages = CHANNEL_PAGES * 3 // 4
    loads = [{"rows": writes(*(i * 7 % pages for i in range(300)))} for _ in range(streams)]
    ftl = {"plane_allocation": "by_stream", "plane_allocation_at": at}
    run = experiment(loads, {"hardware": SHAPE, "ftl": ftl, "host": {"queue_depth": 16}})
    assert run.summary["gc"]["collections"] > 0
    used = [{channel for stream, channel in programs(run) if stream == number} for number in range(streams)]
    assert used == [set(each) for each in channels]


def test_with_more_streams_than_channels_some_share_one(experiment):
    loads = [{"rows": writes(number)} for number in range(3)]
    run = experiment(loads, {"hardware": SHAPE | {"channels": 2}, "ftl": {"plane_allocation": "by_stream"}})
    assert sorted(programs(run)) == [(0, 0), (1, 0), (2, 1)]


def test_a_stream_with_more_data_than_fits_in_its_channels_goes_to_others(experiment):
    """A channel has 64 pages, of which a block a plane is for collection; the stream keeps 60."""
    loads = [{"rows": writes(*range(60), *range(60))}, {"rows": writes(60)}]
    run = experiment(loads, {"hardware": SHAPE | {"channels": 2}, "ftl": {"plane_allocation": "by_stream"}})
    assert [{channel for stream, channel in programs(run) if stream == number} for number in range(2)] == [{0, 1}, {1}]
