"""The tables of requests and commands, written as the run goes."""

from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import HardwareConfig
from ssdsim.metrics import logs
from ssdsim.metrics.logs import PARTS_NS, CommandLog, RequestLog
from ssdsim.metrics.result import Result

FIELDS = ("stream", "arrival_ns", "op", "offset_bytes", "size_bytes", *PARTS_NS[1:])


def request(number):
    return SimpleNamespace(id=number, **{name: number % (2 + at) for at, name in enumerate(FIELDS)})


@pytest.fixture
def few_rows(monkeypatch):
    """Write after every fourth row."""
    monkeypatch.setattr(logs, "ROWS", 4)


@given(order=st.permutations(range(30)), rows=st.sampled_from([1, 4, 1000]))
def test_requests_come_in_the_order_of_their_numbers(order, rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "ROWS", rows)
        log = RequestLog(None)
        for number in order:
            log.add(request(number), 1000 + number)
        table = log.close()
    assert table["id"].to_pylist() == list(range(30))
    assert table["response_ns"].to_pylist() == list(range(1000, 1030))
    assert table["op"].to_pylist() == [("read", "write", "trim", "flush")[n % 4] for n in range(30)]
    assert table["gc_ns"].to_pylist() == [n % 9 for n in range(30)]
    parts = sum(table[name].to_numpy() for name in PARTS_NS if name != "urgent_gc_ns")
    assert (parts == table["response_ns"].to_numpy()).all()


def test_no_row_waits_in_memory_for_a_request_that_starves(few_rows, tmp_path):
    log = RequestLog(tmp_path / "requests.parquet")
    order = [*range(1, 40), 0]
    for number in order:
        log.add(request(number), 1)
        assert len(log.rows) < 4
    log.close()
    assert pq.read_table(tmp_path / "requests.parquet")["id"].to_pylist() == order


def test_what_is_read_from_the_file_is_what_the_memory_would_hold(few_rows, tmp_path):
    in_memory, on_disk = RequestLog(None), RequestLog(tmp_path / "requests.parquet")
    for log in (in_memory, on_disk):
        for number in (1, 0, 3, 2, 5, 6, 4):
            log.add(request(number), number)
    table = in_memory.close()
    assert on_disk.close() is None
    assert Result({}, tmp_path).requests.to_pylist() == table.to_pylist()
    assert table["id"].to_pylist() == list(range(7))


def test_a_table_without_rows_has_its_columns():
    assert RequestLog(None).close().column_names[:3] == ["id", "stream", "arrival_ns"]


def test_a_command_says_where_it_was():
    hardware = HardwareConfig(channels=2, chips_per_channel=3, dies_per_chip=2, planes_per_die=2, blocks_per_plane=10)
    log = CommandLog(None, hardware)
    times = {"queued_ns": 1, "bus_start_ns": 2, "array_start_ns": 3, "array_end_ns": 4, "data_start_ns": 5}
    die, plane = 9, 19  # channel 1, its chip 1, its die 1, plane 1
    for op, request in ((0, SimpleNamespace(id=17)), (2, None)):
        there = {"die": die, "plane": plane, "block": 197, "page": 5, "page_type": 2, "lpa": 8, "request": request}
        log.done(SimpleNamespace(op=op, source=1, **there, **times), 9)
    where = {"channel": 1, "chip": 1, "die": 1, "plane": 1, "block": 7, "page": 5, "page_type": 2, "lpa": 8}
    row = where | times | {"copied_from": -1, "source": "gc", "end_ns": 9}
    read, erase = {"op": "read", "request": 17}, {"op": "erase", "request": -1, "data_start_ns": -1}
    assert log.close().to_pylist() == [row | read, row | erase]
