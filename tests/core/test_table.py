"""`IndexTable`, narrow and wide, against a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.table import IndexTable

NARROW, WIDE = 0xFFFFFFFE, 1 << 40


@given(st.data(), st.sampled_from([5, NARROW, WIDE]), st.integers(1, 20))
def test_a_table_is_a_list_of_numbers_or_none(data, limit, size):
    table, model = IndexTable(size, limit), [-1] * size
    steps = st.tuples(st.sampled_from(["get", "set", "swap"]), st.integers(0, size - 1), st.integers(-1, limit - 1))
    for step, index, value in data.draw(st.lists(steps, max_size=50)):
        if step == "get":
            assert table.get(index) == model[index]
            continue
        if step == "set":
            table.set(index, value)
        else:
            assert table.swap(index, value) == model[index]
        model[index] = value
    assert table.to_numpy().tolist() == model


@pytest.mark.parametrize(("limit", "entry"), [(1, 4), (NARROW, 4), (NARROW + 1, 8), (WIDE, 8)])
def test_an_entry_takes_four_bytes_while_that_is_enough(limit, entry):
    table = IndexTable(3, limit)
    assert table.wide == (entry == 8)
    table.set(1, limit - 1)
    assert table.to_numpy().tolist() == [-1, limit - 1, -1]


def test_an_empty_table_can_be_made():
    assert IndexTable(0, 10).to_numpy().tolist() == []
