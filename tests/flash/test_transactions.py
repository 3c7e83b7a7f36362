"""Rows of transactions: which columns there are, that rows grow and are used again, and what views show of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import GC, HOST, PROGRAM, READ
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import COLUMNS, FEW, Transactions
from ssdsim.flash.views import Transaction, dies_of
from ssdsim.host.request import Request
from support.transactions import listed, queued, taken

AT_FIRST = {"before": -1, "stream": -1, "request_number": -1, "valid_pages": -1, "specified_type": -1, "page_type": 0}
AT_FIRST |= dict.fromkeys(("asked", "bus_ns", "array_ns", "gc_ns", "urgent_gc_ns", "mapping_ns", "line_ns"), 0)
"""What a transaction holds that has just been taken, whatever its row held before."""


def test_the_columns_are_those_that_are_declared(interpreted):
    module = interpreted["ssdsim.flash.transactions"]
    declared = [name for name, kind in module.Transactions.__annotations__.items() if kind == "Int64s"]
    assert sorted([*module.COLUMNS, "waits"]) == sorted(declared)  # of which a row has several numbers
    transactions = module.Transactions()
    assert {len(getattr(transactions, name)) for name in module.COLUMNS} == {module.FEW}


@given(st.lists(st.tuples(st.integers(-3, 300), st.integers(0, 2**62)), max_size=12))
def test_rows_grow_and_are_used_again_and_no_other_is_touched(modules, steps):
    """Take so many, or give back one of each so many; those under way keep what was written to all of their columns."""
    transactions = modules["ssdsim.flash.transactions"].Transactions()
    under_way, used, most = {}, set(), 0

    def column(name):
        return np.asarray(getattr(transactions, name))

    for count, value in steps:
        new = [transactions.take(GC, 5, value) for _ in range(count)]
        assert 0 not in new and len(set(new)) == len(new) and not under_way.keys() & set(new)
        for name, first in (AT_FIRST | {"source": GC, "owner": 5, "lpa": value, "next": 0}).items():
            assert (column(name)[new] == first).all()
        assert all(transactions.request[number] is transactions.data[number] is None for number in new)
        under_way |= {number: value + number for number in new}
        for place, name in enumerate(COLUMNS):
            column(name)[new] = np.array(new, np.int64) + value + place
        for number in new:
            transactions.request[number], transactions.data[number] = Request(), str(number)
        most = max(most, len(under_way))
        for number in list(under_way)[::-count] if count < 0 else ():
            del under_way[number]
            transactions.give_back(number)
        used |= under_way.keys()
        numbers, held = list(under_way), np.array([*under_way.values()], np.int64)
        for place, name in enumerate(COLUMNS):
            assert (column(name)[numbers] == held + place).all()
        assert all(transactions.data[number] == str(number) for number in numbers)
    assert len(used) == most == max(used, default=0)  # rows given back go first
    assert len(transactions.op) == len(transactions.group) >= max(most + 1, FEW)


def test_owners_are_numbered_in_order():
    transactions, stages = Transactions(), ["one", "other"]
    assert [transactions.owners[transactions.add_owner(stage)] for stage in stages] == stages


def test_a_request_is_handed_what_its_transaction_measured():
    transactions, request = Transactions(), Request()
    request.held_ns = 100
    spent = {"bus_ns": 1, "array_ns": 2, "gc_ns": 30, "urgent_gc_ns": 10, "mapping_ns": 5}
    number = taken(transactions, request=request, **spent)
    assert transactions.hand_over(number) is request and transactions.request[number] is None
    found = {name: getattr(request, name) for name in spent}
    assert found == spent | {"gc_ns": 30 + 100, "urgent_gc_ns": 10 + 100}


def test_a_transaction_is_shown_as_its_columns_are():
    transactions, request = Transactions(), Request()
    numbers = [taken(transactions, HOST, lpa=lpa, op=PROGRAM) for lpa in range(3)]
    first, second, third = numbers
    for place, name in enumerate(COLUMNS):
        getattr(transactions, name)[second] = 100 + place
    links = {"partner": third, "next": 0, "previous": first, "rest": 0}
    for name, other in links.items():
        getattr(transactions, name)[second] = other
    transactions.partner[first], transactions.request[second] = second, request
    view = Transaction(transactions, second)
    shown = {name: getattr(view, name) for name in COLUMNS}
    expected = {name: 100 + place for place, name in enumerate(COLUMNS)}
    assert shown == expected | {
        name: Transaction(transactions, other) if other else None for name, other in links.items()
    }
    assert view.request is request and view.group is view.data is None
    assert [page.number for page in Transaction(transactions, first).command()] == numbers
    assert view == Transaction(transactions, second) != Transaction(transactions, first)
    assert len({view, Transaction(transactions, second), Transaction(transactions, third)}) == 2
    transactions.lpa[second] = 7
    assert view.lpa == 7


def test_a_view_says_what_it_has_and_takes_nothing():
    view = Transaction(Transactions(), 1)
    with pytest.raises(AttributeError, match=r"^a transaction has no colour; it has op, source, "):
        view.colour  # noqa: B018
    for name in ("op", "lpa", "colour"):
        with pytest.raises(AttributeError):
            setattr(view, name, 3)


def test_a_die_is_shown_as_its_columns_are():
    transactions = Transactions()
    dies = Dies(transactions, 6, 3, 2)
    one, other = dies_of(dies)[0], dies_of(dies)[4]
    assert [(die.index, die.channel, die.chip) for die in dies_of(dies)] == [
        (0, 0, 0), (1, 0, 0), (2, 0, 1), (3, 1, 1), (4, 1, 2), (5, 1, 2),
    ]  # fmt: skip
    for place, name in enumerate(("waiting", "urgent_planes", "critical_planes", "busy_ns")):
        getattr(dies, name)[4] = 100 + place
    assert (other.waiting, other.urgent_planes, other.critical_planes, other.busy_ns) == (100, 101, 102, 103)
    assert (one.waiting, one.urgent_planes, one.critical_planes, one.busy_ns) == (0, 0, 0, 0)
    kinds = [(HOST, READ), (HOST, PROGRAM), (GC, READ), (GC, PROGRAM)]
    numbers = [
        [queued(dies, taken(transactions, source, op=op, die=4)) for _ in range(count)]
        for count, (source, op) in enumerate(kinds)
    ]
    for number, (queue, expected) in enumerate(zip(other.queues, numbers, strict=True)):
        assert [page.number for page in queue] == expected == listed(dies.queues, 4 * 4 + number)
        assert len(queue) == len(expected)
        assert queue.head == (Transaction(transactions, expected[0]) if expected else None)
    assert other.transaction is None and not any(map(len, one.queues))
    dies.transaction[4] = numbers[3][0]
    assert other.transaction.number == numbers[3][0]
    assert other == dies_of(dies)[4] != one and len({other, dies_of(dies)[4], one}) == 2
