"""The comparison of systems: what is run, what sets them apart, and numbers paired by seed."""

import csv
from statistics import fmean

import pyarrow.parquet as pq
import pytest

from ssdsim.command.compare import baseline_of, by_system, fields_of, latex, main, named_system, planned, warnings
from ssdsim.errors import ConfigError
from ssdsim.metrics.blame import CAUSES
from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import blame_fields, compared, differences, unfair

SMALL = [
    *("hardware=tlc_4g", "precondition=fill"),
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("workload=synthetic", "workload.requests=400"),
]


def test_causes_are_compared_if_all_runs_tell_them_and_some_have_any():
    told = {"requests": {op: {"blame_us": dict.fromkeys(CAUSES, 0.0)} for op in ("read", "write")}}
    other = {
        "requests": {
            "read": {"blame_us": dict.fromkeys(CAUSES, 0.0) | {"bus": 1.0}},
            "write": told["requests"]["write"],
        }
    }
    assert blame_fields([told, told]) == [] and blame_fields([told, other]) == ["requests.read.blame_us.bus"]
    assert blame_fields([other, {"requests": {"read": {}}}]) == []


def test_several_values_make_systems_and_workloads():
    plan = planned(
        ["stack=baseline,pa_ssd", "ftl/gc=greedy,rga", "workload.requests=10,20", "host.queue_depth=8"],
        ["mine: stack=spd  ftl/gc=fifo"],
        2,
    )
    assert list(plan.systems) == [
        "stack=baseline ftl/gc=greedy",
        "stack=baseline ftl/gc=rga",
        "stack=pa_ssd ftl/gc=greedy",
        "stack=pa_ssd ftl/gc=rga",
        "mine",
    ]
    assert plan.systems["mine"] == ["stack=spd", "ftl/gc=fifo"]
    assert list(plan.workloads) == ["workload.requests=10", "workload.requests=20"]
    runs = plan.runs()
    assert len(runs) == 5 * 2 * 2
    assert runs["workload.requests=20/mine/seed=2"] == [
        *("host.queue_depth=8", "workload.requests=20", "stack=spd", "ftl/gc=fifo", "seed=2")
    ]
    assert all(name.count("/") == 2 for name in runs)


@pytest.mark.parametrize(
    ("overrides", "named", "told"),
    [
        (["stack=baseline"], [], "there is one system"),
        (["stack=baseline,spd", "seed=3"], [], "set by --seeds"),
        (["stack=baseline,spd"], ["stack=spd"], "is written NAME: overrides"),
        (["stack=baseline,spd"], ["a: kernel=simpy", "a: timing=off"], "a system of that name already"),
        (["stack=baseline,spd"], ["a: seed=1"], "set by --seeds"),
        (["stack=baseline,spd"], ["a: plot=true"], "of the whole comparison"),
        (["stack=baseline,spd"], ["a: hydra.run.dir=b"], "of the whole comparison"),
        (["host.queue_depth=interval(1,2)"], [], "an interval is for"),
    ],
)
def test_what_cannot_be_understood_is_told(overrides, named, told):
    with pytest.raises(ConfigError, match=told):
        planned(overrides, named, 1)


@pytest.mark.parametrize(
    ("written", "overrides"),
    [
        ("", []),
        (" stack=spd\n  +ftl/gc=fifo ", ["stack=spd", "+ftl/gc=fifo"]),
        ("record=[requests, commands] seed_=1", ["record=[requests, commands]", "seed_=1"]),
        ("workload.path='my = file.csv' stack=spd", ["workload.path='my = file.csv'", "stack=spd"]),
        ('a.b="x y=1, z" c/d@e=f', ['a.b="x y=1, z"', "c/d@e=f"]),
        ("ftl.gc.options={choices: 3, more: [1, 2]} ~a=b", ["ftl.gc.options={choices: 3, more: [1, 2]}", "~a=b"]),
    ],
)
def test_the_values_of_a_system_may_have_spaces(written, overrides):
    assert named_system(f"mine: {written}") == ("mine", overrides)


def test_the_baseline_is_named_by_a_value_that_only_one_system_has():
    plan = planned(["stack=baseline,spd,pa_ssd"], ["mine: stack=spd"], 1)
    assert baseline_of(plan, None) == "stack=baseline"
    assert baseline_of(plan, "pa_ssd") == "stack=pa_ssd"
    assert baseline_of(plan, "mine") == "mine"
    with pytest.raises(ConfigError, match="stands for several systems"):
        baseline_of(plan, "stack")
    with pytest.raises(ConfigError, match="did you mean 'mine'"):
        baseline_of(plan, "mina")


def test_fields_are_those_of_the_dictionary():
    assert fields_of(["requests.write.response_us.p99_9"]) == ["requests.write.response_us.p99_9"]
    with pytest.raises(ConfigError, match="did you mean 'write_amplification'"):
        fields_of(["write_amplificaton"])


def test_what_is_not_of_policies_alone_is_flagged():
    plan = planned(["stack=baseline,spd", *SMALL], ["bigger: hardware.blocks_per_plane=64"], 1)
    differing = differences(plan.configs("workload"))
    flagged = unfair(differing)
    assert differing["ftl.unit"] == {"stack=baseline": "block", "stack=spd": "die", "bigger": "block"}
    assert "ftl.unit" not in flagged and "seed" not in differing
    assert set(flagged) == {"hardware.blocks_per_plane", "buffer.replacement", "buffer.slot_free_when"}
    told = warnings(flagged)
    assert any("different devices (hardware.blocks_per_plane)" in each for each in told) and len(told) == 2


def result(iops, write_us, *codes):
    empty = dict.fromkeys(("mean", "p99"))
    requests = {"read": {"response_us": empty}, "write": {"response_us": {"mean": write_us, "p99": write_us}}}
    return Result({"iops": iops, "requests": requests, "validity": [{"code": code} for code in codes]})


def test_ratios_are_paired_by_seed():
    ours = [result(1000, 5.0, "partial"), result(4000, 10.0), result(2000, 8.0, "partial")]
    base = [result(500, 10.0), result(2000, 10.0), result(1000, None)]
    fields = ["iops", "requests.read.response_us.mean", "requests.write.response_us.mean"]
    found = {
        (each.system, each.field): each for each in compared({"load": {"base": base, "ours": ours}}, fields, "base")
    }
    iops = found["ours", "iops"]
    assert (iops.ratios, iops.ratio, iops.mean) == ((2, 2, 2), 2, fmean([1000, 4000, 2000]))
    assert iops.validity == ("partial",)
    row = iops.row()
    assert (row["ratio_low"], row["ratio_high"]) == (2, 2)
    assert (row["low"], row["high"]) == across([1000, 4000, 2000])
    assert found["ours", "requests.write.response_us.mean"].ratios == (0.5, 1.0)
    assert ("ours", "requests.read.response_us.mean") not in found
    header, rows = by_system(list(found.values()), "load", "base")
    assert header == ["load", "base", "ours"]
    assert rows[0][0] == "iops" and rows[0][2].endswith("(2 ± 0x)") and "x)" not in rows[0][1]
    assert rows[-1] == ["what speaks against it", "nothing", "partial"]


@pytest.mark.parametrize(
    ("ours", "bases", "ratios"),
    [
        ([3.0, 3.0, 3.0], [0.0, 1e-3, 2e-3], ()),  # 0 with one seed
        # 3 ± 17 and 1.5 ± 3.6 times: Student's t for two degrees of freedom is 4.303
        ([3.0, 1.0, 3.0], [1.0, 10.0, 1.0], ()),
        ([6.0, 20.0, 2.0], [3.0, 10.0, 1.0], (2, 2, 2)),  # as uncertain, yet the same ratio with each
        ([0.0, 0.0, 0.0], [10.0, 11.0, 10.0], (0, 0, 0)),
        ([5.0], [1e-9], (5e9,)),  # of one seed nothing is known
        ([0.0, 0.0], [0.0, 0.0], ()),
    ],
)
def test_there_is_no_ratio_to_next_to_nothing_and_no_bar(ours, bases, ratios):
    runs = {"base": [result(base, 1.0) for base in bases], "ours": [result(value, 1.0) for value in ours]}
    found = compared({"load": runs}, ["iops", "requests.write.response_us.mean"], "base")
    assert found[1].ratios == pytest.approx(ratios)
    _, rows = by_system(found, "load", "base")
    assert rows[0][2].endswith("x)" if ratios else " (-)")


def test_latex_has_nothing_left_to_escape():
    text = latex(["load", "a_b"], [["write_amplification", "1.5 ± 0.1 (90%)"]])
    assert text.splitlines()[4] == r"write\_amplification & 1.5 $\pm$ 0.1 (90\%) \\"
    assert text.startswith(r"\begin{tabular}{lr}") and text.endswith("\\end{tabular}\n")


def test_the_command_runs_compares_and_goes_on_from_what_is_finished(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = ["stack=baseline,page_ftl", *SMALL, "--seeds", "2", "--jobs", "1", "hydra.run.dir=out"]
    assert main([*given, "--fields", "iops", "write_amplification"]) == 0
    shown = capsys.readouterr()
    assert "What sets the systems apart" in shown.out and "ftl.plane_allocation" in shown.out
    assert shown.out.endswith("The comparison is in out\n") and "seed=2: done" in shown.err
    with (tmp_path / "out" / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["system"], row["field"]) for row in rows] == [
        *(("stack=baseline", "iops"), ("stack=page_ftl", "iops")),
        *(("stack=baseline", "write_amplification"), ("stack=page_ftl", "write_amplification")),
    ]
    runs = [Result.load(tmp_path / "out" / "workload" / "stack=page_ftl" / f"seed={seed}") for seed in (1, 2)]
    assert float(rows[1]["mean"]) == pytest.approx(fmean(run.summary["iops"] for run in runs))
    assert pq.read_table(tmp_path / "out" / "comparison.parquet").num_rows == 4
    kept = (tmp_path / "out" / "manifest.json").read_text()
    assert main([*given, "--fields", "iops"]) == 2
    assert "out: is not empty (" in capsys.readouterr().err
    assert main([*given, "overwrite=true", "plot=false", "--fields", "iops"]) == 0
    told = capsys.readouterr().err
    assert "done" not in told
    assert pq.read_table(tmp_path / "out" / "comparison.parquet").num_rows == 2
    assert main([*given, "--fields", "iops", "-q"]) == 0  # the same goes on where it is
    assert (tmp_path / "out" / "manifest.json").read_text() != kept


def test_a_comparison_goes_to_a_new_folder_and_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = ["ftl/gc=greedy,fifo", *SMALL, "--seeds", "1", "--jobs", "1", "-q", "plot=false"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").touch()
    assert main([*given, "hydra.run.dir=mine"]) == 2
    assert "mine: is not empty (notes)" in capsys.readouterr().err

    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr("ssdsim.command.compare.write", stopped)
        assert main(given) == 130
    (first,) = tmp_path.glob("results/*")
    assert main(given) == 0 and (first / "comparison.csv").exists()
    assert main(given) == 0 and len(list(tmp_path.glob("results/*"))) == 1
