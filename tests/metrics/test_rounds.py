"""Rounds of a repeated workload: each is measured by itself, and together they are the run."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssdsim.run.progress
import ssdsim.run.simulation
from ssdsim import Result, SyntheticConfig, TraceConfig, simulate
from ssdsim._core.codes import READ, TRIM, WRITE
from ssdsim._core.window_samples import Sampled
from ssdsim.host.request import Request
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.metrics.tally import Rounds
from support.tiny_device import PAGE

ROWS = [("write" if i % 3 else "read", i * 5 % 12 * PAGE, PAGE * (1 + i % 2)) for i in range(60)]


def request(round_, op=WRITE, stream=0):
    made = Request()
    made.round, made.op, made.stream = round_, op, stream
    return made


def test_a_round_ends_with_its_last_request():
    rounds = Rounds(2, lambda tally: (tally.count(READ), tally.count(WRITE), tally.response(WRITE).mean))
    rounds.add(request(0), 10)
    assert rounds.finished == []
    rounds.add(request(0), 30)
    assert rounds.finished == [(0, 2, 20)]
    rounds.add(request(1, READ), 5)
    rounds.add(request(1), 7)
    assert rounds.finished == [(0, 2, 20), (1, 1, 7)]


@given(st.integers(1, 4).flatmap(lambda each: st.permutations([k // each for k in range(4 * each)])))
def test_rounds_are_reported_in_order_whatever_the_order_of_completion(order):
    each = len(order) // 4
    added, ends = [], []
    rounds = Rounds(each, lambda tally: ends.append(len(added)) or tally.done)
    for round_ in order:
        rounds.add(request(round_), 1)
        added.append(round_)
    assert rounds.finished == [each] * 4
    last = [max(at for at, of in enumerate(order) if of == round_) for round_ in range(4)]
    assert ends == [max(last[: round_ + 1]) for round_ in range(4)]


def test_other_streams_have_no_rounds():
    rounds = Rounds(1, lambda tally: tally.done)
    recorder = Recorder(Windows(Sampled(7)), rounds=rounds, streams=2)
    recorder.request_done(request(0, stream=1), 5)
    assert recorder.rounds.finished == [] and recorder.done == 1
    recorder.request_done(request(0, TRIM), 5)
    assert recorder.rounds.finished == [1] and recorder.done == 2


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
    rounds = result.summary["rounds"]
    main = [row for row in result.requests.to_pylist() if row["stream"] == 0]
    for at, found in enumerate(rounds):
        served = main[60 * at : 60 * (at + 1)]
        for op in ("read", "write"):
            times = [row["response_ns"] for row in served if row["op"] == op]
            assert found["requests"][op]["count"] == len(times) == (40 if op == "write" else 20)
            assert found["requests"][op]["response_us"]["mean"] == pytest.approx(sum(times) / len(times) / 1000)
            assert found["requests"][op]["response_us"]["max"] == max(times) / 1000
        assert sum(found["page_types"].values()) == 1
        assert found["page_types"]["fast"] > 0 and found["page_types"]["slow"] > 0
        assert found["free_lsb"] >= 0 and found["free_csb"] is None
    assert len(rounds) == 4
    assert sum(of["gc_collections"] for of in rounds) == result.summary["gc"]["collections"] > 0
    assert rounds[0]["write_amplification"] < rounds[-1]["write_amplification"], "an empty device needs no collection"


def test_equal_rounds_on_a_device_without_collection_are_equal(tiny, trace):
    config = tiny({"workload": trace(repeat=3, limit=2), "hardware": {"blocks_per_plane": 64}})
    first, *others = simulate(config).summary["rounds"]
    assert [of["requests"]["write"] for of in others] == [first["requests"]["write"]] * 2
    assert [of["write_amplification"] for of in (first, *others)] == [1.0] * 3


class Stop:
    """Stop the run in its third round."""

    def update(self, snapshot):
        if snapshot.phase == "replay" and snapshot.requests_done > 2 * 1500:
            signal.raise_signal(signal.SIGINT)


def test_an_interrupted_run_has_the_rounds_that_were_finished(tiny, tmp_path, monkeypatch, default_signals):
    monkeypatch.setattr(ssdsim.run.progress, "INTERVAL_S", 0)
    path = tmp_path / "trace.csv"
    rows = (f"{400_000 * i},write,{i % 12 * PAGE},{PAGE}" for i in range(1500))
    path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]))
    with pytest.raises(KeyboardInterrupt):
        simulate(tiny({"workload": TraceConfig(path=str(path), repeat=4)}), tmp_path / "out", Stop())
    summary = Result.load(tmp_path / "out").summary
    assert summary["partial"] and [of["requests"]["write"]["count"] for of in summary["rounds"]] == [1500, 1500]
