"""A drive as a part of somebody's own SimPy model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from ssdsim.assembly.namespaces import namespaces
from ssdsim.check.words import origin_of
from ssdsim.config import GeneratorConfig, SimulationConfig
from ssdsim.errors import ConfigError, PowerLostError
from ssdsim.flash.data import SECTOR
from ssdsim.host.inbox import Inbox, ModelStream, Port
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.run.simulation import Simulation
from ssdsim.run.state import State
from ssdsim.workload.base import CheckedWorkload
from ssdsim.workload.chunk import Chunk
from ssdsim.workload.recorded import LoadTable

LOAD = "ssdsim.workload.recorded.RecordedLoad"

FORESIGHT = (
    ("timing", "off", "on"),
    ("buffer.footprint_share", None, "null, and buffer.size_mib be given"),
    ("precondition.full_buffer", True, "false"),
    ("precondition.timed", True, "false"),
    ("metrics.slowdown", True, "false"),
    ("host.only_stream", None, "null"),
    ("checkpoint.saves_run", True, "without at_s, at_requests and every_requests"),
    ("power_loss.wanted", True, "without at_s and after_programs: call cut_power()"),
)
"""Keys that want the load beforehand, or a run of its own: the key, what it must not be, and what it must be."""


class Drive(Port):
    """The SSD that `config` describes, as a part of the model whose clock is `env`, in nanoseconds.

    `env` is a `simpy.Environment`, or a `ssdsim.Environment`, which is faster. `read`, `write`, `trim` and `flush`
    return an event of it, to be waited for with `yield`, whose value is a `Completion`:

        completion = yield drive.write(offset=0, size=4096)
        print(completion.response_ns)

    The drive has its own events, on the kernel that `config.kernel` names, and any number of drives share a clock. A
    request comes from one of `streams` ("main", unless it is named); those and the drive's keys are as in a run, but
    for `workload`, which is not used: what `precondition` says of the load is left out. While nothing is outstanding
    the drive schedules nothing, so that `env.run()` ends; what it does by itself in that time is made up for later.

    With `folder`, `finish` writes the results there and the load (`load.parquet`), which `ssdsim --config FOLDER` runs
    again: to the nanosecond, unless a request comes in just the nanosecond in which the drive does something else.

    Raise `InputError` if the configuration or the folder cannot be used. A drive that is in disorder raises
    `SimulationError` out of `env.run()`, and so does one that makes no progress.
    """

    def __init__(
        self,
        env: Any,
        config: SimulationConfig,
        folder: str | Path | ResultFolder | None = None,
        streams: tuple[str, ...] = ("main",),
    ):
        if streams[:1] != ("main",) or len(set(streams)) < len(streams):
            raise ConfigError(f"streams={streams!r}: must begin with main, and name each stream once.")
        for key, wrong, right in FORESIGHT:
            value: Any = config
            for name in key.split("."):
                value = getattr(value, name)
            if value == wrong if wrong is not None else value is not None:
                raise ConfigError(f"{key}={value}: must be {right} for a drive that is a part of a model.")
        results = folder if isinstance(folder, ResultFolder) or folder is None else ResultFolder(folder)
        table = None if results is None else results.path / "load.parquet"
        options = [{"path": str(table), "stream": number} for number in range(len(streams))]
        loads = [GeneratorConfig(generator=LOAD, options=option) for option in options]
        self.config = attrs.evolve(
            config,
            workload=loads[0],
            workloads=dict(zip(streams[1:], loads[1:], strict=True)),
            precondition=attrs.evolve(config.precondition, valid_reads=False, run_in=False),
        )
        places = namespaces(self.config)
        inboxes = {name: Inbox() for name in streams}
        checked = {name: CheckedWorkload(inbox, places[name][1]) for name, inbox in inboxes.items()}
        self.outer, self.found, self.outstanding = env, [], 0
        self.simulation = Simulation(self.config, results, loads=checked)
        self.simulation.begin()
        self.in_order = [
            ModelStream(stream, inboxes[stream.name], *places[stream.name])
            for stream in self.simulation.context.streams
        ]
        self.streams = {side.stream.name: side for side in self.in_order}
        self.load = None if results is None else LoadTable(results.part("load.parquet"))
        if self.load is not None:
            for number, inbox in enumerate(inboxes.values()):
                inbox.keep = self.keeper(number)
        recorder = self.simulation.context.records.recorder
        self.log, recorder.request_log = recorder.request_log, self
        oracle = self.simulation.context.oracle
        self.first_number = 0 if oracle is None else oracle.number + 1  # what it calls the first request
        self.connect(self.simulation.context.host, self.simulation.context.env, self.simulation.now - int(env.now))

    @property
    def size_bytes(self) -> int:
        """What the host can write on it, namespaces together."""
        return self.config.hardware.capacity_bytes

    @property
    def state(self) -> State:
        """What the device and its queues look like now (`ssdsim.run.state`)."""
        self.catch_up()
        return self.simulation.state

    def keeper(self, number: int) -> Callable[[Chunk], None]:
        """Return what writes the load of a stream, at the addresses of its namespace."""
        first_bytes, load = self.in_order[number].first_bytes, self.load
        assert load is not None
        return lambda chunk: load.add(number, attrs.evolve(chunk, offset_bytes=chunk.offset_bytes - first_bytes))

    def cut_power(self) -> Any:
        """Cut the drive's power; return the event of its being ready again, when it has booted.

        The events of requests that are in the device fail with `PowerLostError`. Those that still wait for a place in
        it, and whatever comes before it has booted, are served then. Raise `ConfigError` without `integrity=on`, which
        keeps what is in the cells.
        """
        if self.config.integrity != "on":
            raise ConfigError(f"integrity={self.config.integrity}: must be on for a drive whose power is cut.")
        self.catch_up()
        for side in self.in_order:
            for number in [number for number in side.waiting if number < side.stream.admitted]:
                event = side.waiting.pop(number)
                event.defused = True  # nobody has to wait for it
                event.fail(PowerLostError(f"request {number} of {side.stream.name} was lost with the drive's power."))
                self.outstanding -= 1
        self.simulation.next_leg()
        self.connect(self.simulation.context.host, self.simulation.context.env, self.offset_ns)
        return self.outer.timeout(max(self.simulation.now - self.offset_ns - self.outer.now, 0))

    def writer_of(self, offset: int) -> int | None:
        """Return the number of the request, from 0 on, that wrote the sector at byte `offset` as the drive holds it.

        It is below 0 for data from before all requests, and None for a sector that holds nothing. Raise `ConfigError`
        without `integrity=on`, and where requests are not admitted in the order in which they come.
        """
        context, config = self.simulation.context, self.config
        if context.oracle is None or len(self.in_order) > 1 or config.host.interface == "nvme":
            raise ConfigError("integrity=off, or several queues: nothing tells which request has written a sector.")
        page, place = divmod(offset, config.hardware.page_bytes)
        word = context.oracle.data.split(context.device.front.newest(page))[place // SECTOR]
        return None if not word else origin_of(word).number - self.first_number

    def peek(self) -> float:
        """Return when the drive does something next, by the model's clock; infinity if it does nothing by itself."""
        self.catch_up()
        return self.simulation.peek() - self.offset_ns

    def finish(self) -> Result:
        """End the drive's part; return what was measured, as that of a run, and write it into the folder, if any.

        The result is partial if requests are outstanding.
        """
        if self.simulation.result is None:
            self.catch_up()
            if not self.outstanding:
                for side in self.in_order:
                    side.stream.end()
                    self.queue.ring_for(side.stream)
                self.simulation.run()
            for side in self.in_order:
                side.inbox.kept()
            if self.load is not None:
                self.load.close()
        return self.simulation.finish()
