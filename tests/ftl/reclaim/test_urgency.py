"""A die knows at any time how many of its units are urgent, and how many of these critical."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.flash.die import Die
from ssdsim.ftl.reclaim.urgency import Urgency

DEGREES = st.sampled_from([(False, False), (True, False), (True, True)])


@given(st.lists(st.tuples(st.integers(0, 3), DEGREES), max_size=40))
def test_the_die_counts_the_units_that_are_urgent_and_critical(steps):
    die, units = Die(0, 0, 0), [Urgency() for _ in range(4)]
    for unit in units:
        unit.bind(die)
    for number, degree in steps:
        units[number].set(*degree)
        assert (units[number].urgent, units[number].critical) == degree
        assert die.urgent_planes == sum(unit.urgent for unit in units)
        assert die.critical_planes == sum(unit.critical for unit in units)


@pytest.mark.parametrize(
    ("level", "has_room", "yields", "expected"),
    [
        (3, True, True, (False, False)),
        (3, False, False, (False, False)),  # the hard threshold is not reached
        (2, True, True, (True, False)),
        (2, False, True, (True, True)),  # the host's writes stop
        (2, True, False, (True, True)),
    ],
)
def test_below_the_hard_threshold_it_is_urgent(interpreted, level, has_room, yields, expected):
    """The threshold is three blocks."""
    unit = SimpleNamespace(hard=3, level=lambda number: level, has_room=lambda number: has_room)
    urgency = interpreted["ssdsim.ftl.reclaim.urgency"].UrgencyByLevel(unit, 0, yields)
    urgency.bind(Die(0, 0, 0))
    urgency.update()
    assert (urgency.urgent, urgency.critical) == expected
    unit.level = lambda number: 3
    urgency.update()
    assert (urgency.urgent, urgency.critical) == (False, False)
