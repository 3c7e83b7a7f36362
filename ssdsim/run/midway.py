"""A run that is saved on its way, and one that goes on from there.

What is saved is the whole run between two events: the device, what the kernel has scheduled, the queue, the place in
each workload, and what has been counted. A process has all of its state in its fields (`ssdsim._core.kernel.Routine`).
To go on, the run is begun as ever and then brought into the state of the file, `ssdsim.run.graph` says how; tables that
grow with the run are written anew from their spools.
"""

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.logs import ParquetLog
from ssdsim.run.checkpoint import OF, RUN, Checkpoint, depends_on, save
from ssdsim.run.graph import StateError

if TYPE_CHECKING:
    from ssdsim.run.simulation import Simulation


def spool_of(file: str | Path, name: str) -> Path:
    """Return where the rows of the table `name` lie that belong to the checkpoint `file`."""
    return Path(f"{file}.{name}")


class Midway:
    """Saves `run` to a file, when its configuration says so and whenever it is asked to."""

    def __init__(self, run: "Simulation"):
        self.run = run
        self.depends: dict[str, Any] | None = None

    def connect(self) -> None:
        """Have the run of a device that has just been given a clock saved when its time comes."""
        run, wanted = self.run, self.run.config.checkpoint
        self.wait_for_requests()
        if wanted.at_s is not None:
            assert run.measurement is not None
            left_ns = run.measurement.start_ns + round(wanted.at_s * 1e9) - run.now_ns()
            if left_ns >= 0:
                run.env.timeout(left_ns).callbacks.append(self.save_as_wanted)

    def wait_for_requests(self) -> None:
        """Have `reached` called when the next number of requests is complete."""
        wanted, done = self.run.config.checkpoint, self.run.recorder.done
        every, at = wanted.every_requests, wanted.at_requests
        due = [] if every is None else [done - done % every + every]
        due += [at] if at is not None and at > done else []
        self.run.recorder.due = min(due, default=-1)
        self.run.recorder.on_due = self.reached if due else None

    def reached(self) -> None:
        """Save the run once this event is over, in the same instant."""
        self.run.env.timeout(0).callbacks.append(self.save_as_wanted)
        self.wait_for_requests()

    def save_as_wanted(self, event: Any) -> None:
        """Save the run to the file of its configuration; say so if that does not work, as the run does without."""
        file = self.run.config.checkpoint.save
        if file is None:  # set by the run that this one goes on with
            return
        try:
            self.save(Path(file))
        except (OSError, StateError) as error:
            warnings.warn(f"checkpoint.save={file}: cannot be written: {error}; the run goes on.", stacklevel=2)

    def save(self, file: Path) -> None:
        """Save the run to `file`, between two events; raise `StateError` or `OSError` if that cannot be."""
        run = self.run
        if self.depends is None:
            self.depends = depends_on(run.config, RUN)
        facts = {
            "preconditioned": run.preconditioned,
            "precondition_loaded": run.precondition_loaded,
            "power_loss": run.power_loss,
            "is_cut_over": run.power_cut is None,
            "done": run.replay.done,
            "elapsed_s": time.perf_counter() - run.started,
        }
        with run.hooks.left_out():
            save(file, self.depends, self.roots(), facts, self.given())

    def roots(self) -> list[Any]:
        """Return all that has state; what is not found below it is made of the configuration, or given."""
        run, replay = self.run, self.run.replay
        logs = [run.request_log, run.command_log]
        of_replay = [replay.streams, replay.host, replay.watch, replay.leg_end]
        return [run.device, run.oracle, run.env, run.recorder, run.measurement, run.power_cut, *logs, *of_replay]

    def given(self) -> dict[str, Any]:
        """Return what a run has of its own, by name."""
        return {"run": self.run, "midway": self, "untimed": self.run.untimed}

    # Going on.

    def found(self) -> Checkpoint | None:
        """Return the run under way that the configuration names; None if there is none, or it is of a device."""
        file = self.run.config.checkpoint.load
        checkpoint = None if file is None else Checkpoint.read(Path(file))
        if checkpoint is None or checkpoint.depends.get(OF) != RUN:
            return None
        if self.run.config.check == "summary":
            raise ConfigError(
                f"checkpoint.load={checkpoint.path}: is of a run, of which check=summary counts all; set that to end."
            )
        checkpoint.check_same(depends_on(self.run.config, RUN))
        return checkpoint

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Bring the run, which has just begun, into the state of `checkpoint`; raise `InputError` if that is not its.

        The run has been begun without what cuts its power if that is over, see `Simulation.begin_measurement`.
        """
        run, facts = self.run, checkpoint.facts
        roots = self.roots()
        checkpoint.pour(roots, self.given())
        run.replay.leg_end = roots[-1]
        run.replay.done = facts["done"]
        run.preconditioned, run.precondition_loaded = facts["preconditioned"], facts["precondition_loaded"]
        run.power_loss = facts["power_loss"]
        assert run.measurement is not None
        run.started = run.measurement.started = time.perf_counter() - facts["elapsed_s"]
        for name, log in self.logs().items():
            self.rewrite(log, spool_of(checkpoint.path, name))
        self.connect()

    def logs(self) -> dict[str, ParquetLog]:
        """Return the tables that grow with the run, by name."""
        named = {"requests": self.run.request_log, "commands": self.run.command_log}
        return {name: log for name, log in named.items() if log is not None}

    def rewrite(self, log: ParquetLog, source: Path) -> None:
        """Write again what `log` had written."""
        try:
            log.rewrite(source)
        except OSError as error:
            raise InputError(f"{source}: belongs to the checkpoint, and cannot be read: {error.strerror}.") from None

    def open_spools(self) -> None:
        """Have the tables keep what they write, if the run is to be saved."""
        wanted = self.run.config.checkpoint
        if wanted.save is not None and wanted.saves_run:
            for name, log in self.logs().items():
                log.spool = spool_of(wanted.save, name)


def check_savable(run: "Simulation") -> None:
    """Raise `ConfigError` if a run cannot be saved as it is now: what its tables have written would be lost, say."""
    if run.is_over or run.env is None:
        raise ConfigError("timing=off, or the run is over: it is saved as time passes, before its end.")
    if run.recount is not None:
        raise ConfigError("check=summary: counts from tables that are not saved along with a run; set it to end.")
    if not run.config.checkpoint.saves_run and (run.request_log or run.command_log):
        raise ConfigError(
            "record=[requests] or [commands]: a run is saved with these tables only if its configuration says when, "
            "as checkpoint.every_requests does; or set record=[]."
        )
