"""What a stream tells each request beside its operation and place: when it arrived, and its hint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SyntheticConfig
from ssdsim.run.simulation import Simulation
from support.host_interfaces import interfaces, rates
from support.tiny_device import PAGE, WRITE_PAGE, run_streams


def test_a_run_gives_each_stream_its_own_hint(tiny):
    load = SyntheticConfig(queue_depth=1, requests=3)
    host = {"access_latency": {"log": "low", "main": "idle"}}
    simulation = Simulation(tiny({"host": host, "workload": load, "workloads": {"log": load, "data": load}}))
    simulation.run()
    hints = {stream.name: stream.access_latency for stream in simulation.streams}
    assert hints == {"main": 1, "log": 3, "data": 0}


OPERATIONS = st.sampled_from(["read", "write", "write", "trim", "flush"])
ROWS = st.tuples(st.sampled_from([0] * 9 + [250_000]), OPERATIONS, st.integers(0, 15), st.integers(1, 3))
CLOSED = st.fixed_dictionaries({"rows": st.lists(ROWS, min_size=1, max_size=25), "queue_depth": st.integers(1, 12)})


@given(st.lists(CLOSED, min_size=1, max_size=3), st.integers(1, 8), st.data())
def test_a_closed_loop_has_as_many_requests_outstanding_as_it_is_deep(loads, depth, data):
    """Its law is N = X R: a request arrives when one before it is complete, or an idle time over, wherever it waits."""
    loads = [
        load | {"rows": [(idle, op, min(at, 13) * PAGE, pages * PAGE) for idle, op, at, pages in load["rows"]]}
        for load in loads
    ]
    names = ["main", "second", "third"][: len(loads)]
    host = data.draw(interfaces(names)) | {"queue_depth": depth, "rates": data.draw(rates(names))}
    out = run_streams(loads, {"host": host, "hardware": {"channels": 2}, "metrics": {"blame": True}})
    for stream, load in enumerate(loads):
        answers = [row for row in out.requests if row["stream"] == stream]
        ends = [row["arrival_ns"] + row["response_ns"] for row in answers]
        sent, idle_end = [0] * load["queue_depth"] + sorted(ends), 0
        for number, (row, (idle, *_)) in enumerate(zip(answers, load["rows"], strict=True)):
            idle_end = max(ends[:number], default=0) + idle if idle else idle_end
            assert row["arrival_ns"] == max(sent[number], idle_end)
            assert row["response_ns"] == sum(part for name, part in row.items() if name.startswith("blame_"))
        if not any(idle for idle, *_ in load["rows"]):
            # all the time, but for what is missing after the last have been sent
            missing = sum(max(ends) - end for end in sorted(ends)[-load["queue_depth"] :])
            deep = min(load["queue_depth"], len(ends))
            assert sum(row["response_ns"] for row in answers) == deep * max(ends) - missing


@pytest.mark.parametrize("interface", ["none", "nvme", "sata"])
def test_what_waits_before_a_full_queue_counts_in_the_response_by_hand(interface, experiment):
    """Six writes to one die, all sent at the start, to a host that holds two: in the device, or of a queue pair."""
    host = {"interface": interface, "queue_depth": 2, "nvme": {"queue_depth": 2}}
    rows = [(0, "write", page * PAGE, PAGE) for page in range(6)]
    one = experiment([{"rows": rows, "queue_depth": 6}], {"host": host, "metrics": {"window_ms": 0.15}})
    assert [row["response_ns"] for row in one.requests] == [WRITE_PAGE * number for number in range(1, 7)]
    assert all(row["queue_ns"] == row["response_ns"] - WRITE_PAGE for row in one.requests)
    windows = one.result.timeseries.to_pylist()
    # one is complete after 0.104 ms, two after 0.209 and so on
    assert [row["backlog"] + row["in_flight"] for row in windows[:4]] == [5, 4, 2, 1]
    assert one.summary["queue_depth"]["max"] == 2
    six = experiment([{"rows": rows[:2], "queue_depth": 1}] * 3, {"host": host})
    assert {row["queue_ns"] > 0 for row in six.requests[2:]} == {True}
