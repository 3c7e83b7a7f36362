"""Rows of transactions: which columns there are, that rows grow and are used again, and what views show of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import GC
from ssdsim.flash.transactions import COLUMNS, FEW
from ssdsim.host.request import Request

AT_FIRST = {"before": -1, "stream": -1, "request_number": -1, "valid_pages": -1, "specified_type": -1, "page_type": 0}
AT_FIRST |= dict.fromkeys(("asked", "bus_ns", "array_ns", "gc_ns", "urgent_gc_ns", "mapping_ns", "line_ns"), 0)
"""What a transaction holds that has just been taken, whatever its row held before."""


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
