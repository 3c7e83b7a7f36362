"""Strategies and checks for tests of your own: random devices and loads, and what holds of any run of them.

It needs hypothesis, which the extra `test` has. How a policy is tried on drawn devices is shown in
`docs/pages/how_to/policy.md`. With `integrity="on"` the content of every sector and the time of every command are held
against what they must be, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np
from hypothesis import strategies as st

from ssdsim._core.codes import REQUESTS
from ssdsim.config import HardwareConfig
from ssdsim.workload import Chunk, open_workload

SECTOR = 512
Row = Mapping[str, Any]
"""A row of a table of requests, as `to_pylist` gives it."""


@st.composite
def devices(draw: st.DrawFn) -> HardwareConfig:
    """Draw a small device with room for collection below two free blocks: geometry, bits a cell, sizes and times."""
    bits, wordlines, blocks = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(6, 12))
    # beside data there are two active blocks, two that stay free, and one that is partly dead
    logical = draw(st.integers(1, (blocks - 5) * bits * wordlines))
    times = st.lists(st.sampled_from([0.0, 1.0, 7.5, 100.0]), min_size=bits, max_size=bits)
    return HardwareConfig(
        channels=draw(st.integers(1, 2)),
        chips_per_channel=draw(st.integers(1, 2)),
        dies_per_chip=draw(st.integers(1, 2)),
        planes_per_die=draw(st.sampled_from([1, 2, 4])),
        blocks_per_plane=blocks,
        pages_per_block=bits * wordlines,
        bits_per_cell=bits,
        page_kib=draw(st.sampled_from([0.5, 4, 16])),
        read_us=draw(times),
        program_us=draw(times),
        erase_us=draw(st.sampled_from([0.0, 100.0, 1000.0])),
        over_provisioning=1 - logical / (blocks * bits * wordlines),
    )


@st.composite
def requests(
    draw: st.DrawFn, capacity: int, page_bytes: int = 4096, most: int = 300
) -> list[tuple[int, str, int, int]]:
    """Draw requests in order of arrival: bursts on few pages or all, whole pages or parts of them, all operations."""
    count = draw(st.integers(1, most))
    spread = draw(st.sampled_from([0, 1, 1000, 200_000]))
    footprint = draw(st.sampled_from([0.1, 1.0]))
    share = draw(st.sampled_from([(0, 1, 0, 0), (0.3, 0.7, 0, 0), (0.25, 0.6, 0.1, 0.05)]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    unit = min(draw(st.sampled_from([SECTOR, page_bytes, 4096])), capacity)
    units = max(int(capacity * footprint) // unit, 1)
    size = np.minimum(random.geometric(0.3, count), units)
    first = random.integers(0, units - size + 1)
    arrival = np.cumsum(random.integers(0, spread + 1, count) * (random.random(count) < 0.5))
    op = random.choice(["read", "write", "trim", "flush"], p=share, size=count)
    unsized = op == "flush"
    offset, length = np.where(unsized, 0, first * unit), np.where(unsized, 0, size * unit)
    return list(zip(arrival.tolist(), op.tolist(), offset.tolist(), length.tolist(), strict=True))


@attrs.define(kw_only=True)
class RequestList:
    """A workload written out as rows of (arrival in ns, operation, offset, size); one in `fua_every` has FUA.

    It comes in chunks of `chunk_rows`: short ones, so that their borders are crossed often.
    """

    group: ClassVar[str] = "workload."

    rows: list[tuple[int, str, int, int]] = attrs.field(factory=list)
    queue_depth: int | None = None
    chunk_rows: int = 7
    fua_every: int = 0

    @property
    def requests(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the rows."""
        for first in range(0, len(self.rows), self.chunk_rows):
            arrival, op, offset, size = zip(*self.rows[first : first + self.chunk_rows], strict=True)
            number = np.arange(first, first + len(op)) + 1
            fua = (number % self.fua_every == 0).astype(np.uint8) if self.fua_every else None
            ops = np.array([REQUESTS.index(name) for name in op], np.uint8)
            yield Chunk(np.array(arrival), ops, np.array(offset), np.array(size), fua=fua)

    def describe(self) -> dict[str, Any]:
        """Return the number of rows."""
        return {"rows": len(self.rows)}


open_workload.register(RequestList, lambda load, *_: load)


def check_requests(rows: Sequence[Row], loads: Sequence[RequestList], start_ns: int | None = 0) -> None:
    """Assert that the table of requests holds each request of each stream once, in the order of its stream.

    Arrivals of open loops count from `start_ns`; if that is None, from the same instant for all.
    """
    starts = set() if start_ns is None else {start_ns}
    assert [row["id"] for row in rows] == list(range(sum(len(load.rows) for load in loads)))
    for index, load in enumerate(loads):
        seen = [row for row in rows if row["stream"] == index]
        assert [(row["op"], row["offset_bytes"], row["size_bytes"]) for row in seen] == [row[1:] for row in load.rows]
        if not load.queue_depth:
            starts |= {row["arrival_ns"] - asked[0] for row, asked in zip(seen, load.rows, strict=True)}
    assert len(starts) <= 1
