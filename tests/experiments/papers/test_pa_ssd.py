"""The experiments of the PA-SSD paper: workloads with Table 2's numbers, measures by hand, and the command, tiny."""

from fractions import Fraction
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import attrs
import numpy as np
import pyarrow as pa
import pytest

import experiments.papers.pa_ssd.__main__ as command
from experiments.papers.pa_ssd import measures, report, sections, workloads
from experiments.papers.pa_ssd.measures import Grid, Load
from experiments.papers.pa_ssd.systems import COMBINED, COMMON, SYSTEMS
from experiments.papers.pa_ssd.workloads import TABLE_2
from experiments.study import traces
from experiments.study.former.claims import Comparison
from experiments.study.former.report import Output
from experiments.study.traces import write_trace
from ssdsim.config import TraceConfig
from ssdsim.metrics.result import Result
from ssdsim.workload import READ, WRITE, open_workload
from support.tiny_stacks import configured

GIB = 2**30
AVERAGE_WRITE_PAGES = dict(zip(TABLE_2, (0.5, 1.0, 12.1, 1.5, 3.9, 1.6, 1.4, 3.7), strict=True))
"""Sixth column of Table 2."""


# Workloads.


@pytest.mark.parametrize("name", TABLE_2)
def test_sizes_make_up_the_means_and_the_large_writes_of_table_2(name):
    row = TABLE_2[name]
    sizes = workloads.write_sizes(row.write_pages, row.large_share)
    assert sum(sizes.values()) == pytest.approx(1, abs=1e-12)
    assert min(sizes.values()) > 0
    assert all(2 * size == int(2 * size) for size in sizes)
    written = row.requests * row.write_share * sum(size * share for size, share in sizes.items()) * 1024
    assert written == pytest.approx(row.write_gib * GIB, rel=1e-9)
    large = sum(share for size, share in sizes.items() if size > workloads.PAGE_KIB)
    assert large == pytest.approx(row.large_share, abs=1e-12)
    assert row.write_pages == pytest.approx(AVERAGE_WRITE_PAGES[name], abs=0.07)
    reads = workloads.read_sizes(row.read_kib)
    read = row.requests * (1 - row.write_share) * sum(size * share for size, share in reads.items()) * 1024
    assert read == pytest.approx(row.read_gib * GIB, rel=1e-9)


@pytest.mark.parametrize("name", ["tFin", "tExch"])
def test_a_synthetic_trace_has_the_numbers_of_its_row(name, tmp_path):
    row, scale, capacity = TABLE_2[name], Fraction(1, 128), 4 * GIB
    path = tmp_path / "it.csv.zst"
    write_trace(workloads.synthetic(row, scale, capacity, seed=3), path)
    trace = open_workload(TraceConfig(path=str(path)), capacity, 8192, 0)
    chunks = list(trace.chunks())
    op, size, offset, time = (
        np.concatenate([getattr(chunk, column) for chunk in chunks])
        for column in ("op", "size_bytes", "offset_bytes", "arrival_ns")
    )
    count = round(row.requests * scale)
    assert len(op) == count
    write = op == WRITE
    # five standard errors of a share, about; sizes have deviations of a few means
    assert write.mean() == pytest.approx(row.write_share, abs=2.5 / np.sqrt(count))
    assert size[write].mean() == pytest.approx(row.write_pages * 8192, rel=10 / np.sqrt(write.sum()))
    assert size[op == READ].mean() == pytest.approx(row.read_kib * 1024, rel=5 / np.sqrt((op == READ).sum()))
    assert (size[write] > 8192).mean() == pytest.approx(row.large_share, abs=2.5 / np.sqrt(write.sum()))
    assert (offset % 4096 == 0).all()
    pages = (offset + size - 1) // 8192 - offset // 8192 + 1
    assert (pages[write] > 1).mean() == pytest.approx(row.large_share, abs=2.5 / np.sqrt(write.sum()))
    moved = (row.read_gib + row.write_gib) * GIB * float(scale)
    assert (offset + size).max() <= min(moved / 3, capacity / 4)
    assert count / (time[-1] / 1e9) == pytest.approx(row.rate_iops, rel=0.6)  # of few rushes


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Financial1.spc.gz", "tFin"),
        ("fin1.trace", "tFin"),
        ("RADIUS_Authentication.csv", "tRA"),
        ("DisplayAdsPayload-all.csv.zst", "tDAP"),
        ("radius.back.end.sql.csv", "tRBESS"),
        ("DevelopmentToolsRelease.csv", "tDTR"),
        ("Exchange-Server.csv", "tExch"),
        ("MSNStorageFileServer.csv", "tMSFS"),
        ("msnfs.csv", "tMSFS"),
        ("24hours_BuildServer.csv", "tBS"),
        ("BS.csv.xz", "tBS"),
        ("Financial2.spc", None),
        ("DisplayAdsDataServer.csv", None),
        ("websearch_bs12.csv", None),
    ],
)
def test_whole_traces_are_known_by_their_names(file, name):
    assert workloads.recognised(Path(file)) == name


# Systems.


def test_the_whole_device_is_that_of_table_1():
    config = configured(*command.device(384), *COMMON)
    hardware, gc = config.hardware, config.ftl.gc
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 288 * GIB
    assert hardware.over_provisioning == 0.15
    assert (gc.trigger, gc.soft_threshold) == ("free_pages", 0.3)
    assert config.precondition.fill_share == 0.7


@pytest.mark.parametrize("blocks", [command.FEWEST_BLOCKS, 24, 48])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_fits_devices_of_few_blocks(system, blocks):
    config = configured(*command.device(blocks), *COMMON, *SYSTEMS[system])
    assert config.hardware.blocks_per_plane == blocks
    assert config.host.queue_depth == 256


def test_the_systems_are_what_their_names_say():
    configs = {name: configured(*SYSTEMS[name]) for name in ("baseline", "SLC mode", "sQD+sUB", "sQD+sUB+PAS", "sLF")}
    assert configs["baseline"].ftl.page_type == []
    assert configs["baseline"].ftl.active_blocks == "shared"
    assert configs["SLC mode"].hardware.page_types == 1
    assert configs["sQD+sUB"].ftl.page_type == ["queue_depth", "utilization"]
    assert not configs["sQD+sUB"].scheduler.page_type_aware
    assert configs["sQD+sUB+PAS"] == configured("stack=pa_ssd")
    assert configs["sLF"].ftl.page_type == ["lsb_first"]


# Measures.


def result(write_us=1000.0, fast=0.5, free=(90.0, 60.0, 30.0, 2.0, 1.0), **others):
    """Return a result with a write response time, a share of fast writes, and free LSB pages by the hour."""
    times = {"mean": write_us, "std": write_us, "queue": 0.3 * write_us, "gc": 0.2 * write_us}
    summary = {
        "requests": {"write": {"count": 10, "response_us": times}, "read": {"count": 0, "response_us": {}}},
        "page_types": {"fast": fast, "medium": 0.25, "slow": 0.25, "success_rate": 0.75},
        **others,
    }
    hours = len(free)
    series = {"time_s": [3600.0 * at for at in range(hours)], "window_s": [3600.0] * hours, "free_lsb": list(free)}
    return Result(summary, None, {"timeseries": pa.table(series)})


def made(results):
    return Grid(results, {name.partition("/")[0]: Load([], "synthetic", 1) for name in results})


def test_reductions_are_averaged_over_the_papers_workloads_only():
    grid = made(
        {
            "tFin/baseline": result(2000.0),
            "tFin/sU": result(1000.0),
            "tBS/baseline": result(1000.0),
            "tBS/sU": result(1100.0),
            "mine/baseline": result(1000.0),
            "mine/sU": result(1.0),
        }
    )
    assert grid.reduction("tFin", "sU") == pytest.approx(50)
    assert grid.reduction("tFin", "sU", "read") is None
    assert grid.mean_reduction("sU") == pytest.approx((50 - 10) / 2)


def test_waiting_and_long_queues_by_hand():
    grid = made({"tFin/sU": result(fast=0.4), "tFin/sQD+sU": result(fast=0.7, free=(90.0, 80.0))})
    assert measures.waiting(grid, "tFin", "sU") == pytest.approx(50)
    # of the 60 percent that are not fast by chance, half have become fast
    assert measures.met_long_queue(grid, "tFin") == pytest.approx(50)
    assert measures.success(grid, "tFin", "sU") == 75
    assert measures.met_long_queue(made({"tFin/sU": result(fast=0.4), "tFin/sQD+sU": result()}), "tFin") is None


def test_the_supply_of_lsb_pages_is_the_free_ones_and_a_third_of_those_written():
    grid = made({"tFin/baseline": result(host_page_writes=300)})
    assert measures.lsb_supply(grid, "tFin") == pytest.approx(100 * (90 + 100) / 300)


def test_reasons_are_given_where_the_runs_show_them():
    """Writes wait half of their time: less than PAS saves in some cells of Table 3, more than in others."""
    few, many = {"fast": 0.3, "host_page_writes": 300}, {"fast": 0.3, "host_page_writes": 300, "free": (90.0, 80.0)}
    grid = made(
        {
            f"{name}/{system}": result(**given)
            for name, given in (("tRBESS", few), ("tExch", many))
            for system in SYSTEMS
        }
    )
    summary = {"utilization": {"die": [0.9]}, "host_page_writes": 300}
    busy = made({f"tBS/{system}": result(**summary) for system in SYSTEMS})
    nothing = SimpleNamespace(grid=grid, arrivals={}, repeated={})
    short, spent = (sections._short_queues(grid), sections._spent_pages(grid))
    assert "in tRBESS sU (50, 60), tRBESS sSB+sU (50, 76), tRBESS sSB+sUB (50, 71), tExch sSB+sU (50, 67)" in short
    # 90 and a third of 240 that were written in the 80 percent of the run
    assert f"(percent: tRBESS {100 * (90 + 80) / 240:.1f})" in spent
    assert "(tRBESS 63.3)" in spent
    assert "3.8 percent" in sections._busy_dies(busy)
    assert sections._range(nothing) == ""
    assert sections._spent_pages(made({f"tBS/{system}": result(free=(90.0, 80.0)) for system in SYSTEMS})) == ""


def test_rounds_that_run_out_of_lsb_pages_are_told():
    def rounds(success, *means):
        served = [{"requests": {"write": {"response_us": {"mean": us}}}} for us in means]
        return Result({"rounds": served, "page_types": {"success_rate": success}})

    slower = {"baseline": rounds(None, 1, 9), "sU": rounds(0.99, 1, 10), "sLF": rounds(0.42, 1, 30)}
    told = sections._long_run(SimpleNamespace(rounds=[slower]))
    assert "specified: sLF 42." in told
    assert sections._long_run(SimpleNamespace(rounds=[slower | {"sLF": rounds(0.42, 1, 8)}])) == ""


def test_arrivals_are_named_where_they_alone_change_a_reduction():
    """sU saves 10 percent in the paper, and here 5 with one piece's arrivals and 50 with another's."""
    results = {
        f"{piece}/{system}": result(us)
        for piece, saved in (("Poisson", 950.0), ("prxy_0", 500.0))
        for system, us in (("baseline", 1000.0), ("sU", saved))
    }
    rounds = {
        f"{piece}/{system}": Result({"rounds": [{"requests": {"write": {"response_us": {"mean": us}}}}]})
        for piece, saved in (("Poisson", 90.0), ("prxy_0", 10.0))
        for system, us in (("baseline", 100.0), ("sQD+sU", saved))
    }
    told = sections._range(SimpleNamespace(arrivals={"tExch": made(results)}, repeated=rounds))
    assert "third round of tMSFS sQD+sU 10 to 90 (the paper's 79)" in told
    assert "tExch sU 5 to 50 (the paper's average 10)" in told


def test_lsb_pages_last_until_few_of_the_first_are_left():
    assert measures.lasted(result()) == pytest.approx(80)
    assert measures.lasted(result(free=(9.0, 8.0))) == 100


def test_the_third_round_is_held_against_the_baseline():
    def rounds(*means):
        served = [{"requests": {"write": {"response_us": {"mean": us}}}} for us in means]
        return Result({"rounds": served})

    compared = measures.long_term_comparisons({"baseline": rounds(1, 1, 1000), "sLF": rounds(9, 9, 340)})
    assert [(each.ours, each.paper) for each in compared] == [(pytest.approx(66), 66)]


def test_what_the_text_says_of_order_can_fail():
    """sLF is quickest under tFin alone of two light workloads, and no heavy one was run."""
    slower = {"tFin": {"sLF": 100.0}, "tRA": {"sU": 100.0}}
    results = {
        f"{name}/{system}": result(of.get(system, 1000.0))
        for name, of in slower.items()
        for system in ("baseline", *COMBINED)
    }
    (light,) = measures.order_comparisons(made(results))
    assert (light.ours, light.paper, light.verdict) == (1, 2, "**beyond the bound**")


def test_no_collections_are_no_agreement():
    none = {f"tFin/{system}": result(gc={"collections": 0}) for system in SYSTEMS}
    assert measures.collection_comparisons(made(none))[0].verdict == "not measured"
    some = none | {"tFin/baseline": result(gc={"collections": 100}), "tFin/sU": result(gc={"collections": 100})}
    assert measures.collection_comparisons(made(some))[0].ours == pytest.approx(100)


def test_the_lowest_success_rate_is_held_against_the_bound():
    grid = made({f"tFin/{system}": result() for system in COMBINED})
    verdicts = {each.what: each.verdict for each in measures.success_comparisons(grid)}
    assert verdicts["sU, lowest success rate"] == "**beyond the bound**"
    assert verdicts["sLF, lowest success rate"] == "agrees"


def test_the_closed_forms_are_those_of_the_paper():
    assert [round(100 * chance) for chance in measures.closed_forms(4)] == [1, 19, 80]
    assert measures.closed_forms(1) == pytest.approx((1 / 3,) * 3)
    for pages in range(1, 12):
        assert sum(measures.closed_forms(pages)) == pytest.approx(1)


def test_the_interval_is_wilsons():
    assert report.interval(0.5, 100) == pytest.approx((0.40383, 0.59617), abs=1e-5)
    assert report.interval(0.0, 100) == pytest.approx((0, 0.03699), abs=1e-5)


def test_arrivals_are_shown_beside_the_papers_numbers(tmp_path):
    summary = {"queue_depth": {"mean": 2.0, "max": 9}}
    results = {f"x/{system}": result(us, **summary) for system, us in zip(command.SWEPT_SYSTEMS, count(1000, -50))}
    grid = Grid(results, {"x": Load([], "synthetic", 1)})
    means = {f"x/{name}": us for name, us in (("baseline", 8.0), ("sQD+sU", 2.0), ("sQD+sUB", 16.0))}
    rounds = {
        name: Result({"rounds": [{"requests": {"write": {"response_us": {"mean": us}}}} for us in (1.0, mean)]})
        for name, mean in means.items()
    }
    for workload, third, of_paper in (("tExch", [], []), ("tMSFS", ["75", "-100"], ["79", "93"])):
        study = SimpleNamespace(arrivals={workload: grid}, repeated=rounds)
        text = sections._arrivals(study, workload, Output(tmp_path, None))
        row, paper = (line.strip("| ").split(" | ") for line in text.splitlines()[-2:])
        assert row[0] == "x" and row[3] == "5"
        assert paper[3:7] == ["10", "54", "60", "-"]
        assert (row[11:], paper[11:]) == (third, of_paper)
        assert (tmp_path / f"arrivals_{workload}.csv").exists()


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Traces of 300 requests, and no pieces of real ones."""
    for name, row in TABLE_2.items():
        part = 24 * 300 / row.requests
        sizes = {key: getattr(row, key) * part for key in ("read_gib", "write_gib", "hours")}
        monkeypatch.setitem(TABLE_2, name, attrs.evolve(row, requests=24 * 300, **sizes))
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    monkeypatch.setattr(command, "FIGURE_6_PAGES", range(1, 3))
    monkeypatch.setattr(command, "FIGURE_6_REQUESTS", 300)
    monkeypatch.setattr(command, "FITTED", {})
    monkeypatch.setattr(command, "device", lambda blocks: ["hardware=pa_ssd_small"])
    command.hardware.cache_clear()
    monkeypatch.chdir(tmp_path)
    yield ["--folder", "out", "--scale", "1/24", "--jobs", "1", "--seeds", "1", "--only", "tDAP", "tMSFS"]
    command.hardware.cache_clear()


def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    for name in ("Fig. 6", "Fig. 13a", "Fig. 13b", "Fig. 14", "Fig. 15", "Table 3", "Fig. 16", "Fig. 17"):
        assert f"## {name}:" in text
    tables = {path.stem for path in folder.glob("*.csv")}
    pictures = {path.stem for path in folder.glob("*.png")}
    assert tables == {*pictures, "table3", "table3_claims", "claims", "collections", "load", "arrivals_tMSFS"}
    assert all(f"]({name}.png)" in text for name in pictures)
    assert len((folder / "fig13a.csv").read_text().splitlines()) == 3
    assert capsys.readouterr().out == "out/report.md\n"


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tiny, tmp_path):
    rows = [f"{at * 10**6},write,{at % 50 * 8192},16384" for at in range(400)]
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "Exchange.csv").write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    options = SimpleNamespace(
        traces=tmp_path / "traces", only=["tExch"], scale=Fraction(1, 24), folder=tmp_path / "out", seed=1
    )
    load = command.loads(options, blocks=16)["tExch"]
    assert load.kind == "real"
    config = configured(*COMMON, *SYSTEMS["baseline"], *load.overrides)
    assert config.workload.path == str(tmp_path / "traces" / "Exchange.csv")
    assert (config.workload.skip, config.workload.limit) == (0, 400 // 24)


def test_a_device_for_a_real_trace_holds_what_it_touches_in_slc_mode():
    blocks = command.roomy(24, 5_233_483_776)
    slc = configured(*command.device(blocks), *SYSTEMS["SLC mode"])
    assert slc.hardware.capacity_bytes >= 5_233_483_776
    assert 24 < blocks < 48
    assert command.roomy(24, 10**9) == 24


def test_claims_are_held_over_all_seeds():
    grids = [made({"tBS/baseline": result(1000.0), "tBS/sU": result(us)}) for us in (890.0, 900.0, 910.0)]
    study = report.Study(grids, [], [], Grid({}, {}), {}, {}, Fraction(1, 16), 24, 1)
    (claim,) = study.held(lambda grid: [Comparison("it", grid.reduction("tBS", "sU"), 10)])
    assert claim.ours == pytest.approx(10) and claim.seeds == pytest.approx((11, 10, 9))
    assert study.grid is grids[0]


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--only", "tfin"], "did you mean 'tFin'"), (["--scale", "1/50"], "1/24"), (["--traces", "nowhere"], "nowhere")],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
