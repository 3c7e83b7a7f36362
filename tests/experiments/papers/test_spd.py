"""The experiments of the SPD paper: workloads with Table 2's numbers, measures by hand, and the command, tiny."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import attrs
import pyarrow as pa
import pytest

import experiments.papers.spd.__main__ as command
from experiments.papers.spd import comparisons, evidence, loads, measures, report, runs, sections
from experiments.papers.spd.measures import Grid, Seeds
from experiments.papers.spd.systems import BASE, COLLECTING, COMMON, FREE, STATES, SYSTEMS, UNCOLLECTED
from experiments.papers.spd.workloads import GB, TABLE_2, recognised, rushing, synthetic
from experiments.study import figure, traces
from experiments.study.arrivals import FITTED
from experiments.study.former.claims import Comparison
from experiments.study.former.figure import AVERAGE, Figure, averaged, section
from experiments.study.former.report import Output
from ssdsim.metrics.result import Result
from support.tiny_stacks import configured

# Workloads.


@pytest.mark.parametrize("name", TABLE_2)
def test_the_requests_make_up_the_volumes_of_table_2(name):
    row = TABLE_2[name]
    made = synthetic(row, Fraction(1))
    assert made.requests == pytest.approx(row.requests, abs=1)
    read = made.requests * (1 - row.write_share) * row.read_kb / 2**20
    written = made.requests * row.write_share * row.write_kb / 2**20
    assert read == pytest.approx(row.read_gb)
    if name == "PRN_1":
        assert written == pytest.approx(7.0, abs=0.05)
    else:
        assert written == pytest.approx(row.write_gb, rel=0.025)
    for sizes, mean in ((made.read_sizes, row.read_kb), (made.write_sizes, row.write_kb)):
        assert sum(size * share for size, share in sizes.items()) == pytest.approx(mean)


def test_the_paper_cut_its_traces_at_round_numbers_of_requests():
    counts = [row.requests / 1e6 for row in TABLE_2.values()]
    assert len([count for count in counts if abs(count - 2) < 0.02]) == 5
    assert len([count for count in counts if abs(count - 1) < 0.02]) == 3


def test_a_scaled_trace_is_a_part_of_the_whole_over_the_same_footprint():
    whole, part = (synthetic(TABLE_2["HM_0"], scale) for scale in (Fraction(1), Fraction(1, 32)))
    assert part == attrs.evolve(whole, requests=round(TABLE_2["HM_0"].requests / 32))


def test_arrivals_are_at_the_rate_of_the_volume_and_of_its_own_piece_where_there_is_one(tmp_path):
    options = SimpleNamespace(traces=None, only=None, scale=Fraction(1, 20_000), folder=tmp_path, seed=1)
    for name, piece in (("HM_0", "MSR 20-80"), ("PRXY_0", "prxy_0")):
        config = configured(*SYSTEMS[BASE], *loads.synthetic_overrides(name, options, 64)).workload
        assert config.rate_iops == pytest.approx(TABLE_2[name].rate_iops, rel=1e-4)
        assert (config.arrival, config.batch_requests) == ("levels", FITTED[piece].batch_requests)
    assert (
        configured(*SYSTEMS[BASE], *loads.synthetic_overrides("HM_0", options, 64, 0.2)).workload.arrival == "recorded"
    )


def test_with_no_rushes_arrivals_are_a_poisson_process_and_else_so_many_come_in_them():
    assert rushing(0.0).kinds == () and rushing(0.2).rushes == (0.2, 290)


def test_volumes_are_known_by_the_names_of_table_2():
    assert recognised(Path("rsrch_0.csv.gz")) == "RSR_0"
    assert recognised(Path("proj-3.trace")) == "PROJ_3"
    assert recognised(Path("usr_0.csv")) is None


def test_the_buffer_is_a_hundredth_of_the_footprint_but_two_pages_a_plane():
    assert loads.buffer_mib(1.35 * GB, 64) == pytest.approx(13.824)
    assert loads.buffer_mib(0.01 * GB, 64) == 256 * 2 * 4096 / 2**20


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tmp_path, monkeypatch):
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    rows = [f"{at * 10**6},write,{at % 50 * 8192},16384" for at in range(400)]
    (tmp_path / "traces").mkdir()
    for name in ("hm_0.csv", "mine.csv"):
        (tmp_path / "traces" / name).write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    options = SimpleNamespace(
        traces=tmp_path / "traces", only=["HM_0", "mine"], scale=Fraction(1, 32), folder=tmp_path, seed=1
    )
    found = loads.loads(options, 64)
    assert {name: load.kind for name, load in found.items()} == {"HM_0": "real", "mine": "real"}
    config = configured(*SYSTEMS[BASE], *found["HM_0"].buffered())
    assert config.workload.path == str(tmp_path / "traces" / "hm_0.csv")
    assert config.workload.limit == round(TABLE_2["HM_0"].requests / 32)
    assert config.buffer.size_mib == pytest.approx(13.824)
    assert loads.footprint(found["mine"].overrides) == 51 * 8192


# Systems.


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("state", STATES)
def test_every_system_fits_the_smallest_device_and_the_whole_one(system, state):
    for blocks in (command.FEWEST_BLOCKS, command.BLOCKS):
        config = configured(*loads.device(blocks), *COMMON, *STATES[state], *SYSTEMS[system])
        assert config.hardware.blocks_per_plane == blocks
        assert config.hardware.planes == 256
        assert config.host.queue_depth == 1024


def test_the_whole_device_is_that_of_table_1():
    hardware = configured(*loads.device(command.BLOCKS), *SYSTEMS[BASE]).hardware
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 512 * GB
    assert (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip) == (16, 8, 1)


# Measures.

CASES = {"single": 0.5, "mixed": 0.2, "unaligned": 0.2, "parallel": 0.1}


def summary(write_us=1000.0, read_us=200.0, collections=4, cost=(10.0, 200.0, 30.0, 20.0), erased=4, **others):
    """Return a summary with response times, and collection that cost so many microseconds by part."""
    parts = dict(zip(measures.GC_PARTS, cost, strict=True))
    blocked = {"blocked_writes": 5, "blocked_write_us": 3000.0, "write_us": 12_000.0}
    served = {"write": write_us, "read": read_us}
    return {
        "requests": {op: {"count": 10, "bytes": 4096, "response_us": {"mean": us}} for op, us in served.items()},
        "multi_plane": {"write_share": 0.25, "cases": CASES},
        "planes_at_work": {"mean": 10.0, "max": 256},
        "buffer": {"hit_ratio": 0.4},
        "gc": {"collections": collections, "page_moves": 100, "cost_us": parts, **blocked},
        "flash": {"erases": {"gc": erased, "host": 0}, "programs": {"host": 50, "gc": 100}},
        **others,
    }


def made(runs):
    """Return a grid of results from summaries or from write latencies."""
    return Grid({name: Result(of if isinstance(of, dict) else summary(of)) for name, of in runs.items()})


def test_reductions_are_averaged_over_the_papers_workloads_only():
    runs = {"HM_0/Baseline-D": 2000.0, "HM_0/SPD": 1000.0, "TS_0/Baseline-D": 1000.0, "TS_0/SPD": 1100.0}
    grid = made(runs | {"mine/Baseline-D": 1000.0, "mine/SPD": 1.0})
    assert grid.workloads == ["HM_0", "TS_0", "mine"]
    assert grid.of_paper == ["HM_0", "TS_0"]
    assert grid.systems == ["Baseline-D", "SPD"]
    assert grid.reduction(measures.WRITE, "HM_0", "SPD") == pytest.approx(50)
    assert grid.mean_reduction(measures.WRITE, "SPD") == pytest.approx((50 - 10) / 2)
    assert grid.reduction(measures.WRITE, "HM_0", "TwinBlk") is None


def test_measures_by_hand():
    of = summary()
    assert measures.WRITE(of) == 1.0
    assert measures.READ(of) == 0.2
    assert measures.joined(of) == 25
    assert measures.hit_ratio(of) == 40
    assert measures.gc_cost(of) == pytest.approx(260e-6)
    assert measures.gc_cost_each(of) == pytest.approx(0.065)
    parts = [measures.gc_part(part)(of) for part in measures.GC_PARTS]
    assert parts == pytest.approx([0.0025, 0.05, 0.0075, 0.005])
    assert measures.blocked(of) == 25
    assert measures.blocked_each(of) == pytest.approx(0.6)
    assert measures.gc_cost_each(summary(collections=0)) is None


def test_writes_taken_at_once_are_those_without_response_time():
    rows = {"op": ["read", "write", "write"], "up_to_us": [0.0, 0.0, 20.0], "count": [7, 30, 90]}
    assert measures.taken_at_once(Result({}, None, {"latency": pa.table(rows)})) == pytest.approx(25)


def test_what_the_paper_says_is_held_against_the_runs():
    grid = made(
        {
            f"{name}/{system}": summary(us, collections=count, erased=erased)
            for name, fewer in (("HM_0", 50), ("PRN_1", 60))
            for system, us, count, erased in (
                ("Baseline-D", 1000.0, 100, 100),
                ("TwinBlk", 900.0, 80, 150),
                ("SPD", 700.0, fewer, 2 * fewer),
            )
        }
    )

    def held(compare):
        return {each.what: each for each in compare(grid)}

    writes = held(comparisons.gc_write_comparisons)
    assert writes["write latency, average reduction by SPD of Baseline-D's"].ours == pytest.approx(30)
    assert writes["write latency, average reduction by SPD of ParaGC's"].ours is None
    assert writes["write latency under PRN_1, reduction by SPD"].ours == pytest.approx(30)
    counts = held(comparisons.gc_count_comparisons)
    assert [each.ours for each in counts.values()] == [pytest.approx(40), pytest.approx(50)]
    erased = held(comparisons.erase_comparisons)
    assert erased["erases, average reduction by SPD of TwinBlk's"].ours == pytest.approx(100 * (1 - 110 / 150))
    assert erased["erases, largest rise by TwinBlk"].ours == pytest.approx(50)
    free = held(comparisons.write_comparisons)
    assert free["workloads with SPD's write latency below all others"].ours == 2
    assert free["write latency under HM_0, reduction by SPD"].verdict == "agrees"
    assert free["write latency, average reduction by Baseline-P (0 to 1.4)"].verdict == "not measured"


def test_claims_are_held_over_seeds():
    runs = [{"HM_0/Baseline-D": 1000.0, "HM_0/TwinBlk": us} for us in (900.0, 920.0, 940.0)]
    grid = Seeds.of([made(each) for each in runs])
    assert grid.value(measures.WRITE, "HM_0", "TwinBlk") == pytest.approx(0.92)
    assert grid.mean_reduction(measures.WRITE, "TwinBlk") == pytest.approx(8)
    twin = figure.held(comparisons.write_comparisons, grid)[0]
    assert twin.seeds == pytest.approx((10, 8, 6)) and twin.verdict == "open"


def test_a_variant_explains_a_claim_that_agrees_under_it_alone():
    def claim(ours):
        return Comparison("it", ours, 10)

    study = SimpleNamespace(seed=1, variants={})
    under = {"with GC, as above": [claim(30)], "with GC, one": [claim(11)], "with GC, other": [claim(40)]}
    assert "with GC, one (11)" in evidence.explained(study, [claim(28)], under)
    del under["with GC, one"]
    assert "unexplained" in evidence.explained(study, [claim(28)], under)
    assert "1 of 1 numbers agree" in evidence.explained(study, [claim(10)], under)


# The report.


def test_a_figure_is_absolute_or_over_a_system():
    grid = made({"HM_0/Baseline-D": 2000.0, "HM_0/SPD": 1000.0, "mine/Baseline-D": 4000.0, "mine/SPD": 1000.0})
    absolute = Figure("it", "It", measures.WRITE, "ms").rows(grid)
    assert absolute[0] == {"workload": "HM_0", "Baseline-D": 2.0, "SPD": 1.0}
    relative = Figure("it", "It", measures.WRITE, "ms", BASE)
    rows = relative.rows(grid)
    assert rows[1] == {"workload": "mine", "Baseline-D ms": 4.0, "SPD": 0.25}
    assert averaged(grid, rows, ["Baseline-D ms"])[-1] == [AVERAGE, "", 0.5]


def test_figure_2_leaves_out_what_meets_another_kind_of_operation(tmp_path):
    study = SimpleNamespace(free=made({"HM_0/Baseline-D": summary()}))
    text = report.figure_2(study, Output(tmp_path, None))
    assert "| HM_0 | 62.5 | 25 | 12.5 |" in text


def test_what_was_not_run_is_left_out(tmp_path):
    empty = SimpleNamespace(buffers=Grid({}))
    assert report.figure_21(empty, Output(tmp_path, None)) == ""
    assert section(sections.SEPARATED, Grid({}), Output(tmp_path, None)) == ""


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Traces of 300 requests, close together, on a small device, and no pieces of real ones."""
    for name, row in TABLE_2.items():
        part = 64 * 300 / row.requests
        sizes = {key: getattr(row, key) * part for key in ("read_gb", "write_gb")}
        monkeypatch.setitem(TABLE_2, name, attrs.evolve(row, known_rate=200.0, footprint_gb=0.02, **sizes))
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    monkeypatch.setattr(runs, "BUFFERS_MIB", [1])
    monkeypatch.setattr(runs, "VARIANTS", {"as above": {}, "other": {"SPD": ["buffer.slot_free_when=programmed"]}})
    monkeypatch.setattr(command, "RUSHES", {"half": 0.5})
    monkeypatch.setattr(runs, "FEWER_DIES", [])
    monkeypatch.setattr(loads, "device", lambda blocks: ["hardware=spd_small"])
    loads.hardware.cache_clear()
    monkeypatch.chdir(tmp_path)
    yield ["--folder", "out", "--jobs", "1", "--seeds", "1", "--only", "RSR_0"]
    loads.hardware.cache_clear()


@pytest.mark.more
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    figures = [2, *range(9, 23), 24]
    assert [number for number in figures if f"## Fig. {number}:" not in text] == []
    assert all(f"## Table {number}:" in text for number in (3, 4))
    tables = {path.stem for path in folder.glob("*.csv")}
    pictures = {path.stem for path in folder.glob("*.png")}
    assert tables == {*pictures, "load_without_gc", "load_with_gc", "variants_without_GC", "variants_with_GC"}
    assert all(f"]({name}.png)" in text for name in pictures)
    assert len((folder / "fig13.csv").read_text().splitlines()) == 2
    assert capsys.readouterr().out == "out/report.md\n"


def test_runs_are_as_many_as_the_figures_need():
    load = loads.Load([], 1.0, "synthetic")
    plan = runs.Plan({"HM_0": load, "mine": load}, {"half": {"HM_0": load}}, [], 64)
    parts, further = plan.figures(), plan.further()
    assert list(parts)[:2] == [FREE, COLLECTING]
    assert len(parts[FREE]) == 2 * len(UNCOLLECTED)
    assert len(parts[COLLECTING]) == 2 * len(SYSTEMS)
    assert further["buffers"] == {}
    assert len(parts["four planes"]) == 3
    assert "flash.plane_groups=2" not in parts["four planes"]["HM_0/SPD"]
    assert len(parts["separated"]) == 6
    assert len(further) == 1 + 2 * (len(runs.VARIANTS) + 2)
    assert "hardware.blocks_per_plane=256" in further[f"{FREE}, 32 dies"]["HM_0/SPD"]
    assert "ftl.gc.chip_margin=0.01" in further[f"{COLLECTING}, ParaGC's other plane near the threshold"]["HM_0/ParaGC"]


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--only", "HM_1"], "did you mean 'HM_0'"), (["--scale", "1/70"], "1/64"), (["--traces", "nowhere"], "nowhere")],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
