"""Traces that studies share: made once, whole or not at all, with sizes of their own for reads and writes."""

import numpy as np
import pytest

from experiments.papers import _traces
from experiments.study import trace_files
from ssdsim.command.compose import composed
from ssdsim.workload import Chunk, open_workload

MIB = 2**20


def chunk(first, count):
    at = np.arange(first, first + count)
    return Chunk(at * 1000, (at % 2).astype(np.uint8), at * 4096, np.full(count, 4096))


def test_an_unfinished_trace_does_not_appear(tmp_path):
    def broken():
        yield chunk(0, 10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace_files.write_trace(broken(), tmp_path / "it.csv.zst")
    assert not (tmp_path / "it.csv.zst").exists()


def test_a_trace_is_made_once_for_what_it_depends_on_and_read_back_the_same(tmp_path):
    made = []

    def chunks(*asked):
        made.append(asked)
        return [chunk(0, 10), chunk(10, 3)]

    overrides = trace_files.made_once("it", tmp_path, chunks, 1, "a")
    assert trace_files.made_once("it", tmp_path, chunks, 1, "a") == overrides
    assert len(made) == 1
    assert trace_files.made_once("it", tmp_path, chunks, 2, "a") != overrides
    (read,) = open_workload(composed(overrides).workload, MIB, 4096, 0).chunks()
    assert list(read.offset_bytes) == [*range(0, 13 * 4096, 4096)]
    assert list(read.op) == [at % 2 for at in range(13)]


@pytest.mark.parametrize("mean", [4.1, 6.2, 11.6, 35.7, 60])
def test_sizes_like_those_of_msr_have_the_mean_asked_for(mean):
    sizes = _traces.msr_sizes(mean)
    assert sum(sizes.values()) == pytest.approx(1)
    assert sum(size * share for size, share in sizes.items()) == pytest.approx(mean, rel=1e-6)
    assert all(size % 4 == 0 for size in sizes)
