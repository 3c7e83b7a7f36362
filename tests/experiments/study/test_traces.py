"""Traces that studies share: made once, whole or not at all, found by their names."""

from fractions import Fraction

import numpy as np
import pytest

from experiments.study import traces
from ssdsim.command.compose import prepared, session
from ssdsim.config import SyntheticConfig
from ssdsim.errors import TraceError
from ssdsim.workload import READ, WRITE, Chunk, SyntheticWorkload, open_workload

MIB = 2**20


def chunk(first, count):
    at = np.arange(first, first + count)
    return Chunk(at * 1000, (at % 2).astype(np.uint8), at * 4096, np.full(count, 4096))


def test_an_unfinished_trace_does_not_appear(tmp_path):
    def broken():
        yield chunk(0, 10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        traces.write_trace(broken(), tmp_path / "it.csv.zst")
    assert not (tmp_path / "it.csv.zst").exists()


def test_a_trace_is_made_once_for_what_it_depends_on_and_read_back_the_same(tmp_path):
    made = []

    def chunks():
        made.append(True)
        return [chunk(0, 10), chunk(10, 3)]

    overrides = traces.made_once("it", tmp_path, chunks, 1, "a")
    assert traces.made_once("it", tmp_path, chunks, 1, "a") == overrides
    assert len(made) == 1
    assert traces.made_once("it", tmp_path, chunks, 2, "a") != overrides
    with session():
        config = prepared(overrides).config.workload
    (read,) = open_workload(config, MIB, 4096, 0).chunks()
    assert list(read.offset_bytes) == [*range(0, 13 * 4096, 4096)]
    assert list(read.op) == [at % 2 for at in range(13)]


def test_reads_and_writes_have_sizes_of_their_own():
    config = SyntheticConfig(requests=2000, read_share=0.4, pattern="zipf", rate_iops=1000.0)
    given = list(traces.with_sizes_by_op(config, {4: 1.0}, {8: 0.5, 16: 0.5}, MIB, 4096, 7))
    op, size = (np.concatenate([getattr(each, key) for each in given]) for key in ("op", "size_bytes"))
    assert set(size[op == READ]) == {4096}
    assert set(size[op == WRITE]) == {8192, 16384}
    alone = next(SyntheticWorkload(config, MIB, 4096, 7).chunks())
    assert (op == alone.op).all()


def test_the_part_of_a_trace_that_is_most_like_the_whole_is_taken(tmp_path):
    """Of four parts of ten requests the first only reads and the last is ten times as quick; five eighths write.

    Half of the second write and all of the third: ln(1/2 / 5/8) is nearer to 0 than ln(1 / 5/8).
    """
    op = np.array([READ] * 10 + [READ, WRITE] * 5 + [WRITE] * 20, np.uint8)
    at = np.cumsum([1000] * 30 + [100] * 10)
    traces.write_trace([Chunk(at, op, np.arange(40) * 8192, np.full(40, 4096))], tmp_path / "it.csv.zst")
    overrides = traces.replayed(tmp_path / "it.csv.zst")
    assert traces.typical_part(overrides, Fraction(1, 4)) == ["workload.skip=10", "workload.limit=10"]
    assert traces.typical_part(overrides, Fraction(1)) == []
    assert traces.footprint(overrides, 4096) == 40 * 4096
    assert traces.footprint([*overrides, "workload.skip=35"], 8192) == 5 * 8192


def test_whole_traces_are_picked_up_from_a_folder(tmp_path):
    for file in ("fin1.spc.gz", "prxy_0.csv", ".hidden"):
        (tmp_path / file).touch()

    def known(file):
        return "tFin" if file.name.lower().startswith("fin") else None

    assert traces.whole_traces(None, known) == {}
    found = traces.whole_traces(tmp_path, known)
    assert found == {"tFin": tmp_path / "fin1.spc.gz", "prxy_0": tmp_path / "prxy_0.csv"}
    (tmp_path / "Financial1.csv").touch()
    with pytest.raises(TraceError, match="both tFin"):
        traces.whole_traces(tmp_path, known)
    with pytest.raises(TraceError, match="no such folder"):
        traces.whole_traces(tmp_path / "nowhere", known)


def test_pieces_that_are_not_there_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(traces, "PIECES", tmp_path)
    (tmp_path / "a.csv").touch()
    found = traces.real_pieces({"a": ("a.csv", ["workload.time_unit=us"]), "b": ("b.csv", [])})
    assert found == {"a": [*traces.replayed(tmp_path / "a.csv"), "workload.time_unit=us"]}
    assert capsys.readouterr().err.endswith(": b.\n")
