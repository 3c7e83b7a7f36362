"""The experiments of the TBM paper: its device, workloads with Table 1's numbers, and measures by hand."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from experiments.papers import _traces, tbm
from experiments.papers._traces import FITTED
from experiments.papers.tbm import COMMON, PAPER, SATURATED, SPARE, SYSTEMS, TABLE_1, TIMELY
from ssdsim.config import HardwareConfig
from ssdsim.workload import WRITE
from support.studies import of, ours
from support.tiny_stacks import configured

GIB = 2**30
SMALL = HardwareConfig(blocks_per_plane=16, pages_per_block=126, page_kib=8, over_provisioning=0.25)
READ_KIB = {"tpce": 8, "prn-0": 22.9, "prn-1": 22.5, "exch": 16.8, "fin1": 2.3, "prj-0": 17.9}


def mean(sizes):
    return sum(size * share for size, share in sizes.items())


@pytest.mark.parametrize("name", TABLE_1)
def test_a_synthetic_trace_has_the_numbers_of_its_row_and_writes_a_round(name):
    row = TABLE_1[name]
    assert mean(row.read_sizes) == pytest.approx(READ_KIB[name], rel=1e-6)
    assert mean(row.write_sizes) == pytest.approx(row.write_kib, rel=1e-6)
    config = row.config(SMALL, (1 - SPARE) / 2, 2.0)
    assert config.rate_iops == pytest.approx(1000 / row.gap_ms)
    assert config.levels == FITTED[row.piece]["levels"]
    chunks = [*_traces.requests(config, row.read_sizes, row.write_sizes, SMALL.capacity_bytes, 4096, 3)]
    op, size, offset = (
        np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("op", "size_bytes", "offset_bytes")
    )
    write = op == WRITE
    # five standard errors, about
    assert write.mean() == pytest.approx(row.write_share, abs=2.5 / np.sqrt(len(op)))
    assert size[write].mean() == pytest.approx(row.write_kib * 1024, rel=8 / np.sqrt(write.sum()))
    written = ((offset + size - 1) // 8192 - offset // 8192 + 1)[write].sum()
    assert written == pytest.approx(2 * SMALL.planes * SMALL.pages_per_plane, rel=0.05)
    assert (offset + size).max() <= SMALL.capacity_bytes / 2
    assert (offset % (row.align_kib * 1024) == 0).all()


@pytest.mark.parametrize("parts", [256, 2, 1])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_fits_devices_of_any_size_and_is_what_its_name_says(system, parts):
    config = configured(*COMMON, *SYSTEMS[system], *tbm.device(Fraction(1, parts)))
    hardware, ftl = config.hardware, config.ftl
    assert hardware.blocks_per_plane * hardware.pages_per_block * parts == 2048 * 256
    assert hardware.capacity_bytes * parts == 240 * GIB and config.host.queue_depth == 32
    assert hardware.erase_us / hardware.pages_per_block == pytest.approx(5000 / 256)
    assert ftl.gc.soft_threshold == ftl.gc.hard_threshold == 0.02
    assert (ftl.plane_allocation_at, ftl.free_blocks, ftl.gc.joins) == ("dispatch", "next", "same_page")
    assert ftl.plane_allocation == system.partition("+")[0].lower()
    assert (ftl.bac, ftl.unit == "twin", ftl.moves == "rows") == ("BAC" in system, "TBM" in system, "TBM" in system)
    assert (ftl.gc.victim, ftl.active_blocks, config.scheduler.policy) == ("rga", "shared", "paq")


@pytest.fixture(autouse=True)
def hundred_pages(monkeypatch):
    """Have devices of results of 100 pages, on which four windows of a second write 50, 50, 100 and 100 pages."""
    config = SimpleNamespace(hardware=SimpleNamespace(planes=1, pages_per_plane=100))
    monkeypatch.setattr(tbm, "config_of", lambda folder: config)


def run(**columns):
    given = {
        "reads": [0, 10, 10, 0],
        "writes": [20, 10, 10, 20],
        "read_response_us": [None, 100.0, 300.0, None],
        "write_response_us": [1000.0, 1000.0, 2000.0, 3000.0],
        "host_page_writes": [50, 50, 100, 100],
        "gc_collections": [0, 0, 1, 4],
        "queue_depth": [None, 2.0, 1.0, 32.0],
        "host_programs": [50, 50, 100, 100],
        "host_programs_joined": [40, 40, 20, 10],
        "host_reads": [0, 10, 10, 0],
        "host_reads_joined": [0, 5, 0, 0],
        "time_s": [0.0, 1.0, 2.0, 3.0],
        "window_s": [1.0] * 4,
        **columns,
    }
    summary = {"gc": {"page_moves": 100}, "flash": {"erases": {"host": 0, "gc": 5}}}
    return of({**summary, "multi_plane": {"erase_share": 0.25}}, timeseries=pa.table(given))


def served(ms):
    """Return a run that serves requests in so many ms after a volume of 1.25, 32 at a time."""
    count = int(300 / ms)
    times = {"read_response_us": [None] * 4, "write_response_us": [0.0, 0.0, 1000 * ms, 1000 * ms]}
    return run(reads=[0] * 4, writes=[20, 20, count, count], queue_depth=[32.0] * 4, **times)


GAINED = {"F": 4, "D": 5, "F+TBM": 3, "D+TBM": 6, "F2+TBM": 2, "F2": 5}


@pytest.mark.parametrize(("part", "kind"), [(SATURATED, "iops"), (TIMELY, "response")])
def test_gains_are_those_of_the_long_run_over_the_system_without_tbm(part, kind):
    results = {(part, load, system): served(ms) for load in ("fin1", "prn-1") for system, ms in GAINED.items()}
    results[part, "prn-1", "F+TBM"] = served(5)
    expected = {
        "iops": {"f_tbm": 4 / 3, "f2_tbm": 4 / 2, "d_tbm": 5 / 6, "always": 4 / 5, "fin1": 5 / 6, "prn_1": 5 / 6},
        "response": {"f_tbm": 1.25, "f2_tbm": 1.5, "d_tbm": 0.8, "always": 0.75, "fin1": 0.8, "prn_1": 0.8},
    }[kind]
    for name, times in expected.items():
        assert ours(PAPER, f"fig7.{name}_{kind}", results) == pytest.approx(100 * (times - 1))
    if kind == "iops":
        assert ours(PAPER, "fig7.f2_like_f", results) == pytest.approx(-20)
        assert np.isnan(ours(PAPER, "fig7.prn_0_iops", results))
