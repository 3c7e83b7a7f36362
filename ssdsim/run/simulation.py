"""One experiment from its configuration to its result: precondition, replay, measure."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import Any

from ssdsim.assembly.device import Device
from ssdsim.config import MOST_NS, SimulationConfig
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.run.context import attach, go_on, make_context, measure, open_records
from ssdsim.run.interrupts import held_back, stoppable
from ssdsim.run.outcome import outcome, write
from ssdsim.run.preparation import prepare
from ssdsim.run.progress import Bar, Progress
from ssdsim.run.replay import Replay, replay_untimed
from ssdsim.run.stepping import Happening, Hook, Hooks, State, pages_of, state_of
from ssdsim.states.power_loss import PowerCut
from ssdsim.workload.base import CheckedWorkload


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
        if isinstance(progress, bool):
            progress = stack.enter_context(Bar()) if progress else None
        if folder is not None and not isinstance(folder, ResultFolder):
            folder = stack.enter_context(ResultFolder(folder))
        simulation = Simulation(config, folder, progress)
        try:
            simulation.run()
        except (KeyboardInterrupt, SimulationError):
            with held_back():
                simulation.finish()
            raise
        with held_back():  # what has been measured is to be written whole
            return simulation.finish()


class Simulation:
    """A run of one experiment, step by step.

    `step`, `run_until` and `run` may follow one another in any order, and `finish` returns the result: that of
    `simulate(config)`, to the byte, if the run was taken to its end, however it was. The device is prepared by the
    first of them, in one go; what is stepped through is the measured run.

    With `folder`, which is one for `simulate`, too, `finish` writes everything there. With `loads` the requests are
    those, by stream, and not what the configuration says.
    """

    def __init__(
        self,
        config: SimulationConfig,
        folder: str | Path | ResultFolder | None = None,
        progress: Progress | None = None,
        loads: dict[str, CheckedWorkload] | None = None,
    ):
        self.context = make_context(config, folder, progress, loads)
        self.hooks = Hooks(self.context)
        self.replay = Replay(self.context, {})  # of no streams, until the run begins
        self.is_begun = self.is_over = False
        self.error: str | None = None
        self.result: Result | None = None
        self.owns_folder = isinstance(folder, str | Path)

    @property
    def config(self) -> SimulationConfig:
        """The configuration."""
        return self.context.config

    @property
    def device(self) -> Device:
        """The device; another one after a loss of power."""
        return self.context.device

    @property
    def now(self) -> int:
        """The simulated time, in ns."""
        return self.context.now_ns()

    @property
    def state(self) -> State:
        """What the device and its queues look like now; to ask changes nothing."""
        return state_of(self.context)

    def pages(self, block: int) -> tuple[str, ...]:
        """Return the state of each page of `block`: free, valid or dead."""
        return pages_of(self.device, block)

    def run(self) -> None:
        """Take the run to its end."""
        self.begin()
        with self.noted():
            if self.context.env is None and not self.is_over:
                replay_untimed(self.context)
                self.conclude()
            while not self.is_over:
                if self.hooks.look_for:  # after each step
                    self.step()
                else:
                    self.replay.run_leg()
                    self.next_leg()

    def step(self) -> bool:
        """Process the next event of the kernel, and return whether there was one: not once the run is over.

        An event is the end of something that takes time (a bus phase, an array operation, the wait for an arrival), or
        a wake-up in the same instant. Where power is cut the device has booted again when this returns.
        """
        self.begin()
        if self.context.env is None:
            raise ConfigError("timing=off: there are no events to step through; set timing=on, or run to the end.")
        if self.is_over:
            return False
        with self.noted():
            self.replay.step()
            self.hooks.look()
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
            seen: list[Happening] = []
            forget = self.on(target, seen.append)
            try:
                return self.run_until(lambda _: seen)
            finally:
                forget()
        if callable(target):
            while not target(self):
                if not self.step():
                    return False
            return True
        if not self.now <= target < MOST_NS:
            raise ValueError(
                f"run_until({target}): it is {self.now} ns; give a time in ns from now on, below {MOST_NS}."
            )
        while not self.is_over and not target < self.peek() < inf:  # events at the target itself are still processed
            self.step()
        # An event of our own takes the clock to the target, as there is none in between.
        if not self.is_over and self.now < target:
            self.context.env.timeout(int(target) - self.now)
            self.step()
        return not self.is_over

    def peek(self) -> float:
        """Return when the next event is; infinity if there is none."""
        return inf if self.context.env is None else float(self.context.env.peek())

    def on(self, name: str, hook: Hook) -> Callable[[], None]:
        """Call `hook` whenever what `name` says happens, one of `EVENTS`; return a function that unsubscribes it."""
        return self.hooks.on(name, hook)

    def begin(self) -> None:
        """Prepare the device and begin the measured run, unless that has been done; raise what an earlier step did."""
        if self.error is not None:
            raise SimulationError(self.error)
        if self.result is not None and not self.is_over:
            raise SimulationError("the run was finished before its end: make another Simulation.")
        if self.is_begun:
            return
        with self.noted():
            prepare(self.context)
            self.begin_measurement(self.config.power_loss.wanted)
            self.is_begun = True
            if self.context.env is not None:
                self.replay = Replay(self.context, self.context.workloads, self.config.host.only_stream)
                self.next_leg()

    def begin_measurement(self, loses_power: bool = False) -> None:
        """Start to count: what was done so far was preparation; whether power is going to be cut."""
        open_records(self.context)
        measure(self.context)
        if self.context.env is not None:
            if loses_power:
                # What is reported of a run that is over before its power is cut.
                self.context.power_cut = PowerCut(self.context.env, self.config.power_loss)
                self.context.power_loss = {"at_s": None}
            attach(self.context)

    def next_leg(self) -> None:
        """Begin the next leg, after a loss of power on the device that has booted again, or conclude the run."""
        host = self.context.host
        if host is not None and not host.finished.triggered:
            self.hooks.tell("power_cut")
            go_on(self.context, *self.replay.lose_power())
            attach(self.context)
        if self.replay.begin_leg():
            self.hooks.connect()
        else:
            self.conclude()

    def conclude(self) -> None:
        """Check the device at the end of the run."""
        if self.config.check != "off":
            self.device.check()  # books first, as reading back relies on the mapping
        if self.context.oracle is not None:
            self.context.oracle.read_back(self.device.front.newest, self.now)
        self.is_over = True

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Within it an error of the run is kept for the result, and ends the run."""
        try:
            yield
        except SimulationError as error:
            self.error = str(error)
            raise

    def finish(self) -> Result:
        """Close the tables, write the folder, and return the result: partial if the run is not over.

        The run cannot go on then; to ask again returns the same.
        """
        if self.result is not None:
            return self.result
        if self.context.measurement is None:
            # A run that broke off before its measurement has an empty one.
            self.begin_measurement()
        folder = self.context.folder
        summary, tables = outcome(self.context, not self.is_over, self.error)
        if folder is not None:
            write(folder, self.config, summary, tables)
            if self.owns_folder:
                folder.close()
        self.result = Result(summary, None if folder is None else folder.path, tables)
        return self.result
