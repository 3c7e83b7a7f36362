"""A drive as a part of somebody's own SimPy model."""

from functools import partial
from pathlib import Path
from typing import Any

import attrs

from ssdsim._core.either_kernel import run_routine
from ssdsim.assembly.namespaces import namespaces
from ssdsim.assembly.rules import DEFAULT, shown, value_of
from ssdsim.check.words import origin_of
from ssdsim.config import MOST_NS, FioConfig, GeneratorConfig, SimulationConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import ConfigError, PowerLostError
from ssdsim.host.live import Inbox
from ssdsim.host.port import ModelStream, Port
from ssdsim.host.request import SECTOR
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.recorder import Closing
from ssdsim.metrics.result import Result
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import State
from ssdsim.run.workloads import OneChunk
from ssdsim.workload import Chunk, Workload, open_workload
from ssdsim.workload.base import CheckedWorkload
from ssdsim.workload.recorded import LoadTable

LOAD = "ssdsim.workload.recorded.RecordedLoad"

FORESIGHT = ["timing", "buffer.footprint_share", "precondition.full_buffer", "host.only_stream"]
FORESIGHT += ["power_loss.at_s", "power_loss.after_programs"]
"""Keys that want the load beforehand, or a run of its own, unless they are what they are by default."""


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
        for key in FORESIGHT:
            value, right = value_of(config, key), value_of(DEFAULT, key)
            if value != right:
                raise ConfigError(f"{key}={shown(value)}: must be {shown(right)} for a drive that is part of a model.")
        results = folder if isinstance(folder, ResultFolder) or folder is None else ResultFolder(folder)
        table = "" if results is None else str(results.path / "load.parquet")
        options = [{"path": table, "stream": number} for number in range(len(streams))]
        loads = [GeneratorConfig(generator=LOAD, options=option) for option in options]
        self.config = attrs.evolve(
            config,
            workload=loads[0],
            workloads=dict(zip(streams[1:], loads[1:], strict=True)),
            # nobody knows yet what the model is going to read
            precondition=attrs.evolve(config.precondition, valid_reads=False, run_in=False),
        )
        places = namespaces(self.config)
        inboxes = {name: Inbox() for name in streams}
        checked = {name: CheckedWorkload(inbox, places[name][1]) for name, inbox in inboxes.items()}
        self.outer, self.outstanding = env, 0
        self.simulation = Simulation(self.config, results, loads=checked)
        self.simulation.begin()
        self.in_order = [
            ModelStream(stream, inboxes[stream.name], *places[stream.name]) for stream in self.simulation.streams
        ]
        self.streams = {side.stream.name: side for side in self.in_order}
        self.load: Any = None if results is None else LoadTable(results.part("load.parquet"))
        if self.load is not None:
            for number, side in enumerate(self.in_order):
                side.inbox.keep = partial(self.load.add, number, side.first_bytes)
        self.request_log = self.simulation.request_log
        self.simulation.recorder.request_log = self  # which learns of completions so (`Port.add`)
        oracle = self.simulation.oracle
        self.first_number = 0 if oracle is None else oracle.number + 1  # a fill counts as a request, too
        self.connect(self.simulation.host, self.simulation.env, self.simulation.now - int(env.now))

    @property
    def size_bytes(self) -> int:
        """The bytes that the host can write on it, namespaces together."""
        return self.config.hardware.capacity_bytes

    @property
    def state(self) -> State:
        """The state of the device and its queues now (`ssdsim.run.stepping`)."""
        self.catch_up()
        return self.simulation.state

    def play(self, load: TraceConfig | SyntheticConfig | GeneratorConfig | Chunk, stream: str = "main") -> Any:
        """Play a load in a stream, which takes no other requests until it is over; return the event of that.

        It is a workload's configuration, or requests in columns (`ssdsim.workload.Chunk`), whose times count from now
        on; in a closed loop a request comes when another is complete, and what it waits for its rate counts in its
        time. The value of the event is the response time of each request, in ns, in order, as an array. A request costs
        what it does in a run; one by one they cost several times that.

        Raise `ConfigError` or `TraceError` for a load that cannot be used, and `ValueError` for a stream that there is
        not, or that plays one already.
        """
        side = self.streams.get(stream)
        if side is None or side.playing is not None:
            raise self.not_free(stream)
        if isinstance(load, FioConfig):
            raise ConfigError("job files are not played in a drive; give a synthetic load, or a trace of fio's.")
        size, page_bytes = side.size_bytes, self.config.hardware.page_bytes
        if isinstance(load, Chunk):
            opened: Workload = OneChunk(load, None)
        else:
            opened = open_workload(load, size, page_bytes, self.config.seed + side.stream.index)
        return self.play_all(CheckedWorkload(opened, size, side.first_bytes), side)

    def measure(self) -> None:
        """Begin to measure anew: what is complete now counts as preparation.

        That leaves the beginning out of the summary and the time series, and of nothing else: tables have all requests
        and commands, and the recorded load is repeated and measured from its start.
        """
        self.catch_up()
        run = self.simulation
        run.recorder.windows.end_ns = MOST_NS  # the process that closes them ends
        run.measure(run.host)
        run.recorder.request_log, run.host.recorder = self, run.recorder
        run_routine(run.env, Closing(run.env, run.recorder.windows))

    def cut_power(self) -> Any:
        """Cut the drive's power; return the event of its being ready again, when it has booted.

        The events of requests that are in the device fail with `PowerLostError`, and so do those of all flushes, and
        that of a load that is played. Other requests that still wait for a place in the device, and whatever comes
        before it has booted, are served then. Raise `ConfigError` without `integrity=on`, which keeps what is in the
        cells, and with FAST.
        """
        if self.config.integrity != "on":
            raise ConfigError(f"integrity={self.config.integrity}: must be on for a drive whose power is cut.")
        if self.config.ftl.mapping.scheme == "fast":
            raise ConfigError("ftl.mapping.scheme=fast: must be page or dftl for a drive whose power is cut.")
        self.catch_up()
        for side in self.in_order:
            lost = [(side.waiting.pop(number), f"request {number}") for number in side.lost_with_power()]
            if side.playing is not None:
                lost.append((side.playing.done, "the load"))
                side.playing = None
            for event, name in lost:
                event.defused = True  # nobody has to wait for it
                event.fail(PowerLostError(f"{name} of {side.stream.name} was lost with the drive's power."))
                self.outstanding -= 1
        self.simulation.next_leg()
        self.connect(self.simulation.host, self.simulation.env, self.offset_ns)
        return self.outer.timeout(max(self.simulation.now - self.offset_ns - self.outer.now, 0))

    def writer_of(self, offset: int) -> int | None:
        """Return the number of the request that wrote the sector at byte `offset` as the drive holds it.

        They are numbered from 0 as the device takes them, those of one stream in the order of the calls. Data from
        before all requests has -1, a sector that holds nothing None. Raise `ConfigError` without `integrity=on`.
        """
        device = self.simulation.device
        if device.data is None:
            raise ConfigError(f"integrity={self.config.integrity}: must be on to tell what is in the cells.")
        self.catch_up()
        page, place = divmod(offset, self.config.hardware.page_bytes)
        word = device.data.split(device.front.newest(page))[place // SECTOR]
        return max(origin_of(word).number - self.first_number, -1) if word else None

    def peek(self) -> float:
        """Return the time of the drive's next event, by the model's clock; infinity if it has none."""
        self.catch_up()
        return self.simulation.peek() - self.offset_ns

    def finish(self) -> Result:
        """End the drive's part; return its result, which is that of a run, and write it into the folder, if any.

        As a run, it ends with the last completion. The result is partial if requests are outstanding.
        """
        if self.simulation.result is None:
            if self.outstanding:
                self.catch_up()
            else:
                for side in self.in_order:
                    side.stream.end()
                    self.queue.ring(side.stream)
                self.simulation.run()
            for side in self.in_order:
                side.inbox.kept()
            if self.load is not None:
                self.load.close()
        return self.simulation.finish()
