# cython: infer_types=True
"""Samples of a device and its queue at one moment, for the time series and the summary."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import HOST, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.either_kernel import now
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.flash.counters import FlashCounters
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.writes import WritePath
from ssdsim.host.queue import HostQueue
from ssdsim.metrics.recorder import Sampled
from ssdsim.metrics.timeseries import NO_QUOTA, SAMPLED


@final
class Sampler(Sampled):
    """Reads samples (`ssdsim.metrics.timeseries.SAMPLED`) of a device, and of its queue once that has requests."""

    env: Any  # None where the run takes no simulated time
    host: HostQueue | None  # None before requests are sent
    writes: WritePath
    collector: Reclaimer
    blocks: Blocks
    counters: FlashCounters
    translation: MapAccess | None
    buffer: WriteBuffer | None
    page_types: PageTypeSpecifier | None
    backup: Any
    carried: tuple[int, ...]  # what the counts of devices before this one add to its own

    def __init__(self, device: Any, env: Any) -> None:
        super().__init__(len(SAMPLED) + device.blocks.page_types)
        self.follow(device, env, ())

    def follow(self, device: Any, env: Any, carried: tuple[int, ...]) -> None:
        """Read samples of this device from now on, whose counts continue those `carried`."""
        self.env = env
        self.host = None
        self.writes = device.layer.writes
        self.collector = device.collector
        self.blocks = device.blocks
        self.counters = device.counters
        self.translation = device.translation
        self.buffer = device.buffer
        self.page_types = device.page_types
        self.backup = device.backup
        self.carried = carried

    def sample(self) -> tuple[int, ...]:
        """Return the state of the device and its queue, and their counts with those carried."""
        row: Int64s = array("q", bytes(8 * self.width))
        self.read(row, 0)
        return tuple(row)

    def read(self, row: Int64s, first: int) -> None:
        """Write a sample to `row`, from `first` on."""
        now_ns: int = 0 if self.env is None else now(self.env)
        counters, host, buffer = self.counters, self.host, self.buffer
        backup_pages: int = 0 if self.backup is None else self.backup.pages
        quota = None if self.page_types is None else self.page_types.quota_left()
        extra_pages = self.writes.filled_pages + self.writes.padded_pages + self.collector.padded_pages + backup_pages
        if self.translation is not None:
            extra_pages += self.translation.writes + self.translation.padded_pages
        row[first] = self.writes.host_page_writes
        row[first + 1] = self.collector.page_moves
        row[first + 2] = extra_pages
        row[first + 3] = self.collector.collections
        row[first + 4] = self.blocks.erased
        row[first + 5] = self.blocks.span * self.blocks.free.total
        row[first + 6] = 0 if host is None else host.depth_integral_ns(now_ns)
        row[first + 7] = now_ns
        row[first + 8] = counters.count(PROGRAM, HOST)
        row[first + 9] = counters.host_multi_plane[PROGRAM]
        row[first + 10] = counters.count(READ, HOST)
        row[first + 11] = counters.host_multi_plane[READ]
        row[first + 12] = backup_pages
        row[first + 13] = self.writes.host_page_writes if buffer is None else buffer.write_hits + buffer.write_misses
        row[first + 14] = 0 if buffer is None else buffer.pages.used
        row[first + 15] = NO_QUOTA if quota is None else quota
        row[first + 16] = 0 if host is None else host.backlog()
        row[first + 17] = 0 if host is None else host.in_flight
        place = first + 18
        # last, as devices differ in how many types of pages they have
        for page_type in range(self.blocks.page_types):
            row[place] = self.blocks.free_of_type(page_type)
            place += 1
        for number in range(len(self.carried)):
            count: int = self.carried[number]
            row[first + number] += count
