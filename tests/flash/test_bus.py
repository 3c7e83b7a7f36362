"""Which die the arbiters give the bus to, given what asks."""

from types import SimpleNamespace

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.kernel import make_environment
from ssdsim.flash.bus import NO_DIE, CommandFirst, DataOutFirst, FirstComeFirstServed, StartsFirst
from ssdsim.flash.dies import Dies
from ssdsim.flash.scheduler import ReadPriority
from ssdsim.flash.transactions import Transactions
from support.transactions import queued, taken

FIRST = 2  # of the channel's four dies; one more is behind them


@pytest.fixture
def dies():
    return Dies(Transactions(), FIRST + 4 + 1, 4, 1)


def bound(arbiter, dies):
    policy = ReadPriority()
    blocks = Blocks(dies.count, 4, 4)
    policy.bind(SimpleNamespace(blocks=blocks, dies=dies, timing=None, multi_plane=None))
    arbiter.bind(make_environment("compiled"), dies, FIRST, FIRST + 4, policy)
    return arbiter


def queue(dies, die, op, sequence):
    """Let a transaction that may start wait for a die of the channel."""
    queued(dies, taken(dies.transactions, op=op, sequence=sequence, die=FIRST + die))


def given(arbiter, dies, asks):
    """Return the order in which the bus is given to dies that ask: (die, whether for a data-out)."""
    for die, data_out in asks:
        dies.transaction[FIRST + die] = taken(dies.transactions, op=READ) if data_out else 0
        arbiter.ask(FIRST + die)
    chosen = [arbiter.choose() for _ in range(len(asks) + 1)]
    assert chosen.pop() == NO_DIE
    return [die - FIRST for die in chosen]


ASKS = [(3, True), (2, False), (1, True), (0, False)]


def test_first_come_first_served(dies):
    assert given(bound(FirstComeFirstServed(), dies), dies, ASKS) == [3, 2, 1, 0]


def test_starts_first(dies):
    assert given(bound(StartsFirst(), dies), dies, ASKS) == [2, 0, 3, 1]


def test_data_out_first_takes_starts_in_turn(dies):
    arbiter = bound(DataOutFirst(), dies)
    assert given(arbiter, dies, ASKS) == [3, 1, 0, 2]
    assert given(arbiter, dies, [(0, False), (1, False), (3, False)]) == [3, 0, 1]
    assert given(arbiter, dies, [(3, False), (1, False)]) == [3, 1]


def test_command_first_takes_the_oldest_read_then_data_then_writes(dies):
    queue(dies, 0, PROGRAM, 1)
    queue(dies, 2, READ, 9)
    queue(dies, 3, READ, 5)
    asks = [(0, False), (1, True), (2, False), (3, False)]
    assert given(bound(CommandFirst(), dies), dies, asks) == [3, 2, 1, 0]
