"""The course of the requests through the device queue, leg by leg: a loss of power ends one, and another follows.

A watch ends a leg that would not end of itself: one that stalls, or that comes to the end of simulated time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from simpy.core import EmptySchedule

from ssdsim._core.kernel import END, Routine, make_environment, run_routine
from ssdsim.assembly.device import Device
from ssdsim.config import ACCESS_LATENCIES, MOST_NS, PRIORITIES, HardwareConfig, SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.host.nvme import NvmeQueue
from ssdsim.host.queue import HostQueue
from ssdsim.host.rates import TokenBucket
from ssdsim.host.sata import SataQueue
from ssdsim.host.stream import Stream
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.run.context import Context
from ssdsim.run.measurement import Measurement
from ssdsim.states.power_loss import cut_power, reboot
from ssdsim.workload import Workload


def access_latency(config: SimulationConfig, stream: str) -> int:
    """Return the access latency of a stream's requests that come without a hint."""
    return ACCESS_LATENCIES.index(config.host.access_latency.get(stream, "none"))


def priority(config: SimulationConfig, stream: str) -> int:
    """Return the class of priority of a stream."""
    return PRIORITIES.index(config.host.priorities.get(stream, "medium"))


def bucket(config: SimulationConfig, stream: str, now_ns: int) -> TokenBucket | None:
    """Return the token bucket of a stream, or None for a stream without rates."""
    rates = config.host.rates
    wanted = (rates.bandwidth_mib_s.get(stream), rates.iops.get(stream))
    if wanted == (None, None):
        return None
    return TokenBucket(*wanted, rates.burst_ms, now_ns)


class Replay:
    """The requests of `workloads`, a stream each, on their way through the device queue of `run` (`host`).

    A leg ends when all are complete, or with a loss of power: then the device is booted (`lose_power`), and the next
    leg begins. Raise `SimulationError` if not all are completed in the end, or not `total`, where that is known. With
    `only_stream` the others send nothing.
    """

    def __init__(
        self, run: Context, workloads: Mapping[str, Workload], total: int | None = None, only_stream: str | None = None
    ):
        self.run = run
        self.total = total
        config, now_ns = run.config, run.now_ns()
        self.streams = run.streams = [
            Stream(
                index,
                name,
                config.host.weights.get(name, 1),
                workload,
                now_ns,
                access_latency(config, name),
                priority(config, name),
            )
            for index, (name, workload) in enumerate(workloads.items())
        ]
        if run.measurement is not None:  # what is run before is not throttled
            for stream in self.streams:
                stream.bucket = bucket(config, stream.name, now_ns)
        if only_stream is not None:
            self.total = workloads[only_stream].requests
            for stream in self.streams:
                if stream.name != only_stream:
                    stream.end()
        self.done = 0  # in the legs before this one; what was lost with power is done with, too
        self.host: Any = None
        run.host = None
        self.watch: Any = None
        self.leg_end: Any = None

    def begin_leg(self) -> bool:
        """Begin the next leg, and return whether there is one; the one before has been run to `leg_end`."""
        # a cut at the instant of the last completion is none
        if self.host is not None and self.host.finished.triggered:
            self.done += self.host.requests_done
            self.watch.end()
            admitted = sum(stream.admitted for stream in self.streams)
            # `total` is None where a stream does not know its length
            if self.done == admitted and self.total in (None, self.done):
                return False
            raise SimulationError(f"{self.total} requests were generated, {admitted} admitted, {self.done} completed.")
        self.send()
        return True

    def send(self) -> None:
        """Begin to send requests: until `leg_end`, when all are complete or power is cut."""
        run, wanted = self.run, self.run.config.host
        parts = (
            run.env,
            self.streams,
            run.device.parts.make_arbitration(),
            wanted.queue_depth,
            run.device.front,
            run.recorder,
            run.device.activity,
            run.oracle,
        )
        if wanted.interface == "nvme":
            self.host = NvmeQueue(*parts, wanted.nvme)
        else:
            self.host = SataQueue(*parts) if wanted.interface == "sata" else HostQueue(*parts)
        run.host = self.host
        if run.measurement is not None:
            run.measurement.sampler.host = self.host  # the queue of each leg is a new one
        self.host.start()
        self.watch = Watch(run.env, run.device, self.host)
        run_routine(run.env, self.watch)
        cut = None if run.power_cut is None else run.power_cut.event
        self.leg_end = self.host.finished if cut is None else self.host.finished | cut

    def run_leg(self) -> None:
        """Process the events until `leg_end`."""
        with self.explained():
            self.run.env.run(until=self.leg_end)

    def step(self) -> None:
        """Process the next event."""
        with self.explained():
            self.run.env.step()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within it what the kernel raises as nothing is left to happen, or time is at its end, is told plainly."""
        try:
            yield
        except (EmptySchedule, RuntimeError) as error:
            # Of SimPy `run` raises one error, and `step` another.
            empty = isinstance(error, EmptySchedule) or "No scheduled events left" in str(error)
            if not empty or self.host.finished.triggered:
                raise
            raise self.watch.stalled("nothing is left to happen") from None
        except OverflowError as error:
            # Of the compiled kernel, which has times up to 2**53.
            if "ends past 2**53" not in str(error):
                raise
            raise out_of_time() from None  # of the compiled kernel; the stock one gets there

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
        self.done += self.host.admitted  # those aborted are done with, too
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
"""Simulated time without a completion, beside ten thousand of the longest flash operation, that counts as a stall."""


class Watch(Routine):
    """The process that stops a run when there is work and nothing at all is done for long, or time is at its end.

    It looks at a device and its queue of requests, on the clock of `env`, until its `end`.
    """

    def __init__(self, env: Any, device: Device, host: HostQueue):
        self.env, self.device = env, device
        self.host: HostQueue | None = host
        self.interval = STALL_NS + 10_000 * longest_operation_ns(device.config.hardware)  # ns
        self.waited = False
        self.before: tuple[Any, Any] | None = None  # what had been done when it last looked, if there was work

    def go_on(self) -> int:
        """Look, and return the time until the next look."""
        host, now_ns = self.host, int(self.env.now)
        if host is None or (self.waited and host.finished.triggered):
            return END  # the leg is over
        done = host.requests_done, self.device.counters.transactions
        if self.waited:
            if now_ns >= MOST_NS:
                raise out_of_time()
            if self.before == done:
                raise self.stalled(f"no request or flash command was done in {self.interval / 1e9:g} simulated seconds")
        self.waited = True
        # a run with nothing to do may wait for an arrival as long as it likes
        is_busy = host.requests_done < host.admitted or any(stream.ready() for stream in host.streams)
        self.before = done if is_busy else None
        return min(self.interval, MOST_NS - now_ns)  # the last look is at the end of time itself

    def end(self) -> None:
        """Look no more, and keep nothing of what was looked at: its next step stays scheduled."""
        self.host = None

    def stalled(self, what: str) -> SimulationError:
        """Return the error for a run that makes no progress, with who waits for what."""
        assert self.host is not None
        ready = [f"stream {stream.name} waits to be admitted" for stream in self.host.streams if stream.ready()]
        oldest = self.host.outstanding()[:8]  # enough to look for the cause
        numbers = f" (the oldest are numbers {', '.join(map(str, oldest))})" if oldest else ""
        waiting = "; ".join([*self.device.waiting(), *ready]) or "nothing waits in the device"
        return SimulationError(
            f"the run stalled at {int(self.env.now)} ns: {what}, and {self.host.in_flight} requests are outstanding"
            f"{numbers}: {waiting}."
        )


def longest_operation_ns(hardware: HardwareConfig) -> int:
    """Return a time that no flash operation of a die takes longer than, whatever its kind and its planes."""
    commands = (getattr(hardware, f"{op}_command_us") for op in ("read", "program", "erase", "copyback"))
    # more than any operation has: sums of all that it could be
    array_us = sum(hardware.read_us) + max(hardware.array_program_us)
    array_us += hardware.erase_us + hardware.ready_busy_us
    # bytes times ns a byte, in us
    transfer_us = (
        hardware.planes_per_die * hardware.pages_programmed * hardware.page_bytes * hardware.bus_ns_per_byte / 1000
    )
    return int((array_us + transfer_us + sum(commands)) * 1000)


def out_of_time() -> SimulationError:
    """Return the error of a run that has come to the end of simulated time, on either kernel."""
    return SimulationError(
        f"simulated time has come to its end after {MOST_NS // 10**9} seconds, 104 days: shorten the workload, or the "
        "times of the hardware."
    )
