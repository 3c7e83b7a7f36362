"""The experiments of the PA-SSD paper: workloads with Table 2's numbers, its device, and measures by hand."""

from fractions import Fraction

import numpy as np
import pytest

from experiments.papers import _traces, pa_ssd
from experiments.papers._traces import FITTED
from experiments.papers.pa_ssd import COMMON, MAIN, PAPER, SYSTEMS, TABLE_2
from ssdsim.workload import WRITE
from support.studies import of, ours
from support.tiny_stacks import configured

GIB = 2**30


@pytest.mark.parametrize("name", TABLE_2)
def test_sizes_make_up_the_means_and_the_large_writes_of_table_2(name):
    row = TABLE_2[name]
    for sizes, gib, share in zip(
        row.sizes, (row.read_gib, row.write_gib), (1 - row.write_share, row.write_share), strict=True
    ):
        assert sum(sizes.values()) == pytest.approx(1, abs=1e-12)
        moved = row.requests * share * sum(size * part for size, part in sizes.items()) * 1024
        assert moved == pytest.approx(gib * GIB, rel=1e-9)
    large = sum(share for size, share in row.sizes[1].items() if size > pa_ssd.PAGE_KIB)
    assert large == pytest.approx(row.large_share, abs=1e-12)


@pytest.mark.parametrize("name", ["tFin", "tExch"])
def test_a_synthetic_trace_has_the_numbers_of_its_row(name):
    row, scale = TABLE_2[name], Fraction(1, 96)
    capacity = pa_ssd.capacity_bytes(scale)
    chunks = [*_traces.requests(row.config(scale, 9.0), *row.sizes, capacity, 8192, 3)]
    op, size, offset, time = (
        np.concatenate([getattr(chunk, column) for chunk in chunks])
        for column in ("op", "size_bytes", "offset_bytes", "arrival_ns")
    )
    count = round(row.requests * scale)
    assert len(op) == count
    write = op == WRITE
    # five standard errors of a share, about
    assert write.mean() == pytest.approx(row.write_share, abs=2.5 / np.sqrt(count))
    assert (offset % 4096 == 0).all()
    pages = (offset + size - 1) // 8192 - offset // 8192 + 1
    assert (pages[write] > 1).mean() == pytest.approx(row.large_share, abs=2.5 / np.sqrt(write.sum()))
    moved = (row.read_gib + row.write_gib) * GIB * float(scale)
    assert (offset + size).max() <= min(moved / 3, capacity / 4)
    rate = row.requests / (row.hours * 3600)
    assert count / (time[-1] / 1e9) == pytest.approx(rate, rel=0.6)  # of few rushes


def test_rushes_are_as_fitted_or_keep_the_device_so_busy():
    """A page takes 8.3 ms / 3 and 24.576 us on the bus, on 16 chips; tMSFS alone would have more than 0.6 of that."""
    most, changed = 0.6 * 16e6 / (8300 / 3 + 24.576), []
    for name, row in TABLE_2.items():
        (rush, *bursts), (fitted, *others) = row.arrivals(0.6)["write_levels"], FITTED[row.piece]["write_levels"]
        pages = sum(share * -(-size // 8) for size, share in row.sizes[1].items())
        rate = row.requests * row.write_share * pages / (row.hours * 3600)
        assert bursts == others and (rush["length_s"] < 1 or rate * rush["traffic"] / rush["share"] <= most * 1.000001)
        changed += [name] * (rush != fitted)
    assert changed == ["tMSFS"]


def test_the_whole_device_is_that_of_table_1():
    config = configured(*pa_ssd.device(Fraction(1)), *COMMON)
    hardware, gc = config.hardware, config.ftl.gc
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 288 * GIB
    assert (hardware.planes_per_die, hardware.over_provisioning) == (16, 0.15)
    assert (gc.trigger, gc.soft_threshold, config.precondition.fill_share) == ("free_pages", 0.3, 0.7)
    assert hardware.pages_per_block // hardware.page_types == pa_ssd.LSB_A_BLOCK


def test_the_systems_are_what_their_names_say():
    configs = {name: configured(*SYSTEMS[name]) for name in ("baseline", "sQD+sUB", "sQD+sUB+PAS", "sLF")}
    assert (configs["baseline"].ftl.page_type, configs["baseline"].ftl.active_blocks) == ([], "shared")
    assert configs["sQD+sUB"].ftl.page_type == ["queue_depth", "utilization"]
    assert not configs["sQD+sUB"].scheduler.page_type_aware
    assert configs["sQD+sUB+PAS"] == configured("stack=pa_ssd")
    assert configs["sLF"].ftl.page_type == ["lsb_first"]


def result(write_us):
    """Return a result with a write response time."""
    write = {"count": 10, "response_us": {"mean": write_us, "std": write_us}}
    return of({"requests": {"write": write, "read": {"count": 0, "response_us": {}}}})


def under(*loads, **by_system):
    """Return the results of systems under loads, the baseline's 2000 us if it is not given."""
    found = {"baseline": result(2000.0)} | {name.replace("_", "+"): made for name, made in by_system.items()}
    return {(MAIN, load, system): made for load in loads for system, made in found.items()}


def test_reductions_are_averaged_over_all_workloads_or_none():
    results = under(*TABLE_2, sU=result(1000.0)) | under("tBS", sU=result(2200.0))
    assert ours(PAPER, "fig13a.su", results) == pytest.approx((7 * 50 - 10) / 8)
    assert np.isnan(ours(PAPER, "fig13b.su", results))
    del results[MAIN, "tBS", "sU"]
    assert np.isnan(ours(PAPER, "fig13a.su", results))
    assert ours(PAPER, "fig13a.sqd_su", under(*TABLE_2, sQD_sU=result(500.0))) == pytest.approx(75)
