"""Each rule speaks up on the far side of its threshold and not on the near one, and only where it applies."""

from operator import attrgetter

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SimulationConfig, SyntheticConfig, simulate
from ssdsim.config.usual import USUAL, unusual
from ssdsim.metrics import validity
from ssdsim.metrics.course import Course, Samples
from ssdsim.metrics.summary import SAMPLED
from ssdsim.metrics.validity import Evidence
from ssdsim.workload.chunk import Chunk
from support.tiny_device import run_streams

PIECES = 32


def course(requested=100, written=200, completed=50):
    """Return a course of pieces of 1 us, given what each of them has, or all alike."""
    return Course(*(np.broadcast_to(each, PIECES).astype(np.int64) for each in (1000, requested, written, completed)))


CLEAN = Evidence(
    logical_pages=1000, total=200_000, requested_pages=3200, written_pages=6400, course=course(),
    requests={"read": 100_000, "write": 100_000}, estimates={"write amplification": (2.0, 0.2)},
    responses={"read": np.full(16, 100.0), "write": np.full(16, 900.0)},
    percentiles={"p50": 0.5, "p99": 0.99, "p99_99": 0.9999, "max": 1.0},
)  # fmt: skip


def found(**changes):
    """Return the findings on the clean run with `changes`, by code."""
    return {finding["code"]: finding for finding in validity.judge(attrs.evolve(CLEAN, **changes))}


def test_nothing_speaks_against_a_clean_run():
    assert found() == {}


def test_a_run_that_was_stopped_and_a_device_that_did_not_settle_are_told():
    assert [*found(partial=True)] == ["partial"]
    assert [*found(settled=False)] == ["on_its_way"] and found(settled=True) == {}


def test_a_power_loss_that_did_not_come_is_told():
    assert [*found(is_cut=False)] == ["not_cut"] and found(is_cut=True) == {}


@pytest.mark.parametrize("key", USUAL)
def test_a_slip_of_the_unit_is_told(key):
    """A usual value, or none, and a thousand times more and less."""
    config, (section, name) = SimulationConfig(), key.split(".")
    usual = attrgetter(key)(config) or 0.5
    for factor, told in ((1, False), (0, False), (1e-3, True), (1e3, True)):
        value = [each * factor for each in usual] if isinstance(usual, list) else usual * factor
        changed = attrs.evolve(getattr(config, section), **{name: value})
        assert [*unusual(attrs.evolve(config, **{section: changed}))] == [f"{key}={value}"] * told
    assert [*found(unusual={"hardware.read_us=[0.05]": "1 to 1000"})] == ["unusual"]


def test_gaps_that_were_cut_are_told_from_a_hundredth_on():
    assert [*found(cut_gaps=2000)] == ["gaps_cut"] and found(cut_gaps=1999) == {}
    assert found(cut_gaps=9, requests={}) == {}


def test_a_run_tells_of_its_buffer_power_and_times(tiny):
    load = SyntheticConfig(requests=40, queue_depth=4, read_share=0.0)
    config = tiny(
        {"workload": load, "buffer": {"replacement": "lru", "size_mib": 1e9}, "power_loss": {"after_programs": 10**8},
         "hardware": {"read_us": [0.05]}}
    )  # fmt: skip
    told = {each["code"]: each["sentence"] for each in simulate(config).summary["validity"]}
    assert "not_cut" in told and told["unusual"].startswith("hardware.read_us=[0.05]: devices take 1 to 1000;")


def test_writes_are_held_against_the_capacity_unless_the_device_has_settled():
    assert "wrote 0.5 times the capacity" in found(requested_pages=500)["on_its_way"]["sentence"]
    assert "on_its_way" in found(requested_pages=999) and "on_its_way" not in found(requested_pages=1000)
    assert "on_its_way" not in found(requested_pages=1, settled=True)


@pytest.mark.parametrize(("taken", "says"), [(640, None), (641, "too low"), (-640, None), (-641, "too high")])
def test_page_writes_that_free_blocks_took_are_told_above_a_tenth(taken, says):
    """Of a device that had settled they come and go: then the run is short."""
    finding = found(free_pages_taken=taken).get("on_its_way")
    assert (finding is None) == (says is None) and (says is None or says in finding["sentence"])
    assert [*found(free_pages_taken=taken, settled=True)] == ["too_short"] * (says is not None)


def test_a_run_that_is_too_short_is_told_how_many_requests_would_do():
    """The square of how much wider the interval is, or as much as what comes and goes exceeds a tenth."""
    assert found(estimates={"write amplification": (2.0, 0.4)})["too_short"]["numbers"] == {"requests": 800_000}
    assert found(estimates={"write amplification": (2.0, 0.4)}, half_width=0.2) == {}
    assert (
        found(buffered_pages=640)["too_short"]["numbers"] == {"requests": 400_000} and found(buffered_pages=320) == {}
    )
    few = found(estimates={}, requests={"read": 100}, responses={}, percentiles={})["too_short"]
    assert few["numbers"] == {"requests": 1_600_000}
    assert found(estimates={"mean write response": (9.0, None)})["too_short"]["numbers"] == {"requests": None}


def test_a_run_of_reads_alone_is_in_a_steady_state():
    reads = {"read": 1_000_000, "write": 0}
    assert found(requested_pages=0, written_pages=0, course=course(0, 0), requests=reads, estimates={}) == {}


def test_write_amplification_that_changes_is_told_if_by_more_than_a_tenth_and_than_chance():
    def halves(second, noise=0.0):
        written = np.where(np.arange(PIECES) < PIECES // 2, 200, second)
        return course(written=written + noise * np.resize([0, 0, 1, 1], PIECES))

    assert found(course=halves(219)) == {} == found(course=halves(181))
    assert (
        "was 2.000 in the first 50% and 2.400 in the rest (+20%)" in found(course=halves(240))["on_its_way"]["sentence"]
    )
    assert found(course=halves(240, noise=200)) == {}


@pytest.mark.parametrize("pieces", [2, 4, 8, 12])
def test_a_transient_that_ends_early_is_told(pieces):
    """The halves differ less by what it scatters itself than by chance."""
    written = np.where(np.arange(PIECES) < pieces, 100 + 150 * np.arange(PIECES, 0, -1) / PIECES * 12 / pieces, 100)
    assert "and 1.000 in the rest" in found(course=course(written=written))["on_its_way"]["sentence"]


@given(st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_what_scatters_by_chance_is_rarely_told(seed, scatter):
    """Of a hundred runs in which only chance differs some three to six; more than 20 never comes."""
    means = np.random.default_rng(seed).gamma(1 / scatter**2, scatter**2 * 100.0, (100, 16))
    assert sum(bool(found(responses={"read": each})) for each in means) <= 20


def test_responses_change_as_write_amplification_does():
    steps = np.repeat([100.0, 150.0], 8)
    told = found(responses={"read": steps})["on_its_way"]["sentence"]
    assert "mean read response was 100.0 us in the first 50% and 150.0 us in the rest (+50%)" in told
    assert found(responses={"read": steps[:9]}) == {}  # too few batches
    assert found(responses={"write": steps + 200 * np.resize([0.0, 1.0], 16)}) == {}


def test_of_a_trace_only_rounds_are_held_against_each_other():
    def a_round(amplification, mean):
        served = {op: {"response_us": {"mean": mean}} for op in ("read", "write")}
        return {"write_amplification": amplification, "requests": served}

    trace = {"stationary": False, "responses": {"read": np.repeat([1.0, 9.0], 8)}, "course": course(np.arange(PIECES))}
    assert found(**trace) == {}
    assert found(**trace, rounds=[a_round(9.0, 1.0), a_round(2.0, 100.0), a_round(2.1, 105.0)]) == {}
    drifting = found(**trace, rounds=[a_round(2.0, 100.0), a_round(2.3, None)])
    assert "write amplification was 2.000 in the last round but one" in drifting["on_its_way"]["sentence"]
    assert [*found(**trace, rounds=[a_round(2.0, 100.0), a_round(2.0, 150.0)])] == ["on_its_way"]


def test_a_backlog_is_told_if_it_grows_from_quarter_to_quarter():
    """Of 1600 requests that arrive in 20 us the device completes 50 a us: 600 are left, and it takes 12 us longer."""
    growing = np.array([(1000 * at, 30 * at) for at in range(1, PIECES)])
    load = {"requests": {"read": 1600}, "percentiles": {}, "last_arrival_ns": 20_000}
    backlog = found(backlog=growing, **load)["backlog"]
    numbers = {"waiting": 600, "share": 0.375, "seconds_late": 12e-6, "by_quarter": [90.0, 240.0, 390.0, 540.0]}
    assert backlog["numbers"] == numbers and "become more" in backlog["sentence"]
    in_the_end = np.where([True, False] | (growing[:, :1] >= 15_000), growing, 300)  # a burst
    assert found(backlog=in_the_end, **load) == {}
    assert found(backlog=growing, **load | {"last_arrival_ns": None}) == {}
    assert found(backlog=growing, **load | {"last_arrival_ns": 32_000}) == {}


@pytest.mark.parametrize(
    ("p99_9", "turn", "told"), [(100_000.0, 100_000.0, True), (99_999.0, 1.0, False), (100_000.0, 100_001.0, False)]
)
def test_starvation_is_told_from_a_hundred_times_the_mean_on_if_it_is_longer_than_a_turn(p99_9, turn, told):
    streams = {"a": {"read": {"response_us": {"mean": 1000.0, "p99_9": p99_9}}}}
    streams["b"] = {"read": {"response_us": {"mean": None, "p99_9": None}}}
    assert [*found(streams=streams, longest_turn_us=turn)] == ["starvation"] * told
    if told:
        assert "reads of stream a took 0.1 s or more, 100 times" in found(streams=streams)["starvation"]["sentence"]


def test_half_of_all_requests_are_a_backlog_however_they_came():
    load = {"requests": {"read": 1600}, "percentiles": {}, "last_arrival_ns": 16_000}
    backlog = found(**load)["backlog"]
    assert backlog["numbers"]["share"] == 0.5 and "become more" not in backlog["sentence"]
    assert found(**load | {"last_arrival_ns": 17_000}) == {}


def test_a_percentile_wants_ten_requests_beyond_it():
    few = found(requests={"read": 99_999, "write": 100_000})["tail"]
    assert few["numbers"]["op"] == "read" and [*few["numbers"]["beyond"]] == ["p99_99"]
    assert [*found(requests={"read": 999})["tail"]["numbers"]["beyond"]] == ["p99", "p99_99"]
    assert "5 beyond p99, 0.05 beyond p99.99" in found(requests={"write": 500})["tail"]["sentence"]
    assert found(requests={"read": 0}) == {}


def test_a_course_has_what_windows_and_their_samples_changed_by():
    names = ("now_ns", "requested_page_writes", "host_page_writes", "page_moves", "extra_pages")

    def sample(*values):
        known = dict(zip(names, values, strict=True))
        return (*(known.get(name, 0) for name in SAMPLED), 77)  # and unused pages by type

    rows = [(0, 3, 1, 30, 40, 0, 0, *sample(10, 4, 3, 2, 1)), (1, 0, 0, 0, 0, 0, 0, *sample(25, 4, 5, 2, 1))]
    of = Course.of_windows(np.array(rows), sample(0, 0, 0, 0, 0))
    assert [each.tolist() for each in attrs.astuple(of, recurse=False)] == [[10, 15], [4, 0], [6, 2], [4, 0]]
    untimed = Course.of_samples([sample(0, 2, 2, 1, 0)], sample(0, 0, 0, 0, 0))
    assert untimed.requested.tolist() == [2] and untimed.written.tolist() == [3] and untimed.completed.tolist() == [0]
    assert Course.of_windows(np.array(rows)[:0], sample(0, 0, 0, 0, 0)).requested.tolist() == []


def test_a_run_that_was_stopped_before_its_first_window_has_no_course():
    nothing = Course(*[np.zeros(0, np.int64)] * 4)
    assert [*found(partial=True, course=nothing)] == ["partial"]


def test_samples_are_bounded_and_their_pieces_make_up_the_chunk():
    def chunk(rows):
        return Chunk(*(np.arange(rows) for _ in range(4)))

    seen = []
    samples = Samples(lambda: (len(seen),), rows=2, limit=4)
    for rows in (5, 9, 100):
        for piece in samples.over(chunk(rows)):
            seen += piece.offset_bytes.tolist()
    assert seen == [*range(5), *range(9), *range(100)]
    taken = [count for (count,) in samples.taken]
    assert len(taken) < 4 and taken[-1] == 114 and (np.diff(taken) > 0).all()


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_an_overload_is_told_and_a_load_that_fits_is_not(kernel):
    """Writes of a page, 104.296 us each on one die, arrive every 90 us, or every 200 us."""

    def codes(gap_ns):
        rows = [(at * gap_ns, "write", 4096 * (at % 4), 4096) for at in range(400)]
        changes = {"hardware": {"blocks_per_plane": 600, "over_provisioning": 0.9}}
        return [finding["code"] for finding in run_streams([{"rows": rows}], changes, kernel).summary["validity"]]

    assert "backlog" in codes(90_000)
    assert "backlog" not in codes(200_000)


@pytest.mark.parametrize(("writes", "codes"), [(4000, []), (10, ["too_short"])])
def test_random_writes_on_a_full_device_are_clean_once_there_are_enough(writes, codes):
    pages = np.random.default_rng(5).integers(16, size=writes)
    rows = [(0, "write", 4096 * int(page), 4096) for page in pages]
    changes = {"timing": "off", "precondition": {"mode": "writes"}, "check": "end", "integrity": "off", "record": []}
    found = run_streams([{"rows": rows, "queue_depth": 1}], changes).summary["validity"]
    assert [finding["code"] for finding in found] == codes


@pytest.mark.parametrize(
    ("interface", "depths", "told"),
    [
        ("none", [3, 1], []),
        ("none", [3, 2], [{"asked": 5, "held": 4}]),
        ("sata", [30], [{"asked": 30, "held": 4}]),
        ("nvme", [6, 6], []),  # two pairs of three commands are a stream's own
        ("nvme", [6, 7], [{"asked": 7, "held": 6}]),
    ],
)
def test_closed_loops_deeper_than_the_host_are_told(interface, depths, told, experiment):
    host = {"interface": interface, "queue_depth": 4, "nvme": {"queue_pairs": 2, "queue_depth": 3}}
    rows = [(0, "write", 4096 * (at % 8), 4096) for at in range(40)]
    out = experiment([{"rows": rows, "queue_depth": depth} for depth in depths], {"host": host})
    assert [each["numbers"] for each in out.summary["validity"] if each["code"] == "deeper_than_host"] == told


@pytest.mark.parametrize(("reads", "told"), [(3, []), (4, [{"pages": 8, "unwritten": 4}])])
def test_reads_of_pages_never_written_are_told_from_a_half_on(reads, told, experiment):
    rows = [(0, "write", 0, 4096), *[(0, "read", 0, 4096)] * 4, *[(0, "read", 4096, 4096)] * reads]
    out = experiment([{"rows": rows, "queue_depth": 1}])
    assert [each["numbers"] for each in out.summary["validity"] if each["code"] == "unwritten_reads"] == told
