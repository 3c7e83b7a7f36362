"""Reads that a run finds on the chip when it begins to measure."""

from random import Random

from support.cut_off import cut_off
from support.requests import write


def test_a_read_sensed_before_the_run_is_in_the_table_and_not_counted(experiment):
    random = Random(1)
    device = {
        "seed": 1,
        "hardware": {
            "bus_ns_per_byte": 1000.0,
            "channels": 2,  # so that data is long on its way
            "blocks_per_plane": 12,
            "over_provisioning": 0.4,
        },
        "ftl": {"gc": {"moves_in_flight": 4, "soft_threshold": 3}},
        "precondition": {"mode": "writes"},
    }
    out = experiment([{"rows": [write(random.randrange(32)) for _ in range(8)], "queue_depth": 4}], device)
    start_ns = round(out.summary["started_s"] * 1e9)
    before = [c for c in out.commands if c["op"] == "read" and c["array_end_ns"] < start_ns < c["end_ns"]]
    assert len(before) == 1
    assert out.summary["flash"]["reads"]["gc"] == sum(c["op"] == "read" for c in out.commands) - 1
    assert not cut_off(out)
