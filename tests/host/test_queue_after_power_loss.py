"""Streams outlive a queue that loses power: each request is sent once, and the next queue goes on where one stopped."""

from itertools import accumulate

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssdsim.host.queue
from ssdsim._core.kernel import Environment
from ssdsim.host.arbitration import RoundRobin
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import stream_of
from ssdsim.metrics.recorder import Recorder, Sampled, Windows
from ssdsim.stage import Stage
from ssdsim.workload import Chunk
from support.tiny_device import PAGE

NEVER = 10**15


@attrs.frozen
class Timed:
    """Reads of page 0, 1, 2 and so on in short chunks: `times_ns` are arrivals or, closed loop, idle times."""

    times_ns: list
    queue_depth: int | None = None
    chunk_rows: int = 3

    @property
    def requests(self):
        return len(self.times_ns)

    def chunks(self):
        for first in range(0, self.requests, self.chunk_rows):
            times = np.array(self.times_ns[first : first + self.chunk_rows], np.int64)
            offsets = (first + np.arange(len(times))) * PAGE
            yield Chunk(times, np.zeros(len(times), np.uint8), offsets, np.full(len(times), PAGE))


class ConstantServer(Stage):
    """Completes each request `service_ns` after it was sent; `sent` holds (stream, page, time) of all."""

    def __init__(self, env, service_ns, sent):
        self.env, self.service_ns, self.sent = env, service_ns, sent

    def submit(self, request):
        self.sent.append((request.stream, request.offset_bytes // PAGE, int(self.env.now)))
        self.env.process(self.serve(request))

    def serve(self, request):
        yield self.env.timeout(self.service_ns)
        request.owner.completed(request)


def expected(load, service_ns, cuts):
    """Return when a constant server is sent each request of a stream; power is off between the times of each cut."""
    cuts, now, sent, in_service = [*cuts], 0, [], []
    while len(sent) < load.requests:
        wait = load.times_ns[len(sent)]
        if load.queue_depth is None:
            at = max(now, wait)
        elif wait:
            at = max([now, *in_service]) + wait
        else:
            at = max(now, min(in_service)) if len(in_service) == load.queue_depth else now
        if cuts and at >= cuts[0][0]:
            now, in_service = cuts.pop(0)[1], []
        else:
            now, in_service = at, [end for end in in_service if end > at] + [at + service_ns]
            sent.append(at)
    return sent


gaps = st.lists(st.sampled_from([0, 0, 1, 50, 400]), min_size=1, max_size=30)
open_loops = st.builds(Timed, gaps.map(lambda some: [*accumulate(some)]), st.none(), st.integers(1, 4))
closed_loops = st.builds(Timed, gaps, st.integers(1, 5), st.integers(1, 4))
loads = st.lists(open_loops | closed_loops, min_size=1, max_size=3)
lasting = st.tuples(st.integers(1, 700), st.integers(0, 700))
cuts = st.lists(lasting, max_size=4).map(lambda some: in_turn([*accumulate(sum(some, ()))]))


def in_turn(times):
    """Return pairs of successive times: when power goes off, and on again."""
    return [*zip(times[::2], times[1::2], strict=True)]


class Log:
    """Records whether each request it is told of began or ended."""

    def __init__(self):
        self.told = []

    def began(self):
        self.told.append(1)

    def ended(self):
        self.told.append(-1)


def run_with_cuts(loads, service_ns, cuts, depth=NEVER):
    """Return what was sent, and for each queue what its activity was told; power is off from first to second time."""
    sent, logs, start = [], [], 0
    streams = [stream_of(index, str(index), 1, load) for index, load in enumerate(loads)]
    for off, on in [*cuts, (NEVER, NEVER)]:
        env = Environment(start)
        logs.append(Log())
        device, recorder = ConstantServer(env, service_ns, sent), Recorder(Windows(Sampled(7)))
        queue = HostQueue(env, streams, RoundRobin(), depth, device, recorder, activity=logs[-1])
        queue.start()
        env.run(until=off)
        if queue.finished.processed:
            break
        for stream in streams:
            stream.power_lost(on)
        start = on
    return sent, [log.told for log in logs]


def of_stream(sent, index):
    return [(page, at) for stream, page, at in sent if stream == index]


@given(loads, st.integers(1, 200), cuts)
def test_every_request_is_sent_once_and_in_its_time(loads, service_ns, cuts):
    sent, told = run_with_cuts(loads, service_ns, cuts)
    for index, load in enumerate(loads):
        assert of_stream(sent, index) == list(enumerate(expected(load, service_ns, cuts)))
    assert sum(log.count(1) for log in told) == len(sent)
    assert sum(told[-1]) == 0
    for log in told:
        assert min(accumulate(log), default=0) >= 0


@pytest.mark.parametrize("limit", [1, 3])
@given(load=open_loops, cuts=cuts)
def test_arrivals_far_ahead_of_admission_are_not_lost(limit, load, cuts):
    """A queue of one request never catches up, so that power is often lost while the arrivals wait for it."""
    expected = run_with_cuts([load], 300, cuts, depth=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssdsim.host.queue, "BACKLOG_LIMIT", limit)
        assert run_with_cuts([load], 300, cuts, depth=1) == expected
    assert [page for _, page, _ in expected[0]] == [*range(load.requests)]


def test_an_interrupted_idle_time_starts_anew_by_hand():
    """Power is off from 50 to 60, when 40 of 100 ns have passed, or from 5 to 60, which ends the burst before them."""
    load = Timed([0, 0, 100, 0], 2)
    assert run_with_cuts([load], 10, [])[0] == [(0, 0, 0), (0, 1, 0), (0, 2, 110), (0, 3, 110)]
    assert run_with_cuts([load], 10, [(50, 60)])[0] == [(0, 0, 0), (0, 1, 0), (0, 2, 160), (0, 3, 160)]
    assert run_with_cuts([load], 10, [(5, 60)])[0] == [(0, 0, 0), (0, 1, 0), (0, 2, 160), (0, 3, 160)]


def test_what_arrives_without_power_arrives_at_once_by_hand():
    load = Timed([0, 30, 40, 90])
    assert run_with_cuts([load], 10, [(20, 60)])[0] == [(0, 0, 0), (0, 1, 60), (0, 2, 60), (0, 3, 90)]
