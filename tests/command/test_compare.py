"""The comparison of systems: what is run, what sets them apart, and numbers paired by seed."""

from statistics import fmean

import pyarrow.parquet as pq
import pytest

from ssdsim.command.cli import main
from ssdsim.command.compare import place_of, systems_of
from ssdsim.command.compose import composed
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import Point, across, compared, differences, results_table, unfair

SMALL = [
    *("hardware=tlc_4g", "precondition=fill"),
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("workload=synthetic", "workload.requests=400"),
]


def test_each_combination_of_values_is_a_system():
    found = systems_of(
        ["stack=baseline,pa_ssd", "ftl/gc=greedy,rga", "host.queue_depth=8"],
        ["mine: stack=spd  'record=[requests, commands]'"],
    )
    assert list(found) == [
        *("stack=baseline ftl/gc=greedy", "stack=baseline ftl/gc=rga"),
        *("stack=pa_ssd ftl/gc=greedy", "stack=pa_ssd ftl/gc=rga", "mine"),
    ]
    assert found["mine"] == ["host.queue_depth=8", "stack=spd", "record=[requests, commands]"]
    assert place_of("my system", 2) == "my_system/seed=2"


@pytest.mark.parametrize(
    ("overrides", "named", "told"),
    [
        (["stack=baseline"], [], "there is one system"),
        (["stack=baseline,spd"], ["a: kernel=simpy", "a: timing=off"], "each name is given once"),
    ],
)
def test_what_cannot_be_understood_is_told(overrides, named, told):
    with pytest.raises(ConfigError, match=told):
        systems_of(overrides, named)


def test_a_baseline_is_one_of_the_systems(capsys):
    assert main(["compare", "stack=baseline,spd", *SMALL, "--baseline", "stack=sdp"]) == 2
    told = "--baseline stack=sdp: is no system (did you mean 'stack=spd'?); there are stack=baseline, stack=spd.\n"
    assert capsys.readouterr().err == told


def test_what_is_not_of_policies_alone_is_flagged():
    systems = systems_of(["stack=baseline,spd", *SMALL], ["bigger: hardware.blocks_per_plane=64"])
    differing = differences(composed(words) for words in systems.values())
    assert differing["ftl.unit"] == ["block", "die", "block"] and "seed" not in differing
    (told,) = unfair(differing)
    assert "systems differ in hardware.blocks_per_plane, buffer.replacement, buffer.slot_free_when." in told


def result(seed, iops, write_us, *codes):
    empty = dict.fromkeys(("mean", "p99"))
    requests = {"read": {"response_us": empty}, "write": {"response_us": {"mean": write_us, "p99": write_us}}}
    return Result({"seed": seed, "iops": iops, "requests": requests, "validity": [{"code": code} for code in codes]})


def test_ratios_are_paired_by_seed():
    ours = [result(1, 1000, 5.0, "partial"), result(2, 4000, 10.0), result(3, 2000, 8.0, "partial")]
    base = [result(1, 500, 10.0), result(2, 2000, 10.0), result(3, 1000, None)]
    points = [Point({"system": "base"}, base), Point({"system": "ours"}, ours), Point({"system": "one"}, ours[:1])]
    fields = ["iops", "requests.read.response_us.mean", "requests.write.response_us.mean"]
    cells = compared(points, fields, "base")
    found = {(cell["system"], cell["field"]): cell for cell in cells}
    iops = found["ours", "iops"]
    assert (iops["ratio"], iops["ratio_low"], iops["ratio_high"], iops["validity"]) == (2, 2, 2, "partial")
    assert (iops["mean"], iops["low"], iops["high"]) == (fmean([1000, 4000, 2000]), *across([1000, 4000, 2000]))
    assert found["ours", "requests.write.response_us.mean"]["ratio"] == 0.75  # of 0.5 and 1.0
    assert ("ours", "requests.read.response_us.mean") not in found
    assert found["base", "iops"]["ratio"] is found["one", "iops"]["ratio"] is None
    table = results_table(points, cells).turned()
    assert table.header == ("system", "base", "ours", "one") and table.rows[0][0] == "IOPS"
    assert table.rows[0][2].endswith("(2 ± 0x)") and "x)" not in table.rows[0][1]
    assert table.rows[-1] == ["against it", "nothing", "partial", "partial"]


def test_the_command_runs_compares_and_goes_on_from_what_is_finished(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = ["compare", "stack=baseline,page_ftl", *SMALL, "--seeds", "2", "--jobs", "1", "hydra.run.dir=out"]
    assert main([*given, "--fields", "iops", "write_amplification"]) == 0
    shown = capsys.readouterr()
    assert "What sets the systems apart" in shown.out and "ftl.plane_allocation" in shown.out
    assert shown.out.endswith("The comparison is in out\n") and "seed=2: done" in shown.err
    table = pq.read_table("out/comparison.parquet")
    assert table["system"].to_pylist() == ["stack=baseline", "stack=page_ftl"] * 2
    assert table["field"].to_pylist() == [*["iops"] * 2, *["write_amplification"] * 2]
    runs = [Result.load(f"out/stack=page_ftl/seed={seed}") for seed in (1, 2)]
    assert table["mean"][1].as_py() == pytest.approx(fmean(run.summary["iops"] for run in runs))
    assert main([*given, "--fields", "iops"]) == 2
    assert "out: is not empty (" in capsys.readouterr().err
    assert main([*given, "overwrite=true", "plot=false", "--fields", "iops"]) == 0
    assert "done" not in capsys.readouterr().err
    assert pq.read_table("out/comparison.parquet").num_rows == 2
    assert main([*given, "--fields", "iops", "-q"]) == 0  # the same goes on where it is
