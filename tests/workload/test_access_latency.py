"""Access-latency hints and forced unit access: read from a trace, drawn, and kept with their requests on the way."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ssdsim._core.codes import WRITE
from ssdsim.config import ACCESS_LATENCIES, SyntheticConfig
from ssdsim.errors import TraceError
from ssdsim.workload import open_workload
from support.workloads import whole

HEADER = "arrival_ns,op,offset_bytes,size_bytes,access_latency"


def written(hints, header=HEADER):
    """Return a trace whose request `k` is for the sector `k` and has the hint `k` of `hints`."""
    return "\n".join([header, *(f"{10 * k},write,{512 * k},512,{hint}" for k, hint in enumerate(hints))])


def test_names_in_any_case_and_numbers_are_read(open_trace):
    workload = open_trace(written(["none", "Idle", "NORMAL", "low", " low ", 0, 1, 2, 3]))
    hints = whole(workload).access_latency
    assert hints.tolist() == [0, 1, 2, 3, 3, 0, 1, 2, 3] and hints.dtype == np.uint8
    assert ACCESS_LATENCIES == ("none", "idle", "normal", "low")


@settings(
    max_examples=settings.default.max_examples * 3 // 10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    requests=st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40),
    block_bytes=st.integers(60, 2000),
    repeat=st.integers(1, 3),
)
def test_a_hint_stays_with_its_request(open_trace, requests, block_bytes, repeat):
    """Through blocks, skipped rows, sorting, repetition and speedup; the offset says which request it was."""
    rows = [f"{t},write,{512 * k},{512 if size else 0},{hint}" for k, (t, hint, size) in enumerate(requests)]
    kept = [k for k, (_, _, size) in enumerate(requests) if size]
    if not kept:
        return
    text = "\n".join([HEADER, *rows])
    chunk = whole(open_trace(text, block_bytes=block_bytes, repeat=repeat, speedup=2.0))
    place = chunk.offset_bytes // 512
    assert sorted(place.tolist()) == sorted(kept * repeat)
    assert chunk.access_latency.tolist() == [requests[k][1] for k in place]


@pytest.mark.parametrize("hint", ["quick", "4", "-1", "", "0.5", "٣"])
@pytest.mark.parametrize("block_bytes", [None, 60])
def test_a_hint_that_does_not_exist_is_named_with_its_row(open_trace, hint, block_bytes):
    message = rf"row 4: access_latency '{hint}' is unknown; a ssdsim_csv row"
    with pytest.raises(TraceError, match=message):
        open_trace(written(["low", "idle", hint, "low"]), block_bytes=block_bytes)


def test_a_trace_has_a_column_for_forced_unit_access(open_trace):
    text = "op,arrival_ns,fua,offset_bytes,size_bytes\nwrite,0,1,0,512\nwrite,5,0,512,0\nread,9,0,0,512\n"
    assert whole(open_trace(text)).fua.tolist() == [1, 0]
    with pytest.raises(TraceError, match=r"row 2: fua 'yes' is unknown"):
        open_trace(text.replace("0,1,0", "0,yes,0"))


def test_a_share_of_drawn_writes_has_that_and_leaves_the_others_as_they_were():
    loads = (SyntheticConfig(requests=4000, queue_depth=1, read_share=0.3, fua_share=share) for share in (0.25, 0.0))
    with_some, without = (whole(open_workload(load, 1 << 30, 4096, 1)) for load in loads)
    assert without.fua is None
    assert (with_some.op == without.op).all() and (with_some.offset_bytes == without.offset_bytes).all()
    assert not with_some.fua[with_some.op != WRITE].any()
    assert 0.2 < with_some.fua.sum() / (with_some.op == WRITE).sum() < 0.3
