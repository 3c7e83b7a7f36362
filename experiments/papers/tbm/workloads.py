"""What the systems of the TBM paper are put under: synthetic traces with the numbers of its Table 1, and real ones.

PostMark is real: the trace of Microsoft's SSD extension for DiskSim has the numbers of the table (62,257 requests, 17
percent of them writes, 98.8 and 833 KiB). The six others are synthetic. What the table leaves out is taken from pieces
of real traces:

- Times: gaps of several kinds whose mean is that of the table (`study/msr.py`). MSR's volumes have those of MSR's
  pieces, in which most requests come in batches, less than a tenth of a millisecond apart. Financial1, Exchange and
  TPC-E have those of the pieces of Financial1, DevelopmentToolsRelease and TPC-C, in multiples of the mean gap.
- Sizes: MSR's volumes, and Exchange, those of MSR's pieces tilted to the mean of the table.
- Places: by Zipf's law and aligned as in those pieces.

The paper names no footprint. Those of the traces that are known are one to three percent of its device (PostMark's; the
MSR volumes in the paper on SPD). Then hardly a block that is collected holds a valid page, and what collection does to
the planes, the paper's subject, needs more collections than a scaled device sees. The synthetic traces touch
`FOOTPRINT` of the device at any scale, so that a collection moves about a page, and real ones that touch more are
folded into that much. That share was settled on after a half had been tried and its results seen, with which TBM gains
more for moving pages by twos; the report shows what follows from other footprints.

A synthetic trace writes `ROUND` times the device's pages, a real one what it does, but not more than the longest run;
they are repeated as often as a run needs. In a round no synthetic request comes twice, so that data keeps dying at
random; a short round would kill all data once a round.
"""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

import attrs
import numpy as np

from ssdsim.config import HardwareConfig, TraceConfig
from ssdsim.workload import READ, WRITE, Chunk, open_workload
from ssdsim.workload.addresses import Compact, Device, Wrap

from ...compose import composed
from ...study import msr
from ...study.msr import Gaps, Synthetic
from ...study.traces import PIECES, Sizes, made_once, whole_about, whole_traces

FOOTPRINT = 0.1
ROUND = 2.0
LONG_RUN = 10
"""Capacities that the longest runs write."""

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
    gaps: Gaps = msr.MSR_GAPS
    zipf_theta: float = msr.ZIPF_THETA
    align_kib: float = msr.PAGE_KIB

    def pages_a_write(self, page_kib: float) -> float:
        """Return the mean number of pages that a write lies on."""
        return 1 + (self.write_kib - self.align_kib) / page_kib

    def synthetic(self, hardware: HardwareConfig, footprint: float) -> Synthetic:
        """Return a trace that writes `ROUND` times the device's pages, to `footprint` of it."""
        pages = hardware.planes * hardware.pages_per_plane
        requests = ROUND * pages / self.pages_a_write(hardware.page_kib) / self.write_share
        return Synthetic(
            requests=round(requests),
            write_share=self.write_share,
            read_sizes=self.read_sizes,
            write_sizes=self.write_sizes,
            footprint_bytes=footprint * pages * hardware.page_bytes,
            rate_iops=max(1000 / self.gap_ms, requests * LONG_RUN / ROUND / MOST_S),
            gaps=self.gaps,
            zipf_theta=self.zipf_theta,
            align_kib=self.align_kib,
        )


def _msr(write_share: float, read_kib: float, write_kib: float, gap_ms: float) -> Published:
    sizes = msr.sizes(read_kib), msr.sizes(write_kib)
    return Published(write_share, read_kib, write_kib, gap_ms, *sizes)


def _gaps(gap_ms: float, *kinds: tuple[float, float]) -> Gaps:
    """Return gaps by share and mean in multiples of `gap_ms`."""
    return Gaps(tuple((share, mean * gap_ms / 1000) for share, mean in kinds))


TABLE_1 = {
    "tpce": Published(
        0.08, 8, 8.4, 0.3, {8: 1.0}, whole_about(8.4, 4), _gaps(0.3, (0.06, 0.04), (0.61, 0.5)), align_kib=0.5
    ),
    "prn-0": _msr(0.89, 22.9, 9.7, 108.3),
    "prn-1": _msr(0.25, 22.5, 11.7, 53.8),
    "exch": attrs.evolve(_msr(0.72, 16.8, 15.9, 1.1), gaps=_gaps(1.1, (0.07, 0.03), (0.63, 0.43)), zipf_theta=0.25),
    "fin1": Published(
        *(0.77, 2.3, 3.8, 8.2),
        *(whole_about(2.3, 1), whole_about(3.8, 1)),
        _gaps(8.2, (0.32, 0.0), (0.36, 0.525)),
        zipf_theta=0.7,
        align_kib=0.5,
    ),
    "prj-0": _msr(0.88, 17.9, 40.9, 143.2),
}
POST = "postmark.msr-ssdmodel.disksim.xz"
NAMES = [*TABLE_1, "post"]
"""Table 1, in its order."""


@attrs.frozen
class Load:
    """A workload: its kind, its overrides, and how much a round of it writes, in units of the capacity."""

    kind: str
    overrides: list[str]
    written: float

    def until(self, volume: float) -> list[str]:
        """Return the overrides that repeat it until so much is written."""
        return [*self.overrides, f"workload.repeat={max(ceil(volume / self.written - 0.01), 1)}"]


def recognised(file: Path) -> str | None:
    """Return the name in Table 1 of the whole trace in `file`, by its file's name, or None."""
    name = file.name.lower()
    words = {"fin": "fin1", "exch": "exch", "tpce": "tpce", "tpc-e": "tpce", "post": "post"}
    volumes = {"prn_0": "prn-0", "prn_1": "prn-1", "proj_0": "prj-0", "prj_0": "prj-0"}
    found = volumes.get(msr.volume(file) or "")
    return found or next((known for word, known in words.items() if name.startswith(word)), None)


def real_files(folder: Path | None) -> dict[str, Path]:
    """Return the whole traces by name: those in `folder`, and PostMark's beside the project if it is there."""
    beside = {"post": PIECES / POST} if (PIECES / POST).is_file() else {}
    return beside | whole_traces(folder, recognised)


def synthetic(name: str, device: list[str], seed: int, folder: Path, footprint: float = FOOTPRINT) -> Load:
    """Return the synthetic workload of a row of Table 1 for a device; its file is made if `folder` lacks it."""
    hardware = geometry(device)
    trace = TABLE_1[name].synthetic(hardware, footprint).trace(name, hardware.capacity_bytes, seed, folder)
    return Load("synthetic", [*device, *trace], ROUND)


def real(name: str, file: Path, device: list[str], folder: Path) -> Load:
    """Return the workload of a whole trace, up to where it has written as much as the longest run, and folded."""
    hardware = geometry(device)
    pages = hardware.planes * hardware.pages_per_plane
    size = (hardware.page_bytes, int(FOOTPRINT * pages), LONG_RUN * pages)
    written = _pages_written(_requests(file), hardware.page_bytes) / pages
    trace = made_once(name, folder, lambda: folded(file, *size), file.name, file.stat().st_mtime, size)
    kind = "real" if written <= LONG_RUN else f"real, the first {LONG_RUN / written:.1%}"
    return Load(kind, [*device, *trace], min(written, LONG_RUN))


def geometry(device: list[str]) -> HardwareConfig:
    """Return the geometry of a device."""
    return composed([*device, "workload=synthetic"]).hardware


def folded(file: Path, page_bytes: int, most: int, written: int) -> Iterator[Chunk]:
    """Yield the reads and writes of a trace until so many pages are written, on at most `most` pages.

    The pages touched move together, in order, and are then counted modulo `most`.
    """

    def part() -> Iterator[Chunk]:
        return _until(_requests(file), page_bytes, written)

    extent = max(int((chunk.offset_bytes + chunk.size_bytes).max()) for chunk in part())
    compact = Compact(Device(-(-extent // page_bytes) * page_bytes, page_bytes), extent)
    compact.observe((chunk.offset_bytes, chunk.size_bytes) for chunk in part())
    wrap = Wrap(Device(most * page_bytes, page_bytes), extent)
    for chunk in part():
        yield attrs.evolve(chunk, offset_bytes=wrap(compact(chunk.offset_bytes, chunk.size_bytes), chunk.size_bytes))


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


def _pages_written(chunks: Iterator[Chunk], page_bytes: int) -> int:
    return sum(int(_pages(chunk, page_bytes).sum()) for chunk in chunks)
