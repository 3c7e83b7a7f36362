"""Synthetic arrivals and idle times: every key of them against what is drawn, in ways that tell one from another."""

import numpy as np
import pytest

from ssdsim.config import SyntheticConfig
from ssdsim.workload import READ, TRIM, WRITE, open_workload
from support.intervals import chi_square, farthest, near_mean, near_share
from support.workloads import rows, whole


def drawn(requests, seed=11, **config):
    workload = open_workload(SyntheticConfig(requests=requests, size_kib=4, **config), 1 << 30, 16384, seed)
    return whole(workload)


def mixture(times, weights, means):
    """Return the probability of a time below each, of exponential times of these means with these weights."""
    return sum(weight * -np.expm1(-times / mean) for weight, mean in zip(weights, means, strict=True))


def excess(weights, means, threshold):
    """Return the share of such times above a threshold, and mean and deviation of how far above these are."""
    weights, means = np.array(weights), np.array(means)
    left = weights * np.exp(-threshold / means)
    mean, square = (left @ means) / left.sum(), 2 * (left @ means**2) / left.sum()
    return left.sum(), mean, np.sqrt(square - mean**2)


@pytest.mark.parametrize("rate", [0.37, 1234.5, 871_000.0])
def test_poisson_gaps_are_exponential_and_know_nothing_of_one_another(rate):
    gaps = np.diff(drawn(100_000, rate_iops=rate).arrival_ns) / 1e9
    assert gaps.mean() == near_mean(1 / rate, 1 / rate, len(gaps))
    assert farthest(gaps, lambda x: mixture(x, [1], [1 / rate])) <= 1
    assert np.corrcoef(gaps[1:], gaps[:-1])[0, 1] == near_mean(0, 1, len(gaps))


BURSTS = [(777.0, 6.5, 9000.0), (50_000.0, 37.0, 400_000.0), (2.5, 1.7, 3.1), (120.0, 300.0, 20_000.0)]
"""Mean rate, requests of a burst, and the rate within one."""


@pytest.mark.parametrize(("rate", "length", "within_iops"), BURSTS)
def test_bursts_have_their_rate_their_length_and_their_own_rate(rate, length, within_iops):
    """A gap ends a burst with the probability 1 / length; the gaps within have the burst's rate, and all the mean rate.

    Gaps of four times the mean within tell the times between bursts, of which there are some thousands.
    """
    gaps = np.diff(
        drawn(1_000_000, arrival="bursts", rate_iops=rate, burst_requests=length, burst_iops=within_iops).arrival_ns
    )
    gaps = gaps / 1e9
    weights = [1 / length, 1 - 1 / length]
    means = [length / rate - (length - 1) / within_iops, 1 / within_iops]
    _, mean, deviation = excess(weights, means, 0)
    assert mean == pytest.approx(1 / rate)
    assert gaps.mean() == near_mean(1 / rate, deviation, len(gaps))
    assert farthest(gaps, lambda x: mixture(x, weights, means)) <= 1
    threshold = 4 / within_iops
    share, beyond, deviation = excess(weights, means, threshold)
    long_gaps = gaps[gaps > threshold]
    assert len(long_gaps) / len(gaps) == near_share(share, len(gaps))
    assert (long_gaps - threshold).mean() == near_mean(beyond, deviation, len(long_gaps))
    is_long = gaps > threshold
    assert np.corrcoef(is_long[1:], is_long[:-1])[0, 1] == near_mean(0, 1, len(gaps))


@pytest.mark.parametrize(("length", "idle_ms"), [(1.0, 3.0), (4.5, 0.02), (61.0, 7.7)])
def test_a_closed_loop_is_idle_after_each_burst(length, idle_ms):
    """Bursts of k requests have the probability 1/length (1 - 1/length)^(k - 1), whatever the idle time."""
    idle_ns = drawn(300_000, arrival="bursts", queue_depth=3, burst_requests=length, idle_ms=idle_ms).arrival_ns
    assert idle_ns[0] == 0
    starts = np.flatnonzero(idle_ns)
    assert len(starts) / (len(idle_ns) - 1) == near_share(1 / length, len(idle_ns) - 1)
    idle_s = idle_ns[starts] / 1e9
    assert idle_s.mean() == near_mean(idle_ms / 1e3, idle_ms / 1e3, len(idle_s))
    assert farthest(idle_s, lambda x: mixture(x, [1], [idle_ms / 1e3])) <= 1
    if length > 1:
        lengths = np.diff(starts)
        shares = 1 / length * (1 - 1 / length) ** np.arange(int(length / 2) + 1)
        counts = np.bincount(np.minimum(lengths, len(shares) + 1), minlength=len(shares) + 2)[1:]
        assert chi_square(counts, np.append(shares, 1 - shares.sum())) <= 1
        assert np.corrcoef(lengths, idle_s[:-1])[0, 1] == near_mean(0, 1, len(lengths))


def pauses(times_s, threshold_s):
    """Return by how much the gaps above a threshold are above it."""
    gaps = np.diff(times_s)
    return gaps[gaps > threshold_s] - threshold_s


TWO_LEVELS = [{"share": 0.15, "traffic": 0.6, "length_s": 0.9}, {"share": 0.4, "traffic": 0.7, "length_s": 0.06}]


def test_levels_multiply_and_have_their_shares_and_traffic():
    """Four rates: what comes in windows of 5 ms, between two of the same rate, is of that rate.

    With a rate of 20,000/s and factors of 4 or 8/17, and 1.75 or 1/2, windows hold 23.5, 82.4, 200 or 700 requests.
    """
    rate, window_s = 20_000.0, 0.005
    times_s = drawn(2_400_000, arrival="levels", rate_iops=rate, levels=TWO_LEVELS).arrival_ns / 1e9
    counts = np.bincount((times_s / window_s).astype(int))[:-1]
    rates = [rate * slow * fast for slow in (0.4 / 0.85, 4.0) for fast in (0.5, 1.75)]
    expected = np.array(rates) * window_s
    kind = np.searchsorted(np.sqrt(expected[1:] * expected[:-1]), counts)
    inner = (kind[1:-1] == kind[2:]) & (kind[1:-1] == kind[:-2])
    for number, mean in enumerate(expected):
        of_kind = counts[1:-1][inner & (kind[1:-1] == number)]
        assert of_kind.mean() == near_mean(mean, np.sqrt(mean), len(of_kind)), number
    cycles = [times_s[-1] * level["share"] / level["length_s"] for level in TWO_LEVELS]
    for level, is_on, count in zip(TWO_LEVELS, (kind > 1, kind % 2 == 1), cycles, strict=True):
        share = level["share"]
        assert is_on.mean() == near_mean(share, share * (1 - share) * np.sqrt(2), count)


KINDS = {
    "levels": [{"share": 0.6, "traffic": 1.0, "length_s": 0.03}],
    "batch_requests": 1.3,
    "write_levels": [{"share": 0.2, "traffic": 1.0, "length_s": 0.008}],
    "write_batch_requests": 4.0,
}


@pytest.mark.parametrize(("read_share", "trim_share"), [(0.7, 0.0), (0.35, 0.25)])
def test_reads_and_others_have_each_their_level_batch_and_part_of_the_rate(read_share, trim_share):
    rate, count = 8000.0, 400_000
    chunk = drawn(count, arrival="levels", rate_iops=rate, read_share=read_share, trim_share=trim_share, **KINDS)
    assert (chunk.op == READ).sum() == round(count * read_share)
    assert (chunk.op == TRIM).mean() == near_share(trim_share, count)
    for is_kind, prefix, part in ((chunk.op == READ, "", read_share), (chunk.op != READ, "write_", 1 - read_share)):
        (level,), batch = KINDS[f"{prefix}levels"], KINDS[f"{prefix}batch_requests"]
        times_s = chunk.arrival_ns[is_kind] / 1e9
        share, length_s = level["share"], level["length_s"]
        spread = np.sqrt(2 * (1 - share) ** 2 * length_s / share / times_s[-1] + (2 * batch - 1) / len(times_s))
        assert len(times_s) / times_s[-1] == near_mean(rate * part, rate * part * spread, 1)
        within_s, off_s = batch * share / rate / part, length_s * (1 - share) / share
        together = 1 - 1 / batch + 0.5e-9 / within_s / batch
        assert (np.diff(times_s) == 0).mean() == near_share(together, len(times_s))
        off_seen_s = off_s * (1 + within_s / length_s)
        found = pauses(times_s, 25 * within_s)
        assert found.mean() == near_mean(off_seen_s, off_seen_s, len(found))


@pytest.mark.parametrize(
    ("arrival", "rate", "speedup"), [("poisson", None, 2.5), ("poisson", 310.0, 0.4), ("bursts", 310.0, 2.5)]
)
def test_times_drawn_for_a_trace_have_its_rate_or_that_given_times_the_speedup(open_trace, arrival, rate, speedup):
    """A trace of a request each 10 ms, read fifty times; the rate within a burst is as given."""
    text = "".join(f"{at * 10_000_000} 0 {8 * at} 8 {at % 2}\n" for at in range(2000))
    length, within_iops = (7.0, 5000.0) if arrival == "bursts" else (1.0, 1e9)
    bursts = {"burst_requests": length, "burst_iops": within_iops} if arrival == "bursts" else {}
    trace = open_trace(text, arrival=arrival, rate_iops=rate, speedup=speedup, repeat=50, **bursts)
    gaps = np.diff(whole(trace).arrival_ns) / 1e9
    mean, weights = 1 / speedup / (rate or 100.0), [1 / length, 1 - 1 / length]
    means = [length * mean - (length - 1) / within_iops, 1 / within_iops]
    assert len(gaps) == 99_999
    assert gaps.mean() == near_mean(mean, excess(weights, means, 0)[2], len(gaps))
    assert farthest(gaps, lambda x: mixture(x, weights, means)) <= 1


ROWS = "".join(f"{at * 10_000_000} 0 {8 * at} 8 {at % 2}\n" for at in range(400))
"""A request each 10 ms, reads and writes in turn, one page after the other."""


def test_a_trace_keeps_all_but_its_times(open_trace):
    recorded = rows(open_trace(ROWS))
    workload = open_trace(ROWS, arrival="levels", levels=TWO_LEVELS)
    timed = rows(workload)
    assert [row[1:] for row in timed] == [row[1:] for row in recorded]
    times_ns = [row[0] for row in timed]
    assert times_ns[0] == 0 and sorted(times_ns) == times_ns != [row[0] for row in recorded]
    assert rows(workload) == timed
    assert workload.describe()["arrival"] == "levels"


def test_reads_and_writes_of_a_trace_that_come_apart_keep_their_orders(open_trace):
    recorded = rows(open_trace(ROWS))
    timed = rows(
        open_trace(
            ROWS,
            arrival="levels",
            levels=TWO_LEVELS,
            repeat=2,
            **{name: KINDS[name] for name in KINDS if name != "levels"},
        )
    )
    assert [row[0] for row in timed] == sorted(row[0] for row in timed)
    for op in (READ, WRITE):
        assert [row[1:] for row in timed if row[1] == op] == 2 * [row[1:] for row in recorded if row[1] == op]
