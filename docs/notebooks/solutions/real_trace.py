"""Solutions of 08_real_trace."""

import lzma
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from ssdsim import preset, simulate
from ssdsim.workload import FLUSH, READ, TRIM, WRITE, Chunk, Generator

WAL, ROLLBACK, PGBENCH = "sqlite_wal.csv.xz", "sqlite_rollback.csv.xz", "postgres_pgbench.csv.xz"
CODES = {"read": READ, "write": WRITE, "trim": TRIM, "flush": FLUSH}
TLC = {"hardware.blocks_per_plane": 32}
LSB_ONLY = {"hardware/cells": "slc", "hardware.blocks_per_plane": 96}
REQUESTS = 20_000


def read(name: str) -> pa.Table:
    """Return the rows of a trace of the project."""
    path = preset(workload="trace", **{"workload.path": name}).workload.path
    with lzma.open(path) as file:
        return csv.read_csv(file)


def page_writes(trace: pa.Table) -> np.ndarray:
    """Return how often each page that is written at all is written, the busiest first."""
    writes = np.array(trace["op"].to_pylist()) == "write"
    offsets, sizes = (trace[name].to_numpy()[writes] for name in ("offset_bytes", "size_bytes"))
    ends = offsets + sizes - 1
    pages = np.concatenate([np.arange(a // 4096, b // 4096 + 1) for a, b in zip(offsets, ends, strict=True)])
    return np.sort(np.unique(pages, return_counts=True)[1])[::-1]


def busiest_tenth(trace: pa.Table) -> float:
    """Return the share of the page writes that goes to the busiest tenth of the pages."""
    times = page_writes(trace)
    return float(times[: len(times) // 10].sum() / times.sum())


class Thinking(Generator):
    """The first requests of the trace, with its pauses between them."""

    requests = REQUESTS
    queue_depth = 64

    def chunks(self) -> Any:
        """Yield the requests, each after the time that passed since the one before it."""
        rows = read(WAL).slice(0, self.requests)
        arrivals = rows["arrival_ns"].to_numpy()
        codes = np.array([CODES[op] for op in rows["op"].to_pylist()], np.uint8)
        idle_ns = np.diff(arrivals, prepend=arrivals[0])
        yield Chunk(idle_ns, codes, rows["offset_bytes"].to_numpy(), rows["size_bytes"].to_numpy())


def exercise_1() -> None:
    """SQLite with a rollback journal is: 5 at 1 ms. But at 1 s it has 290, and is as bursty as the others.

    An index that rises with the window says that busy times follow busy times. One scale alone tells little.
    """
    found = {}
    for name in (WAL, ROLLBACK, PGBENCH):
        arrivals = read(name)["arrival_ns"].to_numpy()
        counts = [np.bincount(arrivals // 10**power) for power in (6, 7, 8, 9)]
        found[name] = [each.var() / each.mean() for each in counts]
    assert min(found, key=lambda name: found[name][0]) == ROLLBACK
    assert 4 < found[ROLLBACK][0] < 7
    assert all(each[-1] > 200 for each in found.values())
    assert found[ROLLBACK] == sorted(found[ROLLBACK])


def exercise_2() -> None:
    """8 KiB: that is PostgreSQL's page. The busiest tenth has 22 percent of the page writes, not 79 as with SQLite.

    So there is little skew: blocks of all data die at much the same pace, and there are hardly any hot blocks that a
    victim policy could leave alone.
    """
    trace = read(PGBENCH)
    sizes = trace["size_bytes"].to_numpy()[np.array(trace["op"].to_pylist()) == "write"]
    assert np.bincount(sizes).argmax() == 8192
    assert round(busiest_tenth(trace), 2) == 0.22
    assert round(busiest_tenth(read(WAL)), 2) == 0.79


def exercise_3() -> None:
    """With flushes all 28,625 pages are programmed, and no write hits; without them one in seven, and most writes hit.

    A write hits if its page is still in the buffer. The log is written again and again, so nearly all of its writes
    would hit. But each flush empties the buffer, before the page is written again. That is the price of transactions
    that survive a loss of power.

    The buffer begins empty (`precondition.run_in=false`). A run-in leaves pages of its own in it: 274 more are then
    programmed with flushes, and some 4,000 without, which is all that the buffer holds.
    """
    rows = read(WAL).slice(0, REQUESTS).to_pylist()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for flushes in (True, False):
            path = Path(folder) / f"{flushes}.csv"
            lines = [",".join(map(str, row.values())) for row in rows if flushes or row["op"] != "flush"]
            path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *lines]) + "\n")
            keys = {"workload.path": str(path), "precondition.run_in": False, **TLC}
            config = preset(workload="trace", buffer="lru", **keys)
            summary = simulate(config).summary
            found[flushes] = (summary["host_page_writes"], summary["buffer"]["write_hits"])
    pages = page_writes(read(WAL).slice(0, REQUESTS)).sum()
    assert found[True] == (pages, 0) == (28_625, 0)
    programmed, hits = found[False]
    assert programmed < pages / 5 and hits > pages * 2 / 3
    assert programmed + hits <= pages  # the rest is in the buffer


def exercise_4() -> None:
    """About 16 s on the TLC device, and 13 s on the one that uses only LSB pages: slower than the trace, both of them.

    The pauses alone are 9.85 s. Each of them now begins when all requests before it are complete, so the time of the
    device comes on top. SQLite did not always wait for everything, so this is not the truth either.
    """
    generator = {"workload.generator": f"{__name__}.Thinking"}
    tlc, lsb_only = (
        simulate(preset(workload="generator", **generator, **device)).summary["simulated_s"]
        for device in (TLC, LSB_ONLY)
    )
    pauses = np.ptp(read(WAL).slice(0, REQUESTS)["arrival_ns"].to_numpy()) / 1e9
    assert round(pauses, 2) == 9.85
    assert pauses * 1.2 < lsb_only < tlc < pauses * 2
