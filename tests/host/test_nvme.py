"""Queue pairs: room, fetching, splitting and coalesced interrupts, by times worked out by hand."""

import pytest

from support.requests import GAP, flush, read, write, writes
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, merge


def nvme(depth=64, channels=4, **keys):
    """Return the changes that put queue pairs before a device of so many channels."""
    host = {"interface": "nvme", "queue_depth": depth, "nvme": keys}
    return {"host": host, "hardware": {"channels": channels}, "metrics": {"blame": True}, "check": "recount"}


def column(out, name):
    return [row[name] for row in out.requests]


def test_a_request_waits_in_the_host_until_its_queue_has_room(run):
    out = run(writes(0, 1, 2), nvme(queue_depth=1))
    assert column(out, "submitted_ns") == column(out, "admitted_ns") == [0, WRITE_PAGE, 2 * WRITE_PAGE]
    assert column(out, "response_ns") == [WRITE_PAGE, 2 * WRITE_PAGE, 3 * WRITE_PAGE]


def test_the_controller_has_no_more_of_a_queue_under_way_than_its_fetch_size(run):
    out = run(writes(0, 1, 2), nvme(fetch_size=2))
    assert column(out, "submitted_ns") == [0, 0, 0]
    assert column(out, "admitted_ns") == [0, 0, WRITE_PAGE]


def test_requests_take_the_pairs_of_their_stream_in_turn(run):
    out = run(writes(0, 1, 2, 3), nvme(queue_pairs=3, queue_depth=1))
    # The fourth takes the first pair that has room again: with it, that of the first.
    assert column(out, "queue_pair") == [0, 1, 2, 0]
    assert column(out, "submitted_ns") == [0, 0, 0, WRITE_PAGE]


def test_requests_take_pairs_in_turn_that_all_have_room(run):
    assert column(run(writes(*range(7)), nvme(queue_pairs=3)), "queue_pair") == [0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    "device",
    [
        {"buffer": {"replacement": "lru", "size_mib": 4 * PAGE / 2**20}},
        {"ftl": {"mapping": {"scheme": "dftl", "cache_kib": 1 / 128}}, "hardware": {"over_provisioning": 0.7}},
    ],
)
def test_a_request_that_is_split_is_as_one_that_is_not(run, device):
    """Commands of one page come at once, and one request at a time: no part of it, nor its FUA, is lost in them."""
    rows = [write(0, pages=4), *(ask(page, pages=2) for ask in (read, write) for page in (0, 1, 2, 0))]
    rows = [(GAP * number, *row[1:]) for number, row in enumerate(rows)]
    whole, split = (run(rows, merge(nvme(mdts_kib=kib), device), fua_every=2).requests for kib in (None, PAGE // 1024))
    assert split == whole


def test_a_large_request_is_complete_with_the_last_of_its_commands(run):
    rows = [write(0, pages=4), read(0, 10 * WRITE_PAGE, pages=4), (20 * WRITE_PAGE, "trim", 0, 4 * PAGE)]
    out = run(rows, nvme(depth=1, mdts_kib=8))
    # Two commands of two pages, one after the other, each on two channels; a trim moves no data, and is not split.
    assert column(out, "response_ns") == [2 * WRITE_PAGE, 2 * READ_PAGE, 0]
    assert column(out, "array_ns")[0] * 2 < 2 * WRITE_PAGE  # the parts are those of the last command
    assert {name: of["count"] for name, of in out.summary["requests"].items()} == {
        "read": 1,
        "write": 1,
        "trim": 1,
        "flush": 0,
    }


def test_the_host_is_told_of_several_completions_at_once_or_after_the_aggregation_time(run):
    alone = 10 * WRITE_PAGE
    rows = [*writes(0, 1, gap=20_000), write(2, alone)]
    out = run(rows, nvme(aggregation_threshold=2, aggregation_us=50))
    assert column(out, "posted_ns") == [WRITE_PAGE, 20_000 + WRITE_PAGE, alone + WRITE_PAGE]
    # The second makes up the threshold; the third has nothing to wait for but the time.
    assert column(out, "response_ns") == [WRITE_PAGE + 20_000, WRITE_PAGE, WRITE_PAGE + 50_000]
    assert column(out, "blame_interrupt_ns") == [20_000, 0, 50_000]
    assert column(out, "queue_ns") == [20_000, 0, 50_000]
    # The slot in the controller is free when the entry is posted.
    assert out.summary["queue_depth"]["mean"] == pytest.approx(3 * WRITE_PAGE / (alone + WRITE_PAGE + 50_000))


def test_the_time_counts_from_the_oldest_completion_that_the_host_does_not_know(run):
    rows = [*writes(0, 1, 2, gap=20_000), flush(45_000)]
    out = run(rows, nvme(aggregation_threshold=3, aggregation_us=30))
    # The first is told of at WRITE_PAGE + 30_000, with the second; the third and the flush 30_000 after the third.
    ends = [WRITE_PAGE + 30_000] * 2 + [WRITE_PAGE + 40_000 + 30_000] * 2
    assert out.done_at() == ends


def test_a_closed_loop_sends_its_next_request_when_it_is_told(run):
    out = run(writes(0, 1), nvme(aggregation_threshold=2, aggregation_us=50), queue_depth=1)
    assert column(out, "arrival_ns") == [0, WRITE_PAGE + 50_000]


def test_urgent_queues_go_first_and_the_others_by_weight(experiment):
    changes = nvme(depth=1, queue_pairs=1)
    changes["host"] |= {
        "arbitration": "urgent_weighted",
        "arbitration_options": {"high": 3, "low": 1},
        "priorities": {"main": "low", "second": "urgent", "third": "high"},
    }
    out = experiment([{"rows": writes(*range(4)), "queue_depth": 4}] * 3, changes)
    served = [row["stream"] for row in sorted(out.requests, key=lambda row: row["admitted_ns"])]
    assert served == [1, 1, 1, 1, 2, 2, 2, 0, 2, 0, 0, 0]


def test_what_was_posted_and_not_told_is_lost_with_power_for_the_host_but_not_for_the_device(run):
    changes = nvme(aggregation_threshold=9, aggregation_us=1e6) | {"power_loss": {"at_s": 2e-3}}
    out = run(writes(0, 1, 2), changes)
    # integrity=on holds the device to what it has posted, and the recount counts the pages of what was lost.
    assert out.requests == [] and out.summary["power_loss"]["aborted_requests"] == 3
    assert out.summary["requested_page_writes"] == 3
    assert out.summary["power_loss"]["lost_in_flash"] == 0
