"""`IndexTable` against a list."""

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.table import IndexTable

MOST = 0xFFFFFFFE  # numbers that four bytes have beside none


@given(st.data(), st.sampled_from([5, MOST]), st.integers(1, 20))
def test_a_table_is_a_list_of_numbers_or_none(data, limit, size):
    table, model = IndexTable(size), [-1] * size
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
