"""The experiments of the PA-SSD paper: workloads with Table 2's numbers, measures by hand, and the command, tiny."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import attrs
import numpy as np
import pyarrow as pa
import pytest

import experiments.papers.pa_ssd.__main__ as command
from experiments.papers.pa_ssd import choices, claims, differences, measures, orders, parts, workloads
from experiments.papers.pa_ssd.claims import CLAIMS, WORKLOADS
from experiments.papers.pa_ssd.systems import COMBINED, COMMON, SYSTEMS
from experiments.papers.pa_ssd.workloads import TABLE_2
from experiments.study import traces
from experiments.study.measures import Grid
from experiments.study.study import measured
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
    config = configured(*parts.device(*parts.geometry(Fraction(1))), *COMMON)
    hardware, gc = config.hardware, config.ftl.gc
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == 288 * GIB
    assert (hardware.planes_per_die, hardware.over_provisioning) == (16, 0.15)
    assert (gc.trigger, gc.soft_threshold) == ("free_pages", 0.3)
    assert config.precondition.fill_share == 0.7


@pytest.mark.parametrize(("scale", "planes", "blocks"), [("1/2", 8, 384), ("1/16", 2, 192), ("1/96", 2, 32)])
def test_a_part_of_the_device_has_fewer_planes_before_fewer_blocks(scale, planes, blocks):
    assert parts.geometry(Fraction(scale)) == (planes, blocks)
    hardware = parts.hardware(Fraction(scale))
    assert hardware.pages_per_block // hardware.page_types == measures.LSB_A_BLOCK


def test_choices_are_not_run_on_less_than_the_smallest_device(tmp_path):
    options = SimpleNamespace(scale=parts.SMALLEST, seed=1, folder=tmp_path)
    values = choices.choices(options, ["tRA"])[0].others.values()
    made = [overrides for value in values for runs in value.parts.values() for overrides in runs.values()]
    assert made
    assert all(f"hardware.blocks_per_plane={parts.FEWEST_BLOCKS}" in overrides for overrides in made)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_fits_devices_of_few_blocks(system):
    config = configured(*parts.device(2, parts.FEWEST_BLOCKS), *COMMON, *SYSTEMS[system])
    assert config.hardware.blocks_per_plane == parts.FEWEST_BLOCKS
    assert config.host.queue_depth == 256


def test_the_systems_are_what_their_names_say():
    configs = {name: configured(*SYSTEMS[name]) for name in ("baseline", "sQD+sUB", "sQD+sUB+PAS", "sLF")}
    assert configs["baseline"].ftl.page_type == []
    assert configs["baseline"].ftl.active_blocks == "shared"
    assert configs["sQD+sUB"].ftl.page_type == ["queue_depth", "utilization"]
    assert not configs["sQD+sUB"].scheduler.page_type_aware
    assert configs["sQD+sUB+PAS"] == configured("stack=pa_ssd")
    assert configs["sLF"].ftl.page_type == ["lsb_first"]


# Measures.


def result(write_us=1000.0, fast=0.5, free=(90.0, 60.0, 30.0, 2.0, 1.0), success=0.75, planes=0, **others):
    """Return a result with a write response time, a share of fast writes, and free LSB pages by the hour."""
    times = {"mean": write_us, "std": write_us, "queue": 0.3 * write_us, "gc": 0.2 * write_us}
    summary = {
        "requests": {"write": {"count": 10, "response_us": times}, "read": {"count": 0, "response_us": {}}},
        "page_types": {"fast": fast, "medium": 0.25, "slow": 0.75 - fast, "success_rate": success},
        "host_page_writes": 300,
        "gc": {"collections": 100},
        **others,
    }
    hours = len(free)
    series = {"time_s": [3600.0 * at for at in range(hours)], "window_s": [3600.0] * hours, "free_lsb": list(free)}
    return Result(summary, None, {"timeseries": pa.table(series), "planes": pa.table({"plane": [*range(planes)]})})


def under(workload, **by_system):
    """Return the results of systems under a workload, the baseline's 2000 us if it is not given."""
    found = {"baseline": result(2000.0)} | {name.replace("_", "+"): of for name, of in by_system.items()}
    return {f"{workload}/{name}": of for name, of in found.items()}


def every(**by_system):
    """Return the same under all of the paper's workloads."""
    return {name: under(name, **by_system) for name in WORKLOADS}


def ours(name, results):
    """Return what a claim's measure is of these results."""
    return measured(claims.HELD[name], results)


def test_every_claim_is_held_or_left_out():
    names = [claim.name for claim in CLAIMS]
    assert len({*names}) == len(names) == len({claim.what for claim in CLAIMS})
    assert {claim.name for claim in CLAIMS if not claim.left_out} == {*claims.HELD}


def test_reductions_are_averaged_over_all_workloads_or_none():
    results = every(sU=result(1000.0)) | {"tBS": under("tBS", sU=result(2200.0))}
    assert ours("fig13a.su", results) == pytest.approx((7 * 50 - 10) / 8)
    assert ours("fig13b.su", results) is None
    assert ours("fig13a.su", {**results, "tBS": under("tBS")}) is None
    assert ours("fig13a.sqd_su_times", every(sQD_sU=result(500.0))) == pytest.approx(4)


def test_orders_by_hand():
    systems = {name.replace("+", "_"): result(1000.0) for name in COMBINED}
    results = {"tFin": under("tFin", **systems | {"sLF": result(800.0)}), "tBS": under("tBS", **systems)}
    assert ours("fig13a.slf_lowest.tFin", results) == pytest.approx(20)
    assert ours("fig13a.slf_not_lowest.tBS", results) == 0
    assert ours("fig16a.slf", results) == pytest.approx(20)
    assert ours("fig16a.baseline", results) == pytest.approx(100 * (2000 / (8000 / 3) - 1))
    assert ours("fig13a.ssb_sub_longer", every(sSB_sUB=result(2100.0))) == pytest.approx(5)


def test_shares_by_hand():
    systems = {name.replace("+", "_"): result(fast=0.4) for name in COMBINED}
    results = {"tDAP": under("tDAP", **systems | {"sLF": result(fast=0.75)})}
    assert ours("fig14.slow", results) == pytest.approx(35)
    assert ours("fig14.slow_fewest", results) == pytest.approx(-10)
    assert ours("fig14.fast.slf", results) == ours("fig14.slow.slf", results) == pytest.approx(35)
    assert ours("fig14.even.ssb", results) == 0
    assert ours("fig14.baseline", results) == pytest.approx(-25)


def test_success_is_of_all_page_writes_or_the_lowest():
    results = every(sU=result()) | {"tBS": under("tBS", sU=result(success=0.95, host_page_writes=2100))}
    assert ours("fig15.su", results) == pytest.approx(85)
    assert claims.successes(lowest=True)["fig15.su"](results) == 75


def test_collections_are_held_against_the_baselines():
    assert ours("collections", every(sU=result(gc={"collections": 103}))) == pytest.approx(3)
    assert ours("collections", every(baseline=result(gc={"collections": 0}))) is None


def test_what_pas_saves_by_hand():
    results = every(sU=result(1000.0), sU_PAS=result(700.0), sQD_sU=result(500.0))
    assert ours("table3.tRA.su", results) == ours("table3.average.su", results) == pytest.approx(30)
    results = every(sU=result(1000.0), sU_PAS=result(700.0), sQD_sU=result(9.0), sQD_sU_PAS=result(9.0))
    assert ours("table3.lower.sqd_su", results) == pytest.approx(30)


def test_waiting_and_long_queues_by_hand():
    found = Grid(under("tFin", sU=result(fast=0.4), sQD_sU=result(fast=0.7)))
    assert found.value(measures.waiting, "tFin", "sU") == pytest.approx(50)
    assert differences.met_long_queue(found, "tFin") == pytest.approx(
        50
    )  # of the 60 percent not fast by chance, half have become so
    assert measures.lsb_supply(result()) == pytest.approx(100 * (90 + 100) / 300)


def test_lsb_pages_last_until_few_of_those_for_use_are_left():
    assert measures.lasted(result()) == pytest.approx(80)
    assert measures.lasted(result(), used_up=40) == pytest.approx(60)
    assert measures.lasted(result(free=(9.0, 8.0))) == 100
    kept = result(free=(356.0, 306.0, 260.0, 256.0, 256.0), planes=2)
    assert measures.lasted(kept, used_up=5) == pytest.approx(60)
    assert measures.left(kept, 0.4) == pytest.approx(50)


def test_how_long_lsb_pages_last_by_hand():
    results = {"tMSFS": under("tMSFS", sLF=result(free=(9.0, 0.0, 9.0, 9.0)), sQD_sUB=result())}
    assert ours("fig16b.slf", results) == 50
    assert ours("fig16b.times", results) == pytest.approx(1.6)


def test_the_third_round_is_held_against_the_baseline():
    def rounds(*means):
        return Result({"rounds": [{"requests": {"write": {"response_us": {"mean": us}}}} for us in means]})

    results = {parts.ROUNDS: {"tMSFS/baseline": rounds(1, 1, 1000), "tMSFS/sLF": rounds(9, 9, 340)}}
    assert ours("fig17.slf", results) == pytest.approx(66)


def test_the_closed_forms_are_those_of_the_paper():
    assert [round(100 * chance) for chance in measures.closed_forms(4)] == [1, 19, 80]
    for pages in range(1, 12):
        assert sum(measures.closed_forms(pages)) == pytest.approx(1)


def test_three_writes_come_at_once_behind_those_before():
    *_, first, second, third = orders.rows("MSB CSB LSB")
    assert {row.split(",")[0] for row in (first, second, third)} == {"12000000000"}
    assert [row.rpartition(",")[2] for row in (first, second, third)] == ["idle", "normal", "low"]


# What the runs show.


def test_reasons_are_given_where_the_runs_show_them():
    """Writes wait half of their time: less than PAS saves in some cells of Table 3, more than in others."""
    systems = {name.replace("+", "_"): result() for name in SYSTEMS}
    runs = Grid(under("tExch", **systems))
    assert "in tExch sSB+sU (50, 67), tExch sSB+sUB (50, 70) (percent" in differences.short_queues(runs)
    assert differences.pages_of_small_writes(runs) == ""


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Traces of 300 requests on a small device, and no pieces of real ones."""
    for name, row in TABLE_2.items():
        part = 48 * 300 / row.requests
        sizes = {key: getattr(row, key) * part for key in ("read_gib", "write_gib", "hours")}
        monkeypatch.setitem(TABLE_2, name, attrs.evolve(row, requests=48 * 300, **sizes))
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    monkeypatch.setattr(parts, "MOST_PAGES", 2)
    monkeypatch.setattr(parts, "BLIND_REQUESTS", 300)
    monkeypatch.setattr(choices, "OTHER_DEPTHS", (32,))
    monkeypatch.setattr(choices, "OTHER_ARRIVALS", ())
    monkeypatch.setattr(choices, "IDEAS", {"wordlines in DRAM": choices.IDEAS["wordlines in DRAM"]})
    monkeypatch.setattr(parts, "device", lambda *geometry: ["hardware=pa_ssd_small"])
    parts.hardware.cache_clear()
    monkeypatch.chdir(tmp_path)
    yield ["--folder", "out", "--scale", "1/48", "--jobs", "1", "--seeds", "1", "--workloads", "tDAP", "tMSFS"]
    parts.hardware.cache_clear()


@pytest.mark.more  # the commands of SPD and flexFTL are run as a whole
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    for name in ("Fig. 6", "Fig. 11", "Fig. 13a", "Fig. 13b", "Fig. 14", "Fig. 15", "Table 3", "Fig. 16", "Fig. 17"):
        assert f"## {name}:" in text
    for choice in ("Requests in the device", "Arrivals", "Which sub-request is next", "LSB pages used up"):
        assert f"### {choice}\n" in text
    tables = {path.stem for path in folder.glob("*.csv")}
    pictures = {path.stem for path in folder.glob("*.png")}
    assert tables == {*pictures, "table3", "collections", "load", "rounds"}
    assert all(f"]({name}.png)" in text for name in pictures)
    assert len((folder / "fig13a.csv").read_text().splitlines()) == 3
    assert capsys.readouterr().out == "out/report.md\n"


def test_one_claim_runs_what_it_needs(tiny):
    assert command.main([*tiny, "--only", "fig11.lsb_first"]) == 0
    assert [path.name for path in Path("out/runs/seed 1").iterdir()] == [orders.ORDERS_PART]
    assert "| 47." in Path("out/report.md").read_text()


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tiny, tmp_path):
    rows = [f"{at * 10**6},write,{at % 50 * 8192},16384" for at in range(400)]
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "Exchange.csv").write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    options = SimpleNamespace(
        traces=tmp_path / "traces", workloads=["tExch"], scale=Fraction(1, 24), folder=tmp_path / "out", seed=1
    )
    load = parts.loads(options)["tExch"]
    assert load.kind == "real"
    config = configured(*COMMON, *SYSTEMS["baseline"], *load.overrides)
    assert config.workload.path == str(tmp_path / "traces" / "Exchange.csv")
    assert (config.workload.skip, config.workload.limit) == (0, 400 // 24)


def test_a_device_for_a_real_trace_holds_what_it_touches():
    device = parts.roomy(Fraction(1, 96), 10**10)
    assert configured(*device).hardware.capacity_bytes >= 10**10
    assert parts.roomy(Fraction(1, 96), 10**9) == parts.device(2, 32)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--workloads", "tfin"], "did you mean 'tFin'"),
        (["--only", "fig13.su"], "did you mean 'fig13a.su'"),
        (["--scale", "1/200"], "1/96"),
        (["--traces", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
