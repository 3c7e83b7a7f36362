"""Requests by stream and by size."""

import numpy as np
import pytest

from ssdsim._core.codes import FLUSH, READ, REQUESTS, TRIM, WRITE
from ssdsim._core.latency import LatencyGroups
from ssdsim._core.window_samples import Sampled
from ssdsim.host.request import Request
from ssdsim.metrics.groups import EXACT, SIZE_CLASSES, size_class
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.metrics.requests import SIZES, breakdown
from ssdsim.metrics.summary import latency_table
from support.requests import GAP, flush, read, write
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE

KIB = 1024


def recorded(rows, streams=1):
    """Return a recorder of (stream, operation, size, response)."""
    recorder = Recorder(Windows(Sampled(7), streams=streams), streams=streams)
    for stream, op, size, response in rows:
        request = Request()
        request.stream, request.op, request.size_bytes = stream, op, size
        recorder.request_done(request, response)
    return recorder


def test_sizes_fall_into_classes_by_powers_of_two():
    borders = [
        1,
        4 * KIB,
        4 * KIB + 1,
        8 * KIB,
        9 * KIB,
        16 * KIB,
        32 * KIB,
        64 * KIB,
        128 * KIB,
        128 * KIB + 1,
        1 << 40,
    ]
    assert [size_class(size) for size in borders] == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6]
    assert len(SIZES) == SIZE_CLASSES
    assert (SIZES[0], SIZES[1], SIZES[-2], SIZES[-1]) == (
        *("up_to_4_kib", "up_to_8_kib"),
        *("up_to_128_kib", "above_128_kib"),
    )


def test_the_histogram_tells_streams_apart():
    rows = [(0, READ, 4 * KIB, 10), (1, READ, 4 * KIB, 10), (1, READ, 4 * KIB, 10), (1, WRITE, 4 * KIB, 20)]
    several = latency_table(recorded(rows, streams=2), ["main", "other"]).to_pydict()
    assert several == {
        "stream": ["main", "other", "other"],
        "op": ["read", "read", "write"],
        "up_to_us": [0.01, 0.01, 0.02],
        "count": [1, 2, 1],
    }
    assert latency_table(recorded(rows[:1]), ["only"]).to_pydict()["stream"] == ["only"]


def test_streams_and_sizes_by_hand():
    rows = [(0, READ, 4 * KIB, 1000), (1, READ, 8 * KIB, 3000), (1, READ, 8 * KIB, 5000), (1, FLUSH, 0, 9000)]
    rows += [(0, TRIM, 256 * KIB, 2000), (0, WRITE, 512, 4000)]
    found = breakdown(recorded(rows, streams=2), ["main", "other"])
    read = found["streams"]["other"]["read"]
    assert (read["count"], read["bytes"]) == (2, 16 * KIB)
    assert (read["response_us"]["mean"], read["response_us"]["p50"], read["response_us"]["max"]) == (4, 3, 5)
    assert found["streams"]["other"]["flush"]["response_us"]["p99"] == 9
    assert list(found["streams"]["main"]) == list(REQUESTS)
    nothing = found["streams"]["main"]["flush"]
    assert nothing["count"] == nothing["bytes"] == 0 and set(nothing["response_us"].values()) == {None}
    sizes = found["sizes"]
    assert list(sizes["up_to_4_kib"]) == ["read", "write", "trim"]
    assert [sizes[name]["read"]["count"] for name in SIZES] == [1, 2, 0, 0, 0, 0, 0]
    assert sizes["above_128_kib"]["trim"]["response_us"]["max"] == 2
    assert sizes["up_to_4_kib"]["write"]["bytes"] == 512


def test_many_of_a_group_have_percentiles_from_the_histogram():
    groups = LatencyGroups(2, EXACT)
    values = np.random.default_rng(3).lognormal(11, 2, EXACT + 1000).astype(np.int64)
    for value in values.tolist():
        groups.add(1, WRITE, value, 1)
    latency, size = groups.of(1, WRITE)
    assert (latency.count, size) == (len(values), len(values))
    exact = np.percentile(values, 99, method="inverted_cdf")
    assert exact <= latency.percentiles([0.99])[0] <= exact * (1 + 1 / 256)
    assert groups.of(0, WRITE) == (None, 0)


def test_a_run_without_timing_has_none():
    assert breakdown(None, ["main"]) == {"streams": None, "sizes": None}


def test_the_streams_of_a_run_add_up_to_it(experiment):
    main = [write(0), read(0, GAP, 1), flush(2 * GAP)]
    other = [write(4, 3 * GAP, 2), (4 * GAP, "trim", 4 * PAGE, PAGE)]
    out = experiment([{"rows": main}, {"rows": other}])
    streams, sizes = out.summary["streams"], out.summary["sizes"]
    assert list(streams) == ["main", "second"]
    for op in REQUESTS:
        assert sum(of[op]["count"] for of in streams.values()) == out.summary["requests"][op]["count"]
    for op in ("read", "write", "trim"):
        for key in ("count", "bytes"):
            assert sum(of[op][key] for of in sizes.values()) == out.summary["requests"][op][key]
    assert streams["main"]["read"]["response_us"]["max"] == READ_PAGE / 1000
    assert streams["second"]["write"]["response_us"]["mean"] == 2 * WRITE_PAGE / 1000
    assert sizes["up_to_8_kib"]["write"]["count"] == 1


@pytest.mark.parametrize("timing", ["on", "off"])
def test_what_has_no_response_times_is_null(experiment, timing):
    out = experiment([{"rows": [write(0)]}], {"timing": timing, "record": []})
    assert (out.summary["streams"] is None) == (timing == "off")
