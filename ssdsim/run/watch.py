"""What ends a run that would not end of itself: one that stalls, or that comes to the end of simulated time."""

from typing import Any

from ssdsim._core.kernel import END, Routine
from ssdsim.assembly.device import Device
from ssdsim.config import MOST_NS, HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.host.queue import HostQueue

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
