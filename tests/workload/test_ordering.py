"""Order, spreading and the steady clock, as properties of the stages."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.ordering import SteadyClock, sort, spread
from ssdsim.workload.records import Records, RowError

TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=80)
CUTS = st.lists(st.integers(1, 20), min_size=1, max_size=5)


def records(times, rows) -> Records:
    """Return requests at these times on these rows."""
    times, rows = np.array(times, np.int64), np.array(rows, np.int64)
    return Records(times, np.zeros(len(times), np.uint8), rows, rows, row=rows, device=np.zeros(len(times), np.int32))


def blocks(times: list[int], cuts: list[int]) -> list[Records]:
    """Return rows at these times, numbered from 1, in blocks whose lengths follow `cuts` again and again."""
    whole = records(times, range(1, len(times) + 1))
    parts, first = [], 0
    for turn in range(len(times)):
        if first < len(times):
            parts.append(whole[first : first + cuts[turn % len(cuts)]])
            first += len(parts[-1])
    return parts


def columns(stage) -> tuple[list[int], list[int]]:
    whole = Records.joined(list(stage))
    return whole.row.tolist(), whole.arrival_ns.tolist()


@given(TIMES, CUTS)
def test_sort_within_its_window_is_the_stable_sort(times, cuts):
    order = sorted(range(len(times)), key=times.__getitem__)
    assert columns(sort(blocks(times, cuts), window=80)) == ([i + 1 for i in order], [times[i] for i in order])


@given(TIMES, CUTS, st.integers(1, 10))
def test_sort_either_sorts_everything_or_names_a_displaced_row(times, cuts, window):
    order = sorted(range(len(times)), key=times.__getitem__)
    displacement = max(i - place for place, i in enumerate(order))
    try:
        assert columns(sort(blocks(times, cuts), window)) == ([i + 1 for i in order], sorted(times))
    except RowError as error:
        assert displacement > window
        assert any(earlier > times[error.row - 1] for earlier in times[: error.row - 1 - window])


@pytest.mark.parametrize("block_bytes", [13, 100, None])
def test_disorder_is_counted_across_blocks(open_trace, block_bytes):
    times = np.random.default_rng(3).integers(1000, 1050, 200).tolist()
    rows = "".join(f"{time} 0 0 8 1\n" for time in times)
    report = open_trace(rows, format="ssdsim", block_bytes=block_bytes).describe()
    assert report["reordered_rows"] == sum(b < a for a, b in pairwise(times))


@given(TIMES, CUTS, st.sampled_from([7, 1000]))
def test_spread_divides_each_tick_evenly(times, cuts, tick):
    ticks = sorted(time * tick for time in times)
    _, spread_out = columns(spread(iter(blocks(ticks, cuts)), tick))
    expected = [time + k * tick // ticks.count(time) for time in sorted(set(ticks)) for k in range(ticks.count(time))]
    assert spread_out == expected


@given(TIMES, CUTS, st.integers(1, 60))
def test_clock_keeps_short_gaps_and_drops_long_ones(times, cuts, max_gap):
    times = sorted(times)
    clock = SteadyClock(max_gap)
    _, steady = columns(clock.over(blocks(times, cuts)))
    gaps = [b - a for a, b in pairwise(times)]
    assert steady[0] == 0
    assert [b - a for a, b in pairwise(steady)] == [gap * (gap <= max_gap) for gap in gaps]
    assert clock.jumps == sum(gap > max_gap for gap in gaps)
    assert clock.span_ns == steady[-1]
