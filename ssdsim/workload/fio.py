"""The requests of a job of fio, distributed as fio's are (its HOWTO, and for places its `lib/zipf.c`).

Places are blocks of the least size within the job's range. `random` goes through all blocks in an order of its own each
time, or with `norandommap` or several sizes to any. The popularity of `zipf` falls with a power of the rank; ranks are
scattered by Knuth's multiplicative hash, by which two may share a block.

Reads and writes in order have a position each. Requests at a rate come at their times, reads and writes at one each,
whether or not the device keeps up; the others form a closed loop of the job's depth.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from ssdsim.config import MOST_NS, FioConfig, SimulationConfig
from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import CHUNK_ROWS, FLUSH, READ, WRITE, Chunk, merged
from ssdsim.workload.fio_jobs import Job, read_jobs
from ssdsim.workload.synthetic import Permutation, Zipf, drawn_sizes

GOLDEN = np.uint64(0x61C8864680B583EB)
"""2 to the power of 64 times the square of the golden ratio's inverse, odd: Knuth's multiplier."""

Draw = Callable[[int], np.ndarray]
"""Returns so many blocks, int64."""

Place = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Returns the offsets and the sizes of requests, given their operations and sizes."""


def scattered(rng: np.random.Generator, blocks: int, theta: float) -> Draw:
    """Return a function that draws blocks by Zipf's law, whose ranks are scattered by a hash."""
    start, ranks = int(rng.integers(0, 1 << 32)), Zipf(blocks, theta)

    def draw(count: int) -> np.ndarray:
        drawn = ranks.draw(rng, count).astype(np.uint64)
        return ((drawn * GOLDEN + np.uint64(start)) % np.uint64(blocks)).astype(np.int64)

    return draw


def covering(rng: np.random.Generator, blocks: int) -> Draw:
    """Return a function that draws each block once, then each once more in another order, and so on."""
    order, done = Permutation(blocks, rng), 0

    def draw(count: int) -> np.ndarray:
        nonlocal order, done
        parts = [np.zeros(0, np.int64)]
        while count:
            taken = min(count, blocks - done)
            parts.append(order(np.arange(done, done + taken)))
            count, done = count - taken, done + taken
            if done == blocks:
                order, done = Permutation(blocks, rng), 0
        return np.concatenate(parts)

    return draw


def with_jobs(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with a stream for each clone of the jobs of its job files, the first one in the file's place."""
    loads = {"main": config.workload, **config.workloads}
    streams: dict[str, Any] = {}
    for name, load in loads.items():
        if not isinstance(load, FioConfig) or load.clone is not None:
            streams[name] = load
            continue
        for index, job in enumerate(_chosen(load)):
            words = "".join(char if char.isalnum() else "_" for char in job.name) + (f"_{job.clone}" * (job.clone > 0))
            title = name if not index else words
            while title in streams or (index and title in loads):
                title += "_"
            streams[title] = attrs.evolve(load, job=job.name, clone=job.clone)
    main = streams.pop("main")
    return attrs.evolve(config, workload=main, workloads=streams)


def _chosen(config: FioConfig) -> list[Job]:
    """Return the jobs, or the clone of a job, that `config` asks for."""
    jobs = read_jobs(config.path)
    named = [job for job in jobs if config.job in (None, job.name)]
    if not named:
        names = list(dict.fromkeys(job.name for job in jobs))
        near = nearest(str(config.job), names)
        raise ConfigError(f"workload.job={config.job}: {config.path} has {', '.join(map(shown, names))}{near}.")
    chosen = [job for job in named if config.clone in (None, job.clone)]
    if not chosen:
        raise ConfigError(f"workload.clone={config.clone}: there are {len(named)} of {config.job}, from 0.")
    return chosen


class FioWorkload:
    """The requests of the clone of a job that a `FioConfig` names.

    Raise a `ConfigError` for a job that the device has no room for.
    """

    def __init__(self, config: FioConfig, capacity_bytes: int, page_bytes: int, seed: int) -> None:
        job, *others = _chosen(config)
        if others:
            raise ConfigError(f"{config.path}: has several jobs; ssdsim.simulate makes a stream of each.")
        option = job.options
        self._config, self._job, self._seed = config, job, seed
        self._start, self._length = self._range(capacity_bytes, page_bytes)
        # where the requests of each operation begin and end, in bytes: fio lays its files out before it reads
        self.extents = dict.fromkeys(job.ops, (self._start, self._start + self._length))
        self.queue_depth = None if job.rates else job.depth
        self.stage = job.stage
        self.runtime_ns = 0 if job.rates else option["runtime"]
        self.is_endless = bool(self.runtime_ns and option["time_based"])
        largest = max(max(values) for values, _ in job.sizes.values())
        if largest > self._length:
            raise job.refused("bs", f"{largest} bytes do not fit into the job's range of {self._length}")
        least = min(min(values) for values, _ in job.sizes.values())
        # bytes after which the job is done; a rest that is too short for a request is left out
        self._bytes = option["io_size"] or self._length // least * least
        # with draws or time it is not known beforehand
        is_known = not option["runtime"] and not option["fsync"] and least == largest
        self.requests = -(-self._bytes // least) if is_known else None

    def _range(self, capacity_bytes: int, page_bytes: int) -> tuple[int, int]:
        """Return where the range of the job begins, and its length: each file of the jobs lies after the one before."""
        jobs = read_jobs(self._config.path)
        ends: dict[str, int] = dict.fromkeys((job.file for job in jobs), 0)
        for job in jobs:
            if not job.options["size"] and len(ends) > 1:
                problem = "must be given, as there are several files on the device; or give all jobs the same filename"
                raise job.refused("size", problem)
            end = job.offset + job.options["size"] if job.options["size"] else capacity_bytes
            ends[job.file] = max(ends[job.file], end)
        lengths = [-(-end // page_bytes) * page_bytes for end in ends.values()]  # in whole pages
        file_start = sum(lengths[: list(ends).index(self._job.file)])
        start, whole = file_start + self._job.offset, ends[self._job.file]
        length = min(self._job.options["size"] or whole, whole - self._job.offset)
        if start + length > capacity_bytes or length <= 0:
            raise self._job.refused(
                "size",
                f"the jobs reach to {max(sum(lengths), start + 1)} bytes, and the device has {capacity_bytes}; "
                "set size or offset lower, or take a larger device, as hardware=tlc_128g",
            )
        return start, length

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        job = self._job
        entropy = np.random.SeedSequence([self._seed, job.clone, 0])
        place_rng, kind_rng = map(np.random.default_rng, entropy.spawn(2))
        place = self._random(place_rng) if job.is_random else self._in_order()
        left, written = self._bytes, 0
        for chunk in self._timed(kind_rng):
            offset, size = place(chunk.op, chunk.size_bytes)
            whole = Chunk(chunk.arrival_ns, chunk.op, self._start + offset, size)
            if not job.options["time_based"]:
                # the request that reaches what is to be done is the last
                whole = whole[: int(np.searchsorted(np.cumsum(size), left)) + 1]
                left -= int(whole.size_bytes.sum())
            if len(whole):
                flushed = self._flushed(whole, written)
                fua = (flushed.op == WRITE).view(np.uint8) if job.options["sync"] else None
                yield attrs.evolve(flushed, fua=fua)
            written += int(np.count_nonzero(whole.op == WRITE))
            if left <= 0:
                return

    def _timed(self, rng: np.random.Generator) -> Iterator[Chunk]:
        """Yield requests without an end but for the runtime, that have times, operations and sizes, and no places."""
        job = self._job
        if job.rates:
            streams = rng.spawn(len(job.ops))
            yield from merged(self._at_rate(op, stream) for op, stream in zip(job.ops, streams, strict=True))
            return
        op_rng, *size_rngs = rng.spawn(1 + len(job.ops))
        for before in itertools.count(0, CHUNK_ROWS):
            op = np.full(CHUNK_ROWS, job.ops[0], np.uint8)
            if len(job.ops) > 1:
                op = np.where(op_rng.random(CHUNK_ROWS) < job.read_share, READ, WRITE).astype(np.uint8)
            size = np.empty(CHUNK_ROWS, np.int64)
            for kind, stream in zip(job.ops, size_rngs, strict=True):
                size[op == kind] = drawn_sizes(job.sizes[kind], stream, int(np.count_nonzero(op == kind)))
            pauses = np.arange(before, before + CHUNK_ROWS) % job.options["thinktime_blocks"] == 0
            idle = pauses * job.options["thinktime"]
            if not before:
                # a job that waits for others begins a nanosecond after them
                idle[0] = int(job.stage > 0)
            yield Chunk(idle, op, np.zeros(CHUNK_ROWS, np.int64), size)

    def _at_rate(self, op: int, rng: np.random.Generator) -> Iterator[Chunk]:
        """Yield the requests of one operation at its rate, up to the runtime."""
        job, (size_rng, _) = self._job, rng.spawn(2)
        end_ns = job.options["runtime"] or MOST_NS / 2
        for before in itertools.count(0, CHUNK_ROWS):
            size = drawn_sizes(job.sizes[op], size_rng, CHUNK_ROWS)
            times = np.arange(before, before + CHUNK_ROWS) * (1e9 / job.rates[op])
            count = int(np.searchsorted(times, end_ns))
            if count:
                nothing, ops = np.zeros(count, np.int64), np.full(count, op, np.uint8)
                yield Chunk(np.rint(times[:count]).astype(np.int64), ops, nothing, size[:count])
            if count < CHUNK_ROWS:
                return

    def _flushed(self, chunk: Chunk, written: int) -> Chunk:
        """Return the requests with a flush after every so many writes, of which there were `written` before."""
        if not (every := self._job.options["fsync"]):
            return chunk
        count = written + np.cumsum(chunk.op == WRITE)
        rows = np.flatnonzero((chunk.op == WRITE) & (count % every == 0)) + 1
        times = chunk.arrival_ns[rows - 1] if self._job.rates else 0
        return Chunk(
            np.insert(chunk.arrival_ns, rows, times),
            np.insert(chunk.op, rows, FLUSH),
            np.insert(chunk.offset_bytes, rows, 0),
            np.insert(chunk.size_bytes, rows, 0),
        )

    def _in_order(self) -> Place:
        """Return a function that places requests one after another, those of each operation by themselves."""
        positions = dict.fromkeys(self._job.ops, 0)

        def advance(op: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            offset = np.zeros(len(op), np.int64)
            for kind, (values, _) in self._job.sizes.items():
                rows = np.flatnonzero(op == kind)
                sizes, lap = size[rows], self._length // min(values) * min(values)
                ends = positions[kind] + np.cumsum(sizes)
                # one that would run over the end is moved back
                offset[rows] = np.minimum((ends - sizes) % lap, self._length - sizes)
                positions[kind] = int(ends[-1]) % lap if len(rows) else positions[kind]
            return offset, size

        return advance

    def _random(self, rng: np.random.Generator) -> Place:
        """Return a function that places requests as the distribution says; ops of the same sizes share their blocks."""
        job = self._job
        place_rng, size_rng = rng.spawn(2)
        alike = {values: [op for op in job.ops if job.sizes[op][0] == values] for values, _ in job.sizes.values()}
        draws = {values: self._blocks(values, place_rng, len(alike) == 1) for values in alike}

        def scatter(op: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            offset, size = np.empty(len(op), np.int64), size.copy()
            for values, ops in alike.items():
                rows = np.isin(op, ops)
                offset[rows] = draws[values](int(np.count_nonzero(rows))) * min(values)
            # A size that does not fit at its place is drawn again, as the least one does.
            for kind in job.ops:
                while (beyond := (op == kind) & (offset + size > self._length)).any():
                    size[beyond] = drawn_sizes(job.sizes[kind], size_rng, int(np.count_nonzero(beyond)))
            return offset, size

        return scatter

    def _blocks(self, sizes: tuple[int, ...], rng: np.random.Generator, is_shared: bool) -> Draw:
        """Return a function that draws blocks for requests of some sizes, which may be those of all operations."""
        blocks, theta = self._length // min(sizes), self._job.options["random_distribution"]
        if theta is not None:
            return scattered(rng, blocks, theta)
        if not self._job.options["norandommap"] and is_shared and len(sizes) == 1:
            return covering(rng, blocks)
        return lambda count: rng.integers(0, blocks, count)

    def describe(self) -> dict[str, Any]:
        """Return the job's options as they were written, and where it goes."""
        job = self._job
        return {
            "kind": "fio",
            "path": str(self._config.path),
            "job": job.name,
            "clone": job.clone,
            "stage": job.stage,
            "group": job.stage,
            "grouped": job.options["group_reporting"],
            "options": dict(job.given),
            "ignored": job.ignored,
            "start_bytes": self._start,
            "footprint_bytes": self._length,
        }
