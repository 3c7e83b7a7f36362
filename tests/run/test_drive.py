"""A drive as a part of a SimPy model."""

import random

import attrs
import numpy as np
import pyarrow.parquet as pq
import pytest
import simpy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ssdsim.run.context
from ssdsim import (
    ConfigError,
    Drive,
    PowerLostError,
    SimulationError,
    SyntheticConfig,
    load_config,
    simulate,
)
from ssdsim.workload import WRITE, Chunk
from support.host_interfaces import rates
from support.strategies import devices
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, merge, tiny_config

STREAMS = ("main", "second", "third")
SECTOR = 512


def environment(kernel):
    return simpy.Environment() if kernel == "simpy" else ssdsim.Environment()


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_response_is_that_of_the_hardware(kernel):
    env = environment(kernel)
    drive = Drive(env, tiny_config({"kernel": kernel}))
    done = []

    def model():
        yield env.timeout(1_000)
        done.append((yield drive.write(0, PAGE)))
        yield env.timeout(500)
        done.append((yield drive.read(0, PAGE)))

    env.process(model())
    env.run()
    write, read = done
    assert (write.submitted_ns, write.response_ns) == (1_000, WRITE_PAGE)
    assert (read.submitted_ns, read.response_ns) == (1_500 + WRITE_PAGE, READ_PAGE)
    assert env.now == read.completed_ns  # nothing of an idle drive is left


UNFORESEEING = {"buffer": {"footprint_share": None}}


def send(env, drives, rng, count, log, taken):
    """Send requests of all kinds to all drives, one after another, with pauses."""
    for _ in range(count):
        place = rng.randrange(len(drives))
        drive, stream = drives[place], rng.choice(STREAMS)
        sectors = drive.streams[stream].size_bytes // SECTOR
        first = rng.randrange(sectors)
        size = min(rng.choice([1, 8, 24]), sectors - first) * SECTOR
        # in a nanosecond in which nothing else happens, so that the load can be repeated
        while drive.peek() <= env.now + 1 or not taken.isdisjoint((env.now, env.now + 1)):
            yield env.timeout(1)
        taken.add(env.now + 1)
        yield env.timeout(1)
        op = rng.choice(["read", "read", "write", "write", "write", "trim", "flush"])
        event = drive.flush(stream) if op == "flush" else getattr(drive, op)(first * SECTOR, size, stream)
        completion = yield event
        assert completion.completed_ns == env.now
        log.append((place, op, completion.submitted_ns, env.now))
        if rng.random() < 0.3:
            yield env.timeout(rng.randrange(200_000))


@settings(max_examples=max(settings.default.max_examples // 3, 1))
@given(device=devices(STREAMS), seed=st.integers(0, 1000))
def test_drives_are_equal_on_all_kernels_and_repeated_by_a_run(device, seed, tmp_path_factory):
    folder, logs = tmp_path_factory.mktemp("drive"), []
    changes = {"precondition": {"full_buffer": False}, **UNFORESEEING}
    for outer, inner in (("compiled", "compiled"), ("simpy", "compiled"), ("compiled", "simpy")):
        config = tiny_config(merge(device, {**changes, "kernel": inner}))
        env, log, taken = environment(outer), [], set()
        drives = [Drive(env, config, folder / f"{outer}{inner}{number}", STREAMS) for number in range(2)]
        for number in range(4):
            env.process(send(env, drives, random.Random(seed * 10 + number), 15, log, taken))
        env.run()
        summaries = [drive.finish().summary for drive in drives]
        assert not any(summary["partial"] for summary in summaries)
        logs.append((log, [summary["requests"] for summary in summaries]))
    assert logs[0] == logs[1] == logs[2]
    again = simulate(load_config(folder / "compiledcompiled1"))
    assert again.summary["requests"] == logs[0][1][1]


LOADS = st.fixed_dictionaries(
    {
        "read_share": st.sampled_from([0.0, 0.5, 0.9]),
        "trim_share": st.sampled_from([0.0, 0.1]),
        "size_kib": st.sampled_from([0.5, 4]),
    },
    optional={"fua_share": st.just(0.2)},
)
PACES = st.sampled_from(
    [
        {"queue_depth": 1},
        {"queue_depth": 5, "arrival": "bursts", "burst_requests": 9, "idle_ms": 0.2},
        {"arrival": "poisson", "rate_iops": 20_000.0},
    ]
)


@given(
    device=devices(),
    load=LOADS,
    pace=PACES,
    limits=rates(["main"]),
    depth=st.sampled_from([2, 64]),
    kernel=st.sampled_from(["compiled", "simpy"]),
)
def test_a_load_is_played_as_in_a_run(device, load, pace, limits, depth, kernel):
    workload = SyntheticConfig(requests=150, **load, **pace)
    quiet = {"full_buffer": False, "run_in": False, "valid_reads": False}
    changes = UNFORESEEING | {"precondition": quiet, "kernel": kernel, "host": {"rates": limits, "queue_depth": depth}}
    config = attrs.evolve(tiny_config(merge(device, changes)), workload=workload)
    assume(config.hardware.capacity_bytes >= 4096)
    env = environment(kernel)
    drive = Drive(env, config)
    response_ns = env.run(until=drive.play(workload))
    summary = drive.finish().summary
    assert summary["requests"] == simulate(config).summary["requests"]
    told = summary["requests"]
    assert len(response_ns) == 150
    total_us = sum(told[op]["count"] * (told[op]["response_us"]["mean"] or 0) for op in told)
    assert response_ns.sum() / 1e3 == pytest.approx(total_us)


def test_a_load_of_columns_comes_at_its_times():
    env = ssdsim.Environment()
    drive = Drive(env, tiny_config(), streams=("main", "b"))
    arrival_ns = np.array([0, 100, 10_000_000])
    load = Chunk(arrival_ns, np.full(3, WRITE), np.arange(3) * PAGE, np.full(3, PAGE))
    ends = []

    def model():
        yield env.timeout(1_000)
        playing = drive.play(load, "b")
        with pytest.raises(ValueError, match="plays a load; wait for its end"):
            drive.read(0, PAGE, "b")
        yield env.timeout(5_000_000)
        yield drive.read(0, PAGE)  # between the second and the third
        ends.append(env.now)
        response_ns = yield playing
        ends.append(env.now)
        assert response_ns.tolist()[::2] == [WRITE_PAGE, WRITE_PAGE]
        yield drive.read(0, PAGE, "b")

    env.process(model())
    env.run()
    assert ends == [5_001_000 + READ_PAGE, 10_001_000 + WRITE_PAGE]
    assert env.run(until=drive.play(load[:0])).tolist() == []


def test_load_is_recorded_at_its_times(tmp_path):
    env = ssdsim.Environment()
    drive = Drive(env, tiny_config(), tmp_path / "out")

    def model():
        for number in range(5000):  # more than a chunk of an inbox
            drive.write(number % 7 * PAGE, PAGE, fua=number == 4999)
            yield env.timeout(1000)

    env.process(model())
    env.run()
    drive.finish()
    assert drive.streams["main"].stream.last_arrival_ns() == 4_999_000
    table = pq.read_table(tmp_path / "out" / "load.parquet")
    assert table.column("arrival_ns").to_pylist() == [1000 * number for number in range(5000)]
    assert table.column("offset_bytes").to_pylist() == [number % 7 * PAGE for number in range(5000)]
    assert sum(table.column("fua").to_pylist()) == table.column("fua").to_pylist()[-1] == 1


def test_namespaces_and_streams():
    env = ssdsim.Environment()
    config = tiny_config({"host": {"namespace_share": {"main": 0.25, "b": 0.25}}})
    drive = Drive(env, config, streams=("main", "b"))
    quarter = drive.streams["b"].size_bytes
    events = [drive.write(quarter - PAGE, PAGE, stream) for stream in drive.streams]
    env.run()
    assert [(event.value.stream, event.value.offset_bytes) for event in events] == [
        ("main", quarter - PAGE),
        ("b", quarter - PAGE),
    ]
    with pytest.raises(ValueError, match=rf"read\({quarter}, 4096\): must have a size above 0 and lie within"):
        drive.read(quarter, PAGE, "b")
    with pytest.raises(ValueError, match="no such stream; they are main, b"):
        drive.read(0, PAGE, "c")


def test_what_was_done_before_measuring_anew_is_left_out():
    """The rest is measured as if the drive had been made then."""
    env = ssdsim.Environment()
    drive = Drive(env, tiny_config({"metrics": {"window_ms": 1.0}}))

    def model():
        for number in range(50):
            yield drive.write(number % 10 * PAGE, PAGE)
        yield env.timeout(500_000)
        drive.measure()
        for number in range(8):
            yield drive.read(number * PAGE, PAGE)

    env.run(until=env.process(model()))
    result = drive.finish()
    summary = result.summary
    assert (summary["requests"]["read"]["count"], summary["requests"]["write"]["count"]) == (8, 0)
    assert summary["simulated_s"] == 8 * READ_PAGE / 1e9
    assert (summary["queue_depth"]["mean"], summary["queue_depth"]["max"]) == (1.0, 1)
    assert summary["utilization"]["die"] == [pytest.approx(1.0)]
    assert summary["flash"]["reads"]["host"] == 8
    assert sum(summary["flash"]["programs"].values()) == 0


@pytest.mark.parametrize(
    "keys",
    [
        {"timing": "off"},
        {"power_loss": {"at_s": 1.0}},
    ],
)
def test_what_wants_the_load_beforehand_is_refused(keys):
    with pytest.raises(ConfigError, match="for a drive that is part of a model"):
        Drive(ssdsim.Environment(), tiny_config(keys))


@pytest.mark.parametrize("outer", ["compiled", "simpy"])
def test_power_that_is_cut_takes_what_was_not_flushed(outer):
    env = environment(outer)
    config = tiny_config({"buffer": {"replacement": "lru", "size_mib": 0.25}})
    drive = Drive(env, config)
    told = []

    def model():
        yield drive.write(0, PAGE)
        yield drive.flush()
        yield drive.write(0, PAGE)  # in the buffer alone
        yield drive.write(PAGE, PAGE, fua=True)
        lost = drive.write(2 * PAGE, PAGE, fua=True)
        yield env.timeout(1000)  # until it is in the device
        booted = drive.cut_power()
        cut_ns = env.now
        with pytest.raises(PowerLostError):
            yield lost
        late = drive.read(0, PAGE)
        yield booted
        told.append(env.now - cut_ns)
        completion = yield late
        assert completion.submitted_ns == cut_ns
        assert completion.completed_ns > env.now - 1_000_000

    env.process(model())
    env.run()
    assert told[0] > 0  # to boot takes time
    assert drive.writer_of(0) == 0
    assert drive.writer_of(PAGE) == 3
    assert drive.writer_of(2 * PAGE) is None
    drive.finish()


@pytest.mark.parametrize("op", ["trim", "read"])
def test_a_model_that_waits_for_what_takes_no_time_is_ended(op, monkeypatch):
    monkeypatch.setattr(ssdsim.run.context, "MOST_AT_ONCE", 4096)
    env = environment("compiled")
    drive = Drive(env, tiny_config({"check": "end"}))

    def model():
        while True:
            yield getattr(drive, op)(0, PAGE)

    env.process(model())
    with pytest.raises(SimulationError, match=rf"4,096 requests were completed at 0 ns.*controller\.{op}_ns"):
        env.run(until=1_000_000)
