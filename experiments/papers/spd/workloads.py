"""What the schemes of the SPD paper are put under: its eleven volumes of MSR Cambridge, or synthetic ones like them.

A synthetic workload has the numbers of the paper's Table 2; what the table leaves out is `study/msr.py`'s, from
pieces of such volumes, except for these:

- Requests. The reads are their volume over their mean size, and all requests follow with the share of writes. So five
  of the traces have 2.0 million requests and three 1.0 million: the paper cut them there. The volume written that
  follows is within 2.2 percent of the table's but for PRN_1. There 10.9 GB of 11.4 KB would be 43 percent
  of the requests, not 32.1; with 7.0 GB the trace has 2.0 million like the others, so that is taken.
- Arrivals come at two levels, in rushes and in bursts within these (`workload.arrival=levels`), by a rule that was
  stated before any run: a volume has the levels fitted to its own piece, if that is of ten thousand requests and lasts
  for minutes (prxy_0), and the others those of the one other such piece of MSR Cambridge (20-80); lengths in seconds
  are kept, and the mean rate is the volume's. `study/arrivals.py` says what was fitted, and by what rule.
- Rates are those of the volumes: the mean interarrival times of prn_0, prn_1 and proj_0 that the TBM paper gives, the
  requests of hm_0 (3.99 million) and prxy_0 (12.5 million) over their week, and for the others, whose number of
  requests no source at hand gives, those of the table over a week, which is too few if the paper cut them.
- Scale. A run is the first part of a trace: a share of its requests, over the whole footprint and with the whole
  buffer. A footprint of that share would leave a buffer of 1 percent with less than a page a die.

Requests start on multiples of 4 KiB and are whole pages long, as most of the volumes' are. So no scheme has to read
what a partial write leaves out.
"""

import argparse
import functools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig
from ssdsim.states.preconditioning import pages_touched
from ssdsim.workload import open_workload

from ...study import msr
from ...study.arrivals import FITTED, Arrivals
from ...study.command import loads_chosen
from ...study.msr import WEEK_S, Gaps, Synthetic
from ...study.traces import real_pieces, replayed
from .systems import BASE, SYSTEMS, device

GB = 2**30


@attrs.frozen
class Published:
    """A row of Table 2, and the volume's mean rate if it is known."""

    write_share: float
    footprint_gb: float
    read_gb: float
    write_gb: float
    read_kb: float
    write_kb: float
    volume: str
    known_rate: float | None = None
    arrivals: Arrivals = FITTED["MSR 20-80"]

    @property
    def requests(self) -> float:
        """The requests of the trace."""
        return self.read_gb * 2**20 / self.read_kb / (1 - self.write_share)

    @property
    def rate_iops(self) -> float:
        """The mean rate of the volume."""
        return self.known_rate or self.requests / WEEK_S


TABLE_2 = {
    "HM_0": Published(0.679, 1.35, 6.9, 15.2, 11.2, 11.6, "hm_0", 3.99e6 / WEEK_S),
    "PRN_0": Published(0.937, 2.93, 3.0, 20.5, 24.8, 11.6, "prn_0", 1 / 0.1083),
    "PRN_1": Published(0.321, 5.16, 31.4, 10.9, 24.2, 11.4, "prn_1", 1 / 0.0538),
    "RSR_0": Published(0.907, 0.31, 1.8, 14.6, 15.0, 12.6, "rsrch_0"),
    "STG_0": Published(0.769, 0.28, 7.4, 9.3, 33.6, 12.6, "stg_0"),
    "PROJ_0": Published(0.829, 1.58, 7.2, 56.5, 21.9, 35.7, "proj_0", 1 / 0.1432),
    "PROJ_3": Published(0.0489, 1.86, 21.6, 2.8, 11.9, 29.9, "proj_3"),
    "SRC2_0": Published(0.886, 0.52, 1.9, 13.6, 12.2, 11.0, "src2_0"),
    "TS_0": Published(0.826, 0.57, 4.9, 15.9, 17.5, 11.8, "ts_0"),
    "PRXY_0": Published(0.9706, 0.17, 0.27, 5.8, 9.6, 6.2, "prxy_0", 12.5e6 / WEEK_S, FITTED["prxy_0"]),
    "WDEV_0": Published(0.799, 0.34, 3.2, 9.2, 16.5, 12.1, "wdev_0"),
}

REAL_PIECES = {
    "prxy_0 (939 s)": ("msr_prxy_0.slice20k.csv.xz", []),
    "rsrch_1 (a week)": ("msr_rsrch_1.full.4col.txt.xz", []),
    "MSR 20-80 (243 s)": ("msr_heimdall_10k.rw_20_80.trace.xz", []),
    "MSR busy (1 s)": ("msr_heimdall_10k.most_thpt_rand_iops.trace.xz", []),
    "Financial1 (853 s)": ("umass_Financial1.rows3-50002.disksim.xz", ["workload.size_unit_bytes=4096"]),
}
"""Pieces of real traces that write enough to fill a buffer, with what their files do not say themselves."""

BUFFER_SHARE = 0.01  # of the footprint (5.1)

RUSHES = {"Poisson": 0.0, "a fifth in rushes": 0.2}
"""Shares of the requests in rushes of 290, of Poisson arrivals, batches and bursts as in `study/msr.py`: the range."""


def rushing(share: float) -> Gaps:
    """Return gaps with such a share of the requests in rushes; with none of them, those of a Poisson process."""
    return attrs.evolve(msr.MSR_GAPS, rushes=(share, 290)) if share else Gaps()


def synthetic(row: Published, scale: Fraction, gaps: Gaps = msr.MSR_GAPS) -> Synthetic:
    """Return `scale` times the requests of a row of Table 2; the times are those of `gaps`, unless others are drawn."""
    return Synthetic(
        requests=max(round(row.requests * scale), 1),
        write_share=row.write_share,
        read_sizes=msr.sizes(row.read_kb),
        write_sizes=msr.sizes(row.write_kb),
        footprint_bytes=row.footprint_gb * GB,
        rate_iops=row.rate_iops,
        gaps=gaps,
    )


def recognised(file: Path) -> str | None:
    """Return the name in Table 2 of the volume whose trace `file` is, by its name, or None."""
    volume = msr.volume(file)
    return next((name for name, row in TABLE_2.items() if row.volume == volume), None)


@attrs.frozen
class Load:
    """A workload: the overrides of its device and trace, its buffer, and whether it is synthetic, real or a piece."""

    overrides: list[str]
    buffer_mib: float
    kind: str

    def buffered(self) -> list[str]:
        """Return the overrides of trace and buffer."""
        return [*self.overrides, "buffer.footprint_share=null", f"buffer.size_mib={self.buffer_mib:.6f}"]


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

    def synthetic_load(name: str) -> Load:
        size = buffer_mib(TABLE_2[name].footprint_gb * GB, blocks)
        return Load(synthetic_overrides(name, options, blocks), size, "synthetic")

    def real(name: str, file: Path) -> Load:
        if name not in TABLE_2:
            return _with_its_buffer(replayed(file), "real", blocks)
        row = TABLE_2[name]
        first = f"workload.limit={round(row.requests * options.scale)}"
        size = buffer_mib(row.footprint_gb * GB, blocks)
        return Load([*device(blocks), *replayed(file), first], size, "real")

    return loads_chosen(options, TABLE_2, recognised, synthetic_load, real)


def pieces(blocks: int) -> dict[str, Load]:
    """Return pieces of real traces."""
    return {name: _with_its_buffer(trace, "piece", blocks) for name, trace in real_pieces(REAL_PIECES).items()}


def _with_its_buffer(trace: list[str], kind: str, blocks: int) -> Load:
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
