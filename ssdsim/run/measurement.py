"""What the device does between the start of the measured run and its end."""

import time
from typing import Any

import numpy as np

from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, GC, HOST, MAPPING, PROGRAM, READ, SOURCE_COUNT, WRITE
from ssdsim.assembly.device import Device
from ssdsim.flash.views import dies_of
from ssdsim.ftl.fast.mapping import MERGES
from ssdsim.host.queue import HostQueue
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics import summary as report
from ssdsim.metrics import timeseries
from ssdsim.metrics.recorder import Recorder
from ssdsim.run.sampler import Sampler

COUNTED = {
    "counters": (
        *("operations", "multi_plane", "cases", "planes_at_work", "evictions", "writes_by_plane", "gc_array_ns"),
        *("gc_transfer_ns", "suspensions", "suspended_ns", "host_write_ns", "blocked_writes", "blocked_write_ns"),
    ),
    "layer.writes": ("specified", "as_specified", "filled_pages", "padded_pages"),
    "layer.reads": ("memory_reads", "unmapped_reads", "coalesced_reads"),
    "blocks": ("wasted", "wasted_for_parity"),
    "collector": ("victim_pages", "victim_valid", "padded_pages"),
    "backup": ("reads", "erases"),
    "mapping": ("merges",),
    "translation.counts": ("hits", "misses", "reads", "writes"),
    "buffer": ("read_hits", "write_hits", "read_misses", "write_misses"),
    "read_cache": ("hits", "misses", "fetched"),
}
"""What parts of a device count, beside what is sampled: names of attributes."""


class Measurement:
    """Counts from its creation on: all that the device counts is held against what it had counted then.

    `env` is None where the run takes no simulated time; `sampler` is to be told of the device queue (`host`), unless
    there is one already. `end_ns` is after the last completion where somebody has watched the device work on.
    """

    def __init__(self, device: Device, untimed: UntimedReplay, env: Any, host: HostQueue | None = None):
        self.device, self.untimed, self.env = device, untimed, env
        self.sampler = Sampler(device, env)
        self.sampler.host = host
        if host is not None:
            host.most_in_flight = host.in_flight
        self.started = time.perf_counter()
        self.start_ns = self.end_ns = self.now_ns()
        self.carried: dict[str, Any] = {}
        self.most_in_flight = 0
        self.first = self.sample()
        self.first_counts = self.counts()
        device.counters.most_planes_at_work = 0  # a maximum, which no difference of two counts gives

    def now_ns(self) -> int:
        """Return the simulated time, 0 without flash timing."""
        return 0 if self.env is None else int(self.env.now)

    def go_on(self, device: Device, env: Any) -> None:
        """Have counts go on with a device that has been made of this one after a loss of power."""
        self.carried = self.counts()
        # maxima are handed on, sums are `carried`
        device.counters.most_planes_at_work = self.device.counters.most_planes_at_work
        self.device, self.env = device, env
        self.sampler.follow(device, env, timeseries.carried(self.sample()))

    def sample(self) -> timeseries.Sample:
        """Return the state of the device and its queue, and what it and its forerunners have counted."""
        return self.sampler.sample()

    def change(self) -> dict[str, int]:
        """Return by how much everything sampled has grown."""
        return timeseries.changes(self.first, self.sample())

    def counts(self) -> dict[str, Any]:
        """Return everything else that only grows, by name: of the device and its forerunners."""
        parts = {f"{path}.{name}": _count_of(self.device, path, name) for path in COUNTED for name in COUNTED[path]}
        parts["counters.operations"] = parts["counters.operations"].reshape(-1, SOURCE_COUNT)
        if self.env is None:
            parts |= self.untimed_counts(parts)
        if self.device.frontier.cache is not None:
            parts |= {f"slc_cache.{name}": count for name, count in self.device.frontier.cache.counts().items()}
        parts |= {f"busy_ns.{name}": busy_ns for name, busy_ns in self.busy_ns().items()}
        # sums: of this device, and of those before a loss of power
        return {name: part + self.carried.get(name, 0) for name, part in parts.items()}

    def untimed_counts(self, parts: dict[str, Any]) -> dict[str, np.ndarray]:
        """Return the flash operations, and page writes by plane, which are counted of commands alone.

        Without a clock there are none: they follow from pages that were written and moved, and from the blocks.
        """
        collector, backup, blocks = self.device.collector, self.device.backup, self.device.blocks
        pages, moves, *_ = self.sample()
        copies, source = collector.copies_back, [HOST, collector.source, MAPPING]
        flash = np.zeros_like(parts["counters.operations"])
        # each moved page is read and programmed, but by a copy-back
        flash[READ, source] = self.untimed.page_reads, moves - copies, parts["translation.counts.reads"]
        flash[PROGRAM, source] = pages, moves - copies, parts["translation.counts.writes"]
        flash[COPYBACK, GC] = copies
        flash[ERASE, collector.source] = blocks.erased
        if backup is not None:
            flash[[READ, PROGRAM, ERASE], BACKUP] = backup.reads, backup.pages, backup.erases
            # The blocks count erases whatever they are for.
            flash[ERASE, GC] -= backup.erases
        erases, programmed = (blocks.column(name).reshape(blocks.planes, -1) for name in ("erases", "programmed"))
        by_plane = erases.sum(axis=1) * blocks.pages_per_block + programmed.sum(axis=1)
        return {"counters.operations": flash, "counters.writes_by_plane": by_plane}

    def busy_ns(self) -> dict[str, np.ndarray]:
        """Return for how long each channel's bus, die and plane's array, and the DRAM, have been busy, up to now."""
        device, now_ns = self.device, self.now_ns()
        dies, planes = np.array(device.dies.busy_ns, float), np.array(device.counters.plane_busy_ns, float)
        opened = device.counters.planes_opened
        for die in dies_of(device.dies):
            if die.phases:
                dies[die.index] += now_ns - die.busy_since_ns  # commands under way are counted when they end
            for t, array_ns in die.arrays_at_work(now_ns):
                at_work = [page.plane for page in t.command()]
                if opened and t.op == READ:  # it may open planes that it has no page of
                    first = t.plane - t.plane % opened
                    at_work = list(range(first, first + opened))
                planes[at_work] += array_ns
        return {
            "channel": np.array([controller.bus_time_ns(now_ns) for controller in device.controllers], float),
            "die": dies,
            "plane": planes,
            **({} if device.data_path is None else {"dram": np.array([device.data_path.dram.worked_ns()], float)}),
        }

    def page_writes(self) -> dict[str, int]:
        """Return the pages written, and by how much free blocks have become fewer and the write buffer holds more."""
        change = self.change()
        return {
            "written_pages": sum(change[name] for name in timeseries.PAGE_WRITES),
            "free_pages_taken": -change["free_blocks"] * self.device.blocks.pages_per_block,
            "buffered_pages": change["buffer_used"],
        }

    def summary(self, recorder: Recorder | None) -> dict[str, Any]:
        """Return the part of `summary.json` that was counted; `recorder` is None where there were no response times.

        `iops` are the reads and writes completed a second, of flushes and trims there are only counts. `wasted_pages`
        were passed over for the parity of copy-backs, `gc.unused_pages` had not been written when their block was
        collected.
        """
        device, change, timed = self.device, self.change(), recorder is not None
        total = {name: count - self.first_counts[name] for name, count in self.counts().items()}
        free = timeseries.free_by_type(self.sample())
        if recorder is None:
            counts, sizes, by_type = map(list, (self.untimed.counts, self.untimed.bytes, self.untimed.writes_by_type))
            elapsed_ns = watched_ns = 0
        else:
            counts, sizes = ([measure(op) for op in range(4)] for measure in (recorder.count, recorder.size_bytes))
            by_type = list(recorder.by_type)
            elapsed_ns = max(recorder.last_ns - self.start_ns, 0)
            watched_ns = max(elapsed_ns, self.end_ns - self.start_ns)
        merges = total["mapping.merges"]  # by kind, if the mapping makes any
        buffer, mapping, read_cache = (_of_part(total, part) for part in ("buffer", "translation.counts", "read_cache"))
        evictions, by_plane = total["counters.evictions"], total["counters.writes_by_plane"]
        pages_written, host = self.page_writes()["written_pages"], self.sampler.host
        return {
            "requests": report.requests(counts, sizes, recorder),
            "iops": (counts[READ] + counts[WRITE]) / elapsed_ns * 1e9 if elapsed_ns else None,
            # reads and writes: flushes and trims move no data
            "bandwidth_mib_s": sum(sizes[:2]) / 2**20 / elapsed_ns * 1e9 if elapsed_ns else None,
            "write_amplification": report.write_amplification(change),
            "write_amplification_by_bytes": report.share(
                pages_written * device.config.hardware.page_bytes, sizes[WRITE]
            ),
            "flash_write_amplification": report.write_amplification(change, "host_page_writes"),
            # ns of requests over ns
            "queue_depth": {
                "mean": report.share(change["depth_ns"], change["now_ns"]),
                "max": None if host is None else host.most_in_flight,
            },
            "page_types": {
                **report.type_shares(by_type, len(free)),
                "success_rate": report.share(total["layer.writes.as_specified"], total["layer.writes.specified"]),
                **timeseries.free_pages(free),
            },
            "flash": report.flash_operations(total["counters.operations"]),
            **({"suspension": report.suspension(total)} if device.config.flash.suspension.wanted else {}),
            "multi_plane": report.multi_plane(total),
            "planes_at_work": {
                "mean": report.share(total["counters.planes_at_work"], evictions),
                "max": device.counters.most_planes_at_work if evictions else None,
            },
            "buffer": {
                "hit_ratio": report.share(buffer["read_hits"] + buffer["write_hits"], sum(buffer.values())),
                **{name: buffer[name] for name in ("read_hits", "write_hits")},
            },
            **({} if device.read_cache is None else {"read_cache": read_cache_report(**read_cache)}),
            **{name: change[name] for name in ("requested_page_writes", "host_page_writes")},
            # SDWPP of PCFTL's paper, 5.1; without timing blocks tell of it, but not those erased before they were full
            "page_writes_per_plane_std": float(by_plane.std()) if timed or by_plane.sum() == pages_written else None,
            "wasted_pages": total["blocks.wasted_for_parity"],
            "filled_pages": total["layer.writes.filled_pages"],
            "padded_pages": total["layer.writes.padded_pages"] + total["collector.padded_pages"],
            **_of_part(total, "layer.reads"),
            "gc": {
                **{name: change[name] for name in ("collections", "page_moves")},
                "unused_pages": total["blocks.wasted"],
                "victim_valid_share": report.share(total["collector.victim_valid"], total["collector.victim_pages"]),
                **report.collection_times(total, timed),
            },
            "mapping": {
                "hit_ratio": report.share(mapping["hits"], mapping["hits"] + mapping["misses"]),
                **mapping,
                **({} if isinstance(merges, int) else {"merges": dict(zip(MERGES, merges.tolist(), strict=True))}),
            },
            **({} if device.frontier.cache is None else {"slc_cache": _of_part(total, "slc_cache")}),
            "backup": {"pages": change["backup_pages"], **_of_part(total, "backup")},
            "utilization": {
                name: (busy_ns / watched_ns).tolist() if watched_ns else []
                for name, busy_ns in _of_part(total, "busy_ns").items()
            },
            "wear": report.wear(device.erases()),
            "simulated_s": elapsed_ns / 1e9,
            "started_s": self.start_ns / 1e9,
        }


def read_cache_report(hits: int, misses: int, fetched: int) -> dict[str, Any]:
    """Return the report on the read cache, given the pages that it answered, that it did not, and those ahead."""
    return {"hit_ratio": report.share(hits, hits + misses), "hits": hits, "misses": misses, "read_ahead": fetched}


def _of_part(total: dict[str, Any], part: str) -> dict[str, Any]:
    """Return the counts of a part of the device."""
    return {name.removeprefix(f"{part}."): count for name, count in total.items() if name.startswith(f"{part}.")}


def _count_of(device: Device, path: str, name: str) -> Any:
    """Return a count of the part of a device at a dotted path, 0 of a part that the device does not have."""
    part: Any = device
    for step in path.split("."):
        part = getattr(part, step, None)
    count = getattr(part, name, 0)
    return count if isinstance(count, int | float) else np.array(count)
