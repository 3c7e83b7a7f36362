"""Conflict-aware scheduling (PAQ), worked out by hand: compiled and interpreted."""

import pytest

from ssdsim._core.codes import HOST, READ
from support.tiny_device import PAGE, TRANSFER, tiny_config
from support.transactions import queued, taken

LATER = 1_000_000
ALL = ["read", "program", "erase"]


class Bench:
    """The queues of one die of four planes under PAQ, where everything may start."""

    def __init__(self, modules, operations=ALL, groups=None, bac=False, pass_limit=16):
        changes = {
            "hardware": {"planes_per_die": 4},
            "flash": {"multi_plane": operations, "plane_groups": groups},
            "ftl": {"bac": bac},
        }
        device = modules["ssdsim.assembly.device"].Device(tiny_config(changes, modules["ssdsim.config"]))

        class Free(modules["ssdsim.flash.scheduler"].Paq):
            def may_start(self, transaction):
                return True

        self.blocks_per_plane = device.blocks.blocks_per_plane
        self.dies, self.transactions = device.dies, device.transactions
        policy = Free(pass_limit)
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


@pytest.fixture(scope="module")
def make(modules):
    """Make a bench of either kind."""
    return lambda *given, **more: Bench(modules, *given, **more)


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
