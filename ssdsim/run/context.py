"""The context of a run: what its parts share."""

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from ssdsim._core.codes import READ, WRITE
from ssdsim.assembly.device import Device
from ssdsim.check import IntegrityOracle
from ssdsim.config import SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.host.stream import Stream
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics.course import Samples
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import OBSERVE_EVERY, Recorder
from ssdsim.run.measurement import Measurement
from ssdsim.run.progress import Reporter
from ssdsim.states.power_cut import PowerCut
from ssdsim.workload.base import CheckedWorkload

MOST_AT_ONCE = 1 << 20
"""Requests that may be completed in one nanosecond, where nobody knows how many are to come."""


@attrs.define(eq=False)
class Records:
    """What records the requests and the device: of the measured run, once that has begun.

    `untimed` serves the requests of a run without a clock, and counts them; `samples` are taken of such a run.
    """

    untimed: UntimedReplay
    recorder: Recorder = attrs.field(init=False)
    measurement: Measurement | None = None
    request_log: RequestLog | None = None
    command_log: CommandLog | None = None
    samples: Samples | None = None


@attrs.define(eq=False)
class Reports:
    """What is reported of precondition, loss of power and streams alone, and the wall-clock time of the start.

    `lost_pages` are the logical pages whose data was in flash, and was destroyed by the last loss of power. `alone_us`
    has the mean response time of each stream without the others, where that is wanted.
    """

    started: float = attrs.field(factory=time.perf_counter)
    preconditioned: dict[str, Any] = attrs.field(factory=dict)
    precondition_loaded: bool = False
    power_loss: dict[str, Any] | None = None
    lost_pages: Collection[int] = ()
    alone_us: dict[str, float | None] | None = None


@attrs.define(eq=False)
class Context:
    """A run's configuration, loads and device, with its clock `env`, its queue `host`, and what is recorded of it.

    `env` is None while the device has no clock, `host` until requests are sent to one that has. `power_cut` watches
    for the loss of power that is still to come, if any.
    """

    config: SimulationConfig
    workloads: dict[str, CheckedWorkload]
    device: Device
    oracle: IntegrityOracle | None
    folder: ResultFolder | None
    reporter: Reporter
    records: Records
    reports: Reports
    env: Any = None
    streams: list[Stream] = attrs.field(factory=list)
    host: Any = None
    power_cut: PowerCut | None = None
    observed_ns: int = -1
    observed_at_once: int = 0

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)  # ns

    def path(self, name: str) -> Path | None:
        """Return where to write file `name` of the result, or None if nothing is written."""
        return None if self.folder is None else self.folder.part(name)

    def check(self) -> None:
        """Recount the device of this moment."""
        self.device.check()

    def observe(self, now_ns: int) -> None:
        """Report the progress of the replay, if it is time to; end a load that has no end and takes no time."""
        self.observed_at_once = self.observed_at_once + 1 if now_ns == self.observed_ns else 0
        self.observed_ns = now_ns
        if (
            self.reporter.total is None
            and self.observed_at_once * OBSERVE_EVERY >= MOST_AT_ONCE
            and self.env is not None
        ):
            raise SimulationError(
                f"{MOST_AT_ONCE:,} requests were completed at {now_ns} ns, one after the other, and time does not go "
                "on: a trim, or a read of a page that was never written, takes no time here; set controller.trim_ns "
                "and controller.read_ns, or for reads fill the device first (precondition=fill)."
            )
        if not self.reporter.is_due:
            return
        recorder, measurement, total = self.records.recorder, self.records.measurement, self.reporter.total
        assert measurement is not None
        # Of a run without a clock only `untimed` counts, of one with a clock only the recorder.
        done = recorder.done or int(np.sum(self.records.untimed.counts))
        elapsed_ns = now_ns - measurement.start_ns
        self.reporter.report(
            "replay",
            done / total if total else None,
            requests_done=done,
            requests_total=total,
            simulated_ns=elapsed_ns,
            # completed in ns, so 1e9 of them a second
            iops=(recorder.count(READ) + recorder.count(WRITE)) / elapsed_ns * 1e9 if elapsed_ns else 0.0,
            write_amplification=measurement.write_amplification() or 0.0,
        )
