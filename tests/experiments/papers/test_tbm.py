"""The experiments of the TBM paper: workloads with Table 1's numbers, measures by hand, and the command, tiny."""

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import experiments.papers.tbm.__main__ as command
from experiments.papers.tbm import measures, systems, workloads
from experiments.papers.tbm.measures import Course, Grid, course
from experiments.papers.tbm.systems import COMMON, SYSTEMS, WITH_TBM, WITHOUT_TBM
from experiments.papers.tbm.workloads import FOOTPRINT, ROUND, TABLE_1, Load, folded, recognised
from experiments.study.arrivals import FITTED
from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.workload import READ, WRITE
from support.tiny_stacks import configured

GIB = 2**30
SMALL = HardwareConfig(blocks_per_plane=16, pages_per_block=126, page_kib=8, over_provisioning=0.25)


def joined(chunks, *columns):
    chunks = list(chunks)
    return [np.concatenate([getattr(chunk, column) for chunk in chunks]) for column in columns]


def mean(sizes):
    return sum(size * share for size, share in sizes.items())


# Workloads.


@pytest.mark.parametrize("name", TABLE_1)
def test_sizes_make_up_the_means_of_table_1(name):
    row = TABLE_1[name]
    assert mean(row.read_sizes) == pytest.approx(row.read_kib, rel=1e-6)
    assert mean(row.write_sizes) == pytest.approx(row.write_kib, rel=1e-6)


@pytest.mark.parametrize("name", TABLE_1)
def test_a_synthetic_trace_has_the_numbers_of_its_row_and_writes_a_round(name):
    row = TABLE_1[name]
    pages = SMALL.planes * SMALL.pages_per_plane
    config = row.config(SMALL, FOOTPRINT / 2, ROUND)
    assert config.rate_iops == pytest.approx(1000 / row.gap_ms)
    assert config.levels == FITTED[row.piece].keys()["levels"]
    op, size, offset = joined(row.chunks(SMALL, FOOTPRINT / 2, ROUND, 3), "op", "size_bytes", "offset_bytes")
    write = op == WRITE
    # five standard errors, about
    assert write.mean() == pytest.approx(row.write_share, abs=2.5 / np.sqrt(len(op)))
    assert size[write].mean() == pytest.approx(row.write_kib * 1024, rel=8 / np.sqrt(write.sum()))
    assert size[~write].mean() == pytest.approx(row.read_kib * 1024, rel=8 / np.sqrt((~write).sum()))
    written = ((offset + size - 1) // 8192 - offset // 8192 + 1)[write].sum()
    assert written == pytest.approx(ROUND * pages, rel=0.05)
    assert (offset + size).max() <= SMALL.capacity_bytes / 2
    assert (offset % (row.align_kib * 1024) == 0).all()


def test_a_long_run_at_full_size_takes_no_more_time_than_can_be_simulated():
    whole = {"channels": 4, "chips_per_channel": 4, "blocks_per_plane": 2048, "pages_per_block": 256, "page_kib": 8}
    hardware = HardwareConfig(**whole, bits_per_cell=1, program_us=[1600.0])
    for row in TABLE_1.values():
        trace = row.config(hardware, FOOTPRINT, ROUND)
        assert trace.requests * 10 / ROUND / trace.rate_iops <= workloads.MOST_S * 1.001


def test_the_data_of_a_round_is_counted_in_pages(tmp_path):
    """Pages 0, 1 and 7 of 192 are written, one of them twice, then a read and more."""
    writes = [(0, "write", 4096, 8192), (1, "write", 0, 512), (2, "write", 7 * 8192, 512), (3, "read", 9 * 8192, 512)]
    write_csv(tmp_path / "it.csv", [*writes, (4, "write", 11 * 8192, 512)])
    device = ["hardware.blocks_per_plane=32", "hardware.pages_per_block=6", "hardware.page_kib=8"]
    device += [f"hardware.{level}=1" for level in ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")]
    load = Load("real", [*device, "workload=trace", f"workload.path={tmp_path / 'it.csv'}"], 1.0)
    assert workloads.valid_share(load, 4 / 192) == 3 / 192


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("prn_0.csv.gz", "prn-0"),
        ("prn-1.csv", "prn-1"),
        ("proj_0.csv", "prj-0"),
        ("Financial1.spc", "fin1"),
        ("fin1.trace", "fin1"),
        ("Exchange-Server.csv", "exch"),
        ("TPCE.csv.zst", "tpce"),
        ("postmark.disksim", "post"),
        ("proj_3.csv", None),
        ("other.csv", None),
    ],
)
def test_whole_traces_are_known_by_their_names(file, name):
    assert recognised(Path(file)) == name


def write_csv(path, rows):
    lines = [f"{at},{op},{offset},{size}" for at, op, offset, size in rows]
    path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *lines]))


def test_a_real_trace_is_moved_together_and_folded(tmp_path):
    """Six pages are touched, far apart; on four, the last two lie where the first two do."""
    page, far = 8192, 2**33
    places = [0, far, far + page, 3 * far, 5 * far, 5 * far + page]
    write_csv(tmp_path / "it.csv", [(1000 * at, "write", place, 4096) for at, place in enumerate(places)])
    (chunk,) = folded(tmp_path / "it.csv", page, page_count=4, written=100)
    assert chunk.offset_bytes.tolist() == [0, page, 2 * page, 3 * page, 0, page]
    assert chunk.arrival_ns.tolist() == [0, 1000, 2000, 3000, 4000, 5000]
    assert chunk.size_bytes.tolist() == [4096] * 6


def test_a_real_trace_is_taken_until_enough_is_written(tmp_path):
    """Requests of two pages, every third a read: the third write is where six pages have been written."""
    rows = [(at, "read" if at % 3 == 2 else "write", 16384 * at, 16384) for at in range(12)]
    write_csv(tmp_path / "it.csv", rows)
    (op,) = joined(folded(tmp_path / "it.csv", 8192, page_count=100, written=6), "op")
    assert op.tolist() == [WRITE, WRITE, READ, WRITE]


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tmp_path):
    device = ["hardware.blocks_per_plane=24", "hardware.pages_per_block=12", "hardware.over_provisioning=0.3"]
    hardware = workloads.geometry(device)
    pages = hardware.planes * hardware.pages_per_plane
    write_csv(tmp_path / "proj_0.csv", [(1000 * at, "write", 4096 * (at % 50), 4096) for at in range(pages // 2)])
    files = workloads.real_files(tmp_path)
    load = workloads.real("prj-0", files["prj-0"], device, tmp_path / "made")
    assert (load.kind, load.written) == ("real", pytest.approx(0.5, abs=0.01))
    config = configured(*load.until(10))
    assert config.workload.repeat == 20
    assert Path(config.workload.path).parent == tmp_path / "made"


@pytest.mark.parametrize(("volume", "repeat"), [(2.5, 1), (10, 4), (10.1, 5), (1, 1)])
def test_a_workload_is_repeated_until_enough_is_written(volume, repeat):
    assert Load("synthetic", [], 2.5).until(volume) == [f"workload.repeat={repeat}"]


# Systems.


def test_the_whole_device_is_that_of_table_1():
    config = configured(*systems.device(Fraction(1)), *COMMON, *SYSTEMS["F"])
    hardware = config.hardware
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 256 * GIB
    assert hardware.capacity_bytes == 240 * GIB
    assert (hardware.read_us, hardware.program_us, hardware.erase_us) == ([75.0], [1600.0], 5000.0)
    assert hardware.bus_ns_per_byte == 5
    assert config.host.queue_depth == 32
    assert config.ftl.gc.hard_threshold == config.ftl.gc.soft_threshold == 0.02


@pytest.mark.parametrize("parts", [256, 2])
@pytest.mark.parametrize("system", {**WITHOUT_TBM, **WITH_TBM, **SYSTEMS}.items(), ids=lambda system: system[0])
def test_every_system_fits_devices_of_any_size_and_is_what_its_name_says(system, parts):
    name, overrides = system
    config = configured(*systems.device(Fraction(1, parts)), *COMMON, *overrides)
    hardware = config.hardware
    assert hardware.blocks_per_plane * hardware.pages_per_block * parts == 2048 * 256
    assert hardware.capacity_bytes * parts == 240 * GIB
    assert hardware.erase_us / hardware.pages_per_block == pytest.approx(5000 / 256)
    assert config.ftl.gc.soft_threshold == 0.02
    assert (config.ftl.plane_allocation_at, config.ftl.free_blocks) == ("dispatch", "next")
    assert config.ftl.gc.joins == "same_page"
    assert config.ftl.plane_allocation == name.partition("+")[0].lower()
    assert config.ftl.bac == ("BAC" in name)
    assert (config.ftl.unit == "twin") == ("TBM" in name)
    assert (config.ftl.moves == "rows") == ("TBM" in name)
    assert (config.ftl.gc.victim, config.ftl.active_blocks, config.scheduler.policy) == ("rga", "shared", "paq")
    assert config.buffer.replacement == "none"


# Measures.


def series(**columns):
    """Return four windows of a second, on which a run with 100 pages of device wrote 50, 50, 100 and 100 pages."""
    given = {
        "reads": [0, 10, 10, 0],
        "writes": [20, 10, 10, 20],
        "read_response_us": [None, 100.0, 300.0, None],
        "write_response_us": [1000.0, 1000.0, 2000.0, 3000.0],
        "host_page_writes": [50, 50, 100, 100],
        "gc_page_moves": [0, 0, 40, 60],
        "gc_collections": [0, 0, 1, 4],
        "queue_depth": [None, 2.0, 1.0, 32.0],
        "host_programs": [50, 50, 100, 100],
        "host_programs_joined": [40, 40, 20, 10],
        "host_reads": [0, 10, 10, 0],
        "host_reads_joined": [0, 5, 0, 0],
        **columns,
    }
    return pa.table({"time_s": [0.0, 1.0, 2.0, 3.0], "window_s": [1.0] * 4, **given})


def run(moves=100, collections=5, erases=5, **columns):
    summary = {
        "gc": {"collections": collections, "page_moves": moves},
        "flash": {"erases": {"host": 0, "gc": erases}},
    }
    return Result(summary, None, {"timeseries": series(**columns)})


def test_a_course_is_summed_between_volumes():
    made = course(run(), pages=100)
    assert made.volume.tolist() == [0.5, 1, 2, 3]
    assert made.between(0, 1) == {
        "response_ms": pytest.approx((20 * 1 + 10 * 0.1 + 10 * 1) / 40),
        "queued_ms": pytest.approx(1000 * 2 / 40),
        "iops": 20,
        "collections per 1000 pages": 0,
        "multi-plane write %": pytest.approx(80),
        "multi-plane read %": pytest.approx(50),
    }
    late = made.between(2)
    assert (late["response_ms"], late["multi-plane write %"], late["multi-plane read %"]) == (3, 10, None)
    assert late["collections per 1000 pages"] == 40


def test_time_without_requests_counts():
    """Windows in which nothing was done have no row."""
    table = series().set_column(0, "time_s", pa.array([0.0, 1.0, 5.0, 6.0]))
    assert course(Result({}, None, {"timeseries": table}), 100).between(1, 2)["iops"] == 20 / 4


def test_points_lie_in_the_middle_of_their_steps():
    points = course(run(), pages=100).points(1)
    assert [point["volume"] for point in points] == [0.5, 1.5, 2.5]
    assert [point["multi-plane write %"] for point in points] == [80, 20, 10]


def grid(**late_ms):
    """Return a grid of one workload in which systems have such response times after a volume of 1.25."""
    runs = {
        f"fin1/{name}": run(
            reads=[0] * 4,
            read_response_us=[None] * 4,
            write_response_us=[0.0, 0.0, 1000 * ms, 1000 * ms],
            writes=[20, 20, 300 / ms, 300 / ms],
            queue_depth=[32.0] * 4,
        )
        for name, ms in late_ms.items()
    }
    return Grid(runs, runs, {"fin1": Load("synthetic", [], 2.5)}, 100)


def test_gains_are_those_of_the_long_run_over_the_system_without_tbm():
    made = grid(**{"F": 4, "D": 5, "F+TBM": 3, "D+TBM": 6, "F2+TBM": 2})
    assert made.gain("fin1", "F+TBM", "response") == pytest.approx(25)
    assert made.gain("fin1", "D+TBM", "response") == pytest.approx(-20)
    assert made.gain("fin1", "F2+TBM", "iops") == pytest.approx(100)
    assert made.gain("fin1", "F2+TBM", "saturated") == pytest.approx(50)
    assert made.largest_gain("F2+TBM", "response") == pytest.approx(50)
    verdicts = {each.what: each.verdict for each in measures.gain_comparisons(made)}
    largest = "response time at the trace's times, lowered by, largest of all workloads"
    assert verdicts[f"F2+TBM, {largest}"] == "agrees"
    assert verdicts[f"F+TBM, {largest}"] == "**beyond the bound**"
    assert verdicts["F2, IOPS, saturated, over F's, most of all workloads (the same)"] == "not measured"
    assert verdicts["D+TBM under prn-1, IOPS, saturated, raised by (-10 to -1)"] == "not measured"
    assert "off" in verdicts["D+TBM under fin1, response time at the trace's times, lowered by (-10 to -1)"]


def test_the_cost_of_a_collection_is_told_by_collection_and_by_block():
    made = grid(F=4)
    assert made.long_term("fin1", "F")["moves a collection"] == 20
    pairs = run(moves=100, collections=5, erases=10)
    made = Grid({"a/F": pairs}, {"a/F": pairs}, {}, 100)
    assert (made.long_term("a", "F")["moves a collection"], made.long_term("a", "F")["moves a block"]) == (20, 10)


def long_run(early, late, ms=1.0):
    """Return a course whose share of multi-plane writes is `early` at first and `late` in the end."""
    sums = dict.fromkeys([*measures.SUMS, *(name for pair in measures.JOINED.values() for name in pair)], np.zeros(2))
    sums |= {
        "queued_s": np.zeros(2),
        "writes": np.ones(2),
        "response_us": np.full(2, 1000 * ms),
        "window_s": np.ones(2),
        "host_programs": np.full(2, 100.0),
        "host_programs_joined": np.array([early, late]),
    }
    return Course(np.array([0.5, 10.0]), sums)


def test_the_long_run_is_held_against_the_paper():
    runs = {name: long_run(80, 79) for name in (*WITHOUT_TBM, *WITH_TBM)}
    runs |= {"D+BAC": long_run(80, 8, ms=1.02), "F+BAC": long_run(80, 8, ms=2)}
    lost, kept, early, late, *bac = measures.long_run_comparisons(runs)
    assert (lost.ours, lost.verdict) == (pytest.approx(90), "agrees")
    assert (kept.ours, kept.verdict) == (pytest.approx(1.25), "agrees")
    assert (early.ours, early.verdict) == (pytest.approx(49), "agrees")
    assert "off" in late.verdict
    assert [each.agrees for each in bac] == [True, False, True]


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 8 planes of 384 pages, one of each that is varied, and no real traces."""
    geometry = {"channels": 1, "chips_per_channel": 2, "blocks_per_plane": 16, "pages_per_block": 24}
    device = [*systems.device(Fraction(1, 256)), *(f"hardware.{key}={value}" for key, value in geometry.items())]
    device += ["hardware.over_provisioning=0.25", *(f"ftl.gc.{each}_threshold=0.13" for each in ("soft", "hard"))]
    monkeypatch.setattr(command, "device", lambda scale: device)
    monkeypatch.setattr(command, "VARIANTS", {"planes at admission": systems.VARIANTS["planes at admission"]})
    monkeypatch.setattr(command, "ARRIVALS", [workloads.POISSON])
    monkeypatch.setattr(command, "SPEEDUPS", [10])
    monkeypatch.setattr("experiments.papers.tbm.report.SPEEDUPS", [10])
    monkeypatch.setattr(command, "FOOTPRINTS", [0.25])
    monkeypatch.setattr(workloads, "PIECES", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    return ["--folder", "out", "--jobs", "1", "--only", "prj-0", "--seeds", "1"]


@pytest.mark.more
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    titles = (
        "at other speeds",
        "with other data",
        "with other arrivals",
        "by other rules",
        "at the paper's size",
    )
    for title in ("Fig. 2: ", "Fig. 6: ", "Fig. 7: ", *(f"prj-0 {each}" for each in titles)):
        assert f"## {title}" in text
    tables = {"fig02", "fig06", "fig07", "speeds", "footprints", "variants", "arrivals", "sizes"}
    assert {path.stem for path in folder.glob("*.csv")} == tables
    assert {path.stem for path in folder.glob("*.png")} == {"fig02", "fig06", "fig07"}
    with (folder / "fig02.csv").open() as file:
        points = Counter(row["system"] for row in csv.DictReader(file))
    assert set(points) == set(WITHOUT_TBM)
    assert min(points.values()) >= 40
    assert capsys.readouterr().out == "out/report.md\n"


def test_every_measure_that_is_drawn_is_one_of_a_course():
    assert set(measures.PANELS) < set(course(run(), 100).between(0))


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--only", "prj0"], "did you mean 'prj-0'"), (["--scale", "1/400"], "1/256"), (["--traces", "none"], "none")],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
