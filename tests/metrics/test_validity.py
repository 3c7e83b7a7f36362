"""Each rule speaks up on the far side of its threshold and not on the near one, and only where it applies."""

from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import HostConfig, SyntheticConfig, simulate
from ssdsim.metrics import validity
from ssdsim.metrics.timeseries import SAMPLED, Course
from ssdsim.metrics.validity import Evidence

PIECES = 32


def course(requested=100, written=200, completed=50, waiting=0):
    """Return a course of pieces of 1 us, given what each of them has, or all alike."""
    samples = np.zeros((PIECES, len(SAMPLED)), np.int64)
    counts = {"now_ns": 1000, "requested_page_writes": requested, "host_page_writes": written}
    for name, each in counts.items():
        samples[:, SAMPLED.index(name)] = np.cumsum(np.broadcast_to(each, PIECES))
    samples[:, SAMPLED.index("backlog")] = waiting
    return Course(np.zeros(len(SAMPLED), int), samples, np.broadcast_to(completed, PIECES).astype(np.int64))


@attrs.frozen
class Latency:
    """So many response times, with the means of batches in microseconds."""

    means_us: np.ndarray
    count: int = 100_000

    def batch_means(self, wanted):
        return 1000 * self.means_us


def responses(**means_us):
    return {op: Latency(np.broadcast_to(means, 16)) for op, means in means_us.items()}


def arriving(*last_ns):
    """Return streams whose last requests arrive then; -1: after requests that are still to be completed."""
    return [SimpleNamespace(stage=0, queue_depth=0, last_arrival_ns=lambda ns=ns: ns) for ns in last_ns]


def served(half_us=1.0):
    """Return requests by operation, a hundred thousand of each, with means of 100 us known to `half_us`."""
    interval = None if half_us is None else [100 - half_us, 100 + half_us]
    of_op = {"count": 100_000, "response_us": {"mean": 100.0}, "response_us_ci95": {"mean": interval}}
    return {"read": of_op, "write": of_op}


SUMMARY = {
    "partial": False, "power_loss": None, "precondition": {}, "requested_page_writes": 3200, "requests": served(),
    "write_amplification": 2.0, "streams": None, "unmapped_reads": 0,
    "memory_reads": 0, "coalesced_reads": 0, "buffer": {"read_hits": 0}, "flash": {"reads": {"host": 0}},
    "workload": {"kind": "synthetic"}, "workloads": {},
}  # fmt: skip
CONFIG = SimpleNamespace(
    hardware=SimpleNamespace(logical_pages=1000, block_pages=1),
    metrics=SimpleNamespace(half_width=0.1),
    host=HostConfig(),
)
GROWTH = dict.fromkeys(SAMPLED, 0) | {"host_page_writes": 6400}
CLEAN = Evidence(SUMMARY, CONFIG, GROWTH, course(), responses(read=100, write=900), [])


def found(says=(), growth=(), **changes):
    """Return the findings on the clean run with `changes`, another growth and other fields of its summary, by code."""
    evidence = attrs.evolve(CLEAN, summary=SUMMARY | dict(says), growth=GROWTH | dict(growth), **changes)
    return {finding["code"]: finding for finding in validity.judge(evidence)}


def test_nothing_speaks_against_a_clean_run():
    assert found() == {}


def test_a_run_that_was_stopped_and_a_device_that_did_not_settle_are_told():
    assert [*found({"partial": True})] == ["partial"]
    assert [*found({"precondition": {"settled": False}})] == ["on_its_way"]
    assert found({"precondition": {"settled": True}}) == {}


def test_a_power_loss_that_did_not_come_is_told(tiny):
    assert [*found({"power_loss": {"at_s": None}})] == ["not_cut"] and found({"power_loss": {"at_s": 1.0}}) == {}
    load = SyntheticConfig(requests=40, queue_depth=4, read_share=0.0)
    result = simulate(tiny({"workload": load, "power_loss": {"after_programs": 10**8}}))
    assert "not_cut" in {finding["code"] for finding in result.summary["validity"]}


def test_writes_are_held_against_the_capacity_unless_the_device_has_settled():
    few = {"requested_page_writes": 500}
    assert "wrote 0.5 times the capacity" in found(few)["on_its_way"]["sentence"]
    assert "on_its_way" in found({"requested_page_writes": 999})
    assert "on_its_way" not in found({"requested_page_writes": 1000})
    assert "on_its_way" not in found(few | {"precondition": {"settled": True}})


@pytest.mark.parametrize(("taken", "says"), [(640, None), (641, "too low"), (-640, None), (-641, "too high")])
def test_page_writes_that_free_blocks_took_are_told_above_a_tenth(taken, says):
    """Of a device that had settled they come and go: then the run is short."""
    finding = found(growth={"free_blocks": -taken}).get("on_its_way")
    assert (finding is None) == (says is None) and (says is None or says in finding["sentence"])
    settled = {"precondition": {"settled": True}}
    assert [*found(settled, {"free_blocks": -taken})] == ["too_short"] * (says is not None)


def test_a_run_that_is_too_short_is_told_how_many_requests_would_do():
    """The square of how much wider the interval is, or as much as what comes and goes exceeds a tenth."""
    wide = {"requests": served(20.0)}
    read = {"latencies": responses(read=100)}
    assert found(wide, **read)["too_short"]["numbers"] == {"requests": 800_000}
    narrow = SimpleNamespace(**vars(CONFIG) | {"metrics": SimpleNamespace(half_width=0.2)})
    assert found(wide, config=narrow, **read) == {}
    assert found(growth={"buffer_used": 640})["too_short"]["numbers"] == {"requests": 400_000}
    assert found(growth={"buffer_used": 320}) == {}
    few = found(latencies={"read": Latency(np.full(16, 100.0), 100)})["too_short"]
    assert few["numbers"] == {"requests": 1_600_000}
    assert found({"requests": served(None)})["too_short"]["numbers"] == {"requests": None}


def test_write_amplification_that_changes_is_told_if_by_more_than_a_tenth_and_than_chance():
    def halves(second, noise=0.0):
        written = np.where(np.arange(PIECES) < PIECES // 2, 200, second)
        return course(written=written + noise * np.resize([0, 0, 1, 1], PIECES))

    assert found(course=halves(219)) == {} == found(course=halves(181))
    told = found(course=halves(240))["on_its_way"]["sentence"]
    assert "was 2.000 in the first half and 2.400 in the second (+20%)" in told
    assert "on_its_way" not in found(course=halves(240, noise=200))
    for changing in ({"kind": "trace"}, {"kind": "fio", "stage": 1}):  # by themselves
        assert found({"workloads": {"other": changing}}, course=halves(240)) == {}


@given(st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_what_scatters_by_chance_is_rarely_told(seed, scatter):
    """Of a hundred runs in which only chance differs some five; more than 20 never comes."""
    means = np.random.default_rng(seed).gamma(1 / scatter**2, scatter**2 * 100.0, (100, 16))
    assert sum(bool(found(latencies=responses(read=each))) for each in means) <= 20


def test_a_backlog_is_told_if_it_grows_from_quarter_to_quarter():
    """Of 1600 requests that arrive in 20 us the device completes 50 a us: 600 are left, and it takes 12 us longer."""
    growing = 30 * np.arange(1, PIECES + 1)
    load = {"latencies": {"read": Latency(np.full(16, 1.0), 1600)}, "streams": arriving(20_000, 100)}
    backlog = found(course=course(waiting=growing), **load)["backlog"]
    numbers = {"waiting": 600, "share": 0.375, "seconds_late": 12e-6, "by_quarter": [90.0, 240.0, 390.0, 540.0]}
    assert backlog["numbers"] == numbers and "become more" in backlog["sentence"]
    burst = np.where(np.arange(1, PIECES + 1) >= 15, growing, 300)
    assert found(course=course(waiting=burst), **load) == {}
    for ends_ns in ((20_000, -1), (32_000,)):
        assert found(course=course(waiting=growing), **load | {"streams": arriving(*ends_ns)}) == {}


@pytest.mark.parametrize(("reads", "told"), [(3, []), (4, [{"pages": 8, "unwritten": 4}])])
def test_reads_of_pages_never_written_are_told_from_a_half_on(reads, told, experiment):
    rows = [(0, "write", 0, 4096), *[(0, "read", 0, 4096)] * 4, *[(0, "read", 4096, 4096)] * reads]
    out = experiment([{"rows": rows, "queue_depth": 1}])
    assert [each["numbers"] for each in out.summary["validity"] if each["code"] == "unwritten_reads"] == told


@pytest.mark.parametrize(
    ("interface", "depths", "told"),
    [
        ("none", [3, 1], []),
        ("none", [3, 2], [{"asked": 5, "held": 4}]),
        ("sata", [30], [{"asked": 30, "held": 4}]),
        ("nvme", [6, 6], []),  # a pair is a stream's own
        ("nvme", [6, 7], [{"asked": 7, "held": 6}]),
    ],
)
def test_closed_loops_deeper_than_the_host_are_told(interface, depths, told, experiment):
    host = {"interface": interface, "queue_depth": 4, "nvme": {"queue_depth": 6}}
    rows = [(0, "write", 4096 * (at % 8), 4096) for at in range(40)]
    out = experiment([{"rows": rows, "queue_depth": depth} for depth in depths], {"host": host})
    assert [each["numbers"] for each in out.summary["validity"] if each["code"] == "deeper_than_host"] == told
