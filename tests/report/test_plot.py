"""The picture: what its lines are made of, and that it can be drawn whatever is missing."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from ssdsim.report import plot
from support.thinned import some
from support.tiny_device import PAGE

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def test_windows_are_gathered_into_bins(result, monkeypatch):
    """Eight windows of half a second in bins of two: rates by the second, means by the request."""
    monkeypatch.setattr(plot, "POINTS", 4)
    binned = plot._binned(result.timeseries)
    np.testing.assert_allclose(binned["time"], [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(binned["iops"], [3, 3, 4, 8])
    np.testing.assert_allclose(binned["read"], [100, 300, np.nan, 100])
    np.testing.assert_allclose(binned["write"], [2000, np.nan, 4000, 1])
    np.testing.assert_allclose(binned["host_page_writes"], [2, 0, 4, 4])
    np.testing.assert_allclose(binned["gc_page_moves"], [0, 0, 10, 10])


def test_a_last_bin_that_is_not_full_keeps_its_rate(result, monkeypatch):
    monkeypatch.setattr(plot, "POINTS", 3)
    binned = plot._binned(result.timeseries)
    np.testing.assert_allclose(binned["time"], [0.75, 2.25, 3.5])
    np.testing.assert_allclose(binned["iops"], [4, 8 / 3, 8])


def test_windows_that_are_left_out_count_as_idle(result, monkeypatch):
    monkeypatch.setattr(plot, "POINTS", 4)
    binned = plot._binned(result.timeseries.take([0, 7]))
    np.testing.assert_allclose(binned["iops"], [2, 0, 0, 4])


@pytest.mark.parametrize("keep", [8, 1, 0])
def test_the_picture_is_drawn_however_short_the_run(result, tmp_path, keep):
    result._tables["timeseries"] = result.timeseries.slice(0, keep)
    plot.overview(result, tmp_path / "overview.png")
    assert (tmp_path / "overview.png").read_bytes().startswith(SIGNATURE)


def test_a_run_of_writes_alone_has_no_line_for_reads(result, tmp_path):
    series = result.timeseries.to_pydict() | {"reads": [0] * 8, "read_response_us": pa.nulls(8, pa.float64())}
    result._tables["timeseries"] = pa.table(series)
    result._tables["latency"] = result.latency.slice(2)
    plot.overview(result, tmp_path / "overview.svg")
    picture = (tmp_path / "overview.svg").read_text()
    assert "<!-- write (p99 2,004" in picture
    assert "<!-- read" not in picture


TEN = [(at * 1000, "write" if at % 2 else "read", at * PAGE, PAGE) for at in range(10)]
OF_ONE_KIND = {
    "reads": [(0, "read", 0, PAGE)] * 5,
    "writes": [(0, "write", 0, PAGE)] * 5,
    "trims": [(0, "trim", 0, PAGE)] * 5,
    "flushes": [(0, "flush", 0, 0)] * 5,
}
BUFFER = {"buffer": {"replacement": "lru", "size_mib": 0.1}}
SHORT = {
    **{
        f"{count} on {where}": (TEN[1 : count + 1], BUFFER if where == "buffer" else {})
        for count in (1, 2)
        for where in ("flash", "buffer")
    },
    "ten": (TEN, {}),
    **{f"only {kind}": (rows, BUFFER if kind == "writes" else {}) for kind, rows in OF_ONE_KIND.items()},
    "none": ([], {}),
    "without timing": (TEN, {"timing": "off", "record": []}),
}


@pytest.mark.parametrize("name", some(0.5, SHORT))
def test_a_short_run_is_drawn_without_a_warning(experiment, tmp_path, name):
    """Also where no request takes any time, as none needs the flash."""
    rows, changes = SHORT[name]
    result = experiment([{"rows": rows}], changes).result
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot.overview(result, tmp_path / "overview.png")
    assert (tmp_path / "overview.png").read_bytes().startswith(SIGNATURE)
