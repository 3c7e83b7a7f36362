"""One experiment from its configuration to its result: precondition, replay, measure."""

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.kernel import make_environment, run_routine
from ssdsim.assembly.device import Device
from ssdsim.config import MOST_NS, SimulationConfig
from ssdsim.config.experiment import RECORDINGS
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.ftl.page_type.specifier import Switching
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics.course import Samples
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import Closing, Recorder, Windows
from ssdsim.metrics.result import Result
from ssdsim.metrics.rounds import Rounds
from ssdsim.run.hooks import Hook, Hooks
from ssdsim.run.integrity import make_oracle
from ssdsim.run.interrupts import held_back, stoppable
from ssdsim.run.measurement import Measurement
from ssdsim.run.midway import Midway, check_files, check_savable
from ssdsim.run.outcome import outcome, write
from ssdsim.run.power_loss import PowerCut, promise
from ssdsim.run.preconditioning import pages_touched
from ssdsim.run.preparation import prepare, shares
from ssdsim.run.progress import Bar, Progress, Snapshot
from ssdsim.run.recounting import Recount
from ssdsim.run.replay import Replay, access_latency
from ssdsim.run.running_in import run_in
from ssdsim.run.state import Happening, State, pages_of, state_of
from ssdsim.run.workloads import Writes, open_workloads, sum_or_none
from ssdsim.workload import Workload

PROGRESS_INTERVAL_S = 0.2

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Of Python's own, which looks after 700 of them by default: a run makes and drops millions, hardly any in cycles."""

MOST_WINDOWS = 100_000
"""Windows of a length that is given that a run may have: a row of each is kept in memory."""


def simulate(
    config: SimulationConfig, folder: str | Path | ResultFolder | None = None, progress: Progress | bool | None = None
) -> Result:
    """Run the experiment that `config` describes and return what it measured.

    With `folder` everything is also written there; it is made if need be, and must be empty: give
    `ResultFolder(path, overwrite=True)` to put the results in the place of earlier ones. `progress=True` shows a bar,
    in a notebook as on a terminal; anything else with an `update` is told how far the run is.

    Raise `InputError` if the configuration, a trace or the folder cannot be used and `SimulationError` if the run goes
    wrong. In that case and on Ctrl-C, SIGTERM and SIGHUP (a `KeyboardInterrupt`, whose exit status is that of
    `ssdsim.run.interrupts`) what was measured so far is written, marked as partial, before the exception goes on; of a
    disk that is full, the summary, where there is room for it.
    """
    with ExitStack() as stack:
        stack.enter_context(stoppable())
        stack.enter_context(seldom_collected())
        if isinstance(progress, bool):
            progress = stack.enter_context(Bar()) if progress else None
        if folder is not None and not isinstance(folder, ResultFolder):
            folder = stack.enter_context(ResultFolder(folder))
        simulation = Simulation(config, folder, progress)
        try:
            simulation.run()
            with held_back():
                return simulation.finish(partial=False)
        except KeyboardInterrupt:
            with held_back():
                simulation.finish(partial=True)
            raise
        except SimulationError as error:
            with held_back():
                simulation.finish_failed(error)
            raise
        except OSError as error:
            with held_back():
                simulation.finish_without_tables(error)
            raise


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within it Python looks for garbage in cycles more seldom, which takes some percent of a run otherwise."""
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, OBJECTS_BETWEEN_COLLECTIONS) if young else 0, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


class Simulation:
    """A run of one experiment, step by step.

    `step`, `run_until` and `run` may follow one another in any order, and `finish` returns the result: that of
    `simulate(config)`, to the byte, if the run was taken to its end, however it was. The device is prepared by the
    first of them, in one go; what is stepped through is the measured run.

    With `folder`, which is one for `simulate`, too, `finish` writes everything there.
    """

    def __init__(
        self,
        config: SimulationConfig,
        folder: str | Path | ResultFolder | None = None,
        progress: Progress | None = None,
    ):
        check_files(config)
        self.started = time.perf_counter()
        self.config = config
        self.progress = progress
        self.next_report = 0.0
        self.report("building the device", None)
        self.device = Device(config)
        self.workloads = open_workloads(config)
        self.total = sum_or_none([workload.requests for workload in self.workloads.values()])
        if self.device.buffer is not None and config.buffer.footprint_share is not None:
            touched = pages_touched(self.workloads.values(), config.hardware.logical_pages, config.hardware.page_bytes)
            self.device.buffer.capacity = max(int(config.buffer.footprint_share * np.count_nonzero(touched)), 1)
        self.preconditioned: dict[str, Any] = {}
        self.precondition_loaded = False
        self.env: Any = None
        self.power_cut: PowerCut | None = None
        self.power_loss: dict[str, Any] | None = None
        self.replay = Replay(self, {})
        self.measurement: Measurement | None = None
        self.samples: Samples | None = None
        self.oracle = make_oracle(config, self.device)
        self.untimed = UntimedReplay(self.device.layer, config.hardware.page_bytes, self.oracle)
        self.request_log: RequestLog | None = None
        self.command_log: CommandLog | None = None
        self.recount: Recount | None = None
        self.hooks = Hooks(self)
        self.midway = Midway(self)
        self.is_begun = self.is_over = False
        self.error: str | None = None
        self.result: Result | None = None
        self.summary: dict[str, Any] | None = None
        self.owns_folder = isinstance(folder, str | Path)
        self.folder = ResultFolder(folder) if isinstance(folder, str | Path) else folder

    def run(self) -> None:
        """Take the run to its end."""
        self.hooks.drop_unused()
        while self.hooks.need_looks and self.step():
            pass
        self.begin()
        with self.noted():
            if self.env is None and not self.is_over:
                self.replay_untimed()
                self.conclude()
            while not self.is_over:
                self.replay.run_leg()
                self.next_leg()

    # Stepping.

    @property
    def now(self) -> int:
        """The simulated time, in ns."""
        return self.now_ns()

    @property
    def state(self) -> State:
        """What the device and its queues look like now; to ask changes nothing."""
        return state_of(self)

    def pages(self, block: int) -> tuple[str, ...]:
        """Return the state of each page of `block`: free, valid or dead."""
        return pages_of(self, block)

    def step(self) -> bool:
        """Process the next event of the kernel, and return whether there was one: not once the run is over.

        An event is the end of something that takes time (a bus phase, an array operation, the wait for an arrival), or
        a wake-up in the same instant. Where power is cut the device has booted again when this returns.
        """
        self.begin()
        if self.env is None:
            raise ConfigError("timing=off: there are no events to step through; set timing=on, or run to the end.")
        if self.is_over:
            return False
        self.hooks.drop_unused()
        with self.noted():
            with self.hooks.looking():
                self.replay.step()
            if self.replay.leg_end.processed:
                self.next_leg()
        return True

    def run_until(self, target: int | str | Callable[["Simulation"], Any]) -> bool:
        """Step on until `target`, and return whether it came; not if the run is over before.

        It is a time in ns, whose events are the last that are processed: it is that time then, or later if power was
        off. Or it is the name of one of `EVENTS`, which happens in the last step, or a condition, which is called with
        the simulation before each step.
        """
        self.begin()
        if isinstance(target, str):
            return self.run_until_event(target)
        if callable(target):
            while not target(self):
                if not self.step():
                    return False
            return True
        if not self.now <= target < MOST_NS:
            raise ValueError(
                f"run_until({target}): it is {self.now} ns; give a time in ns from now on, below {MOST_NS}."
            )
        while not self.is_over and not target < self.peek() < inf:
            self.step()
        if not self.is_over and self.now < target:
            self.env.timeout(int(target) - self.now)
            self.step()
        return not self.is_over

    def peek(self) -> float:
        """Return when the next event is; infinity if there is none."""
        return inf if self.env is None else float(self.env.peek())

    def run_until_event(self, name: str) -> bool:
        """Step on until one of `EVENTS` has happened."""
        seen: list[Happening] = []
        forget = self.on(name, seen.append)
        try:
            return self.run_until(lambda _: seen)
        finally:
            forget()

    def on(self, name: str, hook: Hook) -> Callable[[], None]:
        """Call `hook` whenever what `name` says happens, one of `EVENTS`; return what ends that."""
        return self.hooks.on(name, hook)

    def save(self, file: str | Path) -> None:
        """Save the run as it is now to `file`; one of the same configuration goes on from there (`checkpoint.load`).

        Raise `ConfigError` if it is over or cannot be saved, and `OSError` if the file cannot be written.
        """
        self.begin()
        check_savable(self)
        self.midway.save(Path(file))

    # The course of a run.

    def begin(self) -> None:
        """Prepare the device and begin the measured run, unless that has been done; raise what an earlier step did."""
        if self.error is not None:
            raise SimulationError(self.error)
        if self.result is not None and not self.is_over:
            raise SimulationError("the run was finished before its end: make another Simulation.")
        if self.is_begun:
            return
        timed = self.config.timing == "on"
        with self.noted():
            saved = self.midway.found()
            if timed and (self.config.precondition.timed or saved):
                self.connect()
            if saved is None:
                self.preconditioned, self.precondition_loaded = prepare(self)
            if timed and self.env is None:
                self.connect()
            if timed and saved is None and self.config.precondition.mode == "writes":
                run_in(self)
                self.preconditioned |= shares(self.device.blocks)
            self.begin_measurement(self.config.power_loss.wanted and not (saved and saved.facts["is_cut_over"]))
            self.is_begun = True
            if timed:
                self.replay = Replay(self, self.workloads, self.total)
                self.next_leg()
                if saved is not None:
                    self.midway.go_on(saved)
                self.hooks.connect()

    def next_leg(self) -> None:
        """Begin what is run until the next loss of power or the end, or conclude the run if that is over."""
        if not self.replay.begin_leg():
            self.conclude()

    def conclude(self) -> None:
        """Check the device at the end of the run."""
        if self.config.check != "off":
            self.device.check()
        if self.oracle is not None:
            self.oracle.read_back(self.device.front.newest, self.now_ns())
        self.is_over = True

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Within it an error of the run is kept for the result, and ends the run."""
        try:
            yield
        except SimulationError as error:
            self.error = str(error)
            raise

    # Preparing.

    def connect(self) -> None:
        """Give the device a clock."""
        self.env = make_environment(self.config.kernel)
        self.device.connect(self.env)

    def path(self, name: str) -> Path | None:
        """Return where to write file `name` of the result, or None if nothing is written."""
        return None if self.folder is None else self.folder.part(name)

    def write_chunk(self, chunk: Any) -> None:
        """Write a chunk of requests, with flash timing if the device has a clock."""
        if self.env is None:
            self.untimed.run(chunk)
        else:
            self.replay_unmeasured({"precondition": Writes(chunk, self.config.host.queue_depth)})

    def replay_unmeasured(self, workloads: dict[str, Workload]) -> None:
        """Send the requests of `workloads` to a device that has a clock, before the measured run."""
        measurement, streams = Measurement(self.device, self.untimed, self.env), len(workloads)
        windows = Windows(measurement.sampler.sample, self.now_ns(), streams=streams)
        self.recorder = Recorder(windows, streams=streams)
        self.replay = Replay(self, workloads)
        self.replay.run_through()
        while self.env.peek() == self.env.now:  # its processes end: nothing of them is in a run that is saved
            self.env.step()

    def begin_measurement(self, loses_power: bool = False) -> None:
        """Start to count: what was done so far was preparation; whether power is going to be cut."""
        self.untimed = UntimedReplay(self.device.layer, self.config.hardware.page_bytes, self.oracle)
        recounts, record = self.config.check == "summary", self.config.record
        if (recounts or "requests" in record) and self.env is not None:
            self.request_log = RequestLog(self.path("requests.parquet") if "requests" in record else None)
        if (recounts or "commands" in record) and self.env is not None:
            path = self.path("commands.parquet") if "commands" in record else None
            self.command_log = CommandLog(path, self.config.hardware)
        if recounts and self.env is not None:
            self.recount = Recount(self)
        self.midway.open_spools()
        main = self.workloads["main"]
        measurement = Measurement(self.device, self.untimed, self.env)
        streams = len(self.workloads)
        self.recorder = Recorder(
            self.windows(measurement, streams),
            self.request_log,
            self.observe,
            self.check if self.config.check == "always" else None,
            Rounds((main.requests or 0) // main.rounds, measurement.round_report) if main.rounds > 1 else None,
            streams,
        )
        self.measurement = measurement
        if self.env is not None:
            if loses_power:
                self.power_cut = PowerCut(self.env, self.config.power_loss)
                self.power_loss = {"at_s": None, "promise": promise(self.config)}
            self.attach()

    def windows(self, measurement: Measurement, streams: int) -> Windows:
        """Return the windows of the time series, as long as the configuration says."""
        width_ms = self.config.metrics.window_ms
        given: dict[str, Any] = {"streams": streams, "channels": self.device.controllers}
        if width_ms is not None:
            given |= {"width_ns": round(width_ms * 1e6), "limit": MOST_WINDOWS, "fixed": True}
        return Windows(measurement.sampler.sample, self.now_ns(), **given)

    def attach(self) -> None:
        """Have the device report its commands, keep the time series, and make the switches that the run asks for."""
        assert self.measurement is not None
        run_routine(self.env, Closing(self.env, self.recorder.windows))
        self.device.observers.add(self.command_log)
        self.device.observers.add(self.power_cut)
        self.midway.connect()
        if self.device.page_types is not None:
            run_routine(self.env, Switching(self.env, self.device.page_types, self.measurement.start_ns))

    def go_on(self, device: Device, env: Any) -> None:
        """Have the run go on with a device that has been made of this one after a loss of power, and its clock."""
        if device.buffer is not None and self.device.buffer is not None:
            device.buffer.capacity = self.device.buffer.capacity
        assert self.measurement is not None
        lost_ns = self.now_ns()
        self.device, self.env, self.power_cut = device, env, None
        device.connect(env)
        self.recorder.windows.go_on(device.controllers, lost_ns)
        self.measurement.go_on(device, env)
        self.attach()
        self.hooks.connect()

    def replay_untimed(self) -> None:
        """Send all requests without flash timing, stream after stream."""
        assert self.measurement is not None
        self.samples = Samples(self.measurement.sample)
        for index, (name, workload) in enumerate(self.workloads.items()):
            for chunk in workload.chunks():
                for piece in self.samples.over(chunk):
                    self.untimed.run(piece, index, access_latency(self.config, name))
                self.observe(0)

    # Watching.

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def check(self) -> None:
        """Recount the device of this moment."""
        self.device.check()

    def observe(self, now_ns: int) -> None:
        """Report how far the replay is, if it is time to."""
        if self.progress is None or time.perf_counter() < self.next_report:
            return
        done = self.recorder.done or int(np.sum(self.untimed.counts))
        assert self.measurement is not None
        elapsed_ns = now_ns - self.measurement.start_ns
        self.report(
            "replay",
            done / self.total if self.total else None,
            requests_done=done,
            requests_total=self.total,
            simulated_ns=elapsed_ns,
            iops=(self.recorder.count(READ) + self.recorder.count(WRITE)) / elapsed_ns * 1e9 if elapsed_ns else 0.0,
            write_amplification=self.measurement.write_amplification() or 0.0,
        )

    def report(self, phase: str, fraction: float | None, **numbers: Any) -> None:
        """Tell whoever watches."""
        if self.progress is not None:
            self.next_report = time.perf_counter() + PROGRESS_INTERVAL_S
            self.progress.update(Snapshot(phase, fraction, **numbers))

    # Finishing.

    def finish_failed(self, error: SimulationError) -> None:
        """Write what was measured before `error`; what hinders that, in a device in disorder, is noted in it."""
        try:
            self.finish(partial=True, error=str(error))
        except Exception as reason:
            error.add_note(f"Partial results could not be written: {reason!r}.")

    def finish_without_tables(self, error: OSError) -> None:
        """Write the summary alone, marked as partial, if there is room for it and no earlier result in its place."""
        folder = self.folder
        if folder is None or folder.manifest["files"] or self.measurement is None:
            return
        told = os.strerror(error.errno) if error.errno else str(error)
        self.request_log = self.command_log = None
        folder.drop_parts()
        with suppress(OSError):
            summary = self.summary or outcome(self, partial=True, error=None)[0]
            write(folder, self.config, summary | {"partial": True, "error": told}, {})

    def finish(self, partial: bool | None = None, error: str | None = None) -> Result:
        """Close the tables, write the folder, and return the result: `partial` if the run is not over.

        The run cannot go on then; to ask again returns the same.
        """
        if self.result is not None:
            return self.result
        if partial is None:
            partial, error = not self.is_over, self.error
        if self.measurement is None:
            self.begin_measurement()
        summary, tables = outcome(self, partial, error)
        fault = None if partial or self.recount is None else self.recount.fault(summary, tables)
        if fault is not None:
            summary |= {"partial": True, "error": fault}
        tables = {name: table for name, table in tables.items() if name not in RECORDINGS or name in self.config.record}
        self.summary = summary
        if self.folder is not None:
            write(self.folder, self.config, summary, tables)
            if self.owns_folder:
                self.folder.close()
        self.result = Result(summary, None if self.folder is None else self.folder.path, tables)
        if fault is not None:
            raise SimulationError(fault)
        return self.result
