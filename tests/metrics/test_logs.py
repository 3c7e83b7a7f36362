"""The tables of requests and commands, written as the run goes."""

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.host.request import Request
from ssdsim.metrics.logs import RequestLog
from ssdsim.metrics.recorder import PARTS

PARTS_NS = [f"{part}_ns" for part in PARTS]
FIELDS = ("stream", "arrival_ns", "op", "offset_bytes", "size_bytes", *PARTS_NS[1:], "admitted_ns", "buffer_pages")


def with_fields(record, **fields):
    for name, value in fields.items():
        setattr(record, name, value)
    return record


def request(number):
    return with_fields(Request(), id=number, **{name: number % (2 + at) for at, name in enumerate(FIELDS)})


def request_log(path=None, rows=4):
    """Return a log that writes after so many rows."""
    log = RequestLog(path)
    log.rows.most = rows
    log.rows.begin()
    return log


@given(order=st.permutations(range(30)), rows=st.sampled_from([1, 4, 1000]))
def test_requests_come_in_the_order_of_their_numbers(order, rows):
    log = request_log(rows=rows)
    for number in order:
        log.add(request(number), 1000 + number)
    table = log.rows.close()
    assert table["id"].to_pylist() == list(range(30))
    assert table["response_ns"].to_pylist() == list(range(1000, 1030))
    assert table["op"].to_pylist() == [("read", "write", "trim", "flush")[n % 4] for n in range(30)]
    assert table["gc_ns"].to_pylist() == [n % 9 for n in range(30)]
    parts = sum(table[name].to_numpy() for name in PARTS_NS if name != "urgent_gc_ns")
    assert (parts == table["response_ns"].to_numpy()).all()


def test_no_row_waits_in_memory_for_a_request_that_starves(tmp_path):
    log = request_log(tmp_path / "requests.parquet")
    order = [*range(1, 40), 0]
    for number in order:
        log.add(request(number), 1)
        assert log.rows.place < 4 * log.rows.width
    log.rows.close()
    assert pq.read_table(tmp_path / "requests.parquet")["id"].to_pylist() == order
