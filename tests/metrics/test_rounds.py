"""Rounds of a repeated workload: each is measured by itself, and together they are the run."""

import signal

import pytest

import ssdsim.run.progress
import ssdsim.run.simulation
from ssdsim import Result, SyntheticConfig, TraceConfig, simulate
from ssdsim._core.codes import READ, TRIM, WRITE
from ssdsim._core.window_samples import Sampled
from ssdsim.host.request import Request
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.metrics.summary import rounds
from support.tiny_device import PAGE

ROWS = [("write" if i % 3 else "read", i * 5 % 12 * PAGE, PAGE * (1 + i % 2)) for i in range(60)]


def request(round_, op=WRITE, stream=0):
    made = Request()
    made.round, made.op, made.stream = round_, op, stream
    return made


def test_a_round_has_its_requests_whenever_they_are_complete_and_other_streams_have_none():
    recorder = Recorder(Windows(Sampled(7)), streams=2, rounds=3)
    for end, made in enumerate((request(0), request(1), request(0, READ), request(0, stream=1), request(1, TRIM))):
        recorder.request_done(made, 10 + end)
    first, second, third = ({op: of["count"] for op, of in each["requests"].items()} for each in rounds(recorder, 3))
    assert first == {"read": 1, "write": 1, "trim": 0, "flush": 0}
    assert second == {"read": 0, "write": 1, "trim": 1, "flush": 0} and not any(third.values())
    assert recorder.done == 5 and rounds(Recorder(Windows(Sampled(7))), 1) == []


@pytest.fixture
def trace(tmp_path):
    """A trace of reads and writes at a rate that the tiny device keeps up with."""
    path = tmp_path / "trace.csv"
    rows = [f"{400_000 * i},{op},{offset},{size}" for i, (op, offset, size) in enumerate(ROWS)]
    path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    return lambda **changes: TraceConfig(path=str(path), **changes)


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_the_rounds_of_a_run_add_up_to_it(tiny, trace, kernel):
    second = SyntheticConfig(requests=100, rate_iops=1000.0)
    hardware = {"channels": 2, "bits_per_cell": 2, "read_us": [10.0], "program_us": [100.0, 300.0]}
    config = tiny(
        {"kernel": kernel, "record": ["requests"], "hardware": hardware, "workload": trace(repeat=4)}
        | {"workloads": {"second": second}}
    )
    result = simulate(config)
    main = [row for row in result.requests.to_pylist() if row["stream"] == 0]
    for at, found in enumerate(result.summary["rounds"]):
        served = main[60 * at : 60 * (at + 1)]
        for op in ("read", "write"):
            times = [row["response_ns"] for row in served if row["op"] == op]
            assert found["requests"][op]["count"] == len(times) == (40 if op == "write" else 20)
            assert found["requests"][op]["response_us"]["mean"] == pytest.approx(sum(times) / len(times) / 1000)
            assert found["requests"][op]["response_us"]["max"] == max(times) / 1000
    assert len(result.summary["rounds"]) == 4


def test_equal_rounds_on_a_device_without_collection_are_equal(tiny, trace):
    config = tiny({"workload": trace(repeat=3, limit=2), "hardware": {"blocks_per_plane": 64}})
    first, *others = simulate(config).summary["rounds"]
    assert [of["requests"]["write"] for of in others] == [first["requests"]["write"]] * 2


class Stop:
    """Stop the run in its third round."""

    def update(self, snapshot):
        if snapshot.phase == "replay" and snapshot.requests_done > 2 * 1500:
            signal.raise_signal(signal.SIGINT)


def test_an_interrupted_run_has_the_requests_of_its_rounds_so_far(tiny, tmp_path, monkeypatch, default_signals):
    monkeypatch.setattr(ssdsim.run.progress, "INTERVAL_S", 0)
    path = tmp_path / "trace.csv"
    rows = (f"{400_000 * i},write,{i % 12 * PAGE},{PAGE}" for i in range(1500))
    path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    with pytest.raises(KeyboardInterrupt):
        simulate(tiny({"workload": TraceConfig(path=str(path), repeat=4)}), tmp_path / "out", Stop())
    summary = Result.load(tmp_path / "out").summary
    *whole, third, fourth = (of["requests"]["write"]["count"] for of in summary["rounds"])
    assert summary["partial"] and whole == [1500, 1500] and 0 < third < 1500 and fourth == 0
