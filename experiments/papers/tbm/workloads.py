"""What the systems of the TBM paper are put under: synthetic traces with the numbers of its Table 1, and real ones.

PostMark is real: the trace of Microsoft's SSD extension for DiskSim has the numbers of the table (62,257 requests, 17
percent of them writes, 98.8 and 833 KiB). The six others are synthetic. What the table leaves out follows from these
rules, which were stated before anything was run by them:

- Footprint: all that the user has, 240 of the device's 256 GiB, the only amount of data that the paper names. What the
  spare space is of, and that victims hold pages to move (4.1, 6), has no meaning for much less. The traces that are
  known touch one to three percent (PostMark's; the MSR volumes in the paper on SPD). The report shows the range.
- Times: those fitted, by the rule of `experiments.study.arrival_fit`, to the piece of the trace itself or of its like,
  at the mean rate of the table: Financial1 for fin1, DevelopmentToolsRelease for Exchange and TPC-E, Microsoft's
  servers as it is, and for MSR's volumes the one of the two pieces of such whose rate is nearer, prxy_0.
  The report shows one workload with the arrivals of others, and with none (Poisson).
- Sizes: MSR's volumes, and Exchange, those of MSR's pieces tilted to the mean of the table (`study/msr.py`).
- Places: by Zipf's law and aligned as in those pieces.

A real trace is run on a device that holds all that it touches. A synthetic trace writes `ROUND` times the device's
pages, a real one what it does, but not more than the longest run; they are repeated as often as a run needs. In a
round no synthetic request comes twice, so that data keeps dying at random; a short round would kill all data once a
round.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil
from pathlib import Path

import attrs
import numpy as np

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig, SyntheticConfig, TraceConfig
from ssdsim.workload import READ, WRITE, Chunk, open_workload
from ssdsim.workload.addresses import Compact, Device

from ...study import msr
from ...study.arrivals import FITTED
from ...study.measures import device_pages
from ...study.traces import PIECES, Sizes, made_once, whole_about, whole_traces, with_sizes_by_op
from .systems import SPARE, device

USER_SHARE = 1 - SPARE
FOOTPRINT = USER_SHARE
POISSON = "Poisson"
ROUND = 2.0
LONG_RUN = 10  # capacities that the longest runs write

FULLEST = 0.75
"""Share of the space of the user that a real trace fills at most: on a fuller device collection, and on none but that,
decides."""

MOST_S = 60 * 86400
"""Simulated seconds that those may take: at full size, gaps between bursts are shortened to that, which idle devices do
not notice."""


@attrs.frozen
class Published:
    """A row of Table 1, the sizes that make up its means, and what the pieces of real traces tell of its like."""

    write_share: float
    read_kib: float
    write_kib: float
    gap_ms: float
    read_sizes: Sizes
    write_sizes: Sizes
    piece: str = "prxy_0"
    """Whose arrivals it has."""

    zipf_theta: float = msr.ZIPF_THETA
    align_kib: float = msr.PAGE_KIB

    def pages_a_write(self, page_kib: float) -> float:
        """Return the mean number of pages that a write lies on."""
        return 1 + (self.write_kib - self.align_kib) / page_kib

    def config(self, hardware: HardwareConfig, footprint: float, volume: float) -> SyntheticConfig:
        """Return a workload that writes `volume` times the device's pages, to `footprint` of it; it has no sizes."""
        requests = volume * device_pages(hardware) / self.pages_a_write(hardware.page_kib) / self.write_share
        common = SyntheticConfig(
            requests=round(requests),
            read_share=1 - self.write_share,
            pattern="zipf",
            zipf_theta=self.zipf_theta,
            align_kib=self.align_kib,
            footprint=min(footprint / USER_SHARE, 1.0),
            rate_iops=max(1000 / self.gap_ms, requests * LONG_RUN / volume / MOST_S),
        )
        return common if self.piece == POISSON else FITTED[self.piece].on(common)

    def chunks(self, hardware: HardwareConfig, footprint: float, volume: float, seed: int) -> Iterator[Chunk]:
        """Return its requests."""
        config, sizes = self.config(hardware, footprint, volume), (self.read_sizes, self.write_sizes)
        return with_sizes_by_op(config, *sizes, hardware.capacity_bytes, msr.PAGE_KIB * 1024, seed)


def _msr(write_share: float, read_kib: float, write_kib: float, gap_ms: float) -> Published:
    sizes = msr.sizes(read_kib), msr.sizes(write_kib)
    return Published(write_share, read_kib, write_kib, gap_ms, *sizes)


TABLE_1 = {
    "tpce": Published(0.08, 8, 8.4, 0.3, {8: 1.0}, whole_about(8.4, 4), "DevelopmentToolsRelease", align_kib=0.5),
    "prn-0": _msr(0.89, 22.9, 9.7, 108.3),
    "prn-1": _msr(0.25, 22.5, 11.7, 53.8),
    "exch": attrs.evolve(_msr(0.72, 16.8, 15.9, 1.1), piece="DevelopmentToolsRelease", zipf_theta=0.25),
    "fin1": Published(
        *(0.77, 2.3, 3.8, 8.2), *(whole_about(2.3, 1), whole_about(3.8, 1)), "Financial1", zipf_theta=0.7, align_kib=0.5
    ),
    "prj-0": _msr(0.88, 17.9, 40.9, 143.2),
}
POST = "postmark.msr-ssdmodel.disksim.xz"
NAMES = [*TABLE_1, "post"]  # Table 1, in its order
SHOWN = "prj-0"  # the workload of Figs. 2 and 6
AT_ONCE = "workload.speedup=1e6"  # requests come so fast that the queue of the device is always full


@attrs.frozen
class Load:
    """A workload: its kind, its overrides, how much a round of it writes, in units of the capacity, and that."""

    kind: str
    overrides: list[str]
    written: float
    pages: int
    """Those of its device."""

    def until(self, volume: float) -> list[str]:
        """Return the overrides that repeat it until so much is written."""
        return [*self.overrides, f"workload.repeat={max(ceil(volume / self.written - 0.01), 1)}"]


def recognised(file: Path) -> str | None:
    """Return the name in Table 1 of the whole trace in `file`, by its file's name, or None."""
    name = file.name.lower()
    words = {"fin": "fin1", "exch": "exch", "tpce": "tpce", "tpc-e": "tpce", "post": "post"}
    volumes = {"prn_0": "prn-0", "prn_1": "prn-1", "proj_0": "prj-0", "prj_0": "prj-0"}
    return volumes.get(msr.volume(file) or "") or next(
        (known for word, known in words.items() if name.startswith(word)), None
    )


def real_files(folder: Path | None) -> dict[str, Path]:
    """Return the whole traces by name: those in `folder`, and PostMark's beside the project if it is there."""
    beside = {"post": PIECES / POST} if (PIECES / POST).is_file() else {}
    return beside | whole_traces(folder, recognised)


def synthetic(
    name: str,
    overrides: list[str],
    seed: int,
    folder: Path,
    footprint: float = FOOTPRINT,
    piece: str | None = None,
    volume: float = ROUND,
) -> Load:
    """Return the synthetic workload of a row of Table 1 for a device; its file is made if `folder` lacks it."""
    hardware, row = geometry(overrides), TABLE_1[name]
    row = row if piece is None else attrs.evolve(row, piece=piece)
    given = hardware, footprint, volume, seed
    trace = made_once(name, folder, lambda: row.chunks(*given), row, FITTED.get(row.piece), *given)
    return Load("synthetic", [*overrides, *trace], volume, device_pages(hardware))


def real(name: str, file: Path, scale: Fraction, folder: Path) -> Load:
    """Return the workload of a whole trace, up to where it has written as much as the longest run, on its device."""
    hardware = geometry(device(scale))
    touched = _placed(file, hardware.page_bytes).observe(_extents(file))["footprint_bytes"] // hardware.page_bytes
    holding = device(scale, ceil(touched / FULLEST))
    pages = device_pages(geometry(holding))
    given = hardware.page_bytes, LONG_RUN * pages
    written = sum(int(_pages(chunk, hardware.page_bytes).sum()) for chunk in _requests(file)) / pages
    trace = made_once(name, folder, lambda: together(file, *given), file.name, file.stat().st_mtime, given)
    kind = "real" if written <= LONG_RUN else f"real, the first {LONG_RUN / written:.1%}"
    return Load(kind, [*holding, *trace], min(written, LONG_RUN), pages)


def pages_by_name(loads: Mapping[str, Load]) -> dict[str, int]:
    """Return the pages of the devices of workloads."""
    return {name: load.pages for name, load in loads.items()}


def geometry(overrides: list[str]) -> HardwareConfig:
    """Return the geometry of a device."""
    return composed([*overrides, "workload=synthetic"]).hardware


def together(file: Path, page_bytes: int, written: int) -> Iterator[Chunk]:
    """Yield the reads and writes of a trace until so many pages are written; the pages touched move together."""
    placed = _placed(file, page_bytes)
    placed.observe(_extents(file))
    for chunk in _until(_requests(file), page_bytes, written):
        yield attrs.evolve(chunk, offset_bytes=placed(chunk.offset_bytes, chunk.size_bytes))


def _placed(file: Path, page_bytes: int) -> Compact:
    extent = max(int((offset + size).max()) for offset, size in _extents(file))
    return Compact(Device(-(-extent // page_bytes) * page_bytes, page_bytes), extent)


def _extents(file: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return ((chunk.offset_bytes, chunk.size_bytes) for chunk in _requests(file))


def _requests(file: Path) -> Iterator[Chunk]:
    """Yield the reads and writes of a trace at its own addresses."""
    for chunk in open_workload(TraceConfig(path=str(file)), 2**60, 4096, 0).chunks():
        kept = chunk[(chunk.op == READ) | (chunk.op == WRITE)]
        if len(kept):
            yield kept


def _until(chunks: Iterator[Chunk], page_bytes: int, written: int) -> Iterator[Chunk]:
    """Yield requests until so many pages are written."""
    for chunk in chunks:
        after = np.cumsum(_pages(chunk, page_bytes))
        if after[-1] >= written:
            yield chunk[: int(np.searchsorted(after, written)) + 1]
            return
        written -= int(after[-1])
        yield chunk


def _pages(chunk: Chunk, page_bytes: int) -> np.ndarray:
    """Return how many pages each request writes."""
    last = (chunk.offset_bytes + chunk.size_bytes - 1) // page_bytes
    return (last - chunk.offset_bytes // page_bytes + 1) * (chunk.op == WRITE)
