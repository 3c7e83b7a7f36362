"""The figures of a summary that tell what a loss of power cost, and those that follow from others."""

from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np

from ssdsim.check.recount.claims import Between, Claim, bounded, how_many, share
from ssdsim.check.recount.tables import Circumstances, Columns


def of_power_loss(c: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield claims about a loss of power from the commands before it."""
    if run.loss is None:
        return
    lost_ns = run.loss.lost_ns
    # its array had begun and not ended: cut in the midst
    destroyed = c["is_cut"] & (c["array_start_ns"] >= 0) & (c["array_end_ns"] < 0)
    programs = destroyed & c["is_write"]
    erases = destroyed & c["is_erase"]
    yield Claim(("power_loss.at_s",), lost_ns / 1e9)
    yield Claim(("power_loss.destroyed_programs",), how_many(programs))
    yield Claim(("power_loss.destroyed_erases",), how_many(erases))
    yield Claim(("power_loss.aborted_requests",), len(run.loss.aborted))
    # no program ends in the instant of the erase before it: their times tell their order
    hardware = run.config.hardware
    if hardware.erase_us and min(hardware.array_program_us):
        yield from of_scan(pages_held(c, run, programs, erases), run)


def pages_held(c: Columns, run: Circumstances, destroyed: np.ndarray, half_erased: np.ndarray) -> np.ndarray:
    """Return how many pages of each type each block held when power was lost; a destroyed one is not erased."""
    assert run.loss is not None
    held = run.programmed.astype(np.int64)  # of the start, to which the commands until the loss are added
    blocks, types = held.shape
    in_time = c["is_over"] & (c["end_ns"] <= run.loss.lost_ns) & c["is_sensed"]
    erased_ns = np.full(blocks, -1, np.int64)
    erased = in_time & c["is_erase"]
    np.maximum.at(erased_ns, c["block"][erased], c["array_end_ns"][erased])  # the last erase of each block
    held[erased_ns >= 0] = 0
    # what was written before it is gone
    written = in_time & c["is_write"] & (c["array_end_ns"] > erased_ns[c["block"]])
    written |= destroyed
    place = c["block"][written] * types + c["page_type"][written]
    held += np.bincount(place, minlength=held.size).reshape(held.shape)
    held[np.unique(c["block"][half_erased])] = 0
    return held


def of_scan(held: np.ndarray, run: Circumstances) -> Iterator[Claim]:
    """Yield the number of spare areas read, one more a block, and the time that the dies take, all at a time.

    Pages that were passed over are read, too. Which those are is not known of blocks that are filled with gaps; nor is
    which blocks were in SLC mode of those that hold pages of the first type alone.
    """
    hardware = run.config.hardware
    read_ns = np.array(read_times_ns(hardware))
    most = gaps(held, run)
    areas, more = int(held.sum()) + len(held), int(most.sum())
    yield Claim(("power_loss.spare_areas_read",), bounded(areas, more))
    by_block = held @ read_ns + read_ns[0]
    slowest = by_block + most * read_ns.max()
    if run.config.ftl.slc_cache.wanted:
        in_slc_mode = (held[:, 0] + 1) * slc_read_ns(hardware)
        in_slc_mode = np.where(held[:, 1:].sum(axis=1) == 0, in_slc_mode, by_block)
        by_block, slowest = np.minimum(by_block, in_slc_mode), np.maximum(slowest, in_slc_mode)
    units = hardware.command_units
    least_ns, most_ns = (int(ns.reshape(units, -1).sum(axis=1).max()) for ns in (by_block, slowest))
    same = least_ns == most_ns
    yield Claim(("power_loss.scan_ms",), least_ns / 1e6 if same else Between(least_ns / 1e6, most_ns / 1e6))
    program_ns = max(round(us * 1000) for us in hardware.array_program_us)
    if run.config.ftl.mapping.scheme != "dftl":
        yield Claim(("power_loss.mapping_ms",), 0)
        return
    # bytes: 4, or as many as a page's number needs
    entry_bytes = max(4, ceil((hardware.planes * hardware.physical_blocks * hardware.block_pages).bit_length() / 8))
    entries = hardware.page_bytes // entry_bytes
    programs = ceil(ceil(hardware.logical_pages / entries) / hardware.pages_programmed)
    yield Claim(("power_loss.mapping_ms",), ceil(programs / hardware.command_units) * program_ns / 1e6)


def read_times_ns(hardware: Any) -> list[int]:
    """Return the time in ns of a read of each page type until the controller knows of its end."""
    # a cell of several bits has times by bit, or one for all
    per_bit = hardware.read_us * (hardware.bits_per_cell // len(hardware.read_us))
    return [round((us + hardware.ready_busy_us) * 1000) for us in per_bit[: hardware.page_types]]


def slc_read_ns(hardware: Any) -> int:
    """Return the same of a page in SLC mode."""
    return round((hardware.slc_read_us + hardware.ready_busy_us) * 1000)


def gaps(held: np.ndarray, run: Circumstances) -> np.ndarray:
    """Return how many pages of each block may have been passed over, at most, where a stack does such a thing."""
    passes_over = run.config.ftl.moves == "copyback" or run.config.ftl.mapping.scheme == "fast"
    in_use = held.sum(axis=1) > 0
    return np.where(in_use & passes_over, run.config.hardware.block_pages - held.sum(axis=1), 0)


OTHERS = "its other figures"


def of_others(summary: dict[str, Any], run: Circumstances) -> Iterator[Claim]:
    """Yield claims from other figures of the summary."""
    mapping, power_loss = summary["mapping"], summary["power_loss"]
    yield Claim(("mapping.hit_ratio",), share(mapping["hits"], mapping["hits"] + mapping["misses"]), OTHERS)
    if run.loss is None or power_loss is None:
        return
    lost = power_loss["lost_in_flash"] + power_loss["lost_buffered"]
    yield Claim(("power_loss.lost_acknowledged",), lost, OTHERS)
    times_ns, pages = read_times_ns(run.config.hardware), power_loss["pages_read"]
    if run.config.ftl.slc_cache.wanted:
        times_ns.append(slc_read_ns(run.config.hardware))
    least, most = pages * min(times_ns) / 1e6, pages * max(times_ns) / 1e6  # which page types were read is in no table
    yield Claim(("power_loss.reboot_ms",), Between(least, most) if least < most else least, OTHERS)
