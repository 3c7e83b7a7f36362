"""Order, spreading and the clock without long gaps, as properties."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.trace import spread, without_gaps

TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=80)


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_one_time_stay_as_they_were(open_trace, seed):
    times = [0, *np.random.default_rng(seed).integers(0, 50, 80).tolist()]
    trace = open_trace("".join(f"{time} 0 {8 * row} 8 1\n" for row, time in enumerate(times)), format="ssdsim")
    (chunk,) = trace.chunks()
    order = sorted(range(len(times)), key=times.__getitem__)
    assert (chunk.offset_bytes // 4096).tolist() == order and chunk.arrival_ns.tolist() == sorted(times)


@pytest.mark.parametrize("block_bytes", [13, 100, None])
def test_disorder_is_counted_across_blocks(open_trace, block_bytes):
    times = np.random.default_rng(3).integers(1000, 1050, 200).tolist()
    rows = "".join(f"{time} 0 0 8 1\n" for time in times)
    report = open_trace(rows, format="ssdsim", block_bytes=block_bytes).describe()
    assert report["reordered_rows"] == sum(b < a for a, b in pairwise(times))


@given(TIMES, st.sampled_from([7, 1000]))
def test_spread_divides_each_tick_evenly(times, tick):
    ticks = sorted(time * tick for time in times)
    expected = [time + k * tick // ticks.count(time) for time in sorted(set(ticks)) for k in range(ticks.count(time))]
    assert spread(np.array(ticks), tick).tolist() == expected


@given(TIMES, st.integers(1, 60))
def test_short_gaps_are_kept_and_long_ones_dropped(times, most):
    times = sorted(times)
    steady, dropped = without_gaps(np.array(times), most)
    gaps = [b - a for a, b in pairwise(times)]
    assert steady[0] == 0
    assert [b - a for a, b in pairwise(steady.tolist())] == [gap * (gap <= most) for gap in gaps]
    assert dropped == sum(gap > most for gap in gaps)
