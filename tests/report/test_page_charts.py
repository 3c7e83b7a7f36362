"""What charts are drawn of: by hand, and bounded however large the run."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from ssdsim.metrics.blame import CAUSES
from ssdsim.report import charts, run
from ssdsim.report.comparison import Comparison
from ssdsim.report.page import shown
from support.thinned import some
from support.tiny_device import PAGE

ABOUT = ("name", "title", "caption")


def values(chart):
    """Return the rows that a chart is drawn of, those of its last layer if it has several."""
    spec = chart.spec if "data" in chart.spec else chart.spec["layer"][-1]
    return spec["data"]["values"]


def test_a_curve_tells_how_many_took_that_long_or_longer():
    """Of 100 requests 10 took no time, 80 up to 10 us, 9 up to 100 and one up to 1000."""
    times, shares = charts.beyond((np.array([0.0, 10, 100, 1000]), np.array([10, 80, 9, 1])))
    assert times.tolist() == [10, 100, 1000]
    assert shares == pytest.approx([0.9, 0.1, 0.01])
    assert charts.tails("a", "a", {"read": (np.array([0.0]), np.array([5]))}) is None


def test_a_curve_of_many_bins_is_thinned_but_keeps_its_ends():
    bounds = np.logspace(0, 5, 20_000)
    times, shares = charts.beyond((bounds, np.ones(20_000, int)))
    assert len(times) <= 2 * charts.MOST_POINTS + 3
    assert (times[0], times[-1]) == (bounds[0], bounds[-1])
    assert (np.diff(shares) <= 0).all()


def test_distributions_of_several_runs_are_added_up():
    tables = [
        {"op": ["read", "read"], "up_to_us": us, "count": n} for us, n in (([1.0, 3], [5, 6]), ([2.0, 3], [7, 8]))
    ]
    bounds, counts = charts.distribution(map(pa.table, tables), "read")
    assert (bounds.tolist(), counts.tolist()) == ([1, 2, 3], [5, 7, 14])


def test_parts_and_blame_add_up_to_the_response_time():
    found = run.split({"queue": 5.0, "bus": 1.0, "array": 50.0, "gc": 10.0, "urgent_gc": 4.0, "mapping": None})
    assert found == dict(zip(run.PARTS, (5, 1, 50, 6, 4, 0, 0, 0, 0), strict=True))
    blame = dict.fromkeys(CAUSES, 0.0) | {"array": 50.0, "transfer": 10.0, "room": 7.0}
    chart = charts.bars(ABOUT, {"read, all": run.blamed(blame)}, run.CAUSE_HUES, "share", True)
    assert [(row["part"], row["value"]) for row in values(chart)] == [("own work", 60), ("collection, room", 7)]


def test_neighbours_on_a_large_device_are_told_together():
    """Of 4 channels of 1024 planes: cells of two planes each, and the mean of both."""
    chart = charts.device_map(ABOUT, range(4096), 4, "erases", "plane")
    cells = values(chart)
    assert len(cells) == charts.MOST_CELLS
    assert [cell["value"] for cell in cells[:3]] == [0.5, 2.5, 4.5]
    assert (cells[512]["channel"], cells[512]["x"], cells[511]["x"]) == (1, 0, 1022)
    assert "Of 2 neighbours the mean is shown." in chart.caption


def test_windows_are_gathered_into_bins(result):
    """Eight windows of half a second in bins of two: rates by the second, means by the request."""
    binned = charts.binned(result.timeseries, 4)
    np.testing.assert_allclose(binned["middle_s"], [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(binned["iops"], [3, 3, 4, 8])
    np.testing.assert_allclose(binned["reads"], [1, 3, 0, 4])
    np.testing.assert_allclose(binned["read_response_us"], [100, 300, np.nan, 100])
    np.testing.assert_allclose(binned["write_response_us"], [2000, np.nan, 4000, 1])
    np.testing.assert_allclose(binned["host_page_writes"], [2, 0, 4, 4])
    np.testing.assert_allclose(binned["gc_page_moves"], [0, 0, 10, 10])


def test_a_bin_that_is_not_full_keeps_its_rate_and_the_largest_percentile_stands_for_several(result):
    series = result.timeseries.append_column("read_p99_us", pa.array([1.0, 9, None, 4, None, None, None, 2]))
    binned = charts.binned(series, 3)
    np.testing.assert_allclose(binned["middle_s"], [0.75, 2.25, 3.5])
    np.testing.assert_allclose(binned["iops"], [4, 8 / 3, 8])
    np.testing.assert_allclose(binned["read_p99_us"], [9, 4, 2])


def test_windows_that_are_left_out_count_as_idle(result):
    np.testing.assert_allclose(charts.binned(result.timeseries.take([0, 7]), 4)["iops"], [2, 0, 0, 4])


def test_intervals_of_ratios_end_where_a_logarithmic_axis_does():
    """Of ratios 0.1 and 0.9 the interval reaches below 0: the whisker ends at the edge of the axis."""
    cells = [Comparison("w", name, "iops", (1.0, 1.0), ratios, ()) for name, ratios in RATIOS.items()]
    rows = values(charts.ratios("a", "a", cells, "base", {}))
    assert [row["system"] for row in rows] == ["a", "b"]
    assert rows[0]["ratio_low"] < 0 and rows[0]["from"] == pytest.approx(0.5 / charts.ROOM)
    assert rows[1]["from"] == rows[1]["ratio_low"] > 0
    assert charts.ratios("a", "a", cells[:1], "base", {}) is None


RATIOS = {"base": (1.0, 1.0), "a": (0.4, 0.6), "b": (2.0, 2.01)}


def test_points_are_means_with_intervals_on_lines_over_numbers_and_apart_over_words():
    """Of 10 and 14 the mean is 12, the deviation 2 * sqrt(2), so that half of the interval is 12.706 * 2."""
    means = [charts.Mean(8, "rga, 8", "rga", (10.0, 14.0)), charts.Mean(1, "rga, 1", "rga", (5.0,))]
    chart = charts.over(ABOUT, "depth", "IOPS", means)
    rows = values(chart)
    assert [(row["x"], row["value"]) for row in rows] == [(8, 12), (1, 5)]
    assert (rows[0]["low"], rows[0]["high"]) == (
        pytest.approx(12 - 25.412, abs=1e-3),
        pytest.approx(12 + 25.412, abs=1e-3),
    )
    assert rows[1]["low"] == rows[1]["high"] == 5 and chart.spec["layer"][1]["mark"]["type"] == "line"
    words = charts.over(ABOUT, "gc", "IOPS", [charts.Mean("rga", "rga", "iops", (10.0,))])
    assert words.spec["layer"][1]["mark"]["type"] == "point"


def test_charts_are_given_numbers_that_json_has():
    assert list(map(charts.plain, (1.0, float("nan"), 0.1 + 0.2, 1, None, "x"))) == [1, None, 0.3, 1, None, "x"]


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (1234.5, 4, "1,234"),
        (0.012346, 4, "0.01235"),
        (12.3, 2, "12"),
        (5.594e-05, 2, "5.6e-05"),
        (None, 4, "-"),
        (True, 4, "True"),
        ([1, 2, 3, 9, 4], 4, "5 values, 1 to 9"),
    ],
)
def test_numbers_have_the_digits_that_count(value, digits, told):
    assert shown(value, digits) == told


# The picture of a run.

SIGNATURE = b"\x89PNG\r\n\x1a\n"
TEN = [(at * 1000, "write" if at % 2 else "read", at * PAGE, PAGE) for at in range(10)]
BUFFER = {"buffer": {"replacement": "lru", "size_mib": 0.1}}
SHORT = {
    **{f"{count} on flash": (TEN[1 : count + 1], {}) for count in (1, 2)},
    "2 on buffer": (TEN[1:3], BUFFER),
    **{f"only {op}": ([(0, op, 0, PAGE)] * 5, {}) for op in ("read", "write", "trim")},
    "flushes": ([(0, "flush", 0, 0)] * 5, {}),
    "none": ([], {}),
    "without timing": (TEN, {"timing": "off", "record": []}),
}


@pytest.mark.parametrize("name", some(0.5, SHORT))
def test_a_run_is_drawn_without_a_warning_however_short(experiment, tmp_path, name):
    """Also where no request takes any time, as none needs the flash."""
    rows, changes = SHORT[name]
    result = experiment([{"rows": rows}], changes).result
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.overview(result, tmp_path / "overview.png")
    assert (tmp_path / "overview.png").read_bytes().startswith(SIGNATURE)


def test_a_run_of_writes_alone_has_no_line_for_reads(result, tmp_path):
    series = result.timeseries.to_pydict() | {"reads": [0] * 8, "read_response_us": pa.nulls(8, pa.float64())}
    result._tables["timeseries"] = pa.table(series)
    result._tables["latency"] = result.latency.slice(2)
    run.overview(result, tmp_path / "overview.svg")
    picture = (tmp_path / "overview.svg").read_text()
    assert "IOPS" in picture and ">read<" not in picture
