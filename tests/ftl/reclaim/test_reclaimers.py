"""The collector and the merges of FAST are siblings, and what they are made of knows no more than it is given."""

import re
from pathlib import Path

import pytest

import ssdsim.ftl.reclaim
from ssdsim._core.kernel import Environment
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions
from ssdsim.ftl.fast.merges import Merger
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.task import Task

ROOM = Path(ssdsim.ftl.reclaim.__file__).parent
OUTSIDE = {
    "moves": r"reclaim\.(collector|course|unit|progress)|ssdsim\.(buffer|ftl\.layer|ftl\.rows|flash\.dies)",
    "port": r"reclaim\.(collector|course|moves|unit|progress)|ssdsim\.(buffer|ftl\.layer)",
    "collection": r"reclaim\.(collector|course|port|moves|interface)|ssdsim\.(buffer|flash\.scheduler)",
    "interface": r"reclaim\.(?!interface)|ssdsim\.(buffer|ftl\.layer|ftl\.rows)",
}
"""What each part must not import."""


def test_neither_reclaimer_is_built_on_the_other():
    assert Collector.__mro__[1] is Merger.__mro__[1] is Reclaimer


@pytest.mark.parametrize("part", OUTSIDE)
def test_a_part_knows_nothing_but_what_it_is_given(part):
    files = [*ROOM.glob(f"{part}.p[yx]*"), *ROOM.glob(f"{part}/*.p[yx]*")]
    assert files
    for file in files:
        imports = [line for line in file.read_text().splitlines() if re.search(r"\bc?import\b", line)]
        assert not [line for line in imports if re.search(OUTSIDE[part], line)], file


def test_what_is_called_for_begins_once_at_the_end_of_the_instant():
    env, begun = Environment(), []
    task = Task(3, 2)
    task.bind(env, Dies(Transactions(), 2, 2, 2), 4, lambda each: begun.append((env.now, each.number)))
    env.timeout(7).callbacks.append(lambda event: (task.call(), task.call()))
    env.timeout(7).callbacks.append(lambda event: begun.append("the same instant"))
    env.timeout(9).callbacks.append(lambda event: task.call())
    env.run()
    assert begun == ["the same instant", (7, 3), (9, 3)]
    assert task.may_be_called()
