"""A die knows at any time how many of its units are urgent, and how many of these critical."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.kernel import Environment
from ssdsim.assembly.device import Device
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions
from ssdsim.ftl.reclaim.task import Task
from ssdsim.ftl.reclaim.urgency import Urgency
from support.tiny_device import tiny_config

DEGREES = st.sampled_from([(False, False), (True, False), (True, True)])


@given(st.lists(st.tuples(st.integers(0, 7), DEGREES), max_size=40))
def test_each_die_counts_the_units_that_are_urgent_and_critical(steps):
    """Two dies of four planes, each of which is a unit."""
    dies, tasks = Dies(Transactions(), 2, 2, 2), [Task(number, 1) for number in range(8)]
    for task in tasks:
        task.bind(None, dies, 4, None)
    for number, degree in steps:
        Urgency().set(tasks[number], *degree)
        assert (tasks[number].urgent, tasks[number].critical) == degree
        for die in range(2):
            own = tasks[die * 4 : die * 4 + 4]
            assert dies.urgent_planes[die] == sum(task.urgent for task in own)
            assert dies.critical_planes[die] == sum(task.critical for task in own)


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
    urgency = interpreted["ssdsim.ftl.reclaim.urgency"].UrgencyByLevel(unit, yields)
    task = Task(0, 1)
    task.bind(None, Dies(Transactions(), 1, 1, 1), 1, None)
    urgency.update(task)
    assert (task.urgent, task.critical) == expected
    unit.level = lambda number: 3
    urgency.update(task)
    assert (task.urgent, task.critical) == (False, False)


@pytest.mark.parametrize(("unit", "dies"), [("page", [0, 0, 1, 1]), ("twin", [0, 1])])
def test_a_collection_is_known_to_its_own_die(unit, dies):
    """Two dies of two planes, each of which is a unit, or both of a die together."""
    changes = {"hardware": {"dies_per_chip": 2, "planes_per_die": 2}, "ftl": {"unit": "twin"} if unit == "twin" else {}}
    built = Device(tiny_config(changes))
    built.connect(Environment())
    units = [list(range(unit.first_die, unit.end_die)) for unit in built.collector.units]
    assert units == [[die] for die in dies]
