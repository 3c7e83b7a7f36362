"""What ends a run that would not end of itself: one that stalls, or that comes to the end of simulated time."""

from typing import Any

import attrs

from ssdsim._core.codes import OPERATIONS
from ssdsim.assembly.device import Device
from ssdsim.config import MOST_NS, HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.host.queue import HostQueue

STALL_NS = 60_000_000_000
"""Simulated time without a completion, beside ten thousand of the longest flash operation, that counts as a stall."""


@attrs.frozen
class Watch:
    """Looks at a device and its queue of requests, on the clock of `env`."""

    env: Any
    device: Device
    host: HostQueue

    def run(self) -> Any:
        """Stop the run when there is work and nothing at all is done for long, or time is at its end (a process)."""
        host, counters = self.host, self.device.counters
        interval = STALL_NS + 10_000 * longest_operation_ns(self.device.config.hardware)
        while True:
            busy = host.in_flight or any(stream.ready() for stream in host.streams)
            before = (host.done, counters.transactions) if busy else None
            yield self.env.timeout(min(interval, MOST_NS - int(self.env.now)))
            if host.finished.triggered:
                return
            if self.env.now >= MOST_NS:
                raise out_of_time()
            if before == (host.done, counters.transactions):
                raise self.stalled(f"no request or flash command was done in {interval / 1e9:g} simulated seconds")

    def stalled(self, what: str) -> SimulationError:
        """Return the error for a run that makes no progress, with who waits for what."""
        ready = [f"stream {stream.name} waits to be admitted" for stream in self.host.streams if stream.ready()]
        oldest = self.host.outstanding()[:8]
        numbers = f" (the oldest are numbers {', '.join(map(str, oldest))})" if oldest else ""
        waiting = "; ".join([*self.device.waiting(), *ready]) or "nothing waits in the device"
        return SimulationError(
            f"the run stalled at {int(self.env.now)} ns: {what}, and {self.host.in_flight} requests are outstanding"
            f"{numbers}: {waiting}."
        )


def longest_operation_ns(hardware: HardwareConfig) -> int:
    """Return a time that no flash operation of a die takes longer than, whatever its kind and its planes."""
    commands = (getattr(hardware, f"{op}_command_us") for op in OPERATIONS)
    array_us = sum(hardware.read_us) + max(hardware.program_us) + hardware.erase_us + hardware.ready_busy_us
    transfer_us = hardware.planes_per_die * hardware.page_bytes * hardware.bus_ns_per_byte / 1000
    return int((array_us + transfer_us + sum(commands)) * 1000)


def out_of_time() -> SimulationError:
    """Return the error of a run that has come to the end of simulated time, on either kernel."""
    return SimulationError(
        f"simulated time has come to its end after {MOST_NS // 10**9} seconds, 104 days: shorten the workload, or the "
        "times of the hardware."
    )
