"""Requests of jobs held against those of fio: its null engine logs places and sizes, and both are of one distribution.

`fio_figures.json` has fio's counts, for where it is not installed; `python -m tests.workload.test_fio_distributions`
takes them anew.
"""

import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ssdsim.config import FioConfig
from ssdsim.workload import READ, TRIM, WRITE
from ssdsim.workload.fio import FioWorkload

FIGURES = Path(__file__).with_name("fio_figures.json")
BINS = 64
CASES = {
    "random": ["rw=randrw", "rwmixread=70", "norandommap", "io_size=128m"],
    "covering": ["rw=randread", "io_size=160m"],
    "zipf": ["rw=randread", "random_distribution=zipf:1.1", "io_size=128m"],
    "flat_zipf": ["rw=randwrite", "random_distribution=zipf:0.8", "size=65436k", "io_size=128m"],
    "bssplit": ["rw=randrw", "bssplit=4k/60:8k/30:64k/10,16k/50:32k/50", "norandommap", "io_size=256m"],
    "sizes_of_ten": ["rw=write", "bs=6kib", "size=10Mi"],
    "sequential": ["rw=rw", "rwmixread=30"],
}
SPACE = 64 << 20


def figures(op, offset, size, is_shifted):
    """Count requests by operation, size, place and whether they begin where the last of their operation ended.

    Places are from that of most requests on if that is drawn.
    """
    goes_on = [offset[op == one][1:] == (offset + size)[op == one][:-1] for one in np.unique(op)]
    if is_shifted:
        blocks, counts = np.unique(offset, return_counts=True)
        offset = (offset - blocks[np.argmax(counts)]) % (offset.max() + 4096)
    place = np.bincount(offset * BINS // SPACE, minlength=BINS)
    sizes, counts = np.unique(size, return_counts=True)
    return {
        "ops": np.bincount(op, minlength=3).tolist(),
        "sizes": {str(value): int(count) for value, count in zip(sizes, counts, strict=True)},
        "places": place.tolist(),
        "goes_on": np.bincount(np.concatenate(goes_on), minlength=2).tolist(),
    }


def of_fio(case):
    with tempfile.TemporaryDirectory() as folder:
        job, log = Path(folder, "job.fio"), Path(folder, "log")
        own = [] if any(line.startswith("size=") for line in CASES[case]) else ["size=64m"]
        job.write_text("\n".join(["[job]", "ioengine=null", f"write_iolog={log}", *own, *CASES[case]]) + "\n")
        subprocess.run(["fio", str(job)], check=True, capture_output=True, cwd=folder)
        names = {b"read": READ, b"write": WRITE, b"trim": TRIM}
        rows = [row[-3:] for row in map(bytes.split, log.read_bytes().splitlines()) if len(row) >= 4]
        rows = [(names[op], int(offset), int(size)) for op, offset, size in rows if op in names]
    return figures(*np.array(rows, np.int64).T, "zipf" in case)


def of_ours(case, folder):
    job = folder / "job.fio"
    own = [] if any(line.startswith("size=") for line in CASES[case]) else ["size=64m"]
    job.write_text("\n".join(["[job]", *own, *CASES[case]]) + "\n")
    chunks = list(FioWorkload(FioConfig(path=str(job)), 1 << 30, 4096, 3).chunks())
    columns = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in COLUMNS)
    return figures(*columns, "zipf" in case)


COLUMNS = ("op", "offset_bytes", "size_bytes")


def distance(first, second):
    """Return the Kolmogorov-Smirnov distance of two samples of counts over its bound at one in ten thousand."""
    first, second = (np.array(counts, float) for counts in (first, second))
    ours, theirs = first.sum(), second.sum()
    bound = math.sqrt(-math.log(1e-4 / 2) / 2 * (ours + theirs) / (ours * theirs))
    return np.abs(np.cumsum(first) / ours - np.cumsum(second) / theirs).max() / bound


def agree(ours, theirs):
    values = sorted({*ours["sizes"], *theirs["sizes"]}, key=int)
    by_size = ([sample["sizes"].get(value, 0) for value in values] for sample in (ours, theirs))
    parts = {
        "ops": distance(ours["ops"], theirs["ops"]),
        "sizes": distance(*by_size),
        "places": distance(ours["places"], theirs["places"]),
        "goes_on": distance(ours["goes_on"], theirs["goes_on"]),
    }
    return {name: value for name, value in parts.items() if value > 1}


@pytest.mark.parametrize("case", CASES)
def test_requests_are_distributed_as_those_that_fio_logged(case, tmp_path):
    assert agree(of_ours(case, tmp_path), json.loads(FIGURES.read_text())[case]) == {}


if __name__ == "__main__":
    FIGURES.write_text(json.dumps({case: of_fio(case) for case in CASES}, separators=(",", ":")) + "\n")
