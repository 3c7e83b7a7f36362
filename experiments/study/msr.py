"""Synthetic traces like those of the MSR Cambridge volumes, from published means and from what pieces of them show.

The pieces (`msr_*` in `traces.PIECES`; see the paper by Narayanan, Donnelly and Rowstron, FAST 2008) give what the
tables of papers leave out:

- Times. The gaps between requests are of three kinds: within a batch (below 1 ms; the mean is 0.05 to 0.07 ms), within
  a burst (below 100 ms) and between bursts. Of the requests of hm_0 74 percent come within a batch and 18 within a
  burst, 7 ms in the mean; of another volume, known as 20-80, 80 and 13 percent, 29 ms; of prxy_0 22 and 76 percent,
  43 ms. Bursts are of very unequal length: 12 requests in the mean of hm_0's and 20-80's, but the burst that a request
  finds itself in is 240 and 340 long. So half of the requests come in rushes of 290, the others in bursts of 6. A
  synthetic trace draws from exponentials and geometric numbers; gaps between bursts are as long as the volume's mean
  rate asks. The rate that a request sees around it is then within a factor of 2 of those pieces' in windows of 1 ms
  to 10 s.
- Sizes. Of the writes 62 to 77 percent lie on one page of 4 KiB, 8 to 22 on two, and 0 to 8 on the sixteen that are the
  most. `sizes` tilts the mean of the three pieces' distributions to another mean.
- Places. Between 57 (20-80) and 99 percent (wdev_1) of requests lie on multiples of 4 KiB; but for prxy_0, of which 78
  percent of writes are of 1 KiB. A tenth of the pages written takes 63 percent of the page writes (20-80), 75 (wdev_1)
  and 39 (prxy_0, which writes each page fifteen times): Zipf's law with exponents of 0.8, 0.9 and 0.6.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

from ssdsim.config import SyntheticConfig
from ssdsim.workload import Chunk

from .traces import Sizes, made_once, with_sizes_by_op

PAGE_KIB = 4
PAGES_A_WRITE = {1: 0.68, 2: 0.14, 3: 0.03, 5: 0.085, 10: 0.035, 16: 0.03}
"""Pages of 4 KiB that a write lies on: the mean of hm_0's, rsrch_1's and 20-80's pieces, coarsely."""

LONGEST_MEAN_KIB = PAGE_KIB * max(PAGES_A_WRITE)
ZIPF_THETA = 0.8
WEEK_S = 7 * 24 * 3600
"""What the traces of MSR Cambridge span."""


@attrs.frozen
class Gaps:
    """The times between requests: exponentials of several kinds, by share and mean in seconds.

    All other gaps end a burst and are as long as makes up for these; without `kinds` that is a Poisson process. A share
    of the requests comes in `rushes`, bursts of so many requests in the mean that are longer than the others.
    """

    kinds: tuple[tuple[float, float], ...] = ()
    rushes: tuple[float, float] = (0.0, 1.0)

    def draw(self, rng: np.random.Generator, rate_iops: float, count: int) -> np.ndarray:
        """Return `count` gaps in seconds whose mean is 1 / `rate_iops`; raise ValueError if the kinds are too long."""
        # the last kind, of gaps between bursts, has what is left of the shares
        shares, means = np.array([*self.kinds, (1 - sum(share for share, _ in self.kinds), 0.0)]).T
        rest = 1 / rate_iops - shares @ means  # seconds that gaps between bursts have to make up for
        if rest <= 0:
            raise ValueError(f"gaps of {self.kinds} leave nothing for a rate of {rate_iops:g}/s")
        kind = np.full(count, len(self.kinds))  # the last kind, until another is drawn
        inside = ~self._ends(rng, count, shares[-1])
        if self.kinds:
            kind[inside] = rng.choice(len(self.kinds), np.count_nonzero(inside), p=shares[:-1] / shares[:-1].sum())
        means[-1] = rest / shares[-1]
        return rng.exponential(means[kind])

    def _ends(self, rng: np.random.Generator, count: int, share: float) -> np.ndarray:
        """Return a mask of the gaps of `count` that end a burst: a `share` of them in the long run."""
        rushing, requests = self.rushes
        ends = np.zeros(count, bool)
        done = -1
        while done < count - 1:
            # how many bursts there may be, at least 8: those beyond the end are not used
            is_rush = rng.random(max(round(share * count), 8)) * share < rushing / requests
            # the others' mean is such that all bursts together end the share of the gaps
            length = rng.geometric(np.where(is_rush, 1 / requests, (share - rushing / requests) / (1 - rushing)))
            last = done + np.cumsum(length)
            ends[last[last < count]] = True
            done = int(last[-1])
        return ends


MSR_GAPS = Gaps(((0.77, 60e-6), (0.15, 10e-3)), rushes=(0.5, 290))


@attrs.frozen
class Synthetic:
    """A synthetic trace. Sizes are in KiB."""

    requests: int
    write_share: float
    read_sizes: Sizes
    write_sizes: Sizes
    footprint_bytes: float
    rate_iops: float
    gaps: Gaps = MSR_GAPS
    zipf_theta: float = ZIPF_THETA
    align_kib: float = PAGE_KIB

    def chunks(self, capacity_bytes: int, seed: int) -> Iterator[Chunk]:
        """Yield its requests, for a device of at least its footprint."""
        config = SyntheticConfig(
            requests=self.requests,
            read_share=1 - self.write_share,
            pattern="zipf",
            zipf_theta=self.zipf_theta,
            align_kib=self.align_kib,
            footprint=min(self.footprint_bytes / capacity_bytes, 1.0),
            rate_iops=None,
            queue_depth=1,
        )
        # [seed, 1]: not the draws of the requests themselves
        gaps = self.gaps.draw(np.random.default_rng([seed, 1]), self.rate_iops, self.requests)
        times = np.rint(np.cumsum(gaps) * 1e9).astype(np.int64)
        sizes = self.read_sizes, self.write_sizes
        for chunk in with_sizes_by_op(config, *sizes, capacity_bytes, PAGE_KIB * 1024, seed):
            now, times = np.split(times, [len(chunk.op)])
            yield Chunk(now, chunk.op, chunk.offset_bytes, chunk.size_bytes)

    def trace(self, name: str, capacity_bytes: int, seed: int, folder: Path) -> list[str]:
        """Return the overrides that replay it from a file in `folder`, which is made if it is not there."""
        return made_once(name, folder, lambda: self.chunks(capacity_bytes, seed), self, capacity_bytes, seed)


def sizes(mean_kib: float) -> dict[int, float]:
    """Return sizes in KiB with their shares, of mean `mean_kib`: those of the pieces, larger ones more or less often.

    Shares are multiplied by exp(t x size), the change that parts least from the pieces' (in relative entropy).
    """
    if not PAGE_KIB <= mean_kib <= LONGEST_MEAN_KIB:  # beyond, no shares of these sizes have the mean
        raise ValueError(f"mean size {mean_kib} KiB is not between {PAGE_KIB} and {LONGEST_MEAN_KIB}")
    size, share = (np.array(list(numbers), float) for numbers in (PAGES_A_WRITE, PAGES_A_WRITE.values()))
    low, high = -40.0, 40.0  # far beyond what any mean between the sizes takes
    for _ in range(100):
        # exponents below 0 alone: nothing overflows
        tilted = share * np.exp((tilt := (low + high) / 2) * (size - size[0 if tilt < 0 else -1]))
        low, high = (tilt, high) if tilted @ size < mean_kib / PAGE_KIB * tilted.sum() else (low, tilt)
    return {int(PAGE_KIB * pages): float(part) for pages, part in zip(size, tilted / tilted.sum(), strict=True)}


def volume(file: Path) -> str | None:
    """Return the volume that a trace file is of, as `hm_0` or `rsrch_0`, by the file's name, or None."""
    match = re.search(r"(?<![a-z])([a-z]+\d?)[_-](\d)(?!\d)", file.name.lower())
    return f"{match[1]}_{match[2]}" if match else None
