# cython: infer_types=True
"""What only the device and its queue know at one moment, as the time series and the summary ask for it."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM, READ
from ssdsim._core.kernel import now
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.flash.counters import FlashCounters
from ssdsim.ftl.mapping.translation import TranslationPages
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream
from ssdsim.metrics.summary import NONE


@final
class Sampler:
    """Reads samples (`ssdsim.metrics.summary.SAMPLED`) of a device, and of its queue once requests are sent to one.

    `env` is None where the run takes no simulated time.
    """

    env: Any  # None where the run takes no simulated time
    host: HostQueue | None  # None before requests are sent
    writes: PageWrites
    collector: Reclaimer
    blocks: Blocks
    counters: FlashCounters
    translation: TranslationPages | None
    buffer: WriteBuffer | None
    page_types: PageTypeSpecifier | None
    backup: Any
    carried: tuple[int, ...]  # what the counts of devices before this one add to its own

    def __init__(self, device: Any, env: Any) -> None:
        self.carried = ()
        self.follow(device, env)

    def follow(self, device: Any, env: Any) -> None:
        """Read samples of this device from here on."""
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

    def sample(self) -> tuple[int, ...]:
        """Return the state of the device and its queue, and what it and its forerunners have counted."""
        sample = self.of_device()
        if self.carried:
            # those carried have no state of the moment, and so end earlier
            return tuple(map(sum, zip_longest(sample, self.carried, fillvalue=0)))
        return tuple(sample)

    def go_on(self, device: Any, env: Any, carried: tuple[int, ...]) -> None:
        """Read samples of a device made of this one after a loss of power: its counts go on from those `carried`."""
        self.carried = carried
        self.follow(device, env)

    def of_device(self) -> list[int]:
        """Return the same of this device alone."""
        now_ns = 0 if self.env is None else now(self.env)  # ns
        pages = self.writes.host_page_writes
        backup_pages: int = 0 if self.backup is None else self.backup.pages
        quota = None if self.page_types is None else self.page_types.quota_left()
        return [
            pages,
            self.collector.page_moves,
            self.extra_pages() + backup_pages,
            self.collector.collections,
            self.blocks.erased,
            self.blocks.all_free_blocks(),
            0 if self.host is None else self.host.depth_integral_ns(now_ns),
            now_ns,
            *self.host_operations(),
            backup_pages,
            pages if self.buffer is None else self.buffer.write_hits + self.buffer.write_misses,
            0 if self.buffer is None else self.buffer.pages.used,
            NONE if quota is None else quota,
            0 if self.host is None else self.backlog(),
            0 if self.host is None else self.host.in_flight,
            # last, as devices differ in how many types of pages they have
            *[self.blocks.free_of_type(page_type) for page_type in range(self.blocks.page_types)],
        ]

    def extra_pages(self) -> int:
        """Return the pages written for other than the host's data or its moving, but for those of backups."""
        pages = self.writes.filled_pages + self.writes.padded_pages + self.collector.padded_pages
        if self.translation is None:
            return pages
        return pages + self.translation.counts.writes + self.translation.counts.padded_pages

    @cfunc
    def host_operations(self) -> tuple[int, int, int, int]:
        """Return the programs of the host, those of them done by multi-plane commands, and the same of its reads."""
        if self.env is None:
            return (0, 0, 0, 0)
        counters = self.counters
        programs, reads = counters.count(PROGRAM, HOST), counters.count(READ, HOST)
        return (programs, counters.host_multi_plane[PROGRAM], reads, counters.host_multi_plane[READ])

    def backlog(self) -> int:
        """Return the requests of open loops that have arrived and are not in the device, as far as is followed."""
        waiting = 0
        stream: Stream
        for stream in self.host.streams:
            if not stream.queue_depth:  # a closed loop never waits: it sends as others are complete
                waiting += stream.arrived - stream.admitted
        return waiting
