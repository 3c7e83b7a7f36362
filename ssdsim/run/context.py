"""The context of a run, which its parts share: made with the device, and attached to the one that boots again."""

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from ssdsim._core.kernel import make_environment, run_routine
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
from ssdsim.metrics.timeseries import Sample
from ssdsim.run.measurement import Measurement
from ssdsim.run.progress import Progress, Reporter
from ssdsim.run.workloads import expanded, open_workloads
from ssdsim.states.power_loss import PowerCut
from ssdsim.states.preconditioning import pages_touched
from ssdsim.workload.base import CheckedWorkload

MOST_AT_ONCE = 1 << 20
"""Requests that may be completed in one nanosecond, where nobody knows how many are to come."""


@attrs.define(eq=False)
class Context:
    """A run's configuration, loads and device, with its clock `env`, its queue `host`, and what is recorded of it.

    `env` is None while the device has no clock, `host` until requests are sent to one that has; `untimed` serves the
    requests of a run without one, and counts them. `power_cut` watches for the loss of power that is still to come, if
    any; `lost_pages` are the logical pages whose data the last one destroyed in flash.
    """

    config: SimulationConfig
    workloads: dict[str, CheckedWorkload]
    device: Device
    oracle: IntegrityOracle | None
    folder: ResultFolder | None
    reporter: Reporter
    untimed: UntimedReplay
    env: Any = None
    streams: list[Stream] = attrs.field(factory=list)
    host: Any = None
    power_cut: PowerCut | None = None
    recorder: Recorder = attrs.field(init=False)
    measurement: Measurement | None = None
    request_log: RequestLog | None = None
    command_log: CommandLog | None = None
    samples: list[Sample] = attrs.field(factory=list)  # of a run without a clock
    started: float = attrs.field(factory=time.perf_counter)
    preconditioned: dict[str, Any] = attrs.field(factory=dict)  # what is reported of the precondition
    power_loss: dict[str, Any] | None = None  # what is reported of one
    lost_pages: Collection[int] = ()
    observed_ns: int = -1
    observed_at_once: int = 0

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)  # ns

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
        assert self.measurement is not None
        # Of a run without a clock only `untimed` counts, of one with a clock only the recorder.
        done, total = self.recorder.done or int(np.sum(self.untimed.counts)), self.reporter.total
        self.reporter.report("replay", done / total if total else None, done, total, now_ns - self.measurement.start_ns)


MOST_WINDOWS = 100_000
"""Windows of a length that is given that a run may have: a row of each is kept in memory."""


def make_context(
    config: SimulationConfig,
    folder: str | Path | ResultFolder | None,
    progress: Progress | None,
    loads: dict[str, CheckedWorkload] | None = None,
) -> Context:
    """Return the context of a run, with a device that has no clock yet; the folder is made if it is a path.

    Its workloads are `loads`, or those of the configuration.
    """
    config = expanded(config)
    reporter = Reporter(progress)
    reporter.report("building the device", None)
    device = Device(config)
    workloads = open_workloads(config) if loads is None else loads
    counts = [workload.requests for workload in workloads.values()]
    reporter.total = None if None in counts else sum(count or 0 for count in counts)
    if device.buffer is not None and config.buffer.footprint_share is not None:
        touched = pages_touched(workloads.values(), config.hardware.logical_pages, config.hardware.page_bytes)
        # the buffer is a share of the pages that the workloads touch
        device.buffer.pages.capacity = max(int(config.buffer.footprint_share * np.count_nonzero(touched)), 1)
    oracle = make_oracle(config, device)
    untimed = UntimedReplay(device.layer, config.hardware.page_bytes, oracle)
    results = ResultFolder(folder) if isinstance(folder, str | Path) else folder
    return Context(config, workloads, device, oracle, results, reporter, untimed)


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


def connect(run: Context) -> None:
    """Give the device a clock."""
    run.env = make_environment(run.config.kernel)
    run.device.connect(run.env)


def open_records(run: Context) -> None:
    """Open the tables of requests and commands that the run wants."""
    # anew: what the precondition counted is not measured
    run.untimed = UntimedReplay(run.device.layer, run.config.hardware.page_bytes, run.oracle)
    if run.env is None:
        return
    blames = run.config.metrics.blame
    folder = None if blames else run.folder  # blame is of tables in memory
    if "requests" in run.config.record or blames:
        path = None if folder is None else folder.part("requests.parquet")
        run.request_log = RequestLog(path, run.config.has_outer_parts, run.config.host.interface == "nvme")
    if "commands" in run.config.record or blames:
        path = None if folder is None else folder.part("commands.parquet")
        run.command_log = CommandLog(path, run.config.hardware, run.config.flash.suspension.wanted)


def measure(run: Context, host: HostQueue | None = None) -> None:
    """Begin to record requests and to measure the device, whose queue is `host`, if it has one already."""
    config = run.config
    # its first sample is of the device before any request
    measurement = run.measurement = Measurement(run.device, run.untimed, run.env, host)
    width_ms = config.metrics.window_ms
    asked = {} if width_ms is None else {"width_ns": round(width_ms * 1e6), "limit": MOST_WINDOWS}  # ns
    run.recorder = Recorder(
        Windows(measurement.sampler, run.now_ns(), **asked),
        run.request_log,
        run.observe,
        (lambda: run.device.check()) if config.check == "always" else None,
        len(run.workloads),
        config.has_outer_parts,
    )


def attach(run: Context) -> None:
    """Have the device report its commands, and keep the time series."""
    run_routine(run.env, Closing(run.env, run.recorder.windows))
    run.device.observers.add(run.command_log)
    run.device.observers.add(run.power_cut)


def go_on(run: Context, device: Device, env: Any) -> None:
    """Go on with a device that has booted again after a loss of power, and with its clock."""
    if device.buffer is not None and run.device.buffer is not None:
        # which may be a share of the workloads' footprint (`make_context`)
        device.buffer.pages.capacity = run.device.buffer.pages.capacity
    assert run.measurement is not None
    run.device, run.env, run.power_cut = device, env, None  # power fails once at most
    device.connect(env)
    run.measurement.go_on(device, env)
