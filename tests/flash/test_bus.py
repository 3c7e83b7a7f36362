"""Which die the arbiters give the bus to, given what asks."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import HOST, PROGRAM, READ
from ssdsim._core.kernel import make_environment
from ssdsim.flash.bus import CommandFirst, DataOutFirst, FirstComeFirstServed, StartsFirst
from ssdsim.flash.die import Channel, Die
from ssdsim.flash.scheduler import ReadPriority
from ssdsim.flash.transaction import Transaction


@pytest.fixture
def dies():
    channel = Channel()
    channel.env = make_environment("compiled")
    dies = [Die(index, 0, index) for index in range(4)]
    for die in dies:
        die.bus = channel
    return dies


def sensed(at=-1):
    """Return a read whose array is done at such a time."""
    transaction = Transaction()
    transaction.array_end_ns = at
    return transaction


def bound(arbiter, dies):
    policy = ReadPriority()
    policy.bind(Blocks(4, 4, 4))
    arbiter.bind(dies, policy)
    return arbiter


def queue(die, op, sequence):
    """Let a transaction that may start wait for `die`."""
    transaction = Transaction()
    transaction.op, transaction.source, transaction.sequence = op, HOST, sequence
    transaction.block = transaction.page = 0
    die.queue_for(transaction).append(transaction)


def given(arbiter, dies, asks):
    """Return the order in which the bus is given to dies that ask: (die, whether for a data-out)."""
    for index, data_out in asks:
        dies[index].transaction = sensed() if data_out else None
        arbiter.ask(dies[index])
    chosen = [arbiter.choose() for _ in range(len(asks) + 1)]
    assert chosen.pop() is None
    return [die.index for die in chosen]


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


def test_data_out_first_gives_a_die_that_asks_twice_one_turn(dies):
    arbiter = bound(DataOutFirst(), dies)
    arbiter.ask(dies[2])
    arbiter.ask(dies[2])
    assert arbiter.choose() is dies[2]
    assert arbiter.choose() is None


def test_command_first_takes_the_oldest_read_then_data_then_writes(dies):
    queue(dies[0], PROGRAM, 1)
    queue(dies[2], READ, 9)
    queue(dies[3], READ, 5)
    asks = [(0, False), (1, True), (2, False), (3, False)]
    assert given(bound(CommandFirst(), dies), dies, asks) == [3, 2, 1, 0]


def test_command_first_takes_data_and_writes_by_die(dies):
    queue(dies[1], PROGRAM, 8)
    queue(dies[3], PROGRAM, 2)
    asks = [(3, False), (2, True), (1, False), (0, True)]
    assert given(bound(CommandFirst(), dies), dies, asks) == [0, 2, 1, 3]


@pytest.mark.parametrize(("at", "chosen"), [(0, None), (1, 3)])
def test_command_first_chooses_nobody_before_all_arrays_that_are_done_now_have_ended(dies, at, chosen):
    arbiter = bound(CommandFirst(), dies)
    queue(dies[3], READ, 1)
    arbiter.ask(dies[3])
    dies[0].transaction = sensed(at)
    die = arbiter.choose()
    assert (die and die.index) == chosen
    arbiter.ask(dies[0])
    assert arbiter.choose() is (dies[3] if chosen is None else dies[0])
