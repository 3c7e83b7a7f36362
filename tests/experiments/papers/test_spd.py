"""The experiments of the SPD paper: workloads with Table 2's numbers, measures by hand, and the command, tiny."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest

import experiments.papers.spd.__main__ as command
from experiments.papers.spd import choices, claims, measures, runs, sections, systems, workloads
from experiments.papers.spd.claims import CLAIMS, HELD
from experiments.papers.spd.runs import BUFFERS, FOUR_PLANES, MAPPINGS, SEPARATING
from experiments.papers.spd.systems import BASE, COLLECTING, COMMON, FREE, STATES, SYSTEMS, UNCOLLECTED
from experiments.papers.spd.workloads import GB, TABLE_2, recognised, rushing, synthetic
from experiments.study import traces
from experiments.study.arrivals import FITTED
from experiments.study.claims import Comparison
from experiments.study.measures import Grid
from experiments.study.numbers import Number, largest, least, others
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
    options = SimpleNamespace(traces=None, workloads=None, scale=Fraction(1, 20_000), folder=tmp_path, seed=1)
    for name, piece in (("HM_0", "MSR 20-80"), ("PRXY_0", "prxy_0")):
        config = configured(*SYSTEMS[BASE], *workloads.synthetic_overrides(name, options, 64)).workload
        assert config.rate_iops == pytest.approx(TABLE_2[name].rate_iops, rel=1e-4)
        assert (config.arrival, config.batch_requests) == ("levels", FITTED[piece].batch_requests)
    assert (
        configured(*SYSTEMS[BASE], *workloads.synthetic_overrides("HM_0", options, 64, 0.2)).workload.arrival
        == "recorded"
    )


def test_with_no_rushes_arrivals_are_a_poisson_process_and_else_so_many_come_in_them():
    assert rushing(0.0).kinds == () and rushing(0.2).rushes == (0.2, 290)


def test_volumes_are_known_by_the_names_of_table_2():
    assert recognised(Path("rsrch_0.csv.gz")) == "RSR_0"
    assert recognised(Path("proj-3.trace")) == "PROJ_3"
    assert recognised(Path("usr_0.csv")) is None


def test_the_buffer_is_a_hundredth_of_the_footprint_but_two_pages_a_plane():
    assert workloads.buffer_mib(1.35 * GB, 64) == pytest.approx(13.824)
    assert workloads.buffer_mib(0.01 * GB, 64) == 256 * 2 * 4096 / 2**20


def test_a_whole_trace_takes_the_place_of_the_synthetic_one(tmp_path, monkeypatch):
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    rows = [f"{at * 10**6},write,{at % 50 * 8192},16384" for at in range(400)]
    (tmp_path / "traces").mkdir()
    for name in ("hm_0.csv", "mine.csv"):
        (tmp_path / "traces" / name).write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    options = SimpleNamespace(
        traces=tmp_path / "traces", workloads=["HM_0", "mine"], scale=Fraction(1, 32), folder=tmp_path, seed=1
    )
    found = workloads.loads(options, 64)
    assert {name: load.kind for name, load in found.items()} == {"HM_0": "real", "mine": "real"}
    config = configured(*SYSTEMS[BASE], *found["HM_0"].buffered())
    assert config.workload.path == str(tmp_path / "traces" / "hm_0.csv")
    assert config.workload.limit == round(TABLE_2["HM_0"].requests / 32)
    assert config.buffer.size_mib == pytest.approx(13.824)
    assert workloads.footprint(found["mine"].overrides) == 51 * 8192


# Systems.


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("state", STATES)
def test_every_system_fits_the_smallest_device_and_the_whole_one(system, state):
    for blocks in (systems.FEWEST_BLOCKS, systems.BLOCKS):
        config = configured(*systems.device(blocks), *COMMON, *STATES[state], *SYSTEMS[system])
        assert config.hardware.blocks_per_plane == blocks
        assert config.hardware.planes == 256
        assert config.host.queue_depth == 1024


def test_the_whole_device_is_that_of_table_1():
    hardware = configured(*systems.device(systems.BLOCKS), *SYSTEMS[BASE]).hardware
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
        "utilization": {"die": [0.5] * 128},
        **others,
    }


def made(runs):
    """Return results from summaries or from write latencies."""
    return {name: Result(of if isinstance(of, dict) else summary(of)) for name, of in runs.items()}


def test_measures_by_hand():
    of = summary()
    assert measures.WRITE(of) == 1.0
    assert measures.READ(of) == 0.2
    assert measures.joined(of) == 25
    assert [measures.case(kind)(of) for kind in measures.CASES] == pytest.approx([62.5, 25, 12.5])
    assert measures.most_planes_percent(of) == 100
    assert measures.hit_ratio(of) == 40
    assert measures.gc_cost(of) == pytest.approx(260e-6)
    assert measures.gc_cost_each(of) == pytest.approx(0.065)
    assert measures.writes_of_cost(of) == pytest.approx(100 * 200 / 260)
    assert [measures.gc_part(part)(of) for part in measures.GC_PARTS] == pytest.approx([0.0025, 0.05, 0.0075, 0.005])
    assert measures.blocked(of) == 25
    assert measures.blocked_each(of) == pytest.approx(0.6)
    assert measures.gc_cost_each(summary(collections=0)) is None


def test_reductions_are_averaged_over_the_papers_workloads_only():
    runs = {"HM_0/Baseline-D": 2000.0, "HM_0/SPD": 1000.0, "TS_0/Baseline-D": 1000.0, "TS_0/SPD": 1100.0}
    results = {FREE: made(runs | {"mine/Baseline-D": 1000.0, "mine/SPD": 1.0})}
    saved = claims.reductions(FREE, measures.WRITE, "SPD")
    assert [saved[name](results) for name in ("HM_0", "TS_0", "STG_0")] == [pytest.approx(50), pytest.approx(-10), None]
    assert claims.average(FREE, measures.WRITE, "SPD")(results) == pytest.approx((50 - 10) / 2)
    assert claims.average(FREE, measures.WRITE, "TwinBlk")(results) is None


def numbers(**values):
    return {name: Number(lambda _, value=value: value) for name, value in values.items()}


def test_values_by_workload_are_compared_with_those_of_the_others():
    found = numbers(a=1.0, b=5.0, c=3.0, d=None)
    assert claims.apart(found, ["a", "b"])({}) == 0
    assert claims.apart(found, ["a", "d"])({}) is None
    assert (found["a"] - least(others(found, "a")))({}) == -2
    assert (found["b"] - largest(others(found, "b")))({}) == 2
    assert claims.alike(found, numbers(a=2.0, b=10.0, c=6.0, d=1.0))({}) == pytest.approx(1)
    assert claims.alike(found, numbers(a=1.0, b=1.0, c=1.0, d=1.0))({}) is None
    assert claims.alike(found, numbers(a=None, b=None, c=None, d=1.0))({}) is None


def test_what_the_paper_says_is_held_against_the_runs():
    results = {
        COLLECTING: made(
            {
                f"{name}/{system}": summary(us, collections=count, erased=erased)
                for name, fewer in (("HM_0", 50), ("PRN_1", 60))
                for system, us, count, erased in (
                    ("Baseline-D", 1000.0, 100, 100),
                    ("TwinBlk", 900.0, 80, 150),
                    ("SPD", 700.0 + fewer, fewer, 2 * fewer),
                )
            }
        )
    }
    held = {name: HELD[name](results) for name in HELD if name.startswith(("fig13", "fig15", "fig16", "fig17"))}
    assert held["fig13.baseline_d"] == pytest.approx((25 + 24) / 2)
    assert held["fig13.paragc"] is None
    assert (held["fig13.prn_1"], held["fig13.prn_1.least"]) == pytest.approx((24, -1))
    assert (held["fig16.spd.least"], held["fig16.spd.most"]) == pytest.approx((40, 50))
    assert held["fig16.twinblk"] == pytest.approx(20)
    assert held["fig15.like.baseline_d"] == pytest.approx((200 + 100 / 0.6) / 2)
    assert held["fig17.below.twinblk"] == pytest.approx(100 * (1 - 110 / 150))
    assert (held["fig17.most.twinblk"], held["fig17.twinblk"]) == pytest.approx((50, 50))


def test_the_buffers_sizes_are_held_from_the_smallest_to_the_largest():
    latencies = {"1": (1000.0, 800.0), "2": (900.0, 720.0), "4": (800.0, 560.0)}
    of = {
        f"{size}/{system}": us
        for size, pair in latencies.items()
        for system, us in zip((BASE, "SPD"), pair, strict=True)
    }
    held = {name: HELD[name]({BUFFERS: made(of)}) for name in ("fig21.falls", "fig21.stable", "fig21.best")}
    assert held == pytest.approx({"fig21.falls": 20, "fig21.stable": 100 * 20 / (70 / 3), "fig21.best": 20})


def test_each_claim_is_told_once_and_measured_or_left_out():
    assert len({claim.name for claim in CLAIMS}) == len({claim.what for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.name for claim in CLAIMS if not claim.left_out} == {*HELD}


def test_bounds_that_are_met_where_nothing_happens_are_trivial():
    by_name = {claim.name: claim for claim in CLAIMS}
    assert Comparison(by_name["fig9.baseline_p.most"], [-20.2]).verdict == "**other direction**"
    assert not by_name["fig9.baseline_p.most"].is_trivial
    assert by_name["table3.superpage"].is_trivial and by_name["fig15.writes"].is_trivial
    assert not by_name["fig15.like.baseline_d"].is_trivial


def test_a_system_that_is_run_otherwise_takes_its_own_place_alone():
    results = {FREE: made({"HM_0/Baseline-D": 1000.0, "HM_0/Baseline-P": 1500.0})}
    results["FREE, other"] = made({"HM_0/Baseline-P": 990.0})
    assert choices.overlaid(HELD["fig9.baseline_p"], {FREE: "FREE, other"})(results) == pytest.approx(1)


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
    monkeypatch.setattr(command, "RUSHES", {"half": 0.5})
    monkeypatch.setattr(command, "fewer_dies", lambda known, blocks: known)
    monkeypatch.setattr(workloads, "device", lambda blocks: ["hardware=spd_small"])
    workloads.hardware.cache_clear()
    monkeypatch.chdir(tmp_path)
    yield ["--folder", "out", "--jobs", "1", "--seeds", "1", "--workloads", "RSR_0"]
    workloads.hardware.cache_clear()


@pytest.mark.more
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    assert [number for number in (2, *range(9, 25)) if f"## Fig. {number}:" not in text] == []
    assert all(f"## Table {number}:" in text for number in (3, 4))
    assert [choice for choice in ("Dies", "SuperPage pairs", "Arrivals") if f"### {choice}" not in text] == []
    assert "Figs. 18 to 20 contradict each other" in text
    tables = {path.stem for path in folder.glob("*.csv")}
    pictures = {path.stem for path in folder.glob("*.png")}
    assert tables == {*pictures, "loads"}
    assert all(f"]({name}.png)" in text for name in pictures)
    assert capsys.readouterr().out == "out/report.md\n"


def test_one_claim_runs_what_it_needs(tiny):
    assert command.main([*tiny, "--only", "fig23.dftl"]) == 0
    assert [path.name for path in Path("out/runs").iterdir() if path.is_dir()] == ["seed 1"]
    assert [path.name for path in Path("out/runs/seed 1").iterdir()] == [MAPPINGS]
    assert "| fig23.dftl |" in Path("out/report.md").read_text()


def test_runs_are_as_many_as_the_figures_need():
    load = workloads.Load([], 1.0, "synthetic")
    plan = runs.Plan({"HM_0": load, "mine": load}, 1)
    parts = plan.parts()
    counted = {FREE: 2 * len(UNCOLLECTED), COLLECTING: 2 * len(SYSTEMS), FOUR_PLANES: 3}
    assert len(plan.separating()[SEPARATING]) == 6
    assert {part: len(of) for part, of in parts.items()} == counted | {BUFFERS: 0, MAPPINGS: 0}
    assert "flash.plane_groups=2" not in parts[FOUR_PLANES]["HM_0/SPD"]
    made = {choice.name: choice.others for choice in choices.choices(plan, plan, {"half": plan}, plan)}
    assert len(made) == 11
    turns = made["Baseline-P evicts"]["planes in turn"].parts
    assert {part: len(of) for part, of in turns.items()} == {
        f"{FREE}, Baseline-P": 2,
        f"{COLLECTING}, Baseline-P": 2,
        f"{FOUR_PLANES}, Baseline-P": 1,
    }
    assert choices.TURNS in turns[f"{FREE}, Baseline-P"]["HM_0/Baseline-P"]


def test_fewer_dies_have_as_many_pages():
    (load,) = workloads.fewer_dies({"HM_0": workloads.Load(systems.device(64), 1.0, "synthetic")}, 64).values()
    hardware = configured(*SYSTEMS[BASE], *load.buffered()).hardware
    assert (hardware.dies, hardware.blocks_per_plane) == (32, 256)


def test_what_was_not_run_is_left_out():
    assert sections.figure_21(Grid({}), None) == sections.whole(Grid({}), Grid({}), None) == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--workloads", "HM_1"], "did you mean 'HM_0'"),
        (["--scale", "1/70"], "1/64"),
        (["--traces", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
