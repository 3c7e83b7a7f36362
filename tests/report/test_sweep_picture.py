"""Which runs make which point of a sweep's picture, and what is drawn of them."""

import re

import pyarrow as pa
import pytest

from ssdsim.command.picture import main
from ssdsim.errors import InputError
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.sweep import View, chosen, concerns, every, key_of, left_out, points

KEYS = ("ftl/gc", "depth", "seed")


def swept(rows):
    """Return the sweep of rows of (policy, depth, seed, iops, codes)."""
    columns = [*KEYS, "iops", "validity", "status"]
    made = [dict(zip(columns, (*row, "completed" if row[3] else "failed"), strict=True)) for row in rows]
    table = pa.Table.from_pylist(made)
    told = {"override": "true"}
    fields = [field.with_metadata(told) if field.name in KEYS else field for field in table.schema]
    return Sweep(table.cast(pa.schema(fields)))


SWEEP = swept(
    [
        ("rga", 8, 1, 10.0, []),
        ("rga", 8, 2, 14.0, ["tail", "backlog"]),
        ("rga", 1, 1, 5.0, []),
        ("fifo", 8, 1, 7.0, ["tail"]),
        ("fifo", 1, 1, None, None),
    ]
)


def test_a_point_is_the_mean_over_seeds_with_its_interval():
    """Of 10 and 14 the mean is 12, the deviation 2 * sqrt(2), so that half of the interval is 12.706 * 2."""
    lines = points(SWEEP, View("iops", "depth", "ftl/gc"))[None]
    assert list(lines) == ["rga", "fifo"]
    assert [(point.x, point.mean) for point in lines["rga"]] == [(1, 5.0), (8, 12.0)]
    assert lines["rga"][1].interval == pytest.approx((12 - 25.412, 12 + 25.412))
    assert lines["rga"][1].codes == ("backlog",) and lines["fifo"][0].codes == ()
    assert left_out(SWEEP, View("iops", "depth")) == "1 of 5 runs have no value of iops: 1 failed."


def test_runs_that_differ_by_more_than_seeds_are_no_point():
    with pytest.raises(InputError, match=r"^depth: differ .*\(depth is 8, 1\); choose one value with --where depth=8,"):
        points(SWEEP, View("iops", "ftl/gc"))
    assert len(list(every(points(chosen(SWEEP, ["depth=8"]), View("iops", "ftl/gc"))))) == 2


def test_keys_and_values_are_found_or_the_nearest_are_told():
    assert key_of(SWEEP, "ftl.gc") == "ftl/gc"
    with pytest.raises(InputError, match="did you mean 'depth'"):
        key_of(SWEEP, "dept")
    with pytest.raises(InputError, match=r"no run has it.*there are rga, fifo"):
        chosen(SWEEP, ["ftl.gc=greedy"])


@pytest.mark.parametrize(
    ("count", "percentile", "is_about"), [(999, "p99", True), (1000, "p99", False), (9, "mean", False)]
)
def test_few_requests_in_the_tail_concern_percentiles_that_few_are_beyond(count, percentile, is_about):
    row = {"requests.read.count": count}
    assert concerns("tail", row, f"requests.read.response_us.{percentile}") is is_about
    assert not concerns("tail", row, "iops") and concerns("transient", row, "iops")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr("ssdsim.metrics.sweep.gather", lambda folder: SWEEP.table)
    return str(tmp_path)


def test_a_picture_shows_lines_and_what_they_mean(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "picture.svg"
    assert main([folder, "--y", "iops", "--x", "depth", "--lines", "ftl.gc", "--output", str(path), "--log", "xy"]) == 0
    drawn = path.read_text()
    for text in ("rga", "fifo", "iops", "depth", "Means over 2 seeds", "(backlog)"):
        assert text in drawn, text
    done = capsys.readouterr()
    assert done.out == f"{path}\n" and "1 of 5 runs have no value" in done.err
    assert main([folder, "--y", "iops", "--x", "ftl/gc", "--panels", "depth"]) == 0
    assert (tmp_path / "iops_over_ftl.gc.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--y iop --x depth", "did you mean 'iops'"),
        ("--y utilization.die --x depth", "no run .* single number of that name: Of each die"),
        ("--y iops --x depth --lines depth", "must be keys of their own"),
        ("--y iops --x ftl.gc --where depth=8 --log x", "words have no logarithm"),
        ("--y iops --x ftl.gc --where depth", "is written KEY=VALUE"),
        ("--y iops --x depth --lines ftl.gc --output a.bmp", "must end with one of .png"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_sentence(folder, capsys, arguments, told):
    assert main([folder, *arguments.split()]) == 2
    refused = capsys.readouterr()
    assert refused.err.count("\n") == 1 and re.search(told, refused.err)
