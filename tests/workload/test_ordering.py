"""Order, spreading and the clock without long gaps, as properties."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.trace import spread, without_gaps

TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=80)


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
