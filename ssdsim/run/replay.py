"""The course of the requests through the device queue, leg by leg: a loss of power ends one, and another follows.

A watch ends a leg that would not end of itself: one that stalls, or that comes to the end of simulated time.
"""

from collections.abc import Mapping
from typing import Any

from ssdsim._core.either_kernel import make_environment, run_routine
from ssdsim._core.schedule import END, Routine
from ssdsim.assembly.device import Device
from ssdsim.config import ACCESS_LATENCIES, MOST_NS, PRIORITIES, SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.flash.views import dies_of
from ssdsim.host.interfaces import NvmeQueue, SataQueue
from ssdsim.host.queue import HostQueue
from ssdsim.host.rates import Throttle
from ssdsim.host.stream import Stream, stream_of
from ssdsim.metrics.recorder import Recorder, Sampled, Windows
from ssdsim.run.context import Context
from ssdsim.states.power_loss import cut_power, reboot
from ssdsim.workload import Workload


def access_latency(config: SimulationConfig, stream: str) -> int:
    """Return the access latency of a stream's requests that come without a hint."""
    return ACCESS_LATENCIES.index(config.host.access_latency.get(stream, "none"))


def make_stream(run: Context, index: int, name: str, workload: Workload) -> Stream:
    """Return the stream of a workload of `run`, which begins now; it is throttled if it is measured."""
    host, rates, now_ns = run.config.host, run.config.host.rates, run.now
    priority = PRIORITIES.index(host.priorities.get(name, "medium"))
    latency = access_latency(run.config, name)
    stream = stream_of(index, name, host.weights.get(name, 1), workload, now_ns, latency, priority)
    limits = rates.bandwidth_mib_s.get(name), rates.iops.get(name)
    if run.measurement is not None and limits != (None, None):
        stream.throttle = Throttle(stream, *limits, rates.burst_ms, now_ns)
    return stream


def open_streams(run: Context, workloads: Mapping[str, Workload], only_stream: str | None = None) -> None:
    """Open a stream for each of `workloads`, for the legs that follow; with `only_stream` the others send nothing."""
    run.streams = [make_stream(run, index, name, workload) for index, (name, workload) in enumerate(workloads.items())]
    for stream in run.streams:
        if only_stream not in (None, stream.name):
            stream.end()
    run.host = None


def begin_leg(run: Context) -> None:
    """Begin the next leg, which ends with `leg_end`."""
    before, host = run.host, make_queue(run)
    run.host = host
    if before is not None:
        host.most_in_flight = before.most_in_flight
    if run.measurement is not None:
        run.measurement.sampler.host = host  # the queue of each leg is a new one
    host.start()
    run_routine(run.env, Watch(run.env, run.device, host))
    run.leg_end = host.finished if run.power_cut is None else host.finished | run.power_cut.event


def make_queue(run: Context) -> HostQueue:
    """Return the device queue of the host's interface."""
    wanted, device = run.config.host, run.device
    queued = (run.env, run.streams, device.parts.make_arbitration(), wanted.queue_depth)
    parts = (*queued, device.front, run.recorder, device.activity, run.oracle)
    if wanted.interface == "nvme":
        return NvmeQueue(wanted.nvme, *parts)
    return SataQueue(*parts) if wanted.interface == "sata" else HostQueue(*parts)


def lose_power(run: Context) -> None:
    """Cut power and boot again: the next leg is one of the device that has booted, on a clock of its own."""
    lost_ns, aborted = run.now, run.host.admitted - run.host.requests_done
    # The order matters: the oracle reads what has booted, before requests are sent again.
    remains = cut_power(run.device, lost_ns, run.host.outstanding())
    device, report = reboot(run.config, remains)
    if run.oracle is not None:
        run.oracle.power_lost(device.front.newest, remains.losses, lost_ns)
    run.power_loss = {**report, "aborted_requests": aborted}
    run.lost_pages = remains.losses.flash
    booted_ns = lost_ns + round((report["reboot_ms"] + report["scan_ms"] + report["mapping_ms"]) * 1e6)  # of ms
    if booted_ns >= MOST_NS:
        raise out_of_time()
    for stream in run.streams:
        stream.power_lost(booted_ns)
    if device.buffer is not None and run.device.buffer is not None:
        device.buffer.pages.capacity = run.device.buffer.pages.capacity  # which may be a share of the footprint
    run.device, run.env, run.power_cut = device, make_environment(run.config.kernel, booted_ns), None  # it fails once
    device.connect(run.env)
    run.measurement.hand_on(device, run.env)
    run.attach()


def replay_unmeasured(run: Context, workloads: Mapping[str, Workload]) -> None:
    """Send the requests of `workloads` to a device that has a clock, before the measured run."""
    run.recorder = Recorder(Windows(Sampled(1), run.now), streams=len(workloads))
    open_streams(run, workloads)
    begin_leg(run)
    run.env.run(until=run.leg_end)
    # What is scheduled for this instant belongs to the load that is over.
    while run.env.peek() == run.env.now:
        run.env.step()


SAMPLES = 256
"""Samples that are taken of a run without flash timing, and the fewest requests between two of them."""


def replay_untimed(run: Context) -> None:
    """Send all requests without flash timing, stream after stream."""
    rows = max((run.reporter.total or 0) // SAMPLES, SAMPLES)
    for index, (name, workload) in enumerate(run.workloads.items()):
        for chunk in workload.chunks():
            for first in range(0, len(chunk), rows):
                run.untimed.run(chunk[first : first + rows], index, access_latency(run.config, name))
                run.measurement.samples.append(run.measurement.sampler.sample())
            run.observe(0)  # no time passes


STALL_NS = 60_000_000_000
"""Simulated time without a completion, or a flash command under way, that counts as a stall."""


class Watch(Routine):
    """The process that stops a run when there is work and nothing at all is done for long, or time is at its end.

    It looks at a device and its queue of requests, on the clock of `env`, until the leg is over.
    """

    def __init__(self, env: Any, device: Device, host: HostQueue):
        self.env, self.device, self.host = env, device, host
        self.before: tuple[int, int] | None = None  # what had been done when it last looked

    def go_on(self) -> int:
        """Look, and return the time until the next look."""
        host, device, now_ns = self.host, self.device, int(self.env.now)
        if self.before is not None and host.finished.triggered:
            return END
        if now_ns >= MOST_NS:
            raise out_of_time()
        done = host.requests_done, sum(device.counters.operations)
        # a run with nothing to do may wait for an arrival as long as it likes
        is_busy = host.requests_done < host.admitted or any(stream.ready() for stream in host.streams)
        if is_busy and self.before == done and not any(die.commands for die in dies_of(device.dies)):
            raise self.stalled()
        self.before = done if is_busy else (-1, -1)
        return min(STALL_NS, MOST_NS - now_ns)  # the last look is at the end of time itself

    def stalled(self) -> SimulationError:
        """Return the error for a run that makes no progress, with who waits for what."""
        host = self.host
        ready = [f"stream {stream.name} waits to be admitted" for stream in host.streams if stream.ready()]
        oldest = host.outstanding()[:8]  # enough to look for the cause
        numbers = f" (the oldest are numbers {', '.join(map(str, oldest))})" if oldest else ""
        waiting = "; ".join([*self.device.waiting(), *ready]) or "nothing waits in the device"
        return SimulationError(
            f"the run stalled at {int(self.env.now)} ns: no request or flash command was done in {STALL_NS / 1e9:g} "
            f"simulated seconds, and {host.in_flight} requests are outstanding{numbers}: {waiting}."
        )


def out_of_time() -> SimulationError:
    """Return the error of a run that has come to the end of simulated time, on either kernel."""
    return SimulationError(
        f"simulated time has come to its end after {MOST_NS // 10**9} seconds, 104 days: shorten the workload, or the "
        "times of the hardware."
    )
