"""What the device does between the start of the measured run and its end."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim._core.codes import ERASE, GC, HOST, PROGRAM, READ, SOURCE_COUNT
from ssdsim.device import Device
from ssdsim.host.queue import HostQueue
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics import summary as summarize
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.tally import Tally


class Measurement:
    """Counts from its creation on: all that the device counts is held against what it had counted then.

    `env` is None where the run takes no simulated time; `host` is the device queue once requests are sent.
    """

    def __init__(self, device: Device, untimed: UntimedReplay, env: Any):
        self.device = device
        self.untimed = untimed
        self.env = env
        self.host: HostQueue | None = None
        self.started = time.perf_counter()
        self.start_ns = self.now_ns()
        self.first = self.round_start = self.sample()
        self.first_flash = self.flash_counts()
        self.first_busy = self.busy_ns()
        self.first_layer = self.layer_counts()
        self.first_totals = self.flash_totals()
        device.counters.most_planes_at_work = 0
        self.first_buffer = self.buffer_counts()

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def sample(self) -> summarize.Sample:
        """Return the state of the device and its queue."""
        layer, collector, blocks, now_ns = self.device.layer, self.device.collector, self.device.blocks, self.now_ns()
        return (
            layer.host_page_writes,
            collector.page_moves,
            layer.filled_pages + layer.padded_pages + collector.padded_pages,
            collector.collections,
            blocks.erased,
            sum(map(blocks.free_blocks, range(blocks.units))) * blocks.span,
            0 if self.host is None else self.host.depth_integral_ns(now_ns),
            now_ns,
            *self.host_operations(),
            *map(blocks.free_of_type, range(blocks.page_types)),
        )

    def host_operations(self) -> Iterator[int]:
        """Yield the programs of the host, those of them done by multi-plane commands, and the same of its reads."""
        for op in (PROGRAM, READ):
            yield 0 if self.env is None else self.device.counters.count(op, HOST)
            yield 0 if self.env is None else int(self.device.counters.host_multi_plane[op])

    def flash_counts(self) -> np.ndarray:
        """Return the flash operations so far, by operation and source."""
        if self.env is not None:
            counters = self.device.counters
            return np.array([[counters.count(op, source) for source in range(SOURCE_COUNT)] for op in range(4)])
        counts = np.zeros((4, SOURCE_COUNT), np.int64)
        pages, moves, *_ = self.sample()
        counts[READ, HOST], counts[READ, GC] = self.untimed.page_reads, moves
        counts[PROGRAM, HOST], counts[PROGRAM, GC] = pages, moves
        counts[ERASE, GC] = self.device.blocks.erased
        return counts

    def busy_ns(self) -> dict[str, np.ndarray]:
        """Return for how long each channel's bus, each die and each plane's array has been busy."""
        device = self.device
        return {
            "channel": np.array([controller.bus_busy_ns for controller in device.controllers], float),
            "die": np.array([die.busy_ns for die in device.dies], float),
            "plane": np.array(device.counters.plane_busy_ns, float),
        }

    def layer_counts(self) -> dict[str, int]:
        """Return what the translation layer and the blocks have counted so far."""
        layer = self.device.layer
        return {
            "specified": layer.specified,
            "as_specified": layer.as_specified,
            "wasted_pages": self.device.blocks.wasted,
            "filled_pages": layer.filled_pages,
            "padded_pages": layer.padded_pages + self.device.collector.padded_pages,
            "memory_reads": layer.memory_reads,
            "unmapped_reads": layer.unmapped_reads,
            "coalesced_reads": layer.coalesced_reads,
        }

    def flash_totals(self) -> dict[str, np.ndarray]:
        """Return what the flash has added up so far, by the names of `FlashCounters`."""
        return {name: np.array(getattr(self.device.counters, name)) for name in summarize.FLASH_TOTALS}

    def buffer_counts(self) -> np.ndarray:
        """Return the page accesses that the write buffer has served, and all, so far."""
        buffer = self.device.buffer
        if buffer is None:
            return np.zeros(2, np.int64)
        hits = buffer.read_hits + buffer.write_hits
        return np.array([hits, hits + buffer.read_misses + buffer.write_misses])

    def round_report(self, tally: Tally) -> dict[str, Any]:
        """Return the report of the round that ends now, whose requests are in `tally`."""
        before, self.round_start = self.round_start, self.sample()
        return summarize.round_report(tally, before, self.round_start)

    def write_amplification(self) -> float | None:
        """Return the write amplification so far, None before the first write."""
        return summarize.write_amplification(summarize.changes(self.first, self.sample()))

    def summary(self, recorder: Recorder | None) -> dict[str, Any]:
        """Return the part of `summary.json` that was counted; `recorder` is None where there were no response times."""
        untimed, last = self.untimed, self.sample()
        sizes = list(untimed.bytes) if recorder is None else [recorder.size_bytes(op) for op in range(4)]
        counts = list(untimed.counts) if recorder is None else [recorder.count(op) for op in range(4)]
        by_type = list(untimed.writes_by_type) if recorder is None else recorder.writes_by_type()
        elapsed_ns = 0 if recorder is None else max(recorder.last_ns - self.start_ns, 0)
        counted = self.flash_counts() - self.first_flash
        change, free = summarize.changes(self.first, last), summarize.free_by_type(last)
        layer = {name: count - self.first_layer[name] for name, count in self.layer_counts().items()}
        success = layer["as_specified"] / layer["specified"] if layer["specified"] else None
        busy = {k: v - self.first_busy[k] for k, v in self.busy_ns().items()}
        totals = {name: total - self.first_totals[name] for name, total in self.flash_totals().items()}
        wall = time.perf_counter() - self.started
        return {
            "requests": summarize.untimed_requests(counts, sizes) if recorder is None else summarize.tallied(recorder),
            "iops": sum(counts) / elapsed_ns * 1e9 if elapsed_ns else None,
            "bandwidth_mib_s": sum(sizes[:2]) / 2**20 / elapsed_ns * 1e9 if elapsed_ns else None,
            "write_amplification": summarize.write_amplification(change),
            "queue_depth": summarize.queue_depth(self.first, last, self.host.most_in_flight if self.host else None),
            "page_types": summarize.page_types(by_type, self.device.blocks.page_types, success, free),
            "rounds": recorder.rounds.finished if recorder is not None and recorder.rounds else [],
            "flash": summarize.flash(counted),
            "multi_plane": summarize.multi_plane(totals, counted.sum(axis=1)),
            "plane_utilization": summarize.plane_utilization(totals, self.device.counters.most_planes_at_work),
            "buffer": summarize.buffer(*(self.buffer_counts() - self.first_buffer)),
            "host_page_writes": change["host_page_writes"],
            **{name: layer[name] for name in ("filled_pages", "padded_pages")},
            **{name: layer[name] for name in ("memory_reads", "unmapped_reads", "coalesced_reads")},
            "gc": {
                "collections": change["collections"],
                "page_moves": change["page_moves"],
                "wasted_pages": layer["wasted_pages"],
                **summarize.collection_times(totals, self.env is not None),
            },
            "utilization": {k: (v / elapsed_ns).tolist() if elapsed_ns else [] for k, v in busy.items()},
            "wear": summarize.wear(self.device.erases()),
            "simulated_s": elapsed_ns / 1e9,
            "transactions_per_s": float(counted.sum() / wall) if wall else None,
        }
