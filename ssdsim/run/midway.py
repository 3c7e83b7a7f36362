"""A run that is saved on its way, and one that goes on from there.

What is saved is the whole run between two events: the device, what the kernel has scheduled, the queue, the place in
each workload, and what has been counted. A process has all of its state in its fields (`ssdsim._core.kernel.Routine`).
To go on, the run is begun as ever and then brought into the state of the file, `ssdsim.states.graph` says how; tables
that grow with the run are written anew from their spools.
"""

import time
import warnings
from pathlib import Path
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.logs import ParquetLog
from ssdsim.run.context import Context
from ssdsim.run.hooks import Hooks
from ssdsim.run.replay import Replay
from ssdsim.states.checkpoint import OF, RUN, Checkpoint, check_replaceable, depends_on, save
from ssdsim.states.graph import StateError


def spool_of(file: str | Path, name: str) -> Path:
    """Return where the rows of the table `name` lie that belong to the checkpoint `file`."""
    return Path(f"{file}.{name}")


class Midway:
    """Saves `run`, whose measured requests are those of `replay`, when its configuration or anybody else says so."""

    def __init__(self, run: Context, hooks: Hooks):
        self.run = run
        self.hooks = hooks
        self.replay: Replay
        self.depends: dict[str, Any] | None = None

    def connect(self) -> None:
        """Have the run of a device that has just been given a clock saved when its time comes."""
        run, checkpoint = self.run, self.run.config.checkpoint
        self.wait_for_requests()
        if checkpoint.at_s is not None:
            assert run.records.measurement is not None
            # since the start of the measured run, whatever came before
            left_ns = run.records.measurement.start_ns + round(checkpoint.at_s * 1e9) - run.now_ns()
            if left_ns >= 0:  # else its time has gone by
                run.env.timeout(left_ns).callbacks.append(self.save_as_wanted)

    def wait_for_requests(self) -> None:
        """Have `reached` called when the next number of requests is complete."""
        checkpoint, recorder = self.run.config.checkpoint, self.run.records.recorder
        done = recorder.done
        every, at_requests = checkpoint.every_requests, checkpoint.at_requests
        due = [] if every is None else [done - done % every + every]  # the next multiple
        due += [at_requests] if at_requests is not None and at_requests > done else []
        recorder.due = min(due, default=-1)  # -1 is a number that is never reached
        recorder.on_due = self.reached if due else None

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
        run, reports = self.run, self.run.reports
        if self.depends is None:  # which takes a checksum of all sources: once a run is enough
            self.depends = depends_on(run.config, RUN)
        facts = {
            "preconditioned": reports.preconditioned,
            "precondition_loaded": reports.precondition_loaded,
            "power_loss": reports.power_loss,
            "is_cut_over": run.power_cut is None,
            "done": self.replay.done,
            "elapsed_s": time.perf_counter() - reports.started,
            "transactions": len(run.device.transactions.op),
        }
        with self.hooks.left_out():  # hooks are the user's, and no data
            save(file, self.depends, self.roots(), facts, self.given())

    def roots(self) -> list[Any]:
        """Return all that has state; what is not found below it is made of the configuration, or given."""
        run, records, replay = self.run, self.run.records, self.replay
        recorded = [records.recorder, records.measurement, run.power_cut, records.request_log, records.command_log]
        return [run.device, run.oracle, run.env, *recorded, run.streams, run.host, replay.watch, replay.leg_end]

    def given(self) -> dict[str, Any]:
        """Return the objects that a run has of its own, by name."""
        return {"run": self.run, "midway": self, "untimed": self.run.records.untimed}

    # Going on.

    def saved(self) -> Checkpoint | None:
        """Return the run under way that the configuration names; None if there is none, or it is of a device."""
        file = self.run.config.checkpoint.load
        checkpoint = None if file is None else Checkpoint.read(Path(file))
        if checkpoint is None or checkpoint.depends.get(OF) != RUN:
            return None
        checkpoint.check_same(depends_on(self.run.config, RUN), self.run.config.checkpoint.trust)
        return checkpoint

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Bring the run, which has just begun, into the state of `checkpoint`; raise `InputError` if that is not its.

        The run has been begun without what cuts its power if that is over, see `Simulation.begin_measurement`.
        """
        reports, measurement, facts = self.run.reports, self.run.records.measurement, checkpoint.facts
        roots, transactions = self.roots(), self.run.device.transactions
        transactions.lengthen(len(transactions.op), facts["transactions"])  # what is poured needs as much room
        checkpoint.pour(roots, self.given())
        self.replay.leg_end = roots[-1]
        self.replay.done = facts["done"]
        for name in ("preconditioned", "precondition_loaded", "power_loss"):
            setattr(reports, name, facts[name])
        assert measurement is not None
        # The wall clock goes on as if the run had not been broken off.
        reports.started = measurement.started = time.perf_counter() - facts["elapsed_s"]
        for name, log in self.logs().items():
            source = spool_of(checkpoint.path, name)
            try:
                log.rewrite(source)
            except OSError as error:
                text = f"{source}: belongs to the checkpoint, and cannot be read: {error.strerror}."
                raise InputError(text) from None
        # Last: what is waited for depends on what has been poured.
        self.connect()

    def logs(self) -> dict[str, ParquetLog]:
        """Return the tables that grow with the run, by name."""
        named = {"requests": self.run.records.request_log, "commands": self.run.records.command_log}
        return {name: log for name, log in named.items() if log is not None}

    def open_spools(self) -> None:
        """Have the tables keep what they write, if the run is to be saved."""
        checkpoint = self.run.config.checkpoint
        if checkpoint.save is not None and checkpoint.saves_run:
            for name, log in self.logs().items():
                log.spool = spool_of(checkpoint.save, name)


def check_files(config: SimulationConfig) -> None:
    """Raise `ConfigError` if what a run is to save would take the place of a file that is no checkpoint."""
    file = config.checkpoint.save
    tables = config.record if config.checkpoint.saves_run else []
    for path in () if file is None else (Path(file), *(spool_of(file, name) for name in tables)):
        try:
            check_replaceable(path)
        except StateError as error:
            raise ConfigError(f"checkpoint.save={file}: {error}.") from None


def check_savable(run: Context) -> None:
    """Raise `ConfigError` if a run cannot be saved: what its tables have written would be lost, say."""
    if not run.config.checkpoint.saves_run and (run.records.request_log or run.records.command_log):
        raise ConfigError(
            "record=[requests] or [commands]: a run is saved with these tables only if its configuration says when, "
            "as checkpoint.every_requests does; or set record=[]."
        )
