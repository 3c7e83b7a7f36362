"""A whole run: its folder, its interruption, its preconditioning, and the same run without flash timing."""

import io
import json
import signal
from contextlib import contextmanager
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import numpy as np
import pytest

import ssdsim.run.context
import ssdsim.run.progress
import ssdsim.run.replay
import ssdsim.run.simulation
from ssdsim import ConfigError, Result, SimulationError, SyntheticConfig, simulate
from ssdsim.metrics.folder import ResultFolder
from support.requests import write
from support.tiny_device import PAGE, PROGRAM, WRITE_PAGE

STALL_NS = ssdsim.run.replay.STALL_NS

BIGGER = {
    "hardware": {"channels": 2, "planes_per_die": 2, "blocks_per_plane": 64, "over_provisioning": 0.2},
    "check": "end",
    "integrity": "off",
}


class Ends:
    """Watches a run, and has it end once `requests` of it are done, or while it is preconditioned."""

    def __init__(self, phase, requests=0, by=lambda: signal.raise_signal(signal.SIGINT)):
        self.phase, self.requests, self.by, self.seen = phase, requests, by, []

    def update(self, snapshot):
        self.seen.append(snapshot)
        if snapshot.phase == self.phase and snapshot.requests_done >= self.requests:
            self.by()


def fault():
    raise SimulationError("request 7 was lost.")


@pytest.fixture
def eager(monkeypatch, default_signals):
    """Report progress whenever it is looked at."""
    monkeypatch.setattr(ssdsim.run.progress, "INTERVAL_S", 0)


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_ctrl_c_keeps_what_was_measured(tiny, tmp_path, eager, kernel):
    load = SyntheticConfig(requests=10_000, queue_depth=4, trim_share=0.1)
    config = tiny(BIGGER | {"workload": load, "kernel": kernel, "record": ["requests", "commands"]})
    with pytest.raises(KeyboardInterrupt):
        simulate(config, tmp_path, Ends("replay", 2048))
    result = Result.load(tmp_path)
    counts = {op: of["count"] for op, of in result.summary["requests"].items()}
    assert result.summary["partial"]
    assert 2048 <= sum(counts.values()) < 2060  # what else completes in that instant counts
    assert sum(counts.values()) == len(result.requests)
    assert counts["read"] + counts["write"] == sum(result.latency["count"].to_pylist())
    assert len(result.commands) and len(result.timeseries)


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("mode", ["fill", "writes"])
def test_ctrl_c_before_the_first_request_leaves_a_readable_folder(tiny, tmp_path, eager, mode, timed):
    load = SyntheticConfig(requests=100, queue_depth=4)
    precondition = {"mode": mode, "timed": timed, "valid_share": 0.5}
    changes = {"precondition": precondition, "record": ["requests", "commands"], "metrics": {"blame": not timed}}
    with pytest.raises(KeyboardInterrupt):
        simulate(tiny(BIGGER | {"workload": load} | changes), tmp_path, Ends("precondition"))
    result = Result.load(tmp_path)
    assert result.summary["partial"]
    assert result.summary["requests"]["write"]["count"] == 0
    if timed and mode == "writes":
        assert len(result.requests) == 0
        assert len(result.commands) == 0


@pytest.mark.parametrize(
    "ends", [None, Ends("precondition"), Ends("precondition", by=fault)], ids=["nothing", "Ctrl-C", "an error"]
)
def test_ctrl_c_while_the_results_are_written_waits_until_they_are(tiny, tmp_path, monkeypatch, eager, ends):
    """Those of a whole run, and those of one that a first Ctrl-C or an error has ended."""
    write = ssdsim.run.simulation.write

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        write(*given)

    monkeypatch.setattr(ssdsim.run.simulation, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(tiny({"workload": SyntheticConfig(requests=10, queue_depth=1)}), tmp_path, ends)
    assert Result.load(tmp_path).summary["partial"] == (ends is not None)


def test_a_run_that_goes_wrong_keeps_what_was_measured_and_why(tiny, tmp_path, eager):
    load = SyntheticConfig(requests=10_000, queue_depth=4)
    config = tiny(BIGGER | {"workload": load, "record": ["requests"]})
    with pytest.raises(SimulationError, match="request 7 was lost"):
        simulate(config, tmp_path, Ends("replay", 2048, fault))
    result = Result.load(tmp_path)
    assert result.summary["partial"] and result.summary["error"] == "request 7 was lost."
    assert len(result.requests) == sum(of["count"] for of in result.summary["requests"].values()) >= 2048


@pytest.mark.parametrize("rows", [3, 300])
def test_without_timing_too_what_was_measured_is_kept_from_the_first_request_on(tiny, tmp_path, monkeypatch, rows):
    """The run ends before the first sample, which is taken after 256 requests, or between that and the second."""

    class Broken(ssdsim.run.context.UntimedReplay):
        def run(self, chunk, *given):
            super().run(chunk[: rows - int(sum(self.counts))], *given)
            if sum(self.counts) == rows:
                raise SimulationError(f"request {rows} was lost.")

    monkeypatch.setattr(ssdsim.run.context, "UntimedReplay", Broken)
    load = SyntheticConfig(requests=1000, read_share=0.0, queue_depth=1)
    with pytest.raises(SimulationError, match="was lost") as caught:
        simulate(tiny(BIGGER | {"workload": load, "timing": "off"}), tmp_path)
    assert not hasattr(caught.value, "__notes__")
    summary = Result.load(tmp_path).summary
    assert summary["partial"] and summary["requests"]["write"]["count"] == rows


@contextmanager
def largest_file(limit):
    """Within it no file can grow beyond so many bytes, as on a disk that is full."""
    before = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        setrlimit(RLIMIT_FSIZE, before)


@pytest.mark.parametrize("limit", [0, 2000])
def test_a_full_disk_leaves_no_file_in_part_and_what_was_there_before(tiny, tmp_path, limit):
    load = SyntheticConfig(requests=2000, queue_depth=4)
    config = tiny(BIGGER | {"workload": load, "record": ["requests"]})
    for folder, was in ((tmp_path / "new", None), (tmp_path / "used", 1)):
        if was is not None:
            simulate(tiny(BIGGER | {"workload": SyntheticConfig(requests=was, queue_depth=4)}), folder)
        with (
            pytest.raises(OSError, match="File too large") as full,
            largest_file(limit),
            ResultFolder(folder, overwrite=True) as place,
        ):
            simulate(config, place)
        assert str(folder) in str(full.value.filename)
        if was is None:
            assert not folder.exists()
        else:
            summary = Result.load(folder).summary
            assert summary["requests"]["read"]["count"] + summary["requests"]["write"]["count"] == was
            assert not list(folder.glob(".*")) and not (folder / "requests.parquet").exists()


def test_a_run_without_interruption_is_whole(tiny, tmp_path, eager):
    watched = Ends("never")
    load = SyntheticConfig(requests=5000, queue_depth=4)
    result = simulate(tiny(BIGGER | {"workload": load, "record": "requests"}), tmp_path / "new" / "folder", watched)
    assert not result.summary["partial"]
    loaded = Result.load(tmp_path / "new" / "folder")
    assert loaded.summary == json.loads(json.dumps(result.summary))
    assert loaded.requests["id"].to_pylist() == list(range(5000))
    assert loaded.timeseries["writes"].to_pylist() == result.timeseries["writes"].to_pylist()
    assert sum(loaded.timeseries["host_page_writes"].to_pylist()) == result.summary["host_page_writes"]
    fractions = [snapshot.fraction for snapshot in watched.seen if snapshot.phase == "replay"]
    assert fractions == sorted(fractions) and fractions[0] > 0 and fractions[-1] <= 1
    times = [snapshot.simulated_ns for snapshot in watched.seen if snapshot.phase == "replay"]
    assert times == sorted(times) and times[-1] > 0


@pytest.mark.parametrize("wanted", [True, False])
def test_progress_is_a_bar_or_none(tiny, eager, capsys, wanted):
    simulate(tiny({"workload": SyntheticConfig(requests=50, queue_depth=1)}), progress=wanted)
    assert ("building the device" in capsys.readouterr().err) == wanted


def test_a_bar_shows_the_share_that_is_done():
    stream = io.StringIO()
    with ssdsim.run.progress.Bar(stream) as bar:
        bar.update(ssdsim.run.progress.Snapshot("replay", 0.25, 250, 1000))
        shown = stream.getvalue()
    assert "replay:  25%|" in shown and "250/1000" in shown


def test_a_long_pause_between_requests_is_no_stall(run):
    """The second write is in flight when the run is looked at, and nothing was done since the look before."""
    late = 2 * STALL_NS - 10_000
    assert run([write(0), write(0, late)]).done_at() == [WRITE_PAGE, late + WRITE_PAGE]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workload": None}, "workload: none is given"),
        ({"host": {"weights": {"extra": 2}}}, r"host\.weights\.extra: there is no such stream"),
        ({"precondition": {"mode": "fill", "fill_share": 1.0}}, r"fill_share=1\.0: leaves 0 of a plane's 8 blocks"),
        ({"precondition": {"mode": "fill", "valid_share": 1.0, "fill_share": 0.75}}, r"valid_share=1: makes 24 pages"),
    ],
)
def test_what_cannot_be_run_is_refused(run, changes, message):
    with pytest.raises(ConfigError, match=message):
        run([], changes)


@pytest.mark.parametrize("timing", ["on", "off"])
@pytest.mark.parametrize("row", [(0, "write", 1 << 40, PAGE), (0, "read", 15 * PAGE, PAGE + 1), (0, "write", 0, 0)])
def test_a_request_beyond_the_device_is_refused(run, row, timing):
    with pytest.raises(ConfigError, match=r"RequestList in .* yields request 1 at 0 ns with op"):
        run([write(0), row], {"timing": timing})


def test_timing_off_sees_the_same_requests(run):
    random = np.random.default_rng(2)
    ops = random.choice(["read", "write", "trim", "flush"], size=300).tolist()
    rows = [(0, op, 0, 0) if op == "flush" else (0, op, int(random.integers(0, 60)) * 512, 2048) for op in ops]
    on, off = (run(rows, {"timing": timing, "host": {"queue_depth": 1}}).summary for timing in ("on", "off"))
    for op in ("read", "write", "trim", "flush"):
        counted = [{k: of["requests"][op].get(k) for k in ("count", "bytes")} for of in (on, off)]
        assert counted[0] == counted[1] and counted[0]["count"]
    assert on["host_page_writes"] == off["host_page_writes"]


def test_what_is_at_work_when_the_run_ends_was_at_work_until_then(run):
    """The second write waits for the die, and is answered when its data is on the chip: its program has just begun."""
    out = run([write(0), write(1)], {"flash": {"write_complete": "transfer_end"}})
    sent = WRITE_PAGE - PROGRAM
    assert out.done_at() == [sent, WRITE_PAGE + sent]
    assert out.summary["utilization"] == {
        "channel": [pytest.approx(2 * sent / (WRITE_PAGE + sent))],
        "die": [1.0],
        "plane": [pytest.approx(PROGRAM / (WRITE_PAGE + sent))],
    }
