"""What a stream tells each request beside its operation and place: its access-latency hint and its round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError, SyntheticConfig
from ssdsim.host.request import Request
from ssdsim.host.stream import Stream
from ssdsim.run.simulation import Simulation
from ssdsim.run.workloads import open_workloads
from ssdsim.workload import Chunk


class Listed:
    """Reads in chunks with the hints given, one chunk a list; None for a chunk without the column."""

    queue_depth = None

    def __init__(self, hints, rounds=1):
        self.hints = hints
        self.rounds = rounds
        self.requests = sum(map(self.rows, hints))

    @staticmethod
    def rows(hints):
        return 3 if hints is None else len(hints)

    def chunks(self):
        for hints in self.hints:
            zeros = np.zeros(self.rows(hints), np.int64)
            column = None if hints is None else np.array(hints, np.uint8)
            yield Chunk(zeros, zeros.astype(np.uint8), zeros, zeros + 512, column)


def taken(stream, count):
    """Return the next `count` requests of `stream`."""
    requests = [Request() for _ in range(count)]
    for request in requests:
        stream.take_into(request, 0)
    return requests


@pytest.mark.parametrize(
    ("own", "expected"), [(0, [1, 0, 3, 0, 0, 0, 2, 0]), (3, [1, 3, 3, 3, 3, 3, 2, 3])], ids=["none", "low"]
)
def test_a_request_without_a_hint_has_that_of_its_stream(own, expected):
    stream = Stream(0, "main", 1, Listed([[1, 0, 3], None, [2, 0]]), access_latency=own)
    assert [request.access_latency for request in taken(stream, 8)] == expected


def test_requests_carry_pythons_integers_which_never_run_over(interpreted):
    """NumPy's, out of the columns, would stay as wide as they are in all that interpreted code computes from them."""
    stream = interpreted["ssdsim.host.stream"].Stream(0, "main", 1, Listed([[1], None]))
    for _ in range(4):
        request = interpreted["ssdsim.host.request"].Request()
        stream.take_into(request, 0)
        fields = ("op", "arrival_ns", "offset_bytes", "size_bytes", "access_latency")
        assert {type(getattr(request, name)) for name in fields} == {int}


@given(st.integers(1, 5), st.integers(1, 12), st.lists(st.integers(1, 7), min_size=60, max_size=60))
def test_a_round_has_equally_many_requests_whatever_the_chunks(rounds, each, sizes):
    ends = np.minimum(np.cumsum(sizes), rounds * each)
    chunks = [[0] * int(size) for size in np.diff(ends, prepend=0) if size]
    stream = Stream(0, "main", 1, Listed(chunks, rounds))
    assert [request.round for request in taken(stream, rounds * each)] == [k // each for k in range(rounds * each)]


@pytest.mark.parametrize("key", ["weights", "access_latency"])
def test_a_setting_of_a_stream_that_does_not_exist_is_refused(tiny, key):
    value = {"weights": 2, "access_latency": "low"}[key]
    load = SyntheticConfig(queue_depth=1)
    known = tiny({"host": {key: {"main": value, "log": value}}, "workload": load, "workloads": {"log": load}})
    assert list(open_workloads(known)) == ["main", "log"]
    with pytest.raises(ConfigError, match=rf"host\.{key}\.lgo: there is no such stream; they are main, log\."):
        open_workloads(tiny({"host": {key: {"lgo": value}}, "workload": load, "workloads": {"log": load}}))


def test_a_hint_that_does_not_exist_is_refused(tiny):
    with pytest.raises(ConfigError, match=r"host\.access_latency=.*must be one of none, idle, normal, low"):
        tiny({"host": {"access_latency": {"main": "lowest"}}})


def test_a_run_gives_each_stream_its_own_hint(tiny):
    load = SyntheticConfig(queue_depth=1, requests=3)
    host = {"access_latency": {"log": "low", "main": "idle"}}
    simulation = Simulation(tiny({"host": host, "workload": load, "workloads": {"log": load, "data": load}}))
    simulation.run()
    hints = {stream.name: stream.access_latency for stream in simulation.context.streams}
    assert hints == {"main": 1, "log": 3, "data": 0}
