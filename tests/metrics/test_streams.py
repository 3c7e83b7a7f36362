"""Requests by stream."""

from ssdsim._core.codes import FLUSH, READ, REQUESTS, TRIM, WRITE
from ssdsim.host.request import Request
from ssdsim.metrics.recorder import Recorder, Sampled, Windows
from ssdsim.metrics.summary import streams


def recorded(rows, streams=1):
    """Return a recorder of (stream, operation, size, response)."""
    recorder = Recorder(Windows(Sampled(7)), streams=streams)
    for stream, op, size, response in rows:
        request = Request()
        request.stream, request.op, request.size_bytes = stream, op, size
        recorder.request_done(request, response)
    return recorder


def test_streams_by_hand():
    rows = [(0, READ, 4096, 1000), (1, READ, 8192, 3000), (1, READ, 8192, 5000), (1, FLUSH, 0, 9000)]
    rows += [(0, TRIM, 1 << 18, 2000), (0, WRITE, 512, 4000)]
    found = streams(recorded(rows, streams=2), ["main", "other"])
    read = found["other"]["read"]
    assert (read["count"], read["bytes"]) == (2, 16384)
    assert (read["response_us"]["mean"], read["response_us"]["p50"], read["response_us"]["max"]) == (4, 3, 5)
    assert found["other"]["flush"]["response_us"]["p99"] == 9
    assert list(found["main"]) == list(REQUESTS)
    nothing = found["main"]["flush"]
    assert nothing["count"] == nothing["bytes"] == 0 and set(nothing["response_us"].values()) == {None}
