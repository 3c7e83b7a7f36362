"""The state of the device before the first request."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import ceil
from typing import Any

import numpy as np

from ssdsim._core.codes import HOST, READ, TRIM, WRITE
from ssdsim._core.fill import fill_in_place, fill_planes, shuffled
from ssdsim._core.random import RandomStream
from ssdsim._core.table import IndexTable
from ssdsim.assembly.capacity import in_blocks
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import Parts
from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.fast.log_blocks import LogFrontier, data_blocks
from ssdsim.ftl.plane_allocation.policies import StaticPlaneAllocation
from ssdsim.states.placing import Room
from ssdsim.workload.base import Workload
from ssdsim.workload.chunk import CHUNK_ROWS, Chunk

MOST_CHUNKS = 64
"""Chunks of a workload, some four million requests, that tell how much of its data is trimmed."""


def pages_touched(
    workloads: Iterable[Workload], logical_pages: int, page_bytes: int, ops: Sequence[int] = (READ, WRITE)
) -> np.ndarray:
    """Return, for each logical page, 1 if a request of one of `ops` touches it, else 0 (uint8)."""
    read = np.zeros(logical_pages, np.uint8)
    for workload in workloads:
        extents: dict[int, tuple[int, int]] = getattr(workload, "extents", {})
        if extents:  # a job of fio, which may have no end, is told by its range
            for first, end in (extents[op] for op in ops if op in extents):
                read[first // page_bytes : -(-end // page_bytes)] = 1
            continue
        for chunk in workload.chunks():
            read[pages_of(chunk, np.isin(chunk.op, ops) & (chunk.size_bytes > 0), page_bytes)] = 1
    return read


def fill(
    device: Device,
    config: SimulationConfig,
    workloads: list[Workload],
    report: Callable[[float], None] = lambda share: None,
) -> None:
    """Fill the device to `fill_share` of its pages, `valid_share` of them valid, at memory speed.

    Every plane is filled by whole blocks, or every die by aligned ones, with logical pages drawn at random of those
    that the plane allocation places there (`pages_by_plane`); super pages are drawn as such. With `valid_reads` those
    that the workloads read come first, and more than `valid_share` if it takes more. Without `whole_blocks` the rest
    goes to the host's active block (`fill_active`). `report` is told which share is done, from 0 to 1. Raise
    `ConfigError` if more pages of a plane are to be valid, or are read, than there can be.
    """
    hardware, wish, blocks = config.hardware, config.precondition, device.blocks
    surveyed = workloads if wish.valid_reads else []
    read_pages = pages_touched(surveyed, hardware.logical_pages, hardware.page_bytes, [READ])
    if apart := config.super_page_stripe:  # as the write buffer renames pages
        read_pages = read_pages.reshape(-1, config.super_page, apart).transpose(0, 2, 1).reshape(-1)
    if isinstance(device.frontier, LogFrontier):
        fill_data_blocks(config, device.frontier, device.mapping.table, read_pages)
        acknowledge(device)
        return
    lowest, highest, step = steps_filled(device.parts)
    logical, together = hardware.logical_pages_per_plane, config.super_page
    read_pages = read_pages.reshape(-1, together).max(axis=1)  # one page that is read makes its super page valid
    # A stream of its own: other draws of the seed stay as they are, whatever the precondition.
    random = RandomStream(config.seed, "precondition")
    most_more = highest - lowest
    count = [step * (lowest + (int(random.below(most_more + 1)) if most_more else 0)) for _ in range(blocks.units)]
    taken = [
        np.array([blocks.take_free(unit) % blocks.blocks_per_plane for _ in range(pages // hardware.block_pages)], int)
        for unit, pages in enumerate(count)
    ]
    rest: dict[int, np.ndarray] = {}
    for place, (plane, numbers) in enumerate(pages_by_plane(device, config, together)):
        report(place * together / hardware.planes)
        offsets = taken[plane // blocks.span]
        pages = len(offsets) * hardware.block_pages
        # half a page is rounded up
        valid = min(logical, pages) if wish.valid_share is None else int(wish.valid_share * pages + 0.5)
        if valid > logical:
            raise ConfigError(
                f"precondition.valid_share={wish.valid_share:g}: makes {valid} pages of a plane valid, but only "
                # rounded down: the value that is advised fits
                f"{logical} logical pages fall to it; set it to at most {int(logical / pages * 1e4) / 1e4:.4f}, or "
                "fill_share lower."
            )
        read = int(np.count_nonzero(read_pages[numbers]))
        if read > pages:
            raise ConfigError(
                f"precondition.fill_share={wish.fill_share}: fills {pages} pages of plane {plane}, but the "
                f"workload reads {read} pages of it; set it higher, or precondition.valid_reads=false."
            )
        held, marked = max(valid, read), read_pages if read else None
        fill_planes(blocks, device.mapping.table, plane, together, numbers, offsets, held, random, marked)
        share = len(offsets) and held / pages
        more = round(share * (count[plane // blocks.span] % hardware.block_pages))
        rest[plane] = numbers[held : held + more].copy()
    fill_active(device, [pages % hardware.block_pages for pages in count], rest, random, together)
    acknowledge(device)
    if device.translation is not None:
        device.translation.fill_now()
    if wish.collected:
        for plane in range(hardware.planes):
            device.collector.consider(plane)


def fill_data_blocks(config: SimulationConfig, log: LogFrontier, table: IndexTable, wanted: np.ndarray) -> None:
    """Give as many logical blocks a data block of FAST as is wished, with as many valid pages, drawn at random.

    Pages that are `wanted` come first, and all of them, in more data blocks if need be. The log stays empty.
    """
    wish, blocks = config.precondition, log.blocks
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([config.seed, 0xFA57])))
    share = 1.0 if wish.valid_share is None else wish.valid_share
    whole = config.hardware.blocks_per_plane
    lowest = data_blocks(config.hardware) if wish.fill_share is None else int(wish.fill_share * whole + 1e-9)
    highest = lowest if wish.fill_share_to is None else int(wish.fill_share_to * whole + 1e-9)
    for unit in range(blocks.units):
        count = min(int(random.integers(lowest, highest + 1)), log.logical_blocks)
        shape = (log.logical_blocks, log.unit_pages)
        lpas = np.array([log.lpa_at(unit, index) for index in range(shape[0] * shape[1])]).reshape(shape)
        first = (lpas >= 0) & (wanted[lpas] > 0)
        order = np.lexsort((random.random(len(lpas)), ~first.any(axis=1)))
        numbers = order[: max(count, np.count_nonzero(first.any(axis=1)))]
        pages, stays = lpas[numbers].reshape(-1), first[numbers].reshape(-1)
        rank = np.where(pages < 0, 2.0, random.random(len(pages)) - stays)
        held = max(int(share * len(pages) + 0.5), np.count_nonzero(stays))
        pages[np.argsort(rank, kind="stable")[held:]] = -1
        for number, of_block in zip(numbers.tolist(), pages.reshape(-1, log.unit_pages), strict=True):
            aligned = blocks.take_free(unit)
            fill_in_place(blocks, table, aligned, of_block)
            log.adopt(unit, number, aligned)


def fill_active(
    device: Device, pages: list[int], rest: dict[int, np.ndarray], random: RandomStream, together: int
) -> None:
    """Write `pages` of each plane of a unit to the active block for the host's data there.

    `rest` has the numbers of the (super) pages that are to be valid, by plane or die; which pages hold them is random.
    """
    blocks = device.blocks
    for unit, rows in enumerate(pages):
        left = {place: list(rest[unit * blocks.span + place]) for place in range(0, blocks.span, together)}
        for row in range(rows):
            for place in range(blocks.span):
                numbers = left[place // together * together]
                if place % together == 0:
                    # Drawn one by one so, every order of valid and dead pages is as likely as any other.
                    is_valid = int(random.below(rows - row)) < len(numbers)
                    number = int(numbers.pop()) if is_valid else -1
                lpa = number * together + place % together if is_valid else -1
                kind = device.frontier.kind_of(lpa, HOST, -1, -1)
                ppa = device.frontier.allocate(unit * blocks.span, kind, lpa, 0)
                if is_valid:
                    device.mapping.table.set(lpa, ppa)
                else:
                    blocks.invalidate(ppa)
                device.instant.program(HOST, ppa)


def last_written(workloads: Iterable[Workload], count: int, page_bytes: int) -> list[int]:
    """Return the last `count` logical pages that the workloads write, one workload after the other, oldest first."""
    last = np.empty(0, np.int64)
    for workload in workloads:
        for chunk in workload.chunks():
            rows = (chunk.op == WRITE) & (chunk.size_bytes > 0)
            backwards = np.concatenate([last, pages_of(chunk, rows, page_bytes)])[::-1]
            # Backwards, so that the first that `unique` meets of a page is its last write.
            _, first = np.unique(backwards, return_index=True)
            last = backwards[np.sort(first)[:count]][::-1]
    return last.tolist()


def trimmed_share(workloads: Iterable[Workload], logical_pages: int, page_bytes: int) -> float:
    """Return the share of trimmed pages among all that the workloads write or trim.

    A job of fio may have no end, so of each workload `MOST_CHUNKS` are read.
    """
    last = np.zeros(logical_pages, np.uint8)
    for workload in workloads:
        for chunk in islice(workload.chunks(), MOST_CHUNKS):
            changes = chunk[(chunk.op == WRITE) | (chunk.op == TRIM)]
            is_trim, end = changes.op == TRIM, changes.offset_bytes + changes.size_bytes
            # a page that is trimmed in part keeps its data
            first = np.where(is_trim, -(-changes.offset_bytes // page_bytes), changes.offset_bytes // page_bytes)
            count = np.maximum(np.where(is_trim, end // page_bytes, -(-end // page_bytes)) - first, 0)
            last[consecutive(first, count)] = 1 + np.repeat(is_trim, count)  # of equal numbers the last one holds
    return float((last == 2).sum() / max((last > 0).sum(), 1))


def pages_of(chunk: Chunk, rows: np.ndarray, page_bytes: int) -> np.ndarray:
    """Return the logical pages that the requests of `rows` touch, request after request."""
    meant = np.flatnonzero(rows)  # which takes a third of the time of two masks
    start = chunk.offset_bytes[meant]
    first = start // page_bytes
    return consecutive(first, (start + chunk.size_bytes[meant] - 1) // page_bytes - first + 1)


def consecutive(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return `count` consecutive numbers from each of `first` on."""
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(count.sum())


def pages_by_plane(device: Device, config: SimulationConfig, together: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each plane, or first plane of a die, with the numbers of the (super) pages that belong there.

    The plane allocation is asked about every one, as if the whole device were written once, in random order, while
    nothing is busy, unless it is a static order. Each plane is given as many. The plane with the lowest
    number comes first.
    """
    hardware, policy = config.hardware, device.plane_allocation
    share, planes = hardware.logical_pages_per_plane, range(0, hardware.planes, together)
    if type(policy) is StaticPlaneAllocation:  # a subclass may have a rule of its own
        for first, plane in enumerate(policy.stripe):
            yield plane, np.arange(first, share * len(planes), len(planes))
        return
    room = Room(array("q", [share]) * len(planes), together)
    room.separation = device.frontier.separation
    room.bind(device.blocks, config.ftl)
    room.span = 1  # no row is kept
    # The policy is shown the room of the fill in place of the frontier's: no page is handed out here.
    frontier, policy.frontier = policy.frontier, room
    random = RandomStream(config.seed, "places")
    place = room.place_all(device.layer.writes, shuffled(share * len(planes), random))
    policy.frontier = frontier
    # of numbers this small NumPy sorts by counting
    places = np.asarray(place.entries).astype(np.min_scalar_type(len(planes)))
    numbers = np.argsort(places, kind="stable").reshape(-1, share)
    for index in np.argsort(numbers[:, 0]):
        yield planes[index], numbers[index]


def acknowledge(device: Device) -> None:
    """Give every logical page that has been filled its first version."""
    if device.contents is not None:
        device.contents.filled(device.mapping.table)
        # Versions begin at 1: 0 is a page that nobody wrote.
        device.layer.writes.version = 1


def steps_filled(parts: Parts) -> tuple[int, int, int]:
    """Return the least and most steps that `precondition` wants a plane filled by, and the pages of one.

    A step is a whole block, or a page. Raise `ConfigError` if that leaves too few blocks.
    """
    hardware, gc, wish = parts.hardware, parts.gc, parts.config.precondition
    usable = hardware.physical_blocks - parts.backup_blocks - (parts.ftl.slc_cache.blocks or 0)
    step = hardware.block_pages if wish.whole_blocks else 1
    # By default as many blocks stay free as when collection begins.
    lowest = highest = (usable - ceil(in_blocks(parts, gc.soft_threshold))) * (hardware.block_pages // step)
    key, share = "fill_share", wish.fill_share
    if share is not None:
        # 1e-9: a share such as 0.3 of 10 is 3 steps, for all its binary digits
        lowest = highest = int(share * hardware.pages_per_plane / step + 1e-9)
    if wish.fill_share_to is not None:
        key, share = "fill_share_to", wish.fill_share_to
        highest = int(share * hardware.pages_per_plane / step + 1e-9)
    left = usable - highest * step // hardware.block_pages
    needed = gc.reserved_blocks + 1
    if left < needed:
        highest_share = (usable - needed) / hardware.physical_blocks
        why = f" with ftl.gc.reserved_blocks={needed - 1}" if needed > 2 else ""
        raise ConfigError(
            f"precondition.{key}={share}: leaves {left} of a plane's {hardware.physical_blocks} blocks "
            f"free, but {needed} are needed{why}; set it to at most {int(highest_share * 1e4 + 1e-9) / 1e4:.4f}."
        )
    return lowest, highest, step


def write_to_steady_state(
    config: SimulationConfig,
    device: Device,
    send: Callable[[Chunk], None],
    report: Callable[[float], None],
    trimmed: float = 0.0,
) -> dict[str, Any]:
    """Write `fill_share` of the logical pages in order, then those at random until write amplification settles.

    Of the requests at random a share of `trimmed` are trims, so that as many pages are without data in the end.
    It has settled when that of a window (`window_share` of the logical pages) differs from that of the window before
    by less than `tolerance`; windows that began before there was anything to collect do not count. `send` writes a
    chunk of requests; `report` is told the share done, at most.
    """
    wish, page_bytes = config.precondition, config.hardware.page_bytes
    share = 1.0 if wish.fill_share is None else wish.fill_share
    pages = max(int(share * config.hardware.logical_pages), 1)
    window = max(int(wish.window_share * config.hardware.logical_pages), 1)
    # Beside the seed a constant of its own, so that these draws are not those of the workload.
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([config.seed, 0x57A7E])))
    total = pages + wish.max_windows * window
    for first in range(0, pages, CHUNK_ROWS):
        report(first / total)
        send(Chunk.writes(np.arange(first, min(first + CHUNK_ROWS, pages)), page_bytes))
    amplification, collections = 0.0, 0
    for done in range(wish.max_windows):
        before = amplification if collections else 0.0  # windows before any collection are no measure: 0 never agrees
        collections = device.collector.collections
        moves, writes = device.collector.page_moves, device.layer.writes.host_page_writes
        for first in range(0, window, CHUNK_ROWS):
            report((pages + done * window + first) / total)
            chunk = Chunk.writes(random.integers(pages, size=min(CHUNK_ROWS, window - first)), page_bytes)
            if trimmed:
                chunk.op[random.random(len(chunk)) < trimmed] = TRIM
            send(chunk)
        written = device.layer.writes.host_page_writes - writes
        amplification = 1 + (device.collector.page_moves - moves) / written if written else 0.0  # all still buffered
        # of the newer one, so that a tolerance is a share
        if is_settled := abs(amplification - before) < wish.tolerance * amplification:
            break
    return {"windows": done + 1, "write_amplification": amplification, "settled": is_settled}
