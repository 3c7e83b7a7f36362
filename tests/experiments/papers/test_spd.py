"""The experiments of the SPD paper: workloads with Table 2's numbers, its device, and measures by hand."""

from fractions import Fraction

import numpy as np
import pytest

from experiments.papers import spd
from experiments.papers.spd import BASE, BUFFERS, FREE, GC, PAPER, TABLE_2
from experiments.study.paper import Given, Run
from support.studies import of, ours

WRITE_GB = (15.2, 20.5, 7.0, 14.6, 9.3, 56.5, 2.8, 13.6, 15.9, 5.8, 9.2)
"""Of Table 2, but for PRN_1, of which it has 10.9, more than its share of writes."""


@pytest.mark.parametrize(("name", "write_gb"), [*zip(TABLE_2, WRITE_GB, strict=True)])
def test_the_requests_make_up_the_volumes_of_table_2(name, write_gb):
    row = TABLE_2[name]
    assert row.requests * (1 - row.write_share) * row.read_kb / 2**20 == pytest.approx(row.read_gb)
    assert row.requests * row.write_share * row.write_kb / 2**20 == pytest.approx(write_gb, rel=0.025)


@pytest.fixture
def given(tmp_path, monkeypatch):
    """Traces of few requests: what is asked for is kept."""
    asked = []
    monkeypatch.setattr(
        spd, "made_once", lambda name, folder, chunks, config, *more: asked.append(config) or ["workload=trace"]
    )
    return Given(Fraction(1, 64), 1, tmp_path), asked


def test_a_run_is_a_part_of_the_trace_over_the_same_footprint_with_the_papers_buffer(given, tmp_path):
    small, asked = given
    whole = Given(Fraction(1), 1, tmp_path)
    for of_size in (small, whole):
        overrides = spd.overrides(Run(GC, "HM_0", "SPD"), of_size)
        assert f"buffer.size_mib={0.01 * 1.35 * 1024:.6f}" in overrides
    part, all_of_it = asked
    assert part.requests == round(TABLE_2["HM_0"].requests / 64)
    assert all_of_it.requests == round(TABLE_2["HM_0"].requests)
    # in bytes of a device of a 64th of the size
    assert part.footprint == pytest.approx(all_of_it.footprint * 64, rel=0.01)
    assert f"buffer.size_mib={256 * 2 * 4096 / 2**20:.6f}" in spd.overrides(Run(FREE, "PRXY_0", BASE), small)
    assert "buffer.size_mib=0.250000" in spd.overrides(Run(BUFFERS, "0.25", BASE), small)


def test_the_whole_device_is_that_of_table_1():
    hardware = spd.geometry(spd.BLOCKS)
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 512 * 2**30
    assert (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip) == (16, 8, 1)


def summary(write_us, collections, erased):
    """Return a result with a response time of writes, and collections whose writes take 200 us of 260."""
    cost = dict(zip(spd.GC_PARTS, (10.0, 200.0, 30.0, 20.0), strict=True))
    requests = {"write": {"count": 10, "response_us": {"mean": write_us}}, "read": {"count": 0, "response_us": {}}}
    gc = {"collections": collections, "cost_us": cost}
    return of({"requests": requests, "gc": gc, "flash": {"erases": {"gc": erased, "host": 0}}})


def test_what_the_paper_says_is_held_against_the_runs():
    results = {
        (GC, load, system): summary(us, collections=count, erased=erased)
        for load, fewer in (("HM_0", 50), ("PRN_1", 60))
        for system, us, count, erased in (
            ("Baseline-D", 1000.0, 100, 100),
            ("TwinBlk", 900.0, 80, 150),
            ("SPD", 700.0 + fewer, fewer, 2 * fewer),
        )
    }
    expected = {
        "fig13.baseline_d": (25 + 24) / 2,
        "fig13.prn_1": 24,
        "fig13.prn_1.least": -1,
        "fig13.all": 2,
        "fig16.spd.least": 40,
        "fig16.spd.most": 50,
        "fig16.twinblk": 20,
        "fig15.like.baseline_d": (200 + 100 / 0.6) / 2,
        "fig17.below.twinblk": 100 * (1 - 110 / 150),
        "fig17.most.twinblk": 50,
        "fig17.twinblk": 50,
    }
    assert {name: ours(PAPER, name, results) for name in expected} == pytest.approx(expected)
    assert np.isnan(ours(PAPER, "fig13.paragc", results)) and np.isnan(ours(PAPER, "fig13.slight", results))
