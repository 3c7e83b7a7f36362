"""`plain_columns` by hand, and against Arrow: what it takes it reads alike, and what is damaged it leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.plain_rows import plain_columns
from ssdsim.workload.columns import integers, read_columns, read_plain

ROLES = ["time", "op", "_", "offset"]
NUMBER = st.integers(0, 10**18 - 1).map(str)
DECIMALS = st.tuples(st.integers(0, 10**11), st.text("0123456789", min_size=1, max_size=4))
TIME = NUMBER | DECIMALS.map("{0[0]}.{0[1]}".format)
WORD = st.text("RWx. ", min_size=1, max_size=3)
ODD = st.sampled_from(["", "-1", "+2", "1e3", " 4", "5 ", "9" * 20, "\xe9", "1,2", "\r", "\t", "0.1.2", "."])


def listed(columns, decimals=None):
    """Return columns as Python's own values, times in units of the last decimal."""
    time, offset = integers(columns["time"][0], decimals), integers(columns["offset"][0])
    return time.tolist(), columns["op"][0].to_pylist(), offset.tolist()


def test_numbers_tokens_and_columns_of_no_use():
    found = plain_columns(b"10,read,x,1.5\n9,write,y,0\n8,read,z,2.25", ",", [0, str, None, 2])
    assert found[0].tolist() == [10, 9, 8]
    assert (found[1][0].tolist(), found[1][1]) == ([0, 1, 0], ["read", "write"])
    assert found[2] is None
    assert found[3].tolist() == [150, 0, 225]


@pytest.mark.parametrize(
    "text", ["", "\n", "1\n", "1,a,2\n", "1,a\n\n2,b\n", "1,a\n2", "1,a\0b\n", "\0,a\n", "1,\xe9\n"]
)
def test_rows_that_lack_columns_or_hold_other_than_ascii_are_left_alone(text):
    assert plain_columns(text.encode(), ",", [0, str]) is None


@pytest.mark.parametrize("row", ["a,a", "1,", ",a", "1, a\r", "-1,a", "1" * 19 + ",a", "1.5,a", "1 ,a"])
def test_numbers_and_tokens_that_are_not_plain_are_left_alone(row):
    assert plain_columns(f"{row}\n".encode(), ",", [0, str]) is None


def test_of_too_many_different_tokens_none_is_read():
    rows = [f"{number % 64}\n" for number in range(100)]
    indices, tokens = plain_columns("".join(rows).encode(), ",", [str])[0]
    assert [tokens[index] for index in indices] == [row.strip() for row in rows]
    assert plain_columns("".join([*rows, "64\n"]).encode(), ",", [str]) is None
    assert plain_columns(b",".join([b"1"] * 33), ",", [0] * 33) is None


@given(st.lists(st.tuples(TIME, WORD, WORD, NUMBER), min_size=1, max_size=20), st.booleans())
def test_plain_rows_read_as_arrow_reads_them(rows, has_end):
    text = ("\n".join(map(",".join, rows)) + "\n" * has_end).encode()
    found = read_plain(text, ",", ROLES, 3)
    wholes, fractions = zip(*((time.partition(".")[0], time.partition(".")[2]) for time, *_ in rows), strict=True)
    is_plain = all(len(each) <= 15 for each in wholes) and all(len(each) <= 3 for each in fractions)
    assert (found is not None) == is_plain
    if found is not None:
        assert listed(found, 3) == listed(read_columns(text, ",", ROLES, 3), 3)


@given(st.lists(st.tuples(NUMBER | ODD, WORD | ODD, WORD | ODD, NUMBER | ODD), min_size=1, max_size=6))
def test_of_damaged_rows_none_is_read_otherwise_than_arrow_would(rows):
    text = "\n".join(map(",".join, rows)).encode()
    found = read_plain(text, ",", ROLES, None)
    if found is not None:
        assert listed(found) == listed(read_columns(text, ",", ROLES, None))
