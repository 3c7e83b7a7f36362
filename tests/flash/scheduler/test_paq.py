"""Conflict-aware scheduling (PAQ): by hand, and against a model through random arrivals, starts and obstacles.

Compiled and interpreted.
"""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import ERASE, GC, HOST, OPERATIONS, PROGRAM, READ
from support.one_die import make_urgent
from support.tiny_device import PAGE, TRANSFER, tiny_config
from support.transactions import queued, taken

LATER = 1_000_000
ALL = ["read", "program", "erase"]

OPS = st.one_of(
    st.tuples(st.just(READ), st.sampled_from([HOST, HOST, GC])),
    st.tuples(st.just(PROGRAM), st.sampled_from([HOST, HOST, GC])),
    st.just((ERASE, GC)),
)
ARRIVE = st.tuples(st.just("arrive"), OPS, st.integers(0, 3), st.integers(0, 2), st.integers(0, 1))
TAKE = st.just(("take",))
TOGGLE = st.tuples(st.just("toggle"), st.integers(0, 40))
URGENT = st.tuples(st.just("urgent"), st.integers(0, 2))
STEPS = st.lists(st.one_of(ARRIVE, ARRIVE, ARRIVE, TAKE, TOGGLE, URGENT), min_size=10, max_size=60)
RULES = st.tuples(
    st.lists(st.sampled_from(ALL), min_size=1, unique=True),
    st.sampled_from([None, 2]),
    st.booleans(),
    st.integers(0, 4),
)


@attrs.frozen
class Item:
    """What a model knows of a transaction."""

    number: int
    op: int
    source: int
    plane: int
    page: int
    block: int


class Bench:
    """The queues of one die of four planes under PAQ, where whatever is not `blocked` may start."""

    def __init__(self, modules, operations=ALL, groups=None, bac=False, pass_limit=16):
        changes = {
            "hardware": {"planes_per_die": 4},
            "flash": {"multi_plane": operations, "plane_groups": groups},
            "ftl": {"bac": bac},
        }
        device = modules["ssdsim.assembly.device"].Device(tiny_config(changes, modules["ssdsim.config"]))
        self.blocked = blocked = set()

        class Gated(modules["ssdsim.flash.scheduler"].Paq):
            def may_start(self, transaction):
                return self.transactions.ppa[transaction] not in blocked

        self.blocks_per_plane = device.blocks.blocks_per_plane
        self.dies, self.transactions = device.dies, device.transactions
        policy = Gated(pass_limit)
        unit = modules["ssdsim.flash.scheduler"].TransactionSchedulingUnit
        joins = device.make_multi_plane(policy)
        self.unit = unit(policy, self.dies, device.blocks, None, joins, device.observers)
        self.arrived = 0

    def arrive(self, kind, plane=0, page=0, block=0):
        op, source = kind
        columns = {"op": op, "plane": plane, "page": page, "block": plane * self.blocks_per_plane + block}
        number = self.arrived
        self.arrived += 1
        queued(self.dies, taken(self.transactions, source, ppa=number, sequence=number, passed=0, **columns))

    def take(self):
        """Return the numbers of the transactions of the command that is started."""
        chosen, numbers = self.unit.policy.select(0), []
        transaction = self.unit.take(0, chosen) if chosen else 0
        while transaction:
            numbers.append(self.transactions.ppa[transaction])
            transaction = self.transactions.partner[transaction]
        return numbers

    def drain(self):
        return list(iter(self.take, []))

    def urgent(self, degree):
        make_urgent(self.dies, degree)


class Model:
    """The contract, written out over one list in order of arrival."""

    def __init__(self, operations, groups, bac, pass_limit):
        self.operations, self.group, self.bac, self.pass_limit = operations, groups or 4, bac, pass_limit
        self.items, self.blocked, self.urgency = [], set(), 0
        self.passed = {}

    def arrive(self, kind, plane, page, block):
        number = len(self.passed)
        self.items.append(Item(number, *kind, plane, page, block))
        self.passed[number] = 0

    def urgent(self, degree):
        self.urgency = degree

    def able(self, source, reads):
        """Return what may start of one queue, oldest first."""
        queue = [item for item in self.items if item.source == source and (item.op == READ) == reads]
        return [item for item in queue if item.number not in self.blocked]

    def command(self, first):
        """Return `first` and what joins it: the oldest of each other plane of the group, the host's before GC's."""
        found = [first]
        if OPERATIONS[first.op] in self.operations:
            for other in self.able(HOST, first.op == READ) + self.able(GC, first.op == READ):
                same = other.op == first.op and (first.op == ERASE or other.page == first.page)
                near = other.plane // self.group == first.plane // self.group
                if same and near and not (self.bac and other.block != first.block):
                    found += [other] * (other.plane not in {item.plane for item in found})
        return found

    def take(self):
        sources = (GC, HOST) if self.urgency else (HOST, GC)
        turns = [(HOST, True)] * (self.urgency == 1) + [
            (source, reads) for source in sources for reads in (True, False)
        ]
        queue = next((able for turn in turns if (able := self.able(*turn))), [])
        if not queue:
            return []
        late = [item for item in queue if self.passed[item.number] >= self.pass_limit]
        first = late[0] if late else max(queue, key=lambda item: (len(self.command(item)), -item.number))
        command = self.command(first)
        for item in command:
            self.items.remove(item)
            for older in self.able(item.source, item.op == READ):
                self.passed[older.number] += older.number < item.number
        return [item.number for item in command]


def carry_out(step, bench):
    """Carry out one step on a bench or a model and return what was started, if that is what the step does."""
    kind, *given = step
    if kind != "toggle":
        return getattr(bench, kind)(*given)
    bench.blocked ^= {*given}
    return None


@pytest.fixture(scope="module")
def make(modules):
    """Make a bench of either kind."""
    return lambda *given, **more: Bench(modules, *given, **more)


@given(STEPS, RULES)
def test_it_does_what_the_model_does(make, steps, rules):
    bench, model = make(*rules), Model(*rules)
    for step in [*steps, *[("take",)] * len(steps)]:
        assert carry_out(step, bench) == carry_out(step, model)


def arrivals(bench, *places, kind=(READ, HOST)):
    for place in places:
        bench.arrive(kind, *place)


def test_the_largest_command_goes_first_and_of_equals_the_oldest(make):
    bench = make()
    arrivals(bench, (0, 1), (0, 2), (1, 2), (2, 0), (3, 0), (0, 0))
    assert bench.drain() == [[3, 4, 5], [1, 2], [0]]
    arrivals(bench, (1, 1), (0, 2), (2, 1), (3, 2))
    assert bench.drain() == [[6, 8], [7, 9]]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, [[1, 2], [0]]),
        ({"operations": ["program"]}, [[0], [1], [2]]),
        ({"groups": 2}, [[0], [1], [2]]),
        ({"bac": True}, [[0], [1], [2]]),
    ],
)
def test_only_what_the_flash_allows_counts(make, rules, expected):
    bench = make(**rules)
    arrivals(bench, (0, 0, 0), (1, 1, 0), (2, 1, 1))
    assert bench.drain() == expected


@pytest.mark.parametrize("pass_limit", [0, 1, 2, 5])
def test_none_is_passed_for_ever(make, pass_limit):
    """Each command of two passes the first transaction twice."""
    bench = make(pass_limit=pass_limit)
    arrivals(bench, (0, 99), *((plane, page) for page in range(9) for plane in (0, 1)))
    assert bench.drain().index([0]) == (pass_limit + 1) // 2


ALONE, PAIR = 100 + 10_000 + TRANSFER, 200 + 10_000 + TRANSFER  # until the first page of a command is read


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        ("read_priority", [ALONE, ALONE + PAIR, ALONE + PAIR + TRANSFER]),
        ("paq", [PAIR + TRANSFER + ALONE, PAIR, PAIR + TRANSFER]),
    ],
)
def test_reads_of_a_device(run, policy, ends):
    """Three reads come while a fourth is in the array; the first of them has no partner, the others are a pair."""
    changes = {
        "hardware": {"planes_per_die": 2},
        "flash": {"multi_plane": ["read"]},
        "ftl": {"plane_allocation": "PCWD"},
        "scheduler": {"policy": policy},
    }
    rows = [(0, "write", page * PAGE, PAGE) for page in range(4)]
    rows += [(LATER + delay, "read", page * PAGE, PAGE) for delay, page in enumerate([3, 0, 2, 3])]
    done = run(rows, changes).done_at()[4:]
    assert done == [LATER + ALONE, *(LATER + ALONE + end for end in ends)]
