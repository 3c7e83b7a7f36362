"""Queue pairs: room and fetching, by times worked out by hand."""

from support.requests import writes
from support.tiny_device import WRITE_PAGE


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


def test_urgent_queues_go_first_and_the_others_by_weight(experiment):
    changes = nvme(depth=1)
    changes["host"] |= {
        "arbitration": "urgent_weighted",
        "arbitration_options": {"high": 3, "low": 1},
        "priorities": {"main": "low", "second": "urgent", "third": "high"},
    }
    out = experiment([{"rows": writes(*range(4)), "queue_depth": 4}] * 3, changes)
    served = [row["stream"] for row in sorted(out.requests, key=lambda row: row["admitted_ns"])]
    assert served == [1, 1, 1, 1, 2, 2, 2, 0, 2, 0, 0, 0]
