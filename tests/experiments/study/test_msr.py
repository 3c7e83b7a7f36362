"""Synthetic traces like those of MSR Cambridge: means by construction, gaps of three kinds, files by their names."""

from pathlib import Path

import numpy as np
import pytest

from experiments.study import msr
from ssdsim.workload import READ, WRITE

GIB = 2**30


@pytest.mark.parametrize("mean", [4, 6.2, 11.6, 35.7, 60, 64])
def test_sizes_have_the_mean_asked_for(mean):
    sizes = msr.sizes(mean)
    assert sum(sizes.values()) == pytest.approx(1)
    assert sum(size * share for size, share in sizes.items()) == pytest.approx(mean, rel=1e-6)
    assert all(size % 4 == 0 for size in sizes)


def test_sizes_of_the_pieces_mean_are_the_pieces():
    mean = 4 * sum(pages * share for pages, share in msr.PAGES_A_WRITE.items())
    assert msr.sizes(mean) == pytest.approx({4 * pages: share for pages, share in msr.PAGES_A_WRITE.items()})


@pytest.mark.parametrize("mean", [3.9, 65])
def test_sizes_beyond_the_pieces_are_refused(mean):
    with pytest.raises(ValueError, match="is not between"):
        msr.sizes(mean)


def test_gaps_are_of_three_kinds_and_keep_the_rate():
    gaps = msr.MSR_GAPS.draw(np.random.default_rng(1), 10.0, 400_000)
    # long gaps of 1.2 s decide the deviation: 0.5 s, so five standard errors are 0.004 s
    assert gaps.mean() == pytest.approx(0.1, abs=0.004)
    assert (gaps < 1e-3).mean() == pytest.approx(0.77 + 0.15 / 10, abs=0.005)
    with pytest.raises(ValueError, match="nothing for a rate"):
        msr.MSR_GAPS.draw(np.random.default_rng(1), 1000.0, 1)


def test_half_of_the_requests_come_in_rushes():
    gaps = msr.Gaps(((0.9, 1e-4),), rushes=(0.5, 200.0)).draw(np.random.default_rng(1), 0.01, 400_000)
    ends = np.flatnonzero(gaps > 0.1)
    lengths = np.diff(ends)
    assert lengths.mean() == pytest.approx(10, rel=0.05)
    # a request is in a burst of 2 x 200 or of 2 x 5.1 requests, less one
    assert (lengths**2).sum() / lengths.sum() == pytest.approx((399 + 9.3) / 2, rel=0.15)


def test_without_kinds_gaps_are_those_of_a_poisson_process():
    gaps = msr.Gaps().draw(np.random.default_rng(2), 50.0, 100_000)
    assert gaps.mean() == pytest.approx(0.02, rel=0.02)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.02)


def test_a_synthetic_trace_is_what_it_was_asked_for():
    asked = msr.Synthetic(20_000, 0.7, msr.sizes(24.8), msr.sizes(11.6), GIB / 8, 9.2)
    chunks = list(asked.chunks(GIB, seed=3))
    op, size, offset, time = (
        np.concatenate([getattr(chunk, key) for chunk in chunks])
        for key in ("op", "size_bytes", "offset_bytes", "arrival_ns")
    )
    # about five standard errors, sizes having deviations of a mean or so
    assert len(op) == 20_000
    assert (op == WRITE).mean() == pytest.approx(0.7, abs=0.016)
    assert size[op == WRITE].mean() == pytest.approx(11.6 * 1024, rel=0.06)
    assert size[op == READ].mean() == pytest.approx(24.8 * 1024, rel=0.07)
    assert (offset % 4096 == 0).all()
    assert 0.9 * GIB / 8 < (offset + size).max() <= GIB / 8
    assert (np.diff(time) >= 0).all()
    assert len(op) / time[-1] * 1e9 == pytest.approx(9.2, rel=0.2)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("hm_0.csv", "hm_0"),
        ("prn-1.trace.gz", "prn_1"),
        ("src2_0.csv.zst", "src2_0"),
        ("MSR-Cambridge_rsrch_0.csv", "rsrch_0"),
        ("msr_prxy_0.slice.csv.xz", "prxy_0"),
        ("Financial1.spc", None),
        ("hm_01.csv", None),
    ],
)
def test_volumes_are_known_by_their_files_names(file, name):
    assert msr.volume(Path(file)) == name
