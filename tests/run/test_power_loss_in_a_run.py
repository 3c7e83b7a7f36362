"""A loss of power in the middle of a run: what goes on, what is given up, and what is counted."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.testing import requests
from support.requests import writes
from support.tiny_device import PAGE, WRITE_PAGE, merge, run_streams

MLC = {"bits_per_cell": 2, "pages_per_block": 8, "program_us": [100.0, 400.0], "blocks_per_plane": 12}
FPS = {
    "hardware": MLC | {"over_provisioning": 0.6},
    "flash": {"program_order": "fps"},
    "ftl": {"active_blocks": "shared"},
}


def lost_at(seconds):
    return {"power_loss": {"at_s": seconds}}


def off_ns(report):
    """Return for how long the device was off and starting."""
    return round((report["reboot_ms"] + report["scan_ms"] + report["mapping_ms"]) * 1e6)


def test_a_run_that_ends_before_says_so(run):
    report = run(writes(*range(3)), lost_at(1.0)).summary["power_loss"]
    assert report["at_s"] is None


def test_what_was_in_the_device_is_given_up_and_the_rest_goes_on(run):
    """Eight writes 50 us apart; at 240 us two are done and three are in the device."""
    out = run(writes(*range(8), gap=50_000), lost_at(0.00024))
    report = out.summary["power_loss"]
    assert report["aborted_requests"] == 3
    assert [row["id"] for row in out.requests] == [0, 1, 5, 6, 7]
    assert [row["arrival_ns"] for row in out.requests] == [0, 50_000, 250_000, 300_000, 350_000]
    up = 240_000 + off_ns(report)
    last = [max(at, up) for at in (250_000, 300_000, 350_000)]
    assert out.done_at()[2] == last[0] + WRITE_PAGE
    assert out.summary["requests"]["write"]["count"] == 5


def test_what_arrives_while_power_is_off_waits(run):
    out = run([(0, "write", 0, PAGE), (60_000, "write", PAGE, PAGE), (200_000, "read", 0, PAGE)], lost_at(50e-6))
    report = out.summary["power_loss"]
    assert [row["id"] for row in out.requests] == [1, 2]
    first = max(50_000 + off_ns(report), 60_000)
    assert out.done_at()[0] == first + WRITE_PAGE


def test_a_closed_loop_starts_anew_with_its_depth(run):
    out = run(writes(*range(12)), lost_at(1.5 * WRITE_PAGE / 1e9), queue_depth=3)
    report = out.summary["power_loss"]
    assert report["aborted_requests"] == 3
    assert [row["id"] for row in out.requests] == [0, *range(4, 12)]
    up = round(1.5 * WRITE_PAGE) + off_ns(report)
    assert [row["arrival_ns"] for row in out.requests][1:4] == [up] * 3


def test_power_is_cut_after_so_many_programs(run):
    out = run(writes(*range(16)), {"power_loss": {"after_programs": 5}}, queue_depth=1)
    report = out.summary["power_loss"]
    assert report["at_s"] == pytest.approx(5 * WRITE_PAGE / 1e9)
    assert sum(c["op"] == "program" and c["end_ns"] <= 5 * WRITE_PAGE for c in out.commands) == 5
    assert report["aborted_requests"] + len(out.requests) == 16


def test_power_is_counted_from_the_measured_run_on(run):
    """What preconditions the device is not part of it: the same requests go on as without that."""
    timed = {"precondition": {"mode": "writes", "timed": True, "fill_share": 0.5, "max_windows": 2}}
    out = run(writes(*range(8)), merge(timed, lost_at(1.5 * WRITE_PAGE / 1e9)), queue_depth=1)
    assert [row["id"] for row in out.requests] == [0, *range(2, 8)]
    out = run(writes(*range(8)), merge(timed, {"power_loss": {"after_programs": 3}}), queue_depth=1)
    assert out.summary["power_loss"]["aborted_requests"] + len(out.requests) == 8
    assert out.requests[2]["id"] == 2


@st.composite
def runs(draw):
    """Draw a device with or without backups and a buffer, requests, and a moment at which power is lost."""
    kinds = {"slc": {}, "none": FPS, "pair_parity": merge(FPS, {"ftl": {"backup": "pair_parity"}})}
    changes = kinds[draw(st.sampled_from([*kinds]))]
    if draw(st.booleans()):
        changes = merge(changes, {"buffer": {"replacement": "lru", "size_mib": 4 * PAGE / 2**20}})
    moment = st.one_of(
        st.builds(lambda us: {"at_s": us / 1e6}, st.integers(0, 20_000)),
        st.builds(lambda count: {"after_programs": count}, st.integers(1, 200)),
    )
    changes = merge(changes, {"power_loss": draw(moment) | {"capacitor": draw(st.booleans())}})
    load = {"rows": draw(requests(16 * PAGE)), "queue_depth": draw(st.none() | st.integers(1, 32))}
    if load["queue_depth"]:
        load["rows"] = [(0, *rest) for _, *rest in load["rows"]]
    return changes, load


@given(runs())
def test_counts_tables_and_reports_agree(drawn):
    changes, load = drawn
    out = run_streams([load], changes)
    report, summary = out.summary["power_loss"], out.summary
    aborted = report.get("aborted_requests", 0)
    counts = {op: of["count"] for op, of in summary["requests"].items()}
    numbers = [row["id"] for row in out.requests]
    assert sum(counts.values()) + aborted == len(load["rows"])
    assert len(set(numbers)) == len(numbers) == len(load["rows"]) - aborted and sorted(numbers) == numbers
    assert set(numbers) <= set(range(len(load["rows"])))
    for row in out.requests:
        parts = [row[f"{name}_ns"] for name in ("queue", "bus", "array", "gc")]
        assert min(parts) >= 0 and sum(parts) == row["response_ns"]
    done = Counter((c["op"] + "s", c["source"]) for c in out.commands)
    counted = Counter({(op, source): n for op, by in summary["flash"].items() for source, n in by.items() if n})
    assert not done - counted
    assert {op for op, _ in counted - done} <= {"reads", "programs"}
    if report["at_s"] is not None:
        at_ns, up = round(report["at_s"] * 1e9), round(report["at_s"] * 1e9) + off_ns(report)
        assert not [c for c in out.commands if c["bus_start_ns"] < at_ns < c["end_ns"]]
        assert not [c for c in out.commands if at_ns < c["bus_start_ns"] < up]
        assert report["lost_in_flash"] == 0 or changes.get("ftl", {}).get("backup", "none") == "none"
    rows = out.result.timeseries.to_pylist()
    for name in ("reads", "writes", "host_programs", "gc_programs", "erases", "backup_pages"):
        values = [row[name] for row in rows if name in row]
        assert min(values, default=0) >= 0, name
    assert sum(row["writes"] for row in rows) == counts["write"]
    assert sum(row["reads"] for row in rows) == counts["read"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"power_loss": {"at_s": 1.0, "after_programs": 2}}, "null with power_loss.at_s"),
        (merge(lost_at(1.0), {"timing": "off"}), r"timing=off: .* power_loss.at_s=1 "),
        (
            {
                "hardware": {"bits_per_cell": 3, "pages_per_block": 6, "blocks_per_plane": 16},
                "ftl": {"backup": "pair_parity", "active_blocks": "shared"},
            },
            "2 page types",
        ),
    ],
)
def test_what_cannot_be_is_refused(run, changes, words):
    with pytest.raises(ConfigError, match=words) as refused:
        run(writes(*range(1)), changes)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")
