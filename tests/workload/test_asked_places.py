"""Where synthetic requests go, what they are and how large: every key against what is drawn, alone and together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.config import SyntheticConfig
from ssdsim.workload import READ, TRIM, open_workload
from support.intervals import chi_square, near_mean, near_share
from support.workloads import whole

KIB = 1024
PAGE = 16 * KIB


def drawn(pages=1000, requests=200_000, seed=11, **config):
    config = {"queue_depth": 7} | config if "rate_iops" not in config else config
    return whole(open_workload(SyntheticConfig(requests=requests, **config), pages * PAGE, PAGE, seed))


def slots_of(pages, size_kib, align_kib, footprint=1.0):
    """Return how many starts there are: multiples of the alignment from which the largest request fits."""
    room = int(pages * footprint) * PAGE - max(size_kib) * KIB
    return int(room // (align_kib * KIB)) + 1


@pytest.mark.parametrize(("align_kib", "size_kib"), [(6, 20), (24, 20), (0.5, 3), (16, 40)])
@pytest.mark.parametrize("footprint", [1.0, 0.37])
def test_uniform_starts_are_all_multiples_from_which_a_request_fits(align_kib, size_kib, footprint):
    chunk = drawn(120, size_kib=size_kib, align_kib=align_kib, footprint=footprint)
    slots = slots_of(120, [size_kib], align_kib, footprint)
    starts = chunk.offset_bytes // int(align_kib * KIB)
    assert (starts * align_kib * KIB == chunk.offset_bytes).all()
    assert chi_square(np.bincount(starts, minlength=slots), np.ones(slots)) <= 1


@pytest.mark.parametrize(("size_kib", "unit_kib"), [({8: 1, 40: 2}, 8), ({24: 1, 40: 2}, 16), (12, 12)])
def test_without_an_alignment_it_is_the_smallest_size_or_a_page(size_kib, unit_kib):
    offsets = drawn(size_kib=size_kib).offset_bytes
    assert np.gcd.reduce(offsets) == unit_kib * KIB


def popularity(slots, theta):
    weights = np.arange(1, slots + 1) ** -float(theta)
    return weights / weights.sum()


def collisions(counts):
    """Return the share of pairs of requests to the same slot: without bias the sum of squared probabilities."""
    return float((counts * (counts - 1.0)).sum() / counts.sum() / (counts.sum() - 1))


def spread_of_collisions(shares, count):
    """Return the standard error of the same."""
    second, third = (shares**2).sum(), (shares**3).sum()
    return float(np.sqrt(4 * (third - second**2) / count + 2 * second / count**2))


def places_in_turn(sizes, align, footprint):
    """Return where one stream of requests of these sizes goes, round and round; where one does not fit, it is moved."""
    lap, position, starts = footprint // align * align, 0, []
    for size in sizes:
        starts.append(min(position, (footprint - size) // align * align))
        position = (position + -(-size // align) * align) % lap
    return starts


@pytest.mark.parametrize("align_kib", [None, 4, 6, 24])
@pytest.mark.parametrize("size_kib", [{4: 2, 12: 1}, {20: 1, 4: 1, 8: 5}, 36])
def test_sequential_goes_on_where_the_last_request_ended(align_kib, size_kib):
    chunk = drawn(20, 70_000, pattern="sequential", size_kib=size_kib, align_kib=align_kib, footprint=0.7)
    unit = align_kib or min(16, *(size_kib if isinstance(size_kib, dict) else [size_kib]))
    assert chunk.offset_bytes.tolist() == places_in_turn(chunk.size_bytes.tolist(), unit * KIB, 14 * PAGE)


@st.composite
def loads(draw):
    """Draw a load in which every key has a value of its own."""
    sizes = draw(st.lists(st.sampled_from([0.5, 4, 8, 12, 20, 28]), min_size=2, max_size=3, unique=True))
    shares = st.floats(0.1, 0.45)
    load = {
        "pattern": draw(st.sampled_from(["uniform", "zipf", "hot_cold"])),
        "size_kib": dict(zip(sizes, draw(st.permutations([1, 3, 7])), strict=False)),
        "align_kib": draw(st.sampled_from([0.5, 2, 5, 12, 32])),
        "footprint": draw(st.floats(0.3, 0.9)),
        "read_share": draw(shares),
        "trim_share": draw(shares),
        "hot_share": draw(shares),
        "hot_traffic": draw(st.floats(0.1, 0.9)),
        "zipf_theta": draw(st.floats(0.3, 1.6)),
    }
    bursts = {"arrival": "bursts", "burst_requests": draw(st.floats(1.5, 9))}
    arrivals = [
        {"queue_depth": 3, **bursts, "idle_ms": draw(st.floats(0.1, 9))},
        {"rate_iops": 700.0, **bursts, "burst_iops": draw(st.floats(900, 9000))},
        {"rate_iops": draw(st.floats(1, 1e5))},
    ]
    return load | draw(st.sampled_from(arrivals))


def tallied(offsets, load, pages):
    """Return the requests by place of the load's pattern, and the share of each; places are wide enough for a test."""
    slots = slots_of(pages, load["size_kib"], load["align_kib"], load["footprint"])
    starts = offsets // int(load["align_kib"] * KIB)
    assert starts.max() < slots
    if load["pattern"] == "uniform":
        bins = np.arange(slots) * 23 // slots
        return np.bincount(bins[starts], minlength=23), np.bincount(bins)
    hot = round(slots * load["hot_share"])
    counts = np.array([np.count_nonzero(starts < hot), np.count_nonzero(starts >= hot)])
    return counts, np.array([load["hot_traffic"], 1 - load["hot_traffic"]])


@settings(max_examples=settings.default.max_examples // 2)
@given(load=loads(), seed=st.integers(0, 2**32), pages=st.integers(700, 3000))
def test_keys_do_what_they_say_whatever_the_others_are(load, seed, pages):
    count = 30_000
    chunk = drawn(pages, count, seed, **load)
    unit, footprint = int(load["align_kib"] * KIB), int(pages * load["footprint"]) * PAGE
    assert np.gcd.reduce(chunk.offset_bytes) == unit
    assert (chunk.offset_bytes + chunk.size_bytes).max() <= footprint
    assert (chunk.op == READ).mean() == near_share(load["read_share"], count)
    assert (chunk.op == TRIM).mean() == near_share(load["trim_share"], count)
    sizes, weights = np.array([*load["size_kib"]]) * KIB, np.array([*load["size_kib"].values()])
    assert chi_square((chunk.size_bytes[:, None] == sizes).sum(axis=0), weights) <= 1
    if load["pattern"] == "zipf":
        slots = slots_of(pages, load["size_kib"], load["align_kib"], load["footprint"])
        shares = popularity(slots, load["zipf_theta"])
        found = collisions(np.bincount(chunk.offset_bytes // unit))
        assert found == near_mean(shares @ shares, spread_of_collisions(shares, count), 1)
    else:
        assert chi_square(*tallied(chunk.offset_bytes, load, pages)) <= 1
    times, gaps = chunk.arrival_ns / 1e9, np.diff(chunk.arrival_ns) / 1e9
    if "idle_ms" in load:
        idle_s, gaps = times[times > 0], times[1:]
        assert len(idle_s) / count == near_share(1 / load["burst_requests"], count)
        assert idle_s.mean() == near_mean(load["idle_ms"] / 1e3, load["idle_ms"] / 1e3, len(idle_s))
    else:
        # A gap is exponential, of either mean: of its square, twice that of the mean is expected.
        length, within_s = load.get("burst_requests", 1), 1 / load.get("burst_iops", 1e9)
        between_s = length / load["rate_iops"] - (length - 1) * within_s
        square = 2 * (between_s**2 + (length - 1) * within_s**2) / length
        assert gaps.mean() == near_mean(1 / load["rate_iops"], np.sqrt(square - load["rate_iops"] ** -2), count)
    # No key knows of another, nor of the request before.
    draws = [chunk.op[1:] == READ, chunk.op[1:] == TRIM, chunk.size_bytes[1:], chunk.offset_bytes[1:], gaps]
    for first in range(2, len(draws)):
        for second in range(first):
            assert np.corrcoef(draws[first], draws[second])[0, 1] == near_mean(0, 1, count)
    for each in draws:
        assert np.corrcoef(each[1:], each[:-1])[0, 1] == near_mean(0, 1, count)
