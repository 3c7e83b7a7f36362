"""What the device does between the start of the measured run and its end."""

import time
from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, GC, HOST, MAPPING, PROGRAM, READ, SOURCE_COUNT, WRITE
from ssdsim.assembly.device import Device
from ssdsim.flash.views import dies_of
from ssdsim.ftl.fast.mapping import MERGES
from ssdsim.host.queue import HostQueue
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics import summary as summarize
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.requests import tallied, untimed_requests
from ssdsim.metrics.tally import Tally
from ssdsim.run.sampler import Sampler

SENSING = 2
"""The phase of `ssdsim.flash.die_process` in which the array is at work."""


class Measurement:
    """Counts from its creation on: all that the device counts is held against what it had counted then.

    `env` is None where the run takes no simulated time; `sampler` is to be told of the device queue (`host`), unless
    there is one already. `end_ns` is after the last completion where somebody has watched the device work on.
    """

    def __init__(self, device: Device, untimed: UntimedReplay, env: Any, host: HostQueue | None = None):
        self.device = device
        self.untimed = untimed
        self.env = env
        self.sampler = Sampler(device, env)
        self.sampler.host = host
        if host is not None:
            host.most_in_flight = host.in_flight
        self.started = time.perf_counter()
        self.start_ns = self.end_ns = self.now_ns()
        self.carried: dict[str, Any] = {}
        self.most_in_flight = 0
        self.first = self.round_start = self.sample()
        self.first_counts = self.counts()
        device.counters.most_planes_at_work = 0  # a maximum, which no difference of two counts gives

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def go_on(self, device: Device, env: Any) -> None:
        """Have counts go on with a device that has been made of this one after a loss of power."""
        self.carried = self.counts()
        # Maxima are handed on, sums are `carried`.
        device.counters.most_planes_at_work = self.device.counters.most_planes_at_work
        self.most_in_flight = self.deepest_queue() or 0
        self.device, self.env = device, env
        self.sampler.go_on(device, env, summarize.carried(self.sample()))

    def deepest_queue(self) -> int | None:
        """Return the most requests that were in the device at a time, or None if none were sent to one with a clock."""
        host = self.sampler.host
        return None if host is None else max(self.most_in_flight, host.most_in_flight)

    def sample(self) -> summarize.Sample:
        """Return the state of the device and its queue, and what it and its forerunners have counted."""
        return self.sampler.sample()

    def counts(self) -> dict[str, Any]:
        """Return everything else that only grows, by name: of the device and its forerunners."""
        parts: dict[str, Any] = {
            "flash": self.flash_counts(),
            "buffer": self.buffer_counts(),
            "read_cache": self.read_cache_counts(),
        }
        parts |= {**self.busy_ns(), **self.layer_counts(), **self.plane_counts(), **self.mapping_counts()}
        parts |= self.cache_counts()
        parts |= {name: np.array(getattr(self.device.counters, name)) for name in summarize.FLASH_TOTALS}
        # sums: of this device, and of those before a loss of power
        return {name: part + self.carried.get(name, 0) for name, part in parts.items()}

    def flash_counts(self) -> np.ndarray:
        """Return the flash operations so far, by operation and source."""
        counts = np.array(self.device.counters.operations).reshape(-1, SOURCE_COUNT)
        if self.env is not None:
            return counts
        # Without a clock no command is counted: they follow from pages that were written and moved.
        pages, moves, *_ = self.sample()
        copies, mapping = self.device.collector.copies_back, self.mapping_counts()
        collector = self.device.collector.source
        # each moved page is read and programmed, but by a copy-back
        counts[READ, [HOST, collector, MAPPING]] = self.untimed.page_reads, moves - copies, mapping["mapping_reads"]
        counts[PROGRAM, [HOST, collector, MAPPING]] = pages, moves - copies, mapping["mapping_writes"]
        counts[COPYBACK, GC] = copies
        counts[ERASE, collector] = self.device.blocks.erased
        backup = self.device.backup
        if backup is not None:
            counts[[READ, PROGRAM, ERASE], BACKUP] = backup.reads, backup.pages, backup.erases
            # The blocks count erases whatever they are for.
            counts[ERASE, GC] -= backup.erases
        return counts

    def busy_ns(self) -> dict[str, np.ndarray]:
        """Return for how long each channel's bus, die and plane's array, and the DRAM, have been busy, up to now."""
        device, now_ns = self.device, self.now_ns()
        dies = np.array(device.dies.busy_ns, float)
        planes = np.array(device.counters.plane_busy_ns, float)
        opened = device.counters.planes_opened
        for die in dies_of(device.dies):
            commands = die.phases
            if not commands:
                continue
            dies[die.index] += now_ns - die.busy_since_ns  # the commands under way, which are counted when they end
            for t, phase in commands:
                if phase != SENSING:
                    continue
                opens = opened and t.op == READ
                first = t.plane - t.plane % opened if opens else 0
                # a read may open planes that it has no page of
                at_work = range(first, first + opened) if opens else [page.plane for page in t.command()]
                planes[at_work] += device.dies.array_ns(t.number, now_ns)
        return {
            "channel": np.array([controller.bus_time_ns(now_ns) for controller in device.controllers], float),
            "die": dies,
            "plane": planes,
            **({} if device.data_path is None else {"dram": np.array([device.data_path.dram.worked_ns()], float)}),
        }

    def layer_counts(self) -> dict[str, int]:
        """Return the counts of the translation layer, the blocks and the backups so far."""
        layer, backup = self.device.layer, self.device.backup
        return {
            "backup_reads": 0 if backup is None else backup.reads,
            "backup_erases": 0 if backup is None else backup.erases,
            "specified": layer.writes.specified,
            "as_specified": layer.writes.as_specified,
            "unused_pages": self.device.blocks.wasted,
            "wasted_for_parity": self.device.blocks.wasted_for_parity,
            "victim_pages": self.device.collector.victim_pages,
            "victim_valid": self.device.collector.victim_valid,
            "filled_pages": layer.writes.filled_pages,
            "padded_pages": layer.writes.padded_pages + self.device.collector.padded_pages,
            "memory_reads": layer.reads.memory_reads,
            "unmapped_reads": layer.reads.unmapped_reads,
            "coalesced_reads": layer.reads.coalesced_reads,
        }

    def cache_counts(self) -> dict[str, int]:
        """Return the counts of the SLC cache so far, none without one."""
        cache = self.device.frontier.cache
        return {} if cache is None else {f"slc_cache_{name}": count for name, count in cache.counts().items()}

    def mapping_counts(self) -> dict[str, Any]:
        """Return the counts of accesses to a mapping table that lies in flash so far, and of FAST's merges."""
        names = ("hits", "misses", "reads", "writes")
        merges = np.array(getattr(self.device.mapping, "merges", ()), np.int64)
        counts = getattr(self.device.translation, "counts", None)
        return {f"mapping_{name}": getattr(counts, name, 0) for name in names} | {"merges": merges}

    def plane_counts(self) -> dict[str, np.ndarray]:
        """Return the page writes by plane so far, those of the host among them if there is timing, and the erases."""
        if self.env is not None:
            return {name: np.array(getattr(self.device.counters, name)) for name in summarize.PLANE_COUNTS}
        blocks = self.device.blocks
        columns = (blocks.column(name).reshape(blocks.planes, -1) for name in ("erases", "programmed"))
        erases, pages = (column.sum(axis=1) for column in columns)
        counts = (erases * blocks.pages_per_block + pages, np.zeros_like(erases), erases)
        return dict(zip(summarize.PLANE_COUNTS, counts, strict=True))

    def planes(self) -> pa.Table:
        """Return `planes.parquet`: what was written to each plane and erased there."""
        change = summarize.changes(self.first, self.sample())
        written = sum(change[name] for name in summarize.PAGE_WRITES)
        return summarize.planes_table(self.totals(), self.env is not None, written)

    def totals(self) -> dict[str, Any]:
        """Return by how much all of `counts` has grown."""
        return {name: count - self.first_counts[name] for name, count in self.counts().items()}

    def buffer_counts(self) -> np.ndarray:
        """Return the page reads and page writes that the write buffer has served, and all page accesses, so far."""
        buffer = self.device.buffer
        if buffer is None:
            return np.zeros(3, np.int64)
        hits = buffer.read_hits, buffer.write_hits
        return np.array([*hits, sum(hits) + buffer.read_misses + buffer.write_misses])

    def read_cache_counts(self) -> np.ndarray:
        """Return the page reads that the read cache has answered, those that it has not, and those ahead, so far."""
        cache = self.device.read_cache
        return np.zeros(3, np.int64) if cache is None else np.array([cache.hits, cache.misses, cache.fetched])

    def read_cache_report(self, counts: list[int]) -> dict[str, Any]:
        """Return the report on the read cache, nothing without one."""
        if self.device.read_cache is None:
            return {}
        hits, misses, ahead = counts
        told = {"hit_ratio": summarize.share(hits, hits + misses), "hits": hits, "misses": misses, "read_ahead": ahead}
        return {"read_cache": told}

    def mapping_report(self, total: dict[str, Any]) -> dict[str, Any]:
        """Return the cost of the mapping scheme, given all counts; the hit ratio is None where nothing is cached."""
        lookups, translation = total["mapping_hits"] + total["mapping_misses"], self.device.translation
        merges = dict(zip(MERGES, total["merges"].tolist(), strict=False))
        return {
            "hit_ratio": summarize.share(total["mapping_hits"], lookups),
            **{name: total[f"mapping_{name}"] for name in ("hits", "misses", "reads", "writes")},
            "memory_bytes": self.device.mapping.memory_bytes(),
            "peak_entries": None if translation is None else translation.mapping.cache.most_used,
            **({"merges": merges} if merges else {}),
        }

    def round_report(self, tally: Tally) -> dict[str, Any]:
        """Return the report of the round that ends now, whose requests are in `tally`."""
        before, self.round_start = self.round_start, self.sample()
        return summarize.round_report(tally, before, self.round_start)

    def write_amplification(self) -> float | None:
        """Return the write amplification so far, None before the first write."""
        return summarize.write_amplification(summarize.changes(self.first, self.sample()))

    def summary(self, recorder: Recorder | None) -> dict[str, Any]:
        """Return the part of `summary.json` that was counted; `recorder` is None where there were no response times.

        `iops` are the reads and writes completed a second, of flushes and trims there are only counts. `wasted_pages`
        were passed over for the parity of copy-backs, `gc.unused_pages` had not been written when their block was
        collected. `write_amplification` is over `requested_page_writes`, `flash_write_amplification` over
        `host_page_writes` (`ssdsim.metrics.summary.write_amplification`).
        """
        untimed, last = self.untimed, self.sample()
        sizes = list(untimed.bytes) if recorder is None else [recorder.size_bytes(op) for op in range(4)]  # bytes
        counts = list(untimed.counts) if recorder is None else [recorder.count(op) for op in range(4)]
        by_type = list(untimed.writes_by_type) if recorder is None else recorder.writes_by_type()
        elapsed_ns = 0 if recorder is None else max(recorder.last_ns - self.start_ns, 0)
        watched_ns = 0 if recorder is None else max(elapsed_ns, self.end_ns - self.start_ns)
        change, free = summarize.changes(self.first, last), summarize.free_by_type(last)
        total = self.totals()
        counted, hits, accesses = total["flash"], total["buffer"][:2], total["buffer"][2]
        slc_cache = {name[10:]: total[name] for name in self.cache_counts()}
        success = total["as_specified"] / total["specified"] if total["specified"] else None
        return {
            "requests": untimed_requests(counts, sizes) if recorder is None else tallied(recorder),
            "iops": (counts[READ] + counts[WRITE]) / elapsed_ns * 1e9 if elapsed_ns else None,
            # reads and writes: flushes and trims move no data
            "bandwidth_mib_s": sum(sizes[:2]) / 2**20 / elapsed_ns * 1e9 if elapsed_ns else None,
            "write_amplification": summarize.write_amplification(change),
            "write_amplification_by_bytes": summarize.write_amplification_by_bytes(
                change, self.device.config.hardware.page_bytes, sizes[WRITE]
            ),
            "flash_write_amplification": summarize.write_amplification(change, "host_page_writes"),
            "queue_depth": summarize.queue_depth(self.first, last, self.deepest_queue()),
            "page_types": summarize.page_types(by_type, self.device.blocks.page_types, success, free),
            "rounds": recorder.rounds.finished if recorder is not None and recorder.rounds else [],
            "flash": summarize.flash(counted),
            **({} if self.device.dies.suspension is None else {"suspension": summarize.suspension(total)}),
            "multi_plane": summarize.multi_plane(total, counted.sum(axis=1)),
            "planes_at_work": summarize.planes_at_work(total, self.device.counters.most_planes_at_work),
            "buffer": {
                "hit_ratio": summarize.share(hits.sum(), accesses),
                **dict(zip(("read_hits", "write_hits"), hits.tolist(), strict=True)),
            },
            **self.read_cache_report(total["read_cache"].tolist()),
            **{name: change[name] for name in ("requested_page_writes", "host_page_writes")},
            "page_writes_per_plane_std": summarize.page_writes_std(self.planes()),
            "wasted_pages": total["wasted_for_parity"],
            **{name: total[name] for name in ("filled_pages", "padded_pages")},
            **{name: total[name] for name in ("memory_reads", "unmapped_reads", "coalesced_reads")},
            "gc": {
                "collections": change["collections"],
                "page_moves": change["page_moves"],
                "unused_pages": total["unused_pages"],
                "victim_valid_share": summarize.share(total["victim_valid"], total["victim_pages"]),
                **summarize.collection_times(total, self.env is not None),
            },
            "mapping": {"scheme": self.device.config.ftl.mapping.scheme, **self.mapping_report(total)},
            **({"slc_cache": slc_cache} if slc_cache else {}),
            "backup": {
                "pages": change["backup_pages"],
                "reads": total["backup_reads"],
                "erases": total["backup_erases"],
            },
            "utilization": {k: (total[k] / watched_ns).tolist() if watched_ns else [] for k in self.busy_ns()},
            "wear": summarize.wear(self.device.erases()),
            "simulated_s": elapsed_ns / 1e9,
            "started_s": self.start_ns / 1e9,
        }

    def page_writes(self) -> dict[str, int]:
        """Return the page writes that were requested and made, and those that free blocks and the buffer took."""
        last = self.sample()
        change = summarize.changes(self.first, last)
        return {
            "requested_pages": change["requested_page_writes"],
            "written_pages": sum(change[name] for name in summarize.PAGE_WRITES),
            # Free blocks that were there and are not have been taken by somebody, so the sign is turned.
            "free_pages_taken": -change["free_blocks"] * self.device.blocks.pages_per_block,
            "buffered_pages": change["buffer_used"],
        }

    def transactions_per_s(self) -> float | None:
        """Return the flash transactions simulated a second of the machine's time."""
        wall = time.perf_counter() - self.started
        return float(self.totals()["flash"].sum() / wall) if wall else None
