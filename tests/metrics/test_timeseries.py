"""The time series of a run: a row a window, with the work of that window, and sums that are those of the summary."""

from random import Random

import numpy as np
import pytest

from ssdsim.config import PowerLossConfig
from support.tiny_device import PAGE, merge

HOUR = 3600 * 10**9
ROOMY = {"hardware": {"channels": 2, "planes_per_die": 2, "blocks_per_plane": 16}}
IN_IDLE_TIME = {"ftl": {"gc": {"background_threshold": 0.6}}}


def random_rows(seed, count=400, footprint=100, spread=400_000):
    """Return requests of all kinds, in parts of pages too, with pauses of many windows between some of them."""
    random, at = Random(seed), 0
    for _ in range(count):
        at += random.randrange(spread) * (100 if random.random() < 0.02 else 1)
        op = random.choices(["write", "read", "trim", "flush"], [6, 2, 1, 1])[0]
        size = 0 if op == "flush" else 512 * random.randrange(1, 25)
        yield at, op, 0 if op == "flush" else 512 * random.randrange(footprint * 8 - 25), size


def adds_up(out):
    """Assert that the windows are all there, without a gap, and that their sums are the counts of the summary."""
    series, summary = out.result.timeseries.to_pydict(), out.summary
    width = series["window_s"][0]
    assert series["time_s"] == pytest.approx([at * width for at in range(len(series["time_s"]))])
    for op in ("read", "write"):
        assert sum(series[f"{op}s"]) == summary["requests"][op]["count"]
        mean = summary["requests"][op]["response_us"]["mean"]
        waited = sum(count * (us or 0) for count, us in zip(series[f"{op}s"], series[f"{op}_response_us"], strict=True))
        assert waited == pytest.approx(mean * summary["requests"][op]["count"])
    for name in ("host_page_writes", "requested_page_writes"):
        assert sum(series[name]) == summary[name]
    assert sum(series["gc_page_moves"]) == summary["gc"]["page_moves"]
    assert sum(series["gc_collections"]) == summary["gc"]["collections"]
    assert sum(series["erases"]) == sum(summary["flash"]["erases"].values())
    assert sum(series["host_programs"]) == summary["flash"]["programs"]["host"]
    assert sum(series["host_reads"]) == summary["flash"]["reads"]["host"]
    assert sum(series["iops"]) * width == pytest.approx(summary["iops"] * summary["simulated_s"])
    sent = sum(summary["requests"][op]["bytes"] for op in ("read", "write"))
    assert sum(series["bandwidth_mib_s"]) * width == pytest.approx(sent / 2**20)
    served = summary["requests"]["read"]["count"] + summary["requests"]["write"]["count"]
    assert summary["iops"] == pytest.approx(served / summary["simulated_s"])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "changes",
    [
        {},
        IN_IDLE_TIME,
        {"buffer": {"replacement": "lru", "size_mib": 8 / 256}},
        {"power_loss": PowerLossConfig(after_programs=150)},
    ],
    ids=["plain", "idle", "buffer", "power loss"],
)
def test_the_series_adds_up_to_the_summary(run, changes, seed):
    out = run(list(random_rows(seed)), merge(ROOMY, merge({"precondition": {"mode": "fill"}}, changes)))
    assert out.summary["gc"]["collections"] > 0
    adds_up(out)


@pytest.mark.parametrize("seed", range(2))
def test_work_lies_in_the_window_in_which_it_ends(run, seed):
    """Also where no request ends: against the commands, of which none ends at the border of a window here."""
    changes = merge(ROOMY, merge(IN_IDLE_TIME, {"precondition": {"mode": "fill"}}))
    out = run(list(random_rows(seed)), changes)
    series = out.result.timeseries.to_pydict()
    width = round(series["window_s"][0] * 1e9)
    for name, op, source in (("host_programs", "program", "host"), ("erases", "erase", "gc")):
        ends = np.array(out.ends(op, source))
        assert (ends % width).all()
        assert np.bincount(ends // width, minlength=len(series[name])).tolist() == series[name]
    idle = [
        at
        for at, (reads, writes) in enumerate(zip(series["reads"], series["writes"], strict=True))
        if not reads + writes
    ]
    assert sum(series["erases"][at] for at in idle) > 0


def test_idle_hours_are_few_rows_with_nothing_in_them(run):
    out = run([(0, "write", 0, PAGE), (3 * HOUR, "write", PAGE, PAGE)])
    series = out.result.timeseries.to_pydict()
    assert 512 <= len(series["writes"]) <= 1024
    assert series["writes"] == [1, *[0] * (len(series["writes"]) - 2), 1]
    assert series["write_amplification"] == [1.0, *[None] * (len(series["writes"]) - 2), 1.0]
    adds_up(out)


def test_write_amplification_is_over_what_the_host_wrote_and_what_left_the_buffer(run):
    """Ten writes of a page, an eleventh over a border of pages, and a flush: three pages are written to flash."""
    rows = [*((at, "write", 0, PAGE) for at in range(10)), (10, "write", 2 * PAGE - 512, 1024), (11, "flush", 0, 0)]
    out = run(rows, {"buffer": {"replacement": "lru", "size_mib": 8 / 256}})
    assert (out.summary["requested_page_writes"], out.summary["host_page_writes"]) == (12, 3)
    assert out.summary["write_amplification"] == 3 / 12
    assert out.summary["flash_write_amplification"] == 1.0
    assert sum(out.result.timeseries["requested_page_writes"].to_pylist()) == 12
    assert out.summary["write_amplification_by_bytes"] == 3 * PAGE / (10 * PAGE + 1024)


@pytest.mark.parametrize("window_ms", [None, 0.1, 5.0])
def test_the_percentile_of_a_window_is_that_of_the_requests_that_end_in_it(run, window_ms):
    """At most 1.6 percent too high, and exact where one request ends alone."""
    out = run(list(random_rows(1, count=150)), merge(ROOMY, {"metrics": {"window_ms": window_ms}}))
    series = out.result.timeseries.to_pydict()
    width = round(series["window_s"][0] * 1e9)
    assert window_ms is None or width == window_ms * 1e6
    assert len(series["time_s"]) == max(out.done_at()) // width + 1
    for op in ("read", "write"):
        ended = {}
        for row, done in zip(out.requests, out.done_at(), strict=True):
            if row["op"] == op:
                ended.setdefault(done // width, []).append(row["response_ns"] / 1000)
        for window, found in enumerate(series[f"{op}_p99_us"]):
            of = ended.get(window)
            assert (found is None) == (of is None)
            if of:
                exact = np.percentile(of, 99, method="inverted_cdf")
                assert exact <= found <= max(of) and found <= exact * (1 + 1 / 64) + 0.003


def test_the_backlog_is_what_has_arrived_and_is_not_in_the_device(run):
    """Eleven writes at once, two of which the device takes: after 1 ms ten programs of 0.104 ms are not all done."""
    rows = [(0, "write", page * PAGE, PAGE) for page in range(11)]
    window = {"metrics": {"window_ms": 0.5}}
    series = run(rows, {"host": {"queue_depth": 2}} | window).result.timeseries.to_pydict()
    assert series["writes"] == [4, 5, 2]
    assert (series["backlog"], series["in_flight"]) == ([5, 0, 0], [2, 2, 0])
    closed = run(rows, window, queue_depth=2).result.timeseries.to_pydict()  # requests arrive as they are admitted
    assert (closed["writes"], closed["backlog"], closed["in_flight"]) == ([4, 5, 2], [0, 0, 0], [2, 2, 0])
