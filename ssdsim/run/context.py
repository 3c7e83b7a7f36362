"""The state that the parts of a run share: its configuration, loads and device, and its records."""

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ssdsim._core.either_kernel import make_environment, run_routine
from ssdsim.assembly.device import Device
from ssdsim.check import Contract, IntegrityOracle
from ssdsim.config import SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import OBSERVE_EVERY, Closing, Recorder, Windows
from ssdsim.run.measurement import Measurement
from ssdsim.run.progress import Progress, Reporter
from ssdsim.run.workloads import expanded, open_workloads
from ssdsim.states.power_loss import PowerCut
from ssdsim.states.preconditioning import pages_touched
from ssdsim.workload.base import CheckedWorkload

MOST_AT_ONCE = 1 << 20
"""Requests that may be completed in one nanosecond, where nobody knows how many are to come."""

MOST_WINDOWS = 100_000
"""Windows of a length that is given that a run may have: a row of each is kept in memory."""


class Context:
    """A run's configuration, loads and device, with its clock, its queue, and what is recorded of it.

    A folder that is a path is made. The loads are `loads`, by stream, or those of the configuration.
    """

    untimed: UntimedReplay  # serves and counts the requests of a run without a clock
    recorder: Recorder  # of those of a run with one

    def __init__(
        self,
        config: SimulationConfig,
        folder: str | Path | ResultFolder | None = None,
        progress: Progress | None = None,
        loads: dict[str, CheckedWorkload] | None = None,
    ):
        self.started = time.perf_counter()
        self.config = config = expanded(config)
        self.reporter = Reporter(progress)
        self.reporter.report("building the device", None)
        self.device = Device(config)
        self.workloads = open_workloads(config) if loads is None else loads
        counts = [workload.requests for workload in self.workloads.values()]
        self.reporter.total = None if None in counts else sum(count or 0 for count in counts)
        buffer, hardware = self.device.buffer, config.hardware
        if buffer is not None and config.buffer.footprint_share is not None:
            touched = pages_touched(self.workloads.values(), hardware.logical_pages, hardware.page_bytes)
            # the buffer is a share of the pages that the workloads touch
            buffer.pages.capacity = max(int(config.buffer.footprint_share * np.count_nonzero(touched)), 1)
        self.oracle = make_oracle(config, self.device)
        self.folder = ResultFolder(folder) if isinstance(folder, str | Path) else folder
        self.env: Any = None  # while the device has no clock
        self.host: Any = None  # until requests are sent to one that has
        self.leg_end: Any = None  # the event of all being complete, or of a loss of power
        self.streams: list[Stream] = []
        self.measurement: Any = None  # before the measured run
        self.request_log: RequestLog | None = None
        self.command_log: CommandLog | None = None
        self.power_cut: PowerCut | None = None  # the loss of power that is still to come
        self.preconditioned: dict[str, Any] = {}
        self.power_loss: dict[str, Any] | None = None
        self.lost_pages: Collection[int] = ()  # logical ones, whose data the last one destroyed in flash
        self.observed_ns, self.observed_at_once = -1, 0

    @property
    def now(self) -> int:
        """The simulated time, in ns; 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def connect(self) -> None:
        """Give the device a clock."""
        self.env = make_environment(self.config.kernel)
        self.device.connect(self.env)

    def begin_measurement(self) -> None:
        """Start to count: what was done so far was preparation."""
        hardware, power_loss = self.config.hardware, self.config.power_loss
        self.untimed = UntimedReplay(self.device.layer, hardware.page_bytes, self.oracle)
        if self.env is not None:
            self.open_logs()
        self.measure()
        if self.env is not None:
            if power_loss.wanted:
                self.power_cut = PowerCut(self.env, power_loss)
                self.power_loss = {"at_s": None}  # of a run that is over before its power is cut
            self.attach()

    def open_logs(self) -> None:
        """Open the tables of requests and commands that the run wants."""
        config, blames = self.config, self.config.metrics.blame
        folder = None if blames else self.folder  # blame is of tables in memory
        wanted = ("requests", "commands") if blames else config.record
        paths = {name: None if folder is None else folder.part(f"{name}.parquet") for name in wanted}
        if "requests" in paths:
            self.request_log = RequestLog(paths["requests"], config.has_outer_parts, config.host.interface == "nvme")
        if "commands" in paths:
            self.command_log = CommandLog(paths["commands"], config.hardware, config.flash.suspension.wanted)

    def measure(self, host: HostQueue | None = None) -> None:
        """Begin to record requests and to measure the device, whose queue is `host`, if it has one already."""
        config = self.config
        # its first sample is of the device before any request
        self.measurement = Measurement(self.device, self.untimed, self.env, host)
        width_ms = config.metrics.window_ms
        asked = {} if width_ms is None else {"width_ns": round(width_ms * 1e6), "limit": MOST_WINDOWS}  # ns
        self.recorder = Recorder(
            Windows(self.measurement.sampler, self.now, **asked),
            self.request_log,
            self.observe,
            (lambda: self.device.check()) if config.check == "always" else None,
            len(self.workloads),
            config.has_outer_parts,
        )

    def attach(self) -> None:
        """Attach the records to the device and its clock, which are others after a loss of power."""
        run_routine(self.env, Closing(self.env, self.recorder.windows))
        self.device.observers.add(self.command_log)
        self.device.observers.add(self.power_cut)

    def observe(self, now_ns: int) -> None:
        """Report the progress of the replay, if it is time to; end a load that has no end and takes no time."""
        self.observed_at_once = self.observed_at_once + 1 if now_ns == self.observed_ns else 0
        self.observed_ns = now_ns
        is_endless = self.env is not None and self.reporter.total is None
        if is_endless and self.observed_at_once * OBSERVE_EVERY >= MOST_AT_ONCE:
            raise SimulationError(
                f"{MOST_AT_ONCE:,} requests were completed at {now_ns} ns, one after the other, and time does not go "
                "on: a trim, or a read of a page that was never written, takes no time here; set controller.trim_ns "
                "and controller.read_ns, or for reads fill the device first (precondition=fill)."
            )
        # Of a run without a clock only `untimed` counts, of one with a clock only the recorder.
        done, total = self.recorder.done or int(np.sum(self.untimed.counts)), self.reporter.total
        self.reporter.report("replay", done / total if total else None, done, total, now_ns - self.measurement.start_ns)


def make_oracle(config: SimulationConfig, device: Device) -> IntegrityOracle | None:
    """Return the oracle that holds `device` to its promises, or None if `config` does not ask for that."""
    if device.data is None:
        return None
    hardware = config.hardware
    contract = Contract(
        together=config.super_page if config.timing == "on" else 1,
        # With a buffer, or an answer before the program, only what has been flushed is promised to last, and FUA.
        durable_when_complete=(device.buffer is None or config.buffer.write_through)
        and config.flash.write_complete == "program_end",
        # A program that is cut short takes the faster pages of its wordline with it, unless these are backed up.
        endangered=hardware.page_types - 1 if config.ftl.backup == "none" else 0,
    )
    return IntegrityOracle(hardware.logical_pages, hardware.page_bytes, contract, device.data)
