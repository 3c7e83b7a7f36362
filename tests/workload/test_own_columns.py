"""Traces in columns of one's own: expressions, regular expressions, tables of Parquet, and what is refused."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from ssdsim import ConfigError, TraceConfig
from ssdsim.errors import TraceError
from ssdsim.workload import READ, WRITE
from ssdsim.workload.trace import TraceWorkload

COLUMNS = {"arrival": "time", "op": "rw", "offset": "lba*512", "size": "len*512"}
LOG = """started
[12.000001] dev=a R at 8, 4 sectors
noise
[12.000003] dev=b W at 16, 8 sectors
"""
PATTERN = r"\[(?P<arrival>[0-9.]+)\] dev=(?P<device>\w+) (?P<op>[RW]) at (?P<lba>\d+), (?P<n>\d+)"
TWO = [[0, 250_000], [READ, WRITE], [8192, 0], [4096, 8192]]


@pytest.fixture
def requests(tmp_path):
    def read(text, capacity=1 << 30, block_bytes=1 << 20, **keys):
        path = tmp_path / "my.txt"
        if isinstance(text, pa.Table):
            parquet.write_table(text, path)
        else:
            path.write_text(text)
        config = TraceConfig(path=str(path), **keys)
        chunks = list(TraceWorkload(config, capacity, 4096, block_bytes=block_bytes).chunks())
        names = ("arrival_ns", "op", "offset_bytes", "size_bytes")
        return [[value for chunk in chunks for value in getattr(chunk, name).tolist()] for name in names]

    return read


def test_columns_are_named_by_the_first_line_in_any_order(requests):
    text = "len,x,lba,time,rw\n8,?,16,1000,R\n16,?,0,1250,write\n"
    assert requests(text, columns=COLUMNS, time_unit="us") == TWO


@pytest.mark.parametrize("separator", [";", "\t", "|", ", "])
def test_a_column_may_have_any_name_and_comments_stand_before_the_first_line(requests, separator):
    lines = ["TIME(s)|Op type|LBA (512 B)|len*2", "0.001|R|16|16", "0.00125|write|0|32"]
    text = "# by a tool\n\n% of 2024; and a comma,\n" + "\n".join(lines).replace("|", separator)
    columns = {"arrival": "TIME(s)", "op": "Op type", "offset": "LBA (512 B)*512", "size": "len*2*256"}
    assert requests(text, columns=columns, time_unit="s") == TWO


@pytest.mark.parametrize(
    "times",
    [
        ("2024-01-31 12:00:00.001", "2024-01-31T12:00:00.001250"),
        ("2024-01-31T12:00:00.001Z", "2024-01-31T14:00:00.00125+02:00"),
    ],
)
def test_dates_need_no_unit_and_columns_called_by_their_meaning_no_mention(requests, times):
    text = 'date,op,offset,"size"\n{},R,8192,4096\n"{}",W,0,8192\n'.format(*times)
    assert requests(text, columns={"arrival": "date"}) == TWO
    with pytest.raises(TraceError, match="row 3: column date: 'noon' is no date and time as 2024-01-31"):
        requests(text.replace(times[1], "noon"), columns={"arrival": "date"})


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_a_table_of_parquet_is_read_as_its_columns_are_typed(requests, block_bytes):
    start = datetime.datetime(2024, 1, 31)
    table = {"op": ["R", "write"], "lba": np.array([16, 0], np.uint32), "len": [8, 16]}
    times = {
        "us": [1000, 1250], "ms": [1.0, 1.25], "s": pa.array([0.001, 0.00125]).cast(pa.decimal128(9, 6)),
        None: [start, start + datetime.timedelta(microseconds=250)],
    }  # fmt: skip
    for unit, time in times.items():
        columns = {name: text for name, text in COLUMNS.items() if name != "op"}
        given = {"columns": columns, "time_unit": unit, "block_bytes": block_bytes}
        assert requests(pa.table(table | {"time": time}), **given) == TWO
    usual = {"arrival_ns": [0, 250_000], "op": ["read", "write"], "offset_bytes": [8192, 0], "size_bytes": [4096, 8192]}
    assert requests(pa.table(usual)) == TWO
    with pytest.raises(TraceError, match="row 2: size -1 is negative"):
        requests(pa.table(usual | {"size_bytes": [1, -1]}), block_bytes=block_bytes)


def test_a_regular_expression_takes_lines_of_a_log_and_skips_others(requests):
    given = {"pattern": PATTERN, "columns": {"offset": "lba*512", "size": "n*512"}, "time_unit": "s"}
    assert requests(LOG, device="b", **given) == [[0], [WRITE], [8192], [4096]]
    # device b lies after the pages of a
    assert requests(LOG, **given) == [[0, 2000], [READ, WRITE], [4096, 8192 + 8192], [2048, 4096]]
    plain = r"(?P<op>[RW]) at (?P<offset>\d+), (?P<size>\d+)"
    assert requests(LOG, pattern=plain, columns={"arrival": 0}) == [[0, 0], [READ, WRITE], [8, 16], [4, 8]]


def test_no_regular_expression_takes_longer_than_the_line_is_long(requests):
    # one that tries all ways of dividing a line would not end
    text = "a" * 50_000 + "\n" + "aab 8 4\n"
    pattern = r"(?:(?:a+)+)+b (?P<offset>\d+) (?P<size>\d+)"
    assert requests(text, pattern=pattern, columns={"arrival": 0, "op": "write"})[1:] == [[WRITE], [8], [4]]


@pytest.mark.parametrize(
    ("expression", "value"),
    [("lba", 7), ("lba+lba*2", 21), ("-n+lba*2", 13), ("lba*0.5", 3), ("lba*1.5", 10), ("100-lba", 93), ("4096", 4096)],
)
def test_expressions_are_sums_of_products_rounded_down(requests, expression, value):
    columns = {"offset": expression, "size": "n", "op": "write", "arrival": 0}
    assert requests("lba,n\n7,1\n", columns=columns)[1:3] == [[WRITE], [value]]


def test_times_are_exact_and_whole_seconds_are_spread(requests):
    columns = {"arrival": "t", "offset": "t*0", "size": "512", "op": "read"}
    # a float would be off by a hundred nanoseconds
    text = "t\n1455592000.000000001\n1455592000.000000003\n"
    assert requests(text, columns=columns, time_unit="s")[0] == [0, 2]
    assert requests("t\n5\n5\n6\n", columns=columns, time_unit="s")[0] == [0, 500_000_000, 1_000_000_000]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"columns": {"offset": "lba"}}, "lacks arrival and size and op"),
        ({"columns": COLUMNS}, "time_unit=null: must be given"),
        ({"columns": COLUMNS | {"offset": "lbb"}, "time_unit": "us"}, r"no column lbb, but .*did you mean 'lba'"),
        ({"columns": COLUMNS | {"offset": "open('x')"}, "time_unit": "us"}, r"offset=open\('x'\): must be made of"),
        ({"pattern": "(", "columns": COLUMNS}, "is no regular expression"),
        ({"pattern": "(R|W) (?P<offset>x)"}, r"contains unnamed groups; other groups are written \(\?:"),
        # with a part of the columns alone, all rows would be reads at time 0
        (
            {"pattern": r"(?P<t>\d+),(?P<rw>R|W),(?P<offset>\d+),(?P<size>\d+)", "columns": {"arrival": 0, "op": "rw"}},
            r"its group t is not used; say in workload\.columns what it means, or write it as \(\?:",
        ),
    ],
)  # fmt: skip
def test_what_is_no_description_is_refused(requests, keys, sentence):
    with pytest.raises((ConfigError, TraceError), match=sentence):
        requests("time,rw,lba,len\n1,R,2,3\n", **keys)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1,R,x,3", "row 2: column lba: 'x' is no whole number"),
        ("1,R,9223372036854775807,3", "row 2: .*exceeds 64 bits"),
    ],
)
def test_a_row_that_is_wrong_is_named(requests, row, sentence):
    with pytest.raises(TraceError, match=sentence):
        requests(f"time,rw,lba,len\n{row}\n1,R,2,3\n", columns=COLUMNS, time_unit="us")


TEXTS = st.text(alphabet="abnlx0123456789.+-*/() e_'\"[]", max_size=12)


@given(TEXTS, TEXTS, st.lists(st.sampled_from(["7", "0", "-3", "1.5", "9" * 19, "x", ""]), min_size=2, max_size=2))
@example("a*0.000000001*0.000000001*0.1", "1", ["7", "1.5"])
@example("1e400", "9" * 30, ["7", "1.5"])
@example("a/b", "b", ["7", "0"])
def test_any_expression_is_read_or_refused(tmp_path_factory, offset, size, fields):
    path = tmp_path_factory.mktemp("any") / "any.csv"
    path.write_text(f"a,b\n{','.join(fields)}\n")
    config = {"path": str(path), "columns": {"offset": offset, "size": size, "op": "read", "arrival": 0}}
    try:
        (chunk,) = TraceWorkload(TraceConfig(**config), 1 << 60, 4096).chunks()
        assert chunk.offset_bytes[0] >= 0
    except (ConfigError, TraceError) as refusal:
        assert str(refusal)
