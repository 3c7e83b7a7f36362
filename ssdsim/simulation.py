"""One experiment from its configuration to its result: precondition, replay, measure."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from ssdsim._core.codes import ERASE, GC, HOST, PROGRAM, READ, SOURCE_COUNT
from ssdsim._core.kernel import make_environment
from ssdsim.config import ACCESS_LATENCIES, SimulationConfig
from ssdsim.device import Device
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.host import arbitration
from ssdsim.host.arbitration import Arbitration
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics import summary as summarize
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import Recorder, Windows
from ssdsim.metrics.result import SCHEMA, Result
from ssdsim.metrics.rounds import Rounds
from ssdsim.metrics.tally import Tally
from ssdsim.policies import make_policy
from ssdsim.preconditioning import fill, write_to_steady_state
from ssdsim.workload import Chunk, Workload, open_workload
from ssdsim.workload.base import CheckedWorkload

PROGRESS_INTERVAL_S = 0.2
STALL_NS = 60_000_000_000
"""Simulated time without a completion, beside ten thousand of the longest flash operation, that counts as a stall."""


@attrs.frozen
class Snapshot:
    """How far a run is. `fraction` is None where the end is not known."""

    phase: str
    fraction: float | None
    requests_done: int = 0
    requests_total: int | None = None
    simulated_ns: int = 0
    iops: float = 0.0
    write_amplification: float = 0.0


class Progress(Protocol):
    """Whoever wants to see how far a run is, a few times a second."""

    def update(self, snapshot: Snapshot) -> None:
        """Show `snapshot`."""


def simulate(config: SimulationConfig, folder: Path | None = None, progress: Progress | None = None) -> Result:
    """Run the experiment that `config` describes and return what it measured.

    With `folder` everything is also written there (see `ssdsim.metrics.result`); the folder is made if need be.
    Raise `InputError` if the configuration or a trace cannot be used and `SimulationError` if the run goes wrong. On
    Ctrl-C what was measured so far is written, marked as partial, before `KeyboardInterrupt` goes on.
    """
    simulation = Simulation(config, folder, progress)
    try:
        simulation.run()
    except KeyboardInterrupt:
        simulation.finish(partial=True)
        raise
    return simulation.finish(partial=False)


class Simulation:
    """A run of one experiment, step by step."""

    def __init__(self, config: SimulationConfig, folder: Path | None = None, progress: Progress | None = None):
        self.started = time.perf_counter()
        self.config = config
        self.folder = None if folder is None else Path(folder)
        self.progress = progress
        self.next_report = 0.0
        self.device = Device(config)
        self.workloads = open_workloads(config)
        self.total = sum_or_none([workload.requests for workload in self.workloads.values()])
        self.preconditioned: dict[str, Any] = {}
        self.env: Any = None
        self.host: HostQueue | None = None
        self.untimed = UntimedReplay(self.device.layer, config.hardware.page_bytes)
        self.request_log: RequestLog | None = None
        self.command_log: CommandLog | None = None
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def run(self) -> None:
        """Precondition the device and send it every request of every stream."""
        if self.config.timing == "on" and self.config.precondition.timed:
            self.connect()
        self.precondition()
        if self.config.timing == "on":
            if self.env is None:
                self.connect()
            self.begin_measurement()
            self.replay(self.workloads)
        else:
            self.begin_measurement()
            self.replay_untimed()
        if self.config.check != "off":
            self.device.check()

    # Preparing.

    def connect(self) -> None:
        """Give the device a clock."""
        self.env = make_environment(self.config.kernel)
        self.device.connect(self.env)

    def path(self, name: str) -> Path | None:
        """Return where file `name` of the result goes, or None if nothing is written."""
        return None if self.folder is None else self.folder / name

    def precondition(self) -> None:
        """Bring the device into the state that the configuration asks for."""
        config = self.config
        self.report("precondition", 0.0)
        if config.precondition.mode == "fill":
            fill(self.device, config, list(self.workloads.values()))
        elif config.precondition.mode == "writes":
            self.preconditioned = write_to_steady_state(
                config, self.device, self.write_chunk, lambda share: self.report("precondition", share)
            )
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
            self.recorder = Recorder(Windows(self.sample))
            self.replay({"precondition": _Writes(chunk, self.config.host.queue_depth)})

    def begin_measurement(self) -> None:
        """Start to count: what was done so far was preparation."""
        self.untimed = UntimedReplay(self.device.layer, self.config.hardware.page_bytes)
        if "requests" in self.config.record and self.env is not None:
            self.request_log = RequestLog(self.path("requests.parquet"))
        if "commands" in self.config.record and self.env is not None:
            self.command_log = CommandLog(self.path("commands.parquet"), self.config.hardware)
            for controller in self.device.controllers:
                controller.recorder = self.command_log
        main = self.workloads["main"]
        self.recorder = Recorder(
            Windows(self.sample, self.now_ns()),
            self.request_log,
            self.observe,
            self.device.check if self.config.check == "always" else None,
            Rounds((main.requests or 0) // main.rounds, self.round_report) if main.rounds > 1 else None,
        )
        self.host = None  # that of preconditioning
        self.first_sample = self.round_start = self.sample()
        self.first_counts = self.flash_counts()
        self.first_busy = self.busy_ns()
        self.first_typed = self.typed_pages()
        self.first_wasted = self.device.blocks.wasted
        self.first_ns = self.now_ns()
        self.replay_started = time.perf_counter()

    # Running.

    def replay(self, workloads: dict[str, Workload]) -> None:
        """Send the requests of `workloads` through the device queue and return when all are complete."""
        config = self.config
        hints = {name: ACCESS_LATENCIES.index(hint) for name, hint in config.host.access_latency.items()}
        streams = [
            Stream(index, name, config.host.weights.get(name, 1), workload, self.now_ns(), hints.get(name, 0))
            for index, (name, workload) in enumerate(workloads.items())
        ]
        policy = make_policy("host.arbitration", config.host.arbitration, Arbitration, arbitration)
        host = HostQueue(self.env, streams, policy, config.host.queue_depth, self.device.layer, self.recorder)
        self.host = host
        host.start()
        self.env.process(self.watch(host))
        try:
            self.env.run(until=host.finished)
        except RuntimeError as error:
            if host.finished.triggered or "No scheduled events left" not in str(error):
                raise
            raise self.stalled("nothing is left to happen") from None
        if host.done != host.admitted or (
            self.total is not None and workloads is self.workloads and host.done != self.total
        ):
            raise SimulationError(
                f"{self.total} requests were generated, {host.admitted} admitted, {host.done} completed."
            )

    def watch(self, host: HostQueue) -> Any:
        """Stop the run when there is work and nothing at all is done for long (a process)."""
        hardware = self.config.hardware
        transfer_us = hardware.page_bytes * hardware.bus_ns_per_byte / 1000
        longest_us = max(*hardware.read_us, *hardware.program_us, hardware.erase_us, transfer_us)
        interval = STALL_NS + int(longest_us * 1e7)
        while True:
            busy = host.in_flight or any(stream.ready() for stream in host.streams)
            before = (host.done, self.device.counters.transactions) if busy else None
            yield self.env.timeout(interval)
            if host.finished.triggered:
                return
            if before == (host.done, self.device.counters.transactions):
                raise self.stalled(f"no request or flash command was done in {interval / 1e9:g} simulated seconds")

    def stalled(self, what: str) -> SimulationError:
        """Return the error for a run that makes no progress, with who waits for what."""
        assert self.host is not None
        ready = [f"stream {stream.name} waits to be admitted" for stream in self.host.streams if stream.ready()]
        oldest = self.host.outstanding()[:8]
        numbers = f" (the oldest are numbers {', '.join(map(str, oldest))})" if oldest else ""
        waiting = "; ".join([*self.device.waiting(), *ready]) or "nothing waits in the device"
        return SimulationError(
            f"the run stalled at {int(self.env.now)} ns: {what}, and {self.host.in_flight} requests are outstanding"
            f"{numbers}: {waiting}."
        )

    def replay_untimed(self) -> None:
        """Send all requests without flash timing, stream after stream."""
        for index, workload in enumerate(self.workloads.values()):
            for chunk in workload.chunks():
                self.untimed.run(chunk, index)
                self.observe(0)

    # Watching.

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def sample(self) -> summarize.Sample:
        """Return the state of the device and its queue."""
        layer, collector, blocks, now_ns = self.device.layer, self.device.collector, self.device.blocks, self.now_ns()
        return (
            layer.host_page_writes,
            collector.page_moves,
            collector.collections,
            sum(map(blocks.free_blocks, range(blocks.planes))),
            0 if self.host is None else self.host.depth_integral_ns(now_ns),
            now_ns,
            *map(blocks.free_of_type, range(blocks.page_types)),
        )

    def round_report(self, tally: Tally) -> dict[str, Any]:
        """Return the report of the round that ends now, whose requests are in `tally`."""
        before, self.round_start = self.round_start, self.sample()
        return summarize.round_report(tally, before, self.round_start)

    def observe(self, now_ns: int) -> None:
        """Report how far the replay is, if it is time to."""
        if self.progress is None or time.perf_counter() < self.next_report:
            return
        done = self.recorder.done or int(np.sum(self.untimed.counts))
        elapsed = (now_ns - self.first_ns) / 1e9
        pages, moves = self.sample()[0] - self.first_sample[0], self.sample()[1] - self.first_sample[1]
        self.report(
            "replay",
            done / self.total if self.total else None,
            requests_done=done,
            requests_total=self.total,
            simulated_ns=now_ns - self.first_ns,
            iops=done / elapsed if elapsed else 0.0,
            write_amplification=(pages + moves) / pages if pages else 0.0,
        )

    def report(self, phase: str, fraction: float | None, **numbers: Any) -> None:
        """Tell whoever watches."""
        if self.progress is not None:
            self.next_report = time.perf_counter() + PROGRESS_INTERVAL_S
            self.progress.update(Snapshot(phase, fraction, **numbers))

    # Measuring.

    def flash_counts(self) -> np.ndarray:
        """Return the flash operations so far, by operation and source."""
        if self.env is not None:
            counters = self.device.counters
            return np.array([[counters.count(op, source) for source in range(SOURCE_COUNT)] for op in range(4)])
        counts = np.zeros((4, SOURCE_COUNT), np.int64)
        pages, moves, collections, *_ = self.sample()
        counts[READ, HOST], counts[READ, GC] = self.untimed.page_reads, moves
        counts[PROGRAM, HOST], counts[PROGRAM, GC] = pages, moves
        counts[ERASE, GC] = collections
        return counts

    def typed_pages(self) -> tuple[int, int]:
        """Return the host page writes so far for which a page type was specified, and those that were given it."""
        return self.device.layer.specified, self.device.layer.as_specified

    def busy_ns(self) -> dict[str, np.ndarray]:
        """Return for how long each channel's bus, each die and each plane's array has been busy."""
        device = self.device
        return {
            "channel": np.array([controller.bus_busy_ns for controller in device.controllers], float),
            "die": np.array([die.busy_ns for die in device.dies], float),
            "plane": np.array(device.counters.plane_busy_ns, float),
        }

    def finish(self, partial: bool) -> Result:
        """Close the tables, write the folder, and return the result."""
        if not hasattr(self, "replay_started"):
            self.begin_measurement()
        tables = {
            "requests": self.request_log.close() if self.request_log else None,
            "commands": self.command_log.close() if self.command_log else None,
        }
        recorder = self.recorder
        if recorder.done:
            recorder.windows.close(recorder.last_ns)
        tables["timeseries"] = summarize.timeseries(recorder.windows.rows, recorder.windows.width_ns, self.first_sample)
        tables["latency"] = summarize.latency_table(recorder)
        result = Result(self.summary(partial), self.folder, {k: v for k, v in tables.items() if v is not None})
        if self.folder is not None:
            self.write(result, tables)
        return result

    def summary(self, partial: bool) -> dict[str, Any]:
        """Return the contents of `summary.json`."""
        timed = self.config.timing == "on"
        recorder, untimed = self.recorder, self.untimed
        sizes = [recorder.size_bytes(op) for op in range(4)] if timed else list(untimed.bytes)
        counts = [recorder.count(op) for op in range(4)] if timed else list(untimed.counts)
        by_type = recorder.writes_by_type() if timed else list(untimed.writes_by_type)
        elapsed_ns = max(recorder.last_ns - self.first_ns, 0) if timed else 0
        counted = self.flash_counts() - self.first_counts
        deepest = self.host.most_in_flight if self.host else None
        last = self.sample()
        pages, moves, collections = (a - b for a, b in zip(last[:3], self.first_sample[:3], strict=True))
        specified, as_specified = (a - b for a, b in zip(self.typed_pages(), self.first_typed, strict=True))
        success = as_specified / specified if specified else None
        busy = {k: v - self.first_busy[k] for k, v in self.busy_ns().items()}
        wall = time.perf_counter() - self.replay_started
        return {
            "schema": SCHEMA,
            "requests": summarize.tallied(recorder) if timed else summarize.untimed_requests(counts, sizes),
            "iops": sum(counts) / elapsed_ns * 1e9 if elapsed_ns else None,
            "bandwidth_mib_s": sum(sizes[:2]) / 2**20 / elapsed_ns * 1e9 if elapsed_ns else None,
            "write_amplification": summarize.write_amplification(pages, moves),
            "queue_depth": summarize.queue_depth(self.first_sample, last, deepest),
            "page_types": summarize.page_types(by_type, self.device.blocks.page_types, success, last[6:]),
            "rounds": recorder.rounds.finished if recorder.rounds else [],
            "flash": summarize.flash(counted),
            "host_page_writes": pages,
            "memory_reads": self.device.layer.memory_reads,
            "unmapped_reads": self.device.layer.unmapped_reads,
            "coalesced_reads": self.device.layer.coalesced_reads,
            "gc": {
                "collections": collections,
                "page_moves": moves,
                "wasted_pages": self.device.blocks.wasted - self.first_wasted,
            },
            "utilization": {k: (v / elapsed_ns).tolist() if elapsed_ns else [] for k, v in busy.items()},
            "wear": summarize.wear(self.device.erases()),
            "write_complete": self.config.flash.write_complete,
            "timing": self.config.timing,
            "kernel": self.config.kernel,
            "precondition": self.preconditioned,
            "workload": next(iter(self.workloads.values())).describe(),
            "workloads": {name: load.describe() for name, load in list(self.workloads.items())[1:]},
            "simulated_s": elapsed_ns / 1e9,
            "wall_s": time.perf_counter() - self.started,
            "transactions_per_s": float(counted.sum() / wall) if wall else None,
            "partial": partial,
            **summarize.provenance(self.config),
        }

    def write(self, result: Result, tables: dict[str, pa.Table | None]) -> None:
        """Write the folder's files, the summary last."""
        assert self.folder is not None
        resolved = yaml.safe_dump(attrs.asdict(self.config), sort_keys=False)
        (self.folder / "config.yaml").write_text(resolved, encoding="utf-8")
        for name in ("timeseries", "latency"):
            pq.write_table(tables[name], self.folder / f"{name}.parquet", compression="zstd")
        text = json.dumps(result.summary, indent=2, sort_keys=False, allow_nan=False)
        (self.folder / "summary.json").write_text(text + "\n", encoding="utf-8")


@attrs.frozen
class _Writes:
    """One chunk as a closed-loop workload."""

    chunk: Chunk
    queue_depth: int | None
    rounds: ClassVar[int] = 1

    @property
    def requests(self) -> int:
        """How many requests the chunk holds."""
        return len(self.chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunk."""
        yield self.chunk

    def describe(self) -> dict[str, Any]:
        """Return nothing: this load is not reported."""
        return {}


def open_workloads(config: SimulationConfig) -> dict[str, Workload]:
    """Open the main workload and the further ones, by stream name."""
    if config.workload is None:
        raise ConfigError("workload: none is given; set it to trace or synthetic.")
    streams = ["main", *config.workloads]
    for key in ("weights", "access_latency"):
        unknown = set(getattr(config.host, key)) - set(streams)
        if unknown:
            raise ConfigError(f"host.{key}.{min(unknown)}: there is no such stream; they are {', '.join(streams)}.")
    hardware = config.hardware
    return {
        name: CheckedWorkload(
            open_workload(load, hardware.capacity_bytes, hardware.page_bytes, config.seed + index),
            hardware.capacity_bytes,
        )
        for index, (name, load) in enumerate({"main": config.workload, **config.workloads}.items())
    }


def sum_or_none(numbers: list[int | None]) -> int | None:
    """Return the sum, or None if a number is not known."""
    return None if None in numbers else sum(n for n in numbers if n is not None)
