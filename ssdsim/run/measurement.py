"""The counts of the device between the start of the measured run and its end."""

import time
from typing import Any

import numpy as np

from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, GC, HOST, MAPPING, PROGRAM, READ, SOURCE_COUNT
from ssdsim.assembly.device import Device
from ssdsim.flash.views import dies_of
from ssdsim.host.queue import HostQueue
from ssdsim.host.untimed import UntimedReplay
from ssdsim.metrics import timeseries
from ssdsim.run.sampler import Sampler

COUNTED = {
    "counters": (
        *("operations", "multi_plane", "cases", "planes_at_work", "evictions", "writes_by_plane", "gc_array_ns"),
        *("gc_transfer_ns", "suspensions", "suspended_ns", "host_write_ns", "blocked_writes", "blocked_write_ns"),
    ),
    "layer.writes": ("specified", "as_specified", "filled_pages", "padded_pages"),
    "layer.reads": ("memory_reads", "unmapped_reads", "coalesced_reads"),
    "blocks": ("wasted", "wasted_for_parity"),
    "collector": ("victim_pages", "victim_valid", "padded_pages", "merges"),
    "backup": ("reads", "erases"),
    "translation": ("hits", "misses", "reads", "writes"),
    "frontier.cache": ("written_pages", "bypassed_pages", "folded_blocks", "folded_pages"),
    "buffer": ("read_hits", "write_hits", "read_misses", "write_misses"),
    "read_cache": ("hits", "misses"),
}
"""Counts that are not sampled: names of attributes, by the dotted path of the part of a device that has them."""


class Measurement:
    """Counts from its creation on: all that the device counts is held against what it had counted then."""

    def __init__(self, device: Device, untimed: UntimedReplay, env: Any, host: HostQueue | None = None):
        self.device, self.untimed, self.env = device, untimed, env
        self.sampler = Sampler(device, env)
        self.sampler.host = host
        if host is not None:
            host.most_in_flight = host.in_flight
        self.started = time.perf_counter()
        self.carried: dict[str, Any] = {}
        self.samples: list[timeseries.Sample] = []  # of a run without a clock
        self.first = self.sampler.sample()
        self.first_counts = self.counts()
        self.start_ns = self.first_counts["now_ns"]
        device.counters.most_planes_at_work = 0  # a maximum, which no difference of two counts gives

    def hand_on(self, device: Device, env: Any) -> None:
        """Hand the counts on to a device that has been made of this one after a loss of power, with its clock."""
        self.carried = self.counts()
        # maxima are handed on, sums are `carried`
        device.counters.most_planes_at_work = self.device.counters.most_planes_at_work
        self.sampler.follow(device, env, timeseries.carried(self.sampler.sample()))
        self.device, self.env = device, env

    def growth(self) -> dict[str, Any]:
        """Return by how much each count has grown, and each state has changed, by name."""
        return {name: count - self.first_counts[name] for name, count in self.counts().items()}

    def counts(self) -> dict[str, Any]:
        """Return all samples and counts by name, those of the devices before a loss of power included."""
        parts = {f"{path}.{name}": _count_of(self.device, path, name) for path in COUNTED for name in COUNTED[path]}
        parts["counters.operations"] = parts["counters.operations"].reshape(-1, SOURCE_COUNT)
        if self.env is None:
            parts |= self.untimed_counts(parts)
        if self.device.translation is not None and self.device.translation.own is not None:
            parts |= {f"own_mapping.{name}": count for name, count in self.device.translation.own.counts().items()}
        parts |= {f"busy_ns.{name}": busy_ns for name, busy_ns in self.busy_ns().items()}
        # sums: of this device, and of those before a loss of power
        summed = {name: part + self.carried.get(name, 0) for name, part in parts.items()}
        return summed | timeseries.by_name(self.sampler.sample())

    def untimed_counts(self, parts: dict[str, Any]) -> dict[str, np.ndarray]:
        """Return the flash operations and the page writes by plane of a run without a clock, which has no commands.

        They follow from the pages that were written and moved, and from the blocks.
        """
        collector, backup, blocks = self.device.collector, self.device.backup, self.device.blocks
        pages, moves, *_ = self.sampler.sample()
        copies, source = collector.copies_back, [HOST, collector.source, MAPPING]
        flash = np.zeros_like(parts["counters.operations"])
        # each moved page is read and programmed, but by a copy-back
        flash[READ, source] = self.untimed.page_reads, moves - copies, parts["translation.reads"]
        flash[PROGRAM, source] = pages, moves - copies, parts["translation.writes"]
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
        device, now_ns = self.device, 0 if self.env is None else int(self.env.now)
        dies, planes = np.array(device.dies.busy_ns, float), np.array(device.counters.plane_busy_ns, float)
        opened = device.counters.planes_opened
        dram = None if device.data_path is None else device.data_path.dram
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
            **({} if dram is None else {"dram": np.array([dram.busy_ns - dram.backlog_ns()], float)}),  # moved by now
        }


def _count_of(device: Device, path: str, name: str) -> Any:
    """Return a count of the part of a device at a dotted path, 0 of a part that the device does not have."""
    part: Any = device
    for step in path.split("."):
        part = getattr(part, step, None)
    count = getattr(part, name, 0)
    return count if isinstance(count, int | float) else np.array(count)
