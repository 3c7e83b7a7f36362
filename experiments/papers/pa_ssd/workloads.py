"""What the systems of the PA-SSD paper are put under: its eight traces, or synthetic ones like them, and real pieces.

A synthetic workload has the numbers of the paper's Table 2 and is written to a trace file, once, so that it can be
looked at and repeated like any other trace. What Table 2 does not tell is taken from pieces of real traces:

- The mean rate is the number of requests over the duration that the trace's publisher gives.
- Arrivals are those fitted, by the rule of `experiments.study.arrival_fit`, to the piece of the trace itself for tFin
  (Financial1, 853 s) and tDTR (DevelopmentToolsRelease, 300 s); the six others, of which there is no piece long enough,
  have those of tDTR's, the only one of Microsoft's servers, but for tDAP and tExch. The text has more than ten requests
  in the device's queue under tDAP, as sQD makes more of its writes fast (6.1, Fig. 14), and long queues of the chips
  under tExch (6.2); with tDTR's arrivals they have next to none, so they have those of MSR 20-80, the one piece that
  gives them any. Reads and writes come apart, at their shares of the rate,
  in rushes and bursts of the piece's lengths in seconds. What the paper leaves open shows the range that this leaves:
  all workloads with those of one piece, and with none at all (Poisson).
- A large write is one that touches more than one page (Section 5.2), so all requests start on multiples of 4 KiB, as 97
  percent of DevelopmentToolsRelease's do: no small write of up to 4 KiB crosses a page, and every large one, of whole
  pages, does.
- Addresses follow Zipf's law, with the exponent of the writes of Financial1's piece for Financial1, and of those of
  DevelopmentToolsRelease for all of Microsoft's. The footprint is a third of the bytes moved, at most a quarter of the
  device; the two pieces, short as they are, have 0.2 and 0.7.

So the synthetic ones know bursts and rushes of up to some minutes, but neither hours of rush nor any tie of size,
address and time.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.config import HardwareConfig, SyntheticConfig
from ssdsim.workload import Chunk

from ...study.arrivals import FITTED
from ...study.traces import between, made_once, whole_about, with_sizes_by_op

PAGE_KIB = 8
SMALL_KIB = 4  # most common size of a small request, and what all requests start on multiples of

POISSON = "Poisson"


@attrs.frozen
class Load:
    """A workload: its overrides, and whether it is synthetic, a real trace or a piece of one."""

    overrides: list[str]
    kind: str


@attrs.frozen
class Published:
    """A row of Table 2, how many hours the trace spans, and the words that its files are known by."""

    requests: int
    write_share: float
    read_gib: float
    write_gib: float
    large_share: float
    hours: float
    words: str
    piece: str = "DevelopmentToolsRelease"
    """Whose arrivals it has."""

    zipf_theta: float = 0.25

    @property
    def write_pages(self) -> float:
        """Mean size of a write, in pages."""
        return self.write_gib * 2**20 / PAGE_KIB / (self.requests * self.write_share)

    @property
    def read_kib(self) -> float:
        """Mean size of a read."""
        return self.read_gib * 2**20 / (self.requests * (1 - self.write_share))

    @property
    def rate_iops(self) -> float:
        """Mean rate of the requests."""
        return self.requests / (self.hours * 3600)


# The paper's workloads from light to heavy. Microsoft's last 24 hours, but 6 for the file server (Kavalanekar et al.,
# IISWC 2008); Financial1 spans 12.1 hours.
TABLE_2 = {
    "tFin": Published(5_334_987, 0.77, 2.7, 14.6, 0.06, 12.1, "financial1 fin1 tfin", "Financial1", 0.7),
    "tRA": Published(2_214_073, 0.90, 2.3, 15.6, 0.12, 24, "radiusauth ra tra"),
    "tDAP": Published(
        1_086_729, 0.44, 36.2, 44.1, 0.32, 24, "displayadspayload adspayload dap dapps tdap", "MSR 20-80"
    ),
    "tRBESS": Published(5_250_996, 0.82, 97.0, 47.9, 0.30, 24, "radiusbackend radiussql rbess trbess"),
    "tDTR": Published(
        18_195_701, 0.32, 252.1, 176.1, 0.53, 24, "developmenttoolsrelease devtoolsrelease devdivrelease dtr dtrs tdtr"
    ),
    "tExch": Published(7_450_837, 0.46, 37.4, 41.3, 0.17, 24, "exchange exch texch", "MSR 20-80"),
    "tMSFS": Published(29_345_085, 0.33, 200.9, 102.3, 0.10, 6, "msnstoragefileserver msnfileserver msnfs msfs tmsfs"),
    "tBS": Published(11_873_555, 0.49, 149.8, 166.2, 0.67, 24, "buildserver bs tbs"),
}

REAL_PIECES = {
    "Financial1 (853 s)": ("umass_Financial1.rows3-50002.disksim.xz", ["workload.size_unit_bytes=4096"]),
    "DTRS (300 s)": ("msps_DevToolsRelease_DTRS.300s.ssdsim.xz", ["workload.time_unit=us"]),
    "TPC-C (0.1 s)": ("msps_TPC-C.mqsim-tpcc-small.xz", []),
    "prxy_0 (939 s)": ("msr_prxy_0.slice20k.csv.xz", []),
    "MSR 20-80 (243 s)": ("msr_heimdall_10k.rw_20_80.trace.xz", []),
    "MSR busy (1 s)": ("msr_heimdall_10k.most_thpt_rand_iops.trace.xz", []),
}
"""Pieces of real traces that write enough to be worth a look, with what their files do not say themselves."""


def write_sizes(pages: float, large_share: float) -> dict[int, float]:
    """Return sizes in KiB with their shares, of mean `pages`, of which `large_share` are of two pages or more.

    Small writes are of `SMALL_KIB`, and the others of the two numbers of whole pages that make up the mean; if that is
    too much even with two pages, some of the small ones are half as long.
    """
    mean_kib, two = pages * PAGE_KIB, 2 * PAGE_KIB
    large = (mean_kib - SMALL_KIB * (1 - large_share)) / large_share
    if large >= two:
        small_sizes, large_sizes = {SMALL_KIB: 1.0}, whole_about(large, PAGE_KIB)
    else:
        small = (mean_kib - two * large_share) / (1 - large_share)
        small_sizes, large_sizes = between(SMALL_KIB // 2, SMALL_KIB, small), {two: 1.0}
    return {
        **{size: share * (1 - large_share) for size, share in small_sizes.items()},
        **{size: share * large_share for size, share in large_sizes.items()},
    }


def read_sizes(kib: float) -> dict[int, float]:
    """Return sizes in KiB with their shares, of mean `kib`."""
    return whole_about(kib, SMALL_KIB if kib >= SMALL_KIB else SMALL_KIB // 2)


def synthetic(row: Published, scale: Fraction, capacity_bytes: int, seed: int) -> Iterator[Chunk]:
    """Return `scale` times the requests of a row of Table 2, for a device of `capacity_bytes`."""
    footprint = min((row.read_gib + row.write_gib) * 2**30 * float(scale) / 3 / capacity_bytes, 0.25)
    common = SyntheticConfig(
        requests=max(round(row.requests * scale), 1),
        read_share=1 - row.write_share,
        align_kib=SMALL_KIB,
        pattern="zipf",
        zipf_theta=row.zipf_theta,
        footprint=footprint,
        rate_iops=row.rate_iops,
    )
    if row.piece != POISSON:
        common = FITTED[row.piece].on(common)
    sizes = read_sizes(row.read_kib), write_sizes(row.write_pages, row.large_share)
    return with_sizes_by_op(common, *sizes, capacity_bytes, PAGE_KIB * 1024, seed)


def synthetic_trace(
    name: str, row: Published, scale: Fraction, hardware: HardwareConfig, seed: int, folder: Path
) -> list[str]:
    """Return the overrides that replay the synthetic workload of a row, whose file is made if `folder` lacks it."""
    capacity = hardware.capacity_bytes
    arrivals = FITTED.get(row.piece)
    return made_once(name, folder, lambda: synthetic(row, scale, capacity, seed), row, arrivals, scale, capacity, seed)


def recognised(file: Path) -> str | None:
    """Return the name in Table 2 of the whole trace in `file`, by its file's name, or None."""
    parts = re.findall(r"[a-z]+\d?", file.name.lower())
    joined = "".join(parts)
    for name, row in TABLE_2.items():
        if any(word in parts or (len(word) > 4 and word in joined) for word in row.words.split()):
            return name
    return None
