"""What charts are drawn of: by hand, and bounded however large the run."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from ssdsim.report import charts, run
from support.thinned import some
from support.tiny_device import PAGE


def values(chart):
    """Return the rows that a chart is drawn of, those of its last layer if it has several."""
    spec = chart.spec if "data" in chart.spec else chart.spec["layer"][-1]
    return spec["data"]["values"]


def histogram(**counts):
    return pa.table(
        {"op": ["read"] * len(counts), "up_to_us": [float(us[1:]) for us in counts], "count": [*counts.values()]}
    )


def test_a_curve_tells_how_many_took_longer():
    """Of 100 requests of two runs 10 took no time, 80 up to 10 us, 9 up to 100 and one up to 1000."""
    tables = [histogram(_0=10, _10=40, _1000=1), histogram(_10=40, _100=9)]
    rows = values(charts.tails("a", {"read": tables}))
    assert [row["us"] for row in rows] == sorted(row["us"] for row in rows) and rows[-1]["beyond"] >= 0.01
    longer = {us: [row["beyond"] for row in rows if row["us"] == us] for us in (10, 100, 1000)}
    assert all(0.1 <= share <= 0.9 for share in longer[10]) and all(0.01 <= share <= 0.1 for share in longer[100])
    assert charts.tails("a", {"read": [histogram(_0=5)]}) is charts.tails("a", {"write": [histogram(_1=5)]}) is None


def test_windows_are_gathered_into_bins(result):
    """Eight windows of half a second in bins of two: rates by the second, means by the request."""
    binned = charts.binned(result.timeseries, 4)
    np.testing.assert_allclose(binned["middle_s"], [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(binned["iops"], [3, 3, 4, 8])
    np.testing.assert_allclose(binned["reads"], [1, 3, 0, 4])
    np.testing.assert_allclose(binned["read_response_us"], [100, 300, np.nan, 100])
    np.testing.assert_allclose(binned["write_response_us"], [2000, np.nan, 4000, 1])
    np.testing.assert_allclose(binned["gc_page_moves"], [0, 0, 10, 10])


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
