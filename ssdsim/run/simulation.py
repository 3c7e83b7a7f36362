"""One experiment from its configuration to its result: precondition, replay, measure."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from simpy.core import EmptySchedule

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import make_policy
from ssdsim.config import ACCESS_LATENCIES, MOST_NS, SimulationConfig
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics.course import Samples
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.metrics.result import Result
from ssdsim.metrics.rounds import Rounds
from ssdsim.run.checkpoint import Kept, check_storable, depends_on, load, save
from ssdsim.run.graph import StateError
from ssdsim.run.integrity import make_oracle, write_filled
from ssdsim.run.interrupts import held_back, stoppable
from ssdsim.run.measurement import Measurement
from ssdsim.run.outcome import outcome, write
from ssdsim.run.power_loss import PowerCut, cut_power, promise, reboot
from ssdsim.run.preconditioning import fill, last_written, pages_touched, write_to_steady_state
from ssdsim.run.progress import Bar, Progress, Snapshot
from ssdsim.run.state import EVENTS, OBSERVED, Flash, Happening, Look, State, happened, look, pages_of, state_of
from ssdsim.run.watch import Watch, out_of_time
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
    `ssdsim.run.interrupts`) what was measured so far is written, marked as partial, before the exception goes on.
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
        except KeyboardInterrupt:
            with held_back():
                simulation.finish(partial=True)
            raise
        except SimulationError as error:
            with held_back():
                simulation.finish_failed(error)
            raise
        with held_back():
            return simulation.finish(partial=False)


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
        self.host: HostQueue | None = None
        self.watch: Watch
        self.streams: list[Stream] = []
        self.measurement: Measurement | None = None
        self.samples: Samples | None = None
        self.oracle = make_oracle(config, self.device)
        self.untimed = UntimedReplay(self.device.layer, config.hardware.page_bytes, self.oracle)
        self.request_log: RequestLog | None = None
        self.command_log: CommandLog | None = None
        self.hooks: dict[str, list[Callable[[Happening], Any]]] = {}
        self.looked: Look | None = None
        self.observing: dict[str, Flash] = {}
        self.legs: Iterator[None] | None = None
        self.leg_end: Any = None
        self.is_over = False
        self.error: str | None = None
        self.result: Result | None = None
        self.owns_folder = isinstance(folder, str | Path)
        self.folder = ResultFolder(folder) if isinstance(folder, str | Path) else folder

    def run(self) -> None:
        """Take the run to its end."""
        self.drop_unhooked()
        while self.hooks.keys() - OBSERVED.keys() and self.step():
            pass
        self.begin()
        with self.noted():
            if self.env is None and not self.is_over:
                self.replay_untimed()
                self.conclude()
            while not self.is_over:
                self.run_leg()
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
        self.drop_unhooked()
        wanted = frozenset(self.hooks)
        before = self.look(wanted) if wanted - OBSERVED.keys() else None
        with self.noted():
            with self.explained():
                self.env.step()
            if before is not None:
                after = look(self, wanted)
                for happening in happened(before, after, self.now):
                    self.call_hooks(happening)
                self.looked = after
                if self.leg_end.processed and self.host is not None and not self.host.finished.triggered:
                    self.call_hooks(Happening("power_cut", self.now))
            if self.leg_end.processed:
                self.looked = None
                self.next_leg()
        return True

    def look(self, wanted: frozenset[str]) -> Look:
        """Return the look before a step, which is the one after the last if that was for the same events."""
        looked, self.looked = self.looked, None
        return looked if looked is not None and looked.names == wanted else look(self, wanted)

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

    def on(self, name: str, hook: Callable[[Happening], Any]) -> Callable[[], None]:
        """Call `hook` whenever what `name` says happens, one of `EVENTS`; return what ends that."""
        if name not in EVENTS:
            raise ValueError(f"{name} is not an event; choose one of {', '.join(EVENTS)}.")
        if name not in self.hooks and self.legs is not None:
            self.observe_flash(name)
        hooks = self.hooks.setdefault(name, [])
        hooks.append(hook)
        return lambda: hooks.remove(hook)

    def observe_flash(self, name: str) -> None:
        """Have the device tell the hooks of `name`, if it is what tells of it."""
        if name in OBSERVED:
            self.observing[name] = Flash(name, self.call_hooks, self)
            self.device.observers.add(self.observing[name])

    def drop_unhooked(self) -> None:
        """Have nobody told of what nobody wants to know; between events, as the flash may be telling in one."""
        for name in [name for name, hooks in self.hooks.items() if not hooks]:
            del self.hooks[name]
            if name in self.observing:
                self.device.observers.remove(self.observing.pop(name))

    def call_hooks(self, happening: Happening) -> None:
        """Tell the hooks of what has happened."""
        for hook in tuple(self.hooks.get(happening.name, ())):
            hook(happening)

    # The course of a run.

    def begin(self) -> None:
        """Prepare the device and begin the measured run, unless that has been done; raise what an earlier step did."""
        if self.error is not None:
            raise SimulationError(self.error)
        if self.result is not None and not self.is_over:
            raise SimulationError("the run was finished before its end: make another Simulation.")
        if self.legs is not None:
            return
        timed = self.config.timing == "on"
        with self.noted():
            if timed and self.config.precondition.timed:
                self.connect()
            self.precondition()
            if timed and self.env is None:
                self.connect()
            self.begin_measurement()
            self.legs = self.replayed(self.workloads) if timed else iter(())
            if timed:
                self.next_leg()
                for name in self.hooks:
                    self.observe_flash(name)

    def next_leg(self) -> None:
        """Begin what is run until the next loss of power or the end, or conclude the run if that is over."""
        assert self.legs is not None
        if next(self.legs, self) is self:
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

    def precondition(self) -> None:
        """Bring the device into the state that the configuration asks for, or load it in that state."""
        config, wanted = self.config, self.config.checkpoint
        check_storable(config)
        if not (wanted.save or wanted.load or config.precondition.keep):
            self.prepare()
            return
        depends, roots = depends_on(config), [self.device, self.oracle]
        kept = Kept(config) if config.precondition.keep else None
        if wanted.load is not None:
            self.preconditioned = load(Path(wanted.load), depends, roots)
            self.precondition_loaded = True
        elif kept is not None and (taken := kept.take(depends, roots)) is not None:
            self.preconditioned = taken
            self.precondition_loaded = True
        else:
            self.prepare()
            if kept is not None:
                kept.save(depends, roots, self.preconditioned)
        if wanted.save is not None:
            try:
                save(Path(wanted.save), depends, roots, self.preconditioned)
            except (StateError, OSError) as error:
                raise ConfigError(f"checkpoint.save={wanted.save}: cannot be written: {error}.") from None

    def prepare(self) -> None:
        """Precondition the device."""
        config = self.config
        self.report("precondition", 0.0)

        def report(share: float) -> None:
            if time.perf_counter() >= self.next_report:
                self.report("precondition", share)

        if config.precondition.mode == "fill":
            fill(self.device, config, list(self.workloads.values()), report)
            if self.oracle is not None:
                write_filled(self.device, self.oracle)
        elif config.precondition.mode == "writes":
            self.preconditioned = write_to_steady_state(config, self.device, self.write_chunk, report)
        if config.precondition.full_buffer and self.device.buffer is not None:
            most = self.device.buffer.capacity
            self.device.buffer.start_with(last_written(self.workloads.values(), most, config.hardware.page_bytes))
        valid = int(self.device.blocks.column("valid").sum())
        written = int(self.device.blocks.column("written").sum())
        self.preconditioned |= {
            "mode": config.precondition.mode,
            "fill_share": written / self.device.blocks.pages,
            "valid_share": valid / written if written else 0.0,
        }

    def write_chunk(self, chunk: Any) -> None:
        """Write a chunk of requests, with flash timing if the device has a clock."""
        if self.env is None:
            self.untimed.run(chunk)
        else:
            measurement = Measurement(self.device, self.untimed, self.env)
            self.recorder = Recorder(Windows(measurement.sampler.sample, self.now_ns()))
            self.replay({"precondition": Writes(chunk, self.config.host.queue_depth)})

    def begin_measurement(self) -> None:
        """Start to count: what was done so far was preparation."""
        self.untimed = UntimedReplay(self.device.layer, self.config.hardware.page_bytes, self.oracle)
        if "requests" in self.config.record and self.env is not None:
            self.request_log = RequestLog(self.path("requests.parquet"))
        if "commands" in self.config.record and self.env is not None:
            self.command_log = CommandLog(self.path("commands.parquet"), self.config.hardware)
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
            if self.config.power_loss.wanted:
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
        self.env.process(self.recorder.windows.keep(self.env))
        self.device.observers.add(self.command_log)
        self.device.observers.add(self.power_cut)
        if self.device.page_types is not None:
            self.env.process(self.device.page_types.run(self.env, self.measurement.start_ns))

    # Running.

    def replay(self, workloads: dict[str, Workload]) -> None:
        """Send the requests of `workloads` through the device queue and return when all are complete."""
        for _ in self.replayed(workloads):
            self.run_leg()

    def replayed(self, workloads: dict[str, Workload]) -> Iterator[None]:
        """Send the requests of `workloads` through the device queue; whoever asks has to run to each `leg_end`."""
        config = self.config
        streams = [
            Stream(index, name, config.host.weights.get(name, 1), workload, self.now_ns(), self.hint(name))
            for index, (name, workload) in enumerate(workloads.items())
        ]
        self.streams = streams
        host = self.send(streams)
        yield
        done = host.admitted - host.in_flight
        while not host.finished.triggered:
            done += self.lose_power(host, streams)
            host = self.send(streams)
            yield
            done += host.admitted - host.in_flight
        admitted = sum(stream.admitted for stream in streams)
        if done != admitted or (self.total is not None and workloads is self.workloads and done != self.total):
            raise SimulationError(f"{self.total} requests were generated, {admitted} admitted, {done} completed.")

    def send(self, streams: list[Stream]) -> HostQueue:
        """Begin to send the requests of `streams`: until `leg_end`, when all are complete or power is cut."""
        config = self.config
        policy = make_policy("host.arbitration", config.host.arbitration)
        front, depth = self.device.front, config.host.queue_depth
        host = HostQueue(self.env, streams, policy, depth, front, self.recorder, self.device.activity, self.oracle)
        self.host = host
        if self.measurement is not None:
            self.measurement.sampler.host = host
        host.start()
        self.watch = Watch(self.env, self.device, host)
        self.env.process(self.watch.run())
        cut = None if self.power_cut is None else self.power_cut.event
        self.leg_end = host.finished if cut is None else host.finished | cut
        return host

    def run_leg(self) -> None:
        """Run until all requests are complete, or power is cut."""
        with self.explained():
            self.env.run(until=self.leg_end)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within it what the kernel raises as nothing is left to happen, or time is at its end, is told plainly."""
        try:
            yield
        except (EmptySchedule, RuntimeError) as error:
            empty = isinstance(error, EmptySchedule) or "No scheduled events left" in str(error)
            if not empty or self.watch.host.finished.triggered:
                raise
            raise self.watch.stalled("nothing is left to happen") from None
        except OverflowError as error:
            if "ends past 2**53" not in str(error):
                raise
            raise out_of_time() from None  # of the compiled kernel; the stock one gets there

    def lose_power(self, host: HostQueue, streams: list[Stream]) -> int:
        """Cut power, boot the device again, and return how many requests will never be completed."""
        assert self.measurement is not None
        lost_ns = self.now_ns()
        remains = cut_power(self.device, lost_ns)
        device, report = reboot(self.config, remains)
        if self.oracle is not None:
            self.oracle.power_lost(device.front.newest, remains.losses, self.now_ns())
        off_ns = round((report["reboot_ms"] + report["scan_ms"] + report["mapping_ms"]) * 1e6)
        self.power_loss = {**report, "aborted_requests": host.in_flight}
        if self.now_ns() + off_ns >= MOST_NS:
            raise out_of_time()
        self.env = make_environment(self.config.kernel, self.now_ns() + off_ns)
        if device.buffer is not None and self.device.buffer is not None:
            device.buffer.capacity = self.device.buffer.capacity
        self.device = device
        device.connect(self.env)
        self.recorder.windows.go_on(device.controllers, lost_ns)
        self.measurement.go_on(device, self.env)
        self.power_cut = None
        self.attach()
        for name in self.hooks:
            self.observe_flash(name)
        for stream in streams:
            stream.power_lost()
        if self.recorder.rounds is not None:
            self.recorder.rounds.power_lost(streams[0].admitted)
        return host.in_flight

    def hint(self, stream: str) -> int:
        """Return the access latency of a stream's requests that come without a hint."""
        return ACCESS_LATENCIES.index(self.config.host.access_latency.get(stream, "none"))

    def replay_untimed(self) -> None:
        """Send all requests without flash timing, stream after stream."""
        assert self.measurement is not None
        self.samples = Samples(self.measurement.sample)
        for index, (name, workload) in enumerate(self.workloads.items()):
            for chunk in workload.chunks():
                for piece in self.samples.over(chunk):
                    self.untimed.run(piece, index, self.hint(name))
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
        if self.folder is not None:
            write(self.folder, self.config, summary, tables)
            if self.owns_folder:
                self.folder.close()
        self.result = Result(summary, None if self.folder is None else self.folder.path, tables)
        return self.result
