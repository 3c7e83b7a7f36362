"""One experiment from its configuration to its result: precondition, replay, measure."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import Any

from ssdsim.config import MOST_NS, SimulationConfig
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.run.context import Context
from ssdsim.run.interrupts import held_back, stoppable
from ssdsim.run.outcome import outcome, write
from ssdsim.run.preparation import prepare
from ssdsim.run.progress import Bar, Progress
from ssdsim.run.replay import begin_leg, lose_power, open_streams, out_of_time, replay_untimed
from ssdsim.run.stepping import Happening, Hook, Hooks, State, pages_of, state_of
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


class Simulation(Context):
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
        super().__init__(config, folder, progress, loads)
        self.owns_folder = isinstance(folder, str | Path)
        self.hooks = Hooks(self)
        self.is_over = False
        self.error: str | None = None
        self.result: Result | None = None

    @property
    def state(self) -> State:
        """The state of the device and its queues now; to ask changes nothing."""
        return state_of(self)

    def pages(self, block: int) -> tuple[str, ...]:
        """Return the state of each page of `block`: free, valid or dead."""
        return pages_of(self.device, block)

    def run(self) -> None:
        """Take the run to its end."""
        self.begin()
        with self.noted():
            if self.env is None and not self.is_over:
                replay_untimed(self)
                self.conclude()
            while not self.is_over:
                if self.hooks.look_for:  # after each step
                    self.step()
                else:
                    self.env.run(until=self.leg_end)
                    self.next_leg()

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
        with self.noted():
            self.env.step()  # there is an event until `leg_end`, if only the next look of the watch
            self.hooks.look()
            if self.leg_end.processed:
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
            self.env.timeout(int(target) - self.now)
            self.step()
        return not self.is_over

    def peek(self) -> float:
        """Return when the next event is; infinity if there is none."""
        return inf if self.env is None else float(self.env.peek())

    def on(self, name: str, hook: Hook) -> Callable[[], None]:
        """Call `hook` whenever what `name` says happens, one of `EVENTS`; return a function that unsubscribes it."""
        return self.hooks.on(name, hook)

    def begin(self) -> None:
        """Prepare the device and begin the measured run, unless that has been done; raise what an earlier step did."""
        if self.error is not None:
            raise SimulationError(self.error)
        if self.result is not None and not self.is_over:
            raise SimulationError("the run was finished before its end: make another Simulation.")
        if self.measurement is not None:
            return
        with self.noted():
            prepare(self)
            self.begin_measurement()
            if self.env is not None:
                open_streams(self, self.workloads, self.config.host.only_stream)
                self.next_leg()

    def next_leg(self) -> None:
        """Begin the next leg, after a loss of power on the device that has booted again, or conclude the run."""
        host = self.host
        if host is not None and host.finished.triggered:  # a cut at the instant of the last completion is none
            self.conclude()
            return
        if host is not None:
            self.hooks.tell("power_cut")
            lose_power(self)
        begin_leg(self)
        self.hooks.connect()

    def conclude(self) -> None:
        """Check the device at the end of the run."""
        if self.config.check != "off":
            self.device.check()  # books first, as reading back relies on the mapping
        if self.oracle is not None:
            self.oracle.read_back(self.device.front.newest, self.now)
        self.is_over = True

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Keep an error of the run within this context for the result; it ends the run."""
        try:
            yield
        except SimulationError as error:
            self.error = str(error)
            raise
        except OverflowError:  # the compiled kernel refuses times from 2**53 on, which end simulated time
            self.error = str(out_of_time())
            raise out_of_time() from None

    def finish(self) -> Result:
        """Close the tables, write the folder, and return the result: partial if the run is not over.

        The run cannot go on then; to ask again returns the same.
        """
        if self.result is not None:
            return self.result
        if self.measurement is None:
            # A run that broke off before its measurement has an empty one.
            self.begin_measurement()
        folder = self.folder
        summary, tables = outcome(self, not self.is_over, self.error)
        if folder is not None:
            write(folder, self.config, summary, tables)
            if self.owns_folder:
                folder.close()
        self.result = Result(summary, None if folder is None else folder.path, tables)
        return self.result
