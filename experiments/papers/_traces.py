"""The traces of studies: synthetic ones, written once to files like any others.

What the tables of papers leave out of MSR Cambridge's volumes is taken from pieces of them (Narayanan, Donnelly and
Rowstron, FAST 2008). Of the writes 62 to 77 percent lie on one page of 4 KiB, 8 to 22 on two, and 0 to 8 on the sixteen
that are the most. Between 57 (20-80) and 99 percent (wdev_1) of requests lie on multiples of 4 KiB; but for prxy_0, of
which 78 percent of writes are of 1 KiB. A tenth of the pages written takes 63 percent of the page writes (20-80), 75
(wdev_1) and 39 (prxy_0, which writes each page fifteen times): Zipf's law with exponents of 0.8, 0.9 and 0.6.

Arrivals are fitted to such pieces by one rule, reads and writes apart where there are a thousand of each. Levels have
the index of dispersion of counts, from 1 ms to a tenth of the piece (Heffes and Lucantoni, IEEE JSAC 4(6), 1986;
Andersen and Nielsen, 1998), batches have what these leave, and how rare and tall levels are gives the queues of a
server that is busy for 0.3 to 0.9 of its time (Wang et al., ICDE 2002).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from ssdsim.config import SyntheticConfig
from ssdsim.workload import WRITE, Chunk, SyntheticWorkload

from ..study.claims import rows_of

PAGE_KIB = 4
ZIPF_THETA = 0.8
PAGES_A_WRITE = {1: 0.68, 2: 0.14, 3: 0.03, 5: 0.085, 10: 0.035, 16: 0.03}
"""Pages of 4 KiB that a write lies on: the mean of hm_0's, rsrch_1's and 20-80's pieces, coarsely."""

FITTED: dict[str, dict[str, Any]] = {
    row.pop("piece"): {"arrival": "levels"} | {key: json.loads(value) for key, value in row.items()}
    for row in rows_of(Path(__file__).with_name("arrivals.tsv"))
}
"""Keys of a workload but for its rate, by the piece whose arrivals it has: nothing here is set by hand."""

Sizes = Mapping[int, float]
"""Sizes in KiB with their shares."""


def between(low: int, high: int, mean: float) -> dict[int, float]:
    """Return the shares of `low` and `high` whose mean is `mean`."""
    share = (mean - low) / (high - low)
    return {size: part for size, part in ((low, 1 - share), (high, share)) if part > 0}


def whole_about(mean: float, unit: int) -> dict[int, float]:
    """Return the shares of the two neighbouring multiples of `unit` whose mean is `mean`."""
    below = int(mean // unit) * unit
    return between(below, below + unit, mean)


def requests(
    config: SyntheticConfig, reads: Sizes, writes: Sizes, capacity_bytes: int, page_bytes: int, seed: int
) -> Iterator[Chunk]:
    """Yield the requests of `config`, reads and writes with sizes of their own.

    Two passes of the generator with one seed agree in times and operations; writes are taken from the one with the
    sizes of writes, reads from the other.
    """
    configs = (attrs.evolve(config, size_kib=sizes) for sizes in (reads, writes))
    passes = (SyntheticWorkload(sized, capacity_bytes, page_bytes, seed).chunks() for sized in configs)
    for read, write in zip(*passes, strict=True):
        places = [(read.offset_bytes, write.offset_bytes), (read.size_bytes, write.size_bytes)]
        yield Chunk(
            write.arrival_ns, write.op, *(np.where(write.op == WRITE, second, first) for first, second in places)
        )


def msr_sizes(mean_kib: float) -> dict[int, float]:
    """Return sizes in KiB with their shares, of mean `mean_kib`: those of MSR's pieces, larger ones more or less often.

    Shares are multiplied by exp(t x size), the change that parts least from the pieces' (in relative entropy).
    """
    size, share = (np.array(list(numbers), float) for numbers in (PAGES_A_WRITE, PAGES_A_WRITE.values()))
    low, high = -40.0, 40.0  # far beyond what any mean between the sizes takes
    for _ in range(100):
        # exponents below 0 alone: nothing overflows
        tilted = share * np.exp((tilt := (low + high) / 2) * (size - size[0 if tilt < 0 else -1]))
        low, high = (tilt, high) if tilted @ size < mean_kib / PAGE_KIB * tilted.sum() else (low, tilt)
    return {int(PAGE_KIB * pages): float(part) for pages, part in zip(size, tilted / tilted.sum(), strict=True)}
