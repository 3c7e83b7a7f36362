"""The workloads as overrides: the device that they need, the trace, and the buffer for its footprint."""

import argparse
import functools
from collections.abc import Mapping
from pathlib import Path

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig
from ssdsim.states.preconditioning import pages_touched
from ssdsim.workload import open_workload

from ...study.command import chosen
from ...study.msr import Gaps
from ...study.traces import real_pieces, replayed, whole_traces
from .systems import BASE, SYSTEMS
from .workloads import GB, REAL_PIECES, TABLE_2, recognised, rushing, synthetic

BUFFER_SHARE = 0.01


@attrs.frozen
class Load:
    """A workload: the overrides of its device and trace, its buffer, and whether it is synthetic, real or a piece."""

    overrides: list[str]
    buffer_mib: float
    kind: str

    def buffered(self) -> list[str]:
        """Return the overrides of trace and buffer."""
        return [*self.overrides, "buffer.footprint_share=null", f"buffer.size_mib={self.buffer_mib:.6f}"]


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a plane."""
    return ["hardware=spd", f"hardware.blocks_per_plane={blocks}"]


@functools.cache
def hardware(blocks: int) -> HardwareConfig:
    """Return the device's geometry."""
    return composed([*device(blocks), *SYSTEMS[BASE]]).hardware


def buffer_mib(footprint_bytes: float, blocks: int) -> float:
    """Return the size of the buffer: 1 percent of the footprint, but two pages of every plane at least.

    With fewer there would often be no die with enough dirty pages for a die write (Section 4.2.2 asks for one a plane).
    """
    planes, page_bytes = hardware(blocks).planes, hardware(blocks).page_bytes
    return max(BUFFER_SHARE * footprint_bytes, 2 * planes * page_bytes) / 2**20


def loads(options: argparse.Namespace, blocks: int) -> dict[str, Load]:
    """Return the workloads: the eleven of Table 2, then whole traces of other names."""
    whole = whole_traces(options.traces, recognised)
    names = chosen(options.workloads, list(dict.fromkeys([*TABLE_2, *whole])))
    return {name: _load(name, whole, options, blocks) for name in names}


def _load(name: str, whole: Mapping[str, Path], options: argparse.Namespace, blocks: int) -> Load:
    if name not in TABLE_2:
        return _as_found(replayed(whole[name]), "real", blocks)
    row = TABLE_2[name]
    size = buffer_mib(row.footprint_gb * GB, blocks)
    if name not in whole:
        return Load(synthetic_overrides(name, options, blocks), size, "synthetic")
    first = f"workload.limit={round(row.requests * options.scale)}"
    return Load([*device(blocks), *replayed(whole[name]), first], size, "real")


def pieces(blocks: int) -> dict[str, Load]:
    """Return pieces of real traces."""
    return {name: _as_found(of, "piece", blocks) for name, of in real_pieces(REAL_PIECES).items()}


def _as_found(trace: list[str], kind: str, blocks: int) -> Load:
    overrides = [*device(blocks), *trace]
    return Load(overrides, buffer_mib(footprint(overrides), blocks), kind)


def fewer_dies(known: Mapping[str, Load], blocks: int) -> dict[str, Load]:
    """Return workloads on a device of as many pages in a quarter of the dies, those of Section 4.2.2."""
    more = ["hardware.channels=8", "hardware.chips_per_channel=4", f"hardware.blocks_per_plane={4 * blocks}"]
    return {name: attrs.evolve(load, overrides=[*load.overrides, *more]) for name, load in known.items()}


def synthetic_overrides(name: str, options: argparse.Namespace, blocks: int, rushes: float | None = None) -> list[str]:
    """Return the overrides of the synthetic workload of a row of Table 2 and of its device.

    Its arrivals are at two levels, or, for the range, with such a share of the requests in `rushes`.
    """
    row = TABLE_2[name]
    made = synthetic(row, options.scale, Gaps() if rushes is None else rushing(rushes))
    trace = made.trace(name, hardware(blocks).capacity_bytes, options.seed, options.folder / "traces")
    drawn = [*row.arrivals.overrides(), f"workload.rate_iops={row.rate_iops:.6g}"] if rushes is None else []
    return [*device(blocks), *trace, *drawn]


def rushing_loads(options: argparse.Namespace, blocks: int, share: float) -> dict[str, Load]:
    """Return the synthetic workloads with such a share of the requests in rushes."""
    known = loads(options, blocks)
    return {
        name: attrs.evolve(load, overrides=synthetic_overrides(name, options, blocks, share))
        for name, load in known.items()
        if load.kind == "synthetic"
    }


def footprint(overrides: list[str]) -> int:
    """Return the bytes of the pages that a workload touches."""
    config = composed([*overrides, *SYSTEMS[BASE]])
    shape = config.hardware
    workload = open_workload(config.workload, shape.capacity_bytes, shape.page_bytes, config.seed)
    return int(pages_touched([workload], shape.logical_pages, shape.page_bytes).sum()) * shape.page_bytes
