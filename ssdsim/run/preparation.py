"""The preparation of a device for the measured run: it is filled or written to steadiness, and run in.

To run it in is to send its load, unmeasured, until free space is as collection keeps it under that load.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import attrs
import numpy as np

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import WRITE
from ssdsim.config import MOST_NS
from ssdsim.host.untimed import UntimedReplay
from ssdsim.run.context import Context
from ssdsim.run.replay import replay_unmeasured
from ssdsim.run.workloads import OneChunk, Unreported
from ssdsim.states.preconditioning import fill, last_written, trimmed_share, write_to_steady_state
from ssdsim.workload.base import Workload
from ssdsim.workload.chunk import Chunk


def prepare(run: Context) -> None:
    """Bring the device into the state in which the measured run begins, and give it a clock if the run has one."""
    timed, wish = run.config.timing == "on", run.config.precondition
    if run.config.prepared_in_time:
        run.connect()  # a precondition that takes simulated time needs the clock first
    report = precondition(run)
    buffer, load = run.device.buffer, run.workloads.values()
    if wish.full_buffer and buffer is not None:
        buffer.start_with(last_written(load, buffer.pages.capacity, run.config.hardware.page_bytes))
    run.preconditioned = report | {"mode": wish.mode} | shares(run.device.blocks)
    if timed and run.env is None:
        run.connect()
    # Last: free space is brought to where the load keeps it, with flash timing.
    if timed and wish.mode == "writes" and wish.run_in:
        run_in(run)
        run.preconditioned |= shares(run.device.blocks)


def precondition(run: Context) -> dict[str, Any]:
    """Bring the device of `run` into the state that its configuration asks for; return the report on that."""
    config, device = run.config, run.device
    wish, report = config.precondition, dict[str, Any]()
    show_share = partial(run.reporter.report, "precondition")
    show_share(0.0)
    untimed = UntimedReplay(device.layer, config.hardware.page_bytes, run.oracle)

    def send(chunk: Chunk) -> None:
        if run.env is None:
            untimed.run(chunk)
        else:
            replay_unmeasured(run, {"precondition": OneChunk(chunk, config.host.queue_depth)})

    if wish.mode == "fill":
        fill(device, config, list(run.workloads.values()), show_share)
        if run.oracle is not None:  # valid pages hold data
            for lpa, ppa in enumerate(device.mapping.table.to_numpy(0, run.oracle.logical_pages).tolist()):
                if ppa >= 0:
                    run.oracle.data.put(ppa, run.oracle.filled(lpa))
    elif wish.mode == "writes":
        # without `run_in` the device knows nothing of its load, as a drive
        loads = run.workloads.values() if wish.run_in else ()
        trimmed = trimmed_share(loads, config.hardware.logical_pages, config.hardware.page_bytes)
        report = write_to_steady_state(config, device, send, show_share, trimmed)
    return report


def shares(blocks: Blocks) -> dict[str, float]:
    """Return the pages that are written, as a share of all, and those of them that are valid."""
    written, valid = (int(blocks.column(name).sum()) for name in ("written", "valid"))
    return {"fill_share": written / blocks.pages, "valid_share": valid / written if written else 0.0}


PIECE_ROWS = 256
"""Requests that a stream reads ahead: streams share what is left to write, and the rest of a piece is overshoot."""

MOST_PER_WRITE = 10
"""Pages touched for each that is to be written, at most: under a load of reads free space hardly changes."""

LONGEST_NS = MOST_NS // 8
"""The most simulated time that running in takes: the rest is for the run."""


@attrs.define
class PagesLeft:
    """How many pages all streams together have left to write, and to touch in any way."""

    to_write: int
    to_touch: int


@attrs.frozen
class ScatteredLoad(Unreported):
    """The requests of `workload`, pass after pass as they come, at places drawn among the first `pages` pages.

    A request keeps its size and its place within a page, and its first page that among so many `together`. All
    ends when nothing is `left`.
    """

    workload: Workload
    left: PagesLeft
    pages: int
    together: int
    page_bytes: int
    random: np.random.Generator

    @property
    def queue_depth(self) -> int | None:
        """Requests kept outstanding by closed-loop load, or None."""
        return self.workload.queue_depth

    def chunks(self) -> Iterator[Chunk]:
        """Yield the pieces of each pass."""
        begun_ns = before = 0
        while before != self.left.to_touch:  # else the workload is empty
            before, ended_ns = self.left.to_touch, begun_ns
            for chunk in self.workload.chunks():
                times = chunk.arrival_ns
                # Open loops have times from their start, closed loops the gaps between requests.
                ended_ns = begun_ns + int(times[-1]) if self.queue_depth is None else ended_ns + int(times.sum())
                if ended_ns > LONGEST_NS:  # all that follows would be later still
                    return
                for first in range(0, len(chunk), PIECE_ROWS):
                    if self.left.to_write <= 0 or self.left.to_touch <= 0:
                        return
                    # a piece at a time, as other streams take from what is left meanwhile
                    yield self.scattered(chunk[first : first + PIECE_ROWS], begun_ns)
            begun_ns = ended_ns

    def scattered(self, piece: Chunk, begun_ns: int) -> Chunk:
        """Return the requests of `piece`, in a pass begun then, and take them off what is left."""
        first, within = np.divmod(piece.offset_bytes, self.page_bytes)
        # a request is cut to the pages that were written
        size = np.minimum(piece.size_bytes, self.pages * self.page_bytes - within)
        touched = (within + size + self.page_bytes - 1) // self.page_bytes
        aligned = first % self.together
        # how many places there are that keep page and alignment
        rooms = (self.pages - touched - aligned) // self.together + 1
        # `integers` takes no bound of 0: a request without a place goes to the start.
        place = np.where(rooms > 0, self.random.integers(np.maximum(rooms, 1)) * self.together + aligned, 0)
        self.left.to_write -= int(touched[piece.op == WRITE].sum())
        # one that touches no page counts, or an endless load of such would not end
        self.left.to_touch -= int(np.maximum(touched, 1).sum())
        times = piece.arrival_ns + begun_ns if self.queue_depth is None else piece.arrival_ns
        offset = np.where(size > 0, place * self.page_bytes + within, 0)
        return attrs.evolve(piece, arrival_ns=times, offset_bytes=offset, size_bytes=size)


def run_in(run: Context) -> None:
    """Write as many pages as are free, with the load of `run`, whose device has been written to steadiness.

    Untimed collection keeps what it wants free. How much it keeps under load depends on that: most where the host
    leaves it time, and down to the hard threshold where not. When all that was free has been written once, with flash
    timing, it is what the load leaves. As much as a write buffer holds comes on top. Nothing is done where nothing was
    collected, or nothing is written.
    """
    config, blocks, buffer = run.config, run.device.blocks, run.device.buffer
    # whether a stream writes is told by its first chunk
    first = [chunk for load in run.workloads.values() for chunk in islice(load.chunks(), 1)]
    if not run.device.collector.collections or not any(WRITE in chunk.op for chunk in first):
        return
    # pages that are free, and those that the buffer takes first
    to_write = blocks.pages - int(blocks.column("written").sum()) + (0 if buffer is None else buffer.pages.capacity)
    left = PagesLeft(to_write, to_write * MOST_PER_WRITE)
    written_share = 1.0 if config.precondition.fill_share is None else config.precondition.fill_share
    pages = max(int(written_share * config.hardware.logical_pages), 1)
    # A third number, as 0x57A7E alone seeds the writes before (`write_to_steady_state`).
    seeds = np.random.SeedSequence([config.seed, 0x57A7E, 1]).spawn(len(run.workloads))
    bounds = left, pages, config.super_page, config.hardware.page_bytes
    loads = zip(run.workloads.items(), map(np.random.default_rng, seeds), strict=True)
    replay_unmeasured(run, {name: ScatteredLoad(load, *bounds, random) for (name, load), random in loads})
