"""`Spool` against a list of blocks."""

import tempfile

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.spool import Spool
from ssdsim.workload.traceformat import Records


def block(rows, seed, has_hints):
    rng = np.random.default_rng(seed)
    time, offset, size = (rng.integers(0, 1 << 53, rows) for _ in range(3))
    op, hints = (rng.integers(0, 4, rows).astype(np.uint8) for _ in range(2))
    return Records(
        np.arange(rows), time, op, rng.integers(0, 1 << 18, rows), offset, size, hints if has_hints else None
    )


@given(st.lists(st.integers(1, 50), max_size=6), st.integers(0, 200), st.booleans())
def test_blocks_come_back_as_they_were(lengths, rows_in_memory, has_hints):
    """Two passes at once, wherever the blocks are kept."""
    blocks = [block(rows, seed, has_hints) for seed, rows in enumerate(lengths)]
    spool = Spool(rows_in_memory)
    for records in blocks:
        spool.append(records)
    passes = list(zip(spool, spool, strict=True))
    assert len(passes) == len(blocks)
    for both, expected in zip(passes, blocks, strict=True):
        for found in both:
            for field in attrs.fields(Records)[1:]:
                assert np.array_equal(getattr(found, field.name), getattr(expected, field.name)), field.name


def test_hints_are_absent_where_they_were():
    spool = Spool(0)
    spool.append(block(3, 0, False))
    assert [records.access_latency for records in spool] == [None]


@pytest.mark.parametrize(("rows_in_memory", "files"), [(6, 0), (5, 1)])
def test_a_file_is_made_only_where_there_are_more(monkeypatch, rows_in_memory, files):
    made, make = [], tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: made.append(1) or make())
    spool = Spool(rows_in_memory)
    for seed in range(2):
        spool.append(block(3, seed, True))
    assert sum(made) == files and sum(map(len, spool)) == 6
