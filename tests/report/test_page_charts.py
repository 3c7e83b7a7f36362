"""What charts of a page are drawn of: by hand, and bounded however large the run."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from ssdsim.host.waits import CAUSES
from ssdsim.report.html import comparison, course, device, figures, latency, parts
from ssdsim.report.html.page import Cell, Page, Section, Table, html


def test_a_curve_tells_how_many_took_that_long_or_longer():
    """Of 100 requests 10 took no time, 80 up to 10 us, 9 up to 100 and one up to 1000."""
    times, shares = latency.beyond((np.array([0.0, 10, 100, 1000]), np.array([10, 80, 9, 1])))
    assert times.tolist() == [10, 100, 1000]
    assert shares == pytest.approx([0.9, 0.1, 0.01])


def test_a_curve_of_requests_that_took_no_time_is_empty():
    assert latency.tail_chart("a", "a", "a", "a", {"read": (np.array([0.0]), np.array([5]))}, {}) is None


def test_a_curve_of_many_bins_is_thinned_but_keeps_its_ends():
    bounds = np.logspace(0, 5, 20_000)
    times, shares = latency.beyond((bounds, np.ones(20_000, int)))
    assert len(times) <= 2 * latency.POINTS + 3
    assert (times[0], times[-1]) == (bounds[0], bounds[-1])
    assert (np.diff(shares) <= 0).all()


def test_distributions_of_several_runs_are_added_up():
    bounds, counts = latency.merged([(np.array([1.0, 3]), np.array([5, 6])), (np.array([2.0, 3]), np.array([7, 8]))])
    assert (bounds.tolist(), counts.tolist()) == ([1, 2, 3], [5, 7, 14])


def test_blame_is_drawn_of_what_has_it():
    """Rows are by operation and which of its requests; what is zero is not drawn."""
    causes = dict.fromkeys(CAUSES, 0.0) | {"array": 50.0, "transfer": 10.0, "room": 7.0}
    tail = {key: {"blame_us": causes} for key in parts.SLOWEST}
    served = {"count": 1, "response_us": {"mean": 67.0}, "blame_us": causes, "tail": tail}
    columns = parts.blame_chart(parts.blamed({"requests": {"read": served, "trim": served | {"count": 0}}})).columns
    assert columns["cause"] == ["own work", "collection, room"] * 3 and columns["us"] == [60, 7] * 3
    del served["blame_us"]
    assert parts.blame_chart(parts.blamed({"requests": {"read": served}})) is None


def test_parts_add_up_to_the_response_time():
    found = parts.split({"queue": 5.0, "bus": 1.0, "array": 50.0, "gc": 10.0, "urgent_gc": 4.0, "mapping": None})
    assert found == dict(zip(parts.PARTS.values(), (5, 1, 50, 6, 4, 0, 0, 0, 0), strict=True))


def test_neighbours_on_a_large_device_are_told_together():
    """Of 4 channels of 1024 planes: cells of two planes each, and the mean of both."""
    table = pa.table({"plane": range(4096), "erases": range(4096), "programs": [None] * 4096})
    (chart,) = device.plane_maps(table, SimpleNamespace(channels=4))
    columns = chart.columns
    assert len(columns["value"]) == device.MOST_CELLS
    assert columns["value"][:3] == [0.5, 2.5, 4.5]
    assert (columns["channel"][512], columns["place"][512]) == (1, 0)
    assert columns["place"][511] == 1022
    assert "Of 2 neighbours the mean is shown." in chart.caption


def test_windows_of_many_channels_are_told_together():
    channels, windows = 32, 1024
    numbers = np.arange(windows * channels)
    series = {
        "time_s": numbers // channels * 0.5,
        "channel": numbers % channels,
        "utilization": np.full(len(numbers), 0.5),
    }
    columns = course.channel_map(pa.table(series), 0.5).columns
    assert len(columns["time_s"]) <= course.MOST_CELLS
    assert set(columns["utilization"]) == {0.5}
    assert max(columns["end_s"]) == windows * 0.5


def test_streams_have_columns_of_their_own_where_there_are_several():
    series = {"stream": ["a", "b"] * 2, "iops": [1.0, 2, 3, 4], "read_p99_us": [None] * 4, "write_p99_us": [5.0] * 4}
    found = course.by_stream(pa.table(series))
    assert found["b"] == {"stream1_iops": [2, 4], "stream1_read_p99_us": [None] * 2, "stream1_write_p99_us": [5, 5]}
    assert course.by_stream(pa.table(series).slice(0, 1)) == {}


@pytest.mark.parametrize(
    ("values", "log", "alone"),
    [
        ([1, 2, None], False, False),
        ([None, 1, None], False, True),
        ([1, 0], True, True),
        ([1, 0], False, False),
        ([], 0, 0),
    ],
)
def test_a_value_alone_is_a_point(values, log, alone):
    assert course.has_alone(values, log) == alone


def compared(system, ratio, low, high):
    return {"field": "iops", "system": system, "ratio": ratio, "ratio_low": low, "ratio_high": high}


def test_intervals_of_ratios_end_where_a_logarithmic_axis_does():
    rows = [compared("base", 1.0, 1.0, 1.0), compared("a", 0.5, -0.2, 1.2), compared("b", 2.0, 1.5, 2.5)]
    columns = comparison.ratios(rows, "w", "base", 0, {"a": "red", "b": "blue"}).columns
    assert columns["system"] == ["a", "b"]
    assert columns["bar_from"] == [0.5 / comparison.ROOM, 1.5]
    assert comparison.ratios(rows[:1], "w", "base", 0, {}) is None


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (1234.5, 4, "1,234"),
        (0.012346, 4, "0.01235"),
        (12.3, 2, "12"),
        (5.594e-05, 2, "5.6e-05"),
        (None, 4, "-"),
        (True, 4, "True"),
    ],
)
def test_numbers_have_the_digits_that_count(value, digits, shown):
    assert figures.shown(value, digits) == shown


@pytest.mark.parametrize("mark", ["", "differs"])
def test_rows_can_be_left_out_only_where_some_are_marked(mark):
    table = Table("keys", ["key"], [[Cell("seed", mark=mark)]], only_marked="only these")
    assert ("only these" in html(Page("a", "b", [Section("c", parts=[table])]))) == bool(mark)


def test_no_page_tells_a_number_in_two_lines():
    """Names may be broken after their dots, numbers may not."""
    table = Table("it", ["key", "value"], [["hardware.over_provisioning", "0.123456789012 at most"]])
    text = html(Page("a", "b", [Section("c", parts=[table])]))
    assert "hardware.<wbr>over_<wbr>provisioning" in text and "0.123456789012" in text
