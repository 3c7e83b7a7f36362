"""The experiments of the TBM paper: workloads with Table 1's numbers, measures by hand, and the command, tiny."""

import csv
from argparse import Namespace
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import experiments.papers.tbm.__main__ as command
from experiments.papers.tbm import choices, claims, measures, parts, sections, systems, workloads
from experiments.papers.tbm.claims import CLAIMS, PartRuns
from experiments.papers.tbm.measures import EARLY, LATE, course
from experiments.papers.tbm.systems import COMMON, SYSTEMS, WITH_TBM, WITHOUT_TBM
from experiments.papers.tbm.workloads import FOOTPRINT, ROUND, TABLE_1, Load, recognised, together
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


def test_the_pages_of_a_real_trace_are_moved_together(tmp_path):
    page, far = 8192, 2**33
    places = [0, far, far + page, 3 * far, 5 * far, 5 * far + page, far]
    write_csv(tmp_path / "it.csv", [(1000 * at, "write", place, 4096) for at, place in enumerate(places)])
    (chunk,) = together(tmp_path / "it.csv", page, written=100)
    assert chunk.offset_bytes.tolist() == [at * page for at in (0, 1, 2, 3, 4, 5, 1)]
    assert chunk.arrival_ns.tolist() == [1000 * at for at in range(7)]
    assert chunk.size_bytes.tolist() == [4096] * 7


def test_a_real_trace_is_taken_until_enough_is_written(tmp_path):
    """Requests of two pages, every third a read: the third write is where six pages have been written."""
    rows = [(at, "read" if at % 3 == 2 else "write", 16384 * at, 16384) for at in range(12)]
    write_csv(tmp_path / "it.csv", rows)
    (op,) = joined(together(tmp_path / "it.csv", 8192, written=6), "op")
    assert op.tolist() == [WRITE, WRITE, READ, WRITE]


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tmp_path):
    """The scaled device has 131,072 pages; half of them are written, to 50 places."""
    write_csv(tmp_path / "proj_0.csv", [(1000 * at, "write", 4096 * (at % 50), 4096) for at in range(65536)])
    files = workloads.real_files(tmp_path)
    load = workloads.real("prj-0", files["prj-0"], Fraction(1, 256), tmp_path / "made")
    assert (load.kind, load.written, load.pages) == ("real", 0.5, 131072)
    config = configured(*load.until(10))
    assert config.workload.repeat == 20
    assert Path(config.workload.path).parent == tmp_path / "made"


def test_a_device_holds_what_a_real_trace_touches(tmp_path):
    """200,000 pages, which may fill three quarters of what the user has: 15/16 of 64 planes of blocks of 16 pages."""
    write_csv(tmp_path / "proj_0.csv", [(0, "write", 8192 * at, 8192) for at in range(200_000)])
    load = workloads.real("prj-0", tmp_path / "proj_0.csv", Fraction(1, 256), tmp_path / "made")
    blocks = -(-200_000 * 4 * 16 // (3 * 15 * 64 * 16))
    hardware = configured(*load.overrides).hardware
    assert (hardware.blocks_per_plane, hardware.pages_per_block) == (blocks, 16)
    assert load.pages == blocks * 64 * 16
    assert load.written == pytest.approx(200_000 / load.pages)


@pytest.mark.parametrize(("volume", "repeat"), [(2.5, 1), (10, 4), (10.1, 5), (1, 1)])
def test_a_workload_is_repeated_until_enough_is_written(volume, repeat):
    assert Load("synthetic", [], 2.5, 100).until(volume) == [f"workload.repeat={repeat}"]


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


def run(moves=100, erases=5, **columns):
    summary = {
        "gc": {"page_moves": moves},
        "flash": {"erases": {"host": 0, "gc": erases}},
        "multi_plane": {"erase_share": 0.25},
    }
    return Result(summary, None, {"timeseries": series(**columns)})


def test_a_course_is_summed_between_volumes():
    made = course(run(), pages=100)
    assert made.volume.tolist() == [0.5, 1, 2, 3]
    assert made.between((0, 1)) == {
        "response_ms": pytest.approx((20 * 1 + 10 * 0.1 + 10 * 1) / 40),
        "queued_ms": pytest.approx(1000 * 2 / 40),
        "iops": 20,
        "collections per 1000 pages": 0,
        "multi-plane write %": pytest.approx(80),
        "multi-plane read %": pytest.approx(50),
    }
    late = made.between((2, np.inf))
    assert (late["response_ms"], late["multi-plane write %"], late["multi-plane read %"]) == (3, 10, None)
    assert late["collections per 1000 pages"] == 40
    assert made.first_collection == 2


def test_time_without_requests_counts():
    """Windows in which nothing was done have no row."""
    table = series().set_column(0, "time_s", pa.array([0.0, 1.0, 5.0, 6.0]))
    assert course(Result({}, None, {"timeseries": table}), 100).between((1, 2))["iops"] == 20 / 4


def test_points_lie_in_the_middle_of_their_steps():
    points = course(run(), pages=100).points(1)
    assert [point["volume"] for point in points] == [0.5, 1.5, 2.5]
    assert [point["multi-plane write %"] for point in points] == [80, 20, 10]


def test_every_measure_that_is_drawn_is_one_of_a_course():
    assert set(measures.PANELS) < set(course(run(), 100).between(EARLY))


# Claims.


def served(ms, **of):
    """Return a run that serves requests in so many ms after a volume of 1.25, 32 at a time."""
    return run(
        reads=[0] * 4,
        read_response_us=[None] * 4,
        write_response_us=[0.0, 0.0, 1000 * ms, 1000 * ms],
        writes=[20, 20, 300 / ms, 300 / ms],
        queue_depth=[32.0] * 4,
        **of,
    )


def ours(results, part, pages=100):
    """Return what each claim measures where one part was run."""
    found = claims.held(dict.fromkeys(["fin1", "prn-1", "prn-0", "prj-0"], pages))
    return {name: measured(each, {part: results}) for name, each in found.items()}


def measured(each, results):
    try:
        return each(results)
    except KeyError:
        return None


GAINED = {"F": 4, "D": 5, "F+TBM": 3, "D+TBM": 6, "F2+TBM": 2, "F2": 5}


@pytest.mark.parametrize(("part", "kind"), [(claims.SATURATED, "iops"), (claims.TIMELY, "response")])
def test_gains_are_those_of_the_long_run_over_the_system_without_tbm(part, kind):
    results = {f"{name}/{system}": served(ms) for name in ("fin1", "prn-1") for system, ms in GAINED.items()}
    results["prn-1/F+TBM"] = served(5)
    found = ours(results, part)
    expected = {
        "iops": {"f_tbm": 4 / 3, "f2_tbm": 4 / 2, "d_tbm": 5 / 6, "always": 4 / 5, "fin1": 5 / 6, "prn_1": 5 / 6},
        "response": {"f_tbm": 1.25, "f2_tbm": 1.5, "d_tbm": 0.8, "always": 0.75, "fin1": 0.8, "prn_1": 0.8},
    }[kind]
    for name, times in expected.items():
        assert found[f"fig7.{name}_{kind}"] == pytest.approx(100 * (times - 1))
    if kind == "iops":
        assert found["fig7.f2_like_f"] == pytest.approx(-20)
        assert found["fig7.prn_0_iops"] is None


def test_moves_and_joined_writes_are_held_against_those_without_tbm():
    """Of the 200 programs after a volume of 1.25, 30 are joined; D+TBM has 60 joined."""
    results = {f"prn-0/{system}": served(4) for system in ("F", "D", "F+TBM")}
    results["prn-0/D+TBM"] = served(4, moves=120, host_programs_joined=[40, 40, 40, 20], gc_collections=[0, 0, 1, 1])
    found = ours(results, claims.SATURATED)
    assert found["fig7.moves"] == found["fig7.prn_0_moves"] == pytest.approx(20)
    assert (found["fig7.d_tbm_writes"], found["fig7.f_tbm_writes"]) == (pytest.approx(15), 0)
    assert found["fig7.prn_0_collections"] == pytest.approx(60)


def long_run(early, late, ms=(1.0, 1.0)):
    """Return a run whose multi-plane writes are `early` percent at first and `late` in the end."""
    return run(
        host_page_writes=[0, 50, 700, 250],
        host_programs=[0, 100, 100, 100],
        host_programs_joined=[0, early, early, late],
        reads=[0] * 4,
        writes=[0, 1000, 1000, 1000],
        write_response_us=[0.0, 1000 * ms[0], 0.0, 1000 * ms[1]],
        queue_depth=[None, ms[0], 1.0, ms[1]],
    )


def test_the_long_run_is_measured_early_and_late():
    results = {f"prj-0/{name}": long_run(80, 79) for name in (*WITHOUT_TBM, *WITH_TBM)}
    results |= {"prj-0/D+BAC": long_run(80, 8, ms=(1, 3)), "prj-0/F+BAC": long_run(80, 8, ms=(2, 4))}
    found = ours(results, claims.LONG)
    told = {
        "fig2.early_bac": 50,
        "fig2.late_bac": 25,
        "fig2.rise_d_bac": 200,
        "fig2.rise_f_bac": 100,
        "fig2.rise_more_bac": 100,
        "fig2.writes_d_bac": 90,
        "fig2.bac_d": 100 * (1 - 1 / 3),
        "fig3.bac": 0,
        "fig5.erases": 25,
        "fig6.writes_d": 1.25,
        "fig2.start": 7.5,
    }
    assert {name: found[name] for name in told} == pytest.approx(told)
    arrived = claims.long_responses({"prj-0": 100}, measures.ARRIVED)
    assert arrived["fig2.rise_d_bac"]({claims.LONG: results}) == pytest.approx(200)


def test_every_claim_is_measured_or_left_out():
    names = [claim.name for claim in CLAIMS]
    assert len({*names}) == len(names)
    assert {claim.name for claim in CLAIMS if not claim.left_out} == set(claims.held({}))


def test_a_run_that_there_is_not_measures_nothing():
    assert set(ours({}, claims.SATURATED).values()) == {None}
    assert PartRuns("part", {}).figure("iops", "fin1", "F", LATE)({"part": {}}) is None


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 8 planes of 384 pages, two choices, and no real traces."""
    geometry = {"channels": 1, "chips_per_channel": 2, "blocks_per_plane": 16, "pages_per_block": 24}
    device = [*systems.device(Fraction(1, 256)), *(f"hardware.{key}={value}" for key, value in geometry.items())]
    device += ["hardware.over_provisioning=0.25", *(f"ftl.gc.{each}_threshold=0.13" for each in ("soft", "hard"))]
    for module in (command, choices, parts, sections):
        monkeypatch.setattr(module, "device", lambda scale: device)
    few = {"Load of Figs. 2 and 6", "Times of requests"}
    monkeypatch.setattr(command, "choices", lambda *given: [c for c in choices.choices(*given) if c.name in few])
    monkeypatch.setattr(workloads, "PIECES", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    return ["--folder", "out", "--jobs", "1", "--workloads", "prj-0", "--seeds", "1"]


@pytest.mark.more  # the commands of SPD and flexFTL are run as a whole
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main([*tiny, "--full", "--results", "stored.md"]) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    titles = ["Fig. 2: ", "Fig. 6: ", "Fig. 7: ", "All claims", "What the paper leaves open", "What the runs show"]
    for title in (*titles, "prj-0 at the paper's size"):
        assert f"## {title}" in text
    assert "### Times of requests" in text
    assert {path.stem for path in folder.glob("*.csv")} == {path.stem for path in folder.glob("*.png")}
    with (folder / "fig02.csv").open() as file:
        points = Counter(row["system"] for row in csv.DictReader(file))
    assert set(points) == set(WITHOUT_TBM)
    assert min(points.values()) >= 40
    assert "at the paper's size" in Path("stored.md").read_text()
    assert capsys.readouterr().out == "out/report.md\n"


def test_one_claim_runs_what_it_needs(tiny):
    assert command.main([*tiny, "--only", "fig7.f_tbm_response"]) == 0
    assert {path.name for path in Path("out/runs/seed 1").iterdir()} == {claims.TIMELY}
    assert "| fig7.f_tbm_response |" in Path("out/report.md").read_text()


def test_other_values_are_otherwise_in_what_they_say(tmp_path):
    """Dies are collected together with TBM only."""
    options = Namespace(scale=Fraction(1, 256), seed=1, folder=tmp_path)
    load = Load("real", [], 2.0, 131072)
    found = {choice.name: choice for choice in choices.choices(options, {"prj-0": load, "fin1": load})}
    assert set(found) >= {"Load of Figs. 2 and 6", "Response times of Fig. 7", "Dies of a chip"}
    runs = next(iter(found["Dies of a chip"].others.values())).parts[claims.SATURATED]
    assert {name: "ftl.gc.chip_margin=0.05" in of for name, of in runs.items()} == {
        f"prj-0/{name}": "TBM" in name for name in (*SYSTEMS, "F2")
    }
    (moment,) = found["When a write is given its plane"].others.values()
    assert all("ftl.plane_allocation_at=admission" in of for runs in moment.parts.values() for of in runs.values())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--workloads", "prj0"], "did you mean 'prj-0'"),
        (["--only", "fig7.f_tbm"], "did you mean"),
        (["--scale", "1/400"], "1/256"),
        (["--traces", "none"], "none"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
