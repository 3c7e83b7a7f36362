"""Which requests force unit access: a column of a trace, a share of those drawn, and what a generator says."""

import pytest

from ssdsim._core.codes import WRITE
from ssdsim.config import SyntheticConfig
from ssdsim.errors import TraceError
from ssdsim.workload import open_workload
from support.workloads import whole


def test_a_trace_has_a_column_for_it(open_trace):
    text = "op,arrival_ns,fua,offset_bytes,size_bytes\nwrite,0,1,0,512\nwrite,5,0,512,0\nread,9,0,0,512\n"
    assert whole(open_trace(text)).fua.tolist() == [1, 0]
    with pytest.raises(TraceError, match=r"row 2: fua 'yes' is unknown"):
        open_trace(text.replace("0,1,0", "0,yes,0"))


def test_a_share_of_drawn_writes_has_it_and_leaves_the_others_as_they_were():
    loads = (SyntheticConfig(requests=4000, queue_depth=1, read_share=0.3, fua_share=share) for share in (0.25, 0.0))
    with_some, without = (whole(open_workload(load, 1 << 30, 4096, 1)) for load in loads)
    assert without.fua is None
    assert (with_some.op == without.op).all() and (with_some.offset_bytes == without.offset_bytes).all()
    assert not with_some.fua[with_some.op != WRITE].any()
    assert 0.2 < with_some.fua.sum() / (with_some.op == WRITE).sum() < 0.3
