"""The experiments of the flexFTL paper: its device, its workloads' ratios, and measures by hand."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from experiments.papers import flexftl
from experiments.papers.flexftl import BLOCKS, DATA, FIGURES_PART, HELD, LOADS, PAPER, SYSTEMS
from experiments.study.paper import Given
from ssdsim.command.compose import composed
from ssdsim.workload import WRITE, open_workload
from support.studies import of, ours

SMALL = Given(Fraction(1, 8), 1, Path("nowhere"))
TABLE_1 = {"OLTP": (7, 3), "NTRX": (3, 7), "Webserver": (4, 1), "Varmail": (1, 1), "Fileserver": (1, 2)}


@pytest.mark.parametrize("name", LOADS)
def test_a_workload_has_the_ratio_of_table_1_and_writes_its_volume(name):
    on = tuple(flexftl.device(SMALL))
    volume, load = flexftl.written(name, on, 0.2)
    config = composed([*on, *load])
    hardware, reads, writes, pages = config.hardware, 0, 0, 0
    for chunk in open_workload(config.workload, hardware.capacity_bytes, hardware.page_bytes, config.seed).chunks():
        write = chunk.op == WRITE
        reads, writes = reads + int((~write).sum()), writes + int(write.sum())
        last = (chunk.offset_bytes + chunk.size_bytes - 1) // hardware.page_bytes
        pages += int((last - chunk.offset_bytes // hardware.page_bytes + 1)[write].sum())
    assert writes / (reads + writes) == pytest.approx(TABLE_1[name][1] / sum(TABLE_1[name]), abs=0.02)
    assert volume == round(0.2 * 64 * 256 * 32)
    assert pages == pytest.approx(volume, rel=0.05)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_whole_device_is_the_papers(system):
    hardware = composed(flexftl.device(Given(Fraction(1), 1, Path("nowhere")), system)).hardware
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 16 * 2**30
    assert (hardware.channels, hardware.chips_per_channel, hardware.planes) == (8, 4, 32)
    assert (hardware.program_us, hardware.read_us) == ([500.0, 2000.0], [40.0])


@pytest.mark.parametrize("blocks", [flexftl.FEWEST_BLOCKS, 64, BLOCKS])
@pytest.mark.parametrize("data", [DATA, 0.32, 0.75])
def test_all_systems_have_the_same_capacity_and_the_share_of_spare_blocks_of_the_whole_device(blocks, data):
    given = Given(Fraction(blocks, BLOCKS), 1, Path("nowhere"), options={"data": str(data)})
    capacities = set()
    for system, withheld in HELD.items():
        config = composed(flexftl.device(given, system))
        capacities.add(config.hardware.capacity_bytes)
        spare = config.hardware.blocks_per_plane - blocks * data - withheld
        assert spare == pytest.approx((BLOCKS * (1 - data) - withheld) * blocks / BLOCKS, abs=0.5)
        active = {"return_to_fast": config.ftl.return_to_fast_blocks, "two_phase": 2}.get(config.ftl.page_order, 1)
        backups = 0 if config.ftl.backup == "none" else 2
        assert withheld == config.ftl.gc.soft_threshold + active + backups
    assert capacities == {int(data * blocks * 256 + 1e-9) * 32 * 4096}


def result(iops, erased):
    """Return a result of which the second half of what is written has 4 s, `iops` and all erases."""
    columns = {
        "host_page_writes": [5, 5],
        "erases": [0, erased],
        "window_s": [6.0, 4.0],
        **{op: [7, 2 * iops] for op in ("reads", "writes")},
    }
    programs = {"host": 50, "gc": 30, "backup": erased}
    requests = {"read": {"count": 60}, "write": {"count": 40}}
    flash = {"erases": {"gc": erased - 4, "backup": 4}, "programs": programs}
    return of({"requests": requests, "simulated_s": 10.0, "flash": flash}, timeseries=pa.table(columns))


ALL = {"pageFTL": result(100, 40), "parityFTL": result(80, 50), "rtfFTL": result(50, 60), "flexFTL": result(110, 40)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fig8a.pageftl_largest", 10),
        ("fig8a.parityftl_mean", 100 * (110 / 80 - 1)),
        ("fig8a.rtfftl_largest", 120),
        ("fig8a.webserver", 10),
        ("fig8a.rtfftl_below", 50),
        ("fig8a.parityftl_intensive", 0),
        ("fig8b.parityftl_mean", 20),
        ("fig8b.rtfftl_largest", 100 / 3),
        ("fig8b.parityftl_pages", 100 * (1 - 120 / 130)),
    ],
)
def test_gains_by_hand(name, expected):
    results = {(FIGURES_PART, load, system): made for load in LOADS for system, made in ALL.items()}
    assert ours(PAPER, name, results) == pytest.approx(expected)
