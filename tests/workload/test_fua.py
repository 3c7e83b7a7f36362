"""Which requests force unit access: a column of a trace, a share of those drawn, and what a generator says."""

import numpy as np
import pytest

from ssdsim._core.codes import WRITE
from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError, TraceError
from ssdsim.workload import Chunk, open_workload
from ssdsim.workload.base import CheckedWorkload
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


def test_a_generator_that_gives_it_no_meaning_is_refused():
    class Mine:
        requests = 2
        queue_depth = 1

        def chunks(self):
            zeros = np.zeros(2, np.int64)
            yield Chunk(zeros, zeros.astype(np.uint8), zeros, zeros + 512, fua=np.array([0, 2], np.uint8))

    with pytest.raises(ConfigError, match="a column fua that does not have 0 to 1 for each of 2 requests"):
        list(CheckedWorkload(Mine(), 4096).chunks())
