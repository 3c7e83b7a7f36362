"""The course of the requests through the device queue, leg by leg: a loss of power ends one, and another follows.

A watch ends a leg that would not end of itself: one that stalls, or that comes to the end of simulated time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ssdsim._core.kernel import END, Routine, make_environment, run_routine
from ssdsim.assembly.device import Device
from ssdsim.config import ACCESS_LATENCIES, MOST_NS, PRIORITIES, SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.flash.views import dies_of
from ssdsim.host.interfaces import NvmeQueue, SataQueue
from ssdsim.host.queue import HostQueue
from ssdsim.host.rates import Throttle
from ssdsim.host.stream import Stream, stream_of
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.run.context import Context
from ssdsim.run.measurement import Measurement
from ssdsim.states.power_loss import cut_power, reboot
from ssdsim.workload import Workload


def access_latency(config: SimulationConfig, stream: str) -> int:
    """Return the access latency of a stream's requests that come without a hint."""
    return ACCESS_LATENCIES.index(config.host.access_latency.get(stream, "none"))


def make_stream(run: Context, index: int, name: str, workload: Workload) -> Stream:
    """Return the stream of a workload of `run`, which begins now; it is throttled if it is measured."""
    host, rates, now_ns = run.config.host, run.config.host.rates, run.now_ns()
    priority = PRIORITIES.index(host.priorities.get(name, "medium"))
    latency = access_latency(run.config, name)
    stream = stream_of(index, name, host.weights.get(name, 1), workload, now_ns, latency, priority)
    limits = rates.bandwidth_mib_s.get(name), rates.iops.get(name)
    if run.measurement is not None and limits != (None, None):
        stream.throttle = Throttle(stream, *limits, rates.burst_ms, now_ns)
    return stream


class Replay:
    """The requests of `workloads`, a stream each, on their way through the device queue of `run` (`host`).

    A leg ends when all are complete, or with a loss of power: then the device is booted (`lose_power`), and the next
    leg begins. With `only_stream` the others send nothing.
    """

    def __init__(self, run: Context, workloads: Mapping[str, Workload], only_stream: str | None = None):
        self.run = run
        self.streams = run.streams = [
            make_stream(run, index, name, workload) for index, (name, workload) in enumerate(workloads.items())
        ]
        for stream in self.streams:
            if only_stream not in (None, stream.name):
                stream.end()
        self.host: Any = None
        run.host = None
        self.watch: Any = None
        self.leg_end: Any = None

    def begin_leg(self) -> bool:
        """Begin the next leg, and return whether there is one; the one before has been run to `leg_end`."""
        # a cut at the instant of the last completion is none
        if self.host is not None and self.host.finished.triggered:
            self.watch.end()
            return False
        run, before = self.run, self.host
        self.host = run.host = self.make_queue()
        if before is not None:
            self.host.most_in_flight = before.most_in_flight
        if run.measurement is not None:
            run.measurement.sampler.host = self.host  # the queue of each leg is a new one
        self.host.start()
        self.watch = Watch(run.env, run.device, self.host)
        run_routine(run.env, self.watch)
        cut = None if run.power_cut is None else run.power_cut.event
        self.leg_end = self.host.finished if cut is None else self.host.finished | cut
        return True

    def make_queue(self) -> HostQueue:
        """Return the device queue of the host's interface."""
        run, wanted, device = self.run, self.run.config.host, self.run.device
        arbitration = device.parts.make_arbitration()
        queued = (run.env, self.streams, arbitration, wanted.queue_depth)
        parts = (*queued, device.front, run.recorder, device.activity, run.oracle)
        if wanted.interface == "nvme":
            return NvmeQueue(wanted.nvme, *parts)
        return SataQueue(*parts) if wanted.interface == "sata" else HostQueue(*parts)

    def run_leg(self) -> None:
        """Process the events until `leg_end`."""
        with in_time():
            self.run.env.run(until=self.leg_end)

    def step(self) -> None:
        """Process the next event; there is one until `leg_end`, if only the next look of the watch."""
        with in_time():
            self.run.env.step()

    def lose_power(self) -> tuple[Device, Any]:
        """Cut power and boot again: return the device to go on with, and its clock."""
        run, lost_ns, aborted = self.run, self.run.now_ns(), self.host.admitted - self.host.requests_done
        # The order matters: the oracle reads what has booted, before requests are sent again.
        remains = cut_power(run.device, lost_ns)
        device, report = reboot(run.config, remains)
        if run.oracle is not None:
            run.oracle.power_lost(device.front.newest, remains.losses, lost_ns)
        run.power_loss = {**report, "aborted_requests": aborted}
        run.lost_pages = remains.losses.flash
        booted_ns = lost_ns + round((report["reboot_ms"] + report["scan_ms"] + report["mapping_ms"]) * 1e6)  # of ms
        if booted_ns >= MOST_NS:
            raise out_of_time()
        for stream in self.streams:
            stream.power_lost(booted_ns)
        return device, make_environment(run.config.kernel, booted_ns)


def replay_unmeasured(run: Context, workloads: Mapping[str, Workload]) -> None:
    """Send the requests of `workloads` to a device that has a clock, before the measured run."""
    measurement, streams = Measurement(run.device, run.untimed, run.env), len(workloads)
    windows = Windows(measurement.sampler, run.now_ns())
    run.recorder = Recorder(windows, streams=streams)
    replay = Replay(run, workloads)
    while replay.begin_leg():
        replay.run_leg()
    # What is scheduled for this instant belongs to the load that is over.
    while run.env.peek() == run.env.now:
        run.env.step()


SAMPLES = 256
"""Samples that are taken of a run without flash timing, and the fewest requests between two of them."""


def replay_untimed(run: Context) -> None:
    """Send all requests without flash timing, stream after stream."""
    measurement = run.measurement
    assert measurement is not None
    rows = max((run.reporter.total or 0) // SAMPLES, SAMPLES)
    for index, (name, workload) in enumerate(run.workloads.items()):
        for chunk in workload.chunks():
            for first in range(0, len(chunk), rows):
                run.untimed.run(chunk[first : first + rows], index, access_latency(run.config, name))
                run.samples.append(measurement.sample())
            run.observe(0)  # no time passes


STALL_NS = 60_000_000_000
"""Simulated time without a completion, or a flash command under way, that counts as a stall."""


class Watch(Routine):
    """The process that stops a run when there is work and nothing at all is done for long, or time is at its end.

    It looks at a device and its queue of requests, on the clock of `env`, until its `end`.
    """

    def __init__(self, env: Any, device: Device, host: HostQueue):
        self.env, self.device = env, device
        self.host: HostQueue | None = host
        self.before: tuple[int, int] | None = None  # what had been done when it last looked

    def go_on(self) -> int:
        """Look, and return the time until the next look."""
        host, device, now_ns = self.host, self.device, int(self.env.now)
        if host is None or (self.before is not None and host.finished.triggered):
            return END  # the leg is over
        if now_ns >= MOST_NS:
            raise out_of_time()
        done = host.requests_done, device.counters.transactions
        # a run with nothing to do may wait for an arrival as long as it likes
        is_busy = host.requests_done < host.admitted or any(stream.ready() for stream in host.streams)
        if is_busy and self.before == done and not any(die.commands for die in dies_of(device.dies)):
            raise self.stalled(host)
        self.before = done if is_busy else (-1, -1)
        return min(STALL_NS, MOST_NS - now_ns)  # the last look is at the end of time itself

    def end(self) -> None:
        """Look no more, and keep nothing of what was looked at: its next step stays scheduled."""
        self.host = None

    def stalled(self, host: HostQueue) -> SimulationError:
        """Return the error for a run that makes no progress, with who waits for what."""
        ready = [f"stream {stream.name} waits to be admitted" for stream in host.streams if stream.ready()]
        oldest = host.outstanding()[:8]  # enough to look for the cause
        numbers = f" (the oldest are numbers {', '.join(map(str, oldest))})" if oldest else ""
        waiting = "; ".join([*self.device.waiting(), *ready]) or "nothing waits in the device"
        return SimulationError(
            f"the run stalled at {int(self.env.now)} ns: no request or flash command was done in {STALL_NS / 1e9:g} "
            f"simulated seconds, and {host.in_flight} requests are outstanding{numbers}: {waiting}."
        )


@contextmanager
def in_time() -> Iterator[None]:
    """Within it the compiled kernel's refusal of times from 2**53 on is the end of simulated time, as on the other."""
    try:
        yield
    except OverflowError as error:
        if "ends past 2**53" not in str(error):
            raise
        raise out_of_time() from None


def out_of_time() -> SimulationError:
    """Return the error of a run that has come to the end of simulated time, on either kernel."""
    return SimulationError(
        f"simulated time has come to its end after {MOST_NS // 10**9} seconds, 104 days: shorten the workload, or the "
        "times of the hardware."
    )
