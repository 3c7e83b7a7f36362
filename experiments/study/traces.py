"""What studies replay: synthetic traces, written once to files like any others, and real ones that lie in folders."""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.csv

from ssdsim.command import PROJECT
from ssdsim.command.compose import composed
from ssdsim.command.from_python import spelled
from ssdsim.config import SyntheticConfig
from ssdsim.errors import TraceError
from ssdsim.workload import WRITE, Chunk, SyntheticWorkload, open_workload
from ssdsim.workload.addresses import Compact, Device
from ssdsim.workload.chunk import OP_NAMES

PIECES = PROJECT.parent / "shared" / "traces" / "data"
"""Where pieces of real traces lie beside the project, if they do."""

ROOMY_BYTES = 2**50
"""A device on which every trace keeps its addresses."""

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


def with_sizes_by_op(
    config: SyntheticConfig, reads: Sizes, writes: Sizes, capacity_bytes: int, page_bytes: int, seed: int
) -> Iterator[Chunk]:
    """Yield the requests of `config`, reads and writes with sizes of their own.

    Two passes of the generator with one seed agree in times and operations; writes are taken from the one with the
    sizes of writes, reads from the other.
    """
    passes = [
        SyntheticWorkload(attrs.evolve(config, size_kib=op_sizes), capacity_bytes, page_bytes, seed).chunks()
        for op_sizes in (reads, writes)
    ]
    for read, write in zip(*passes, strict=True):
        is_write = write.op == WRITE
        offset = np.where(is_write, write.offset_bytes, read.offset_bytes)
        yield Chunk(write.arrival_ns, write.op, offset, np.where(is_write, write.size_bytes, read.size_bytes))


def write_trace(chunks: Iterable[Chunk], path: Path) -> None:
    """Write a trace in the format `ssdsim_csv`, compressed with zstd; `path` appears when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")  # not seen as a trace before it is whole
    with pa.CompressedOutputStream(str(unfinished), "zstd") as out:
        out.write(b"arrival_ns,op,offset_bytes,size_bytes\n")
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        for chunk in chunks:
            ops = pa.array(np.array(OP_NAMES)[chunk.op])
            columns = [chunk.arrival_ns, ops, chunk.offset_bytes, chunk.size_bytes]
            pyarrow.csv.write_csv(pa.table(columns, ["arrival", "op", "offset", "size"]), out, options)
    unfinished.rename(path)


def made_once(name: str, folder: Path, chunks: Callable[[], Iterable[Chunk]], *described_by: object) -> list[str]:
    """Return the overrides that replay a trace in `folder`, which is made of `chunks` if it is not there yet.

    `described_by` is all that the trace depends on; its file is called by it.
    """
    # all that it depends on is in its name: another trace is another file
    path = folder / f"{name}-{hashlib.sha256(repr(described_by).encode()).hexdigest()[:8]}.csv.zst"
    if not path.exists():
        write_trace(chunks(), path)
    return [*replayed(path), "workload.format=ssdsim_csv"]


def replayed(path: Path) -> list[str]:
    """Return the overrides that replay the trace file at `path`."""
    return ["workload=trace", f"workload.path={spelled(path.resolve())}"]


def real_pieces(pieces: Mapping[str, tuple[str, list[str]]]) -> dict[str, list[str]]:
    """Return the overrides of those of `pieces`, each a file and what it does not say itself, that are in `PIECES`.

    Say which are not.
    """
    present = {name: (PIECES / file, options) for name, (file, options) in pieces.items() if (PIECES / file).is_file()}
    if missing := pieces.keys() - present.keys():
        print(f"Left out, as they are not in {PIECES}: {', '.join(sorted(missing))}.", file=sys.stderr)
    return {name: [*replayed(path), *options] for name, (path, options) in present.items()}


def footprint(overrides: Sequence[str], page_bytes: int) -> int:
    """Return how many bytes of whole pages the trace that `overrides` replay touches."""
    touched = Compact(Device(ROOMY_BYTES, page_bytes), 0)
    seen = touched.observe((chunk.offset_bytes, chunk.size_bytes) for chunk in _chunks(overrides, page_bytes))
    return int(seen["footprint_bytes"])


def typical_part(overrides: Sequence[str], scale: Fraction) -> list[str]:
    """Return the overrides for a part of a trace, which is replayed by `overrides`: a share `scale` of its requests.

    Of the parts of equally many requests that the trace is made of, it is the one that is most like the whole: the sum
    of the squares of ln(part / whole) is least over the share of writes, the bytes a write and the rate.
    """
    parts = round(1 / scale)  # parts are equally long, so a share is taken for the nearest whole number of them
    if parts == 1:
        return []
    columns = [(chunk.arrival_ns, chunk.op == WRITE, chunk.size_bytes) for chunk in _chunks(overrides, 4096)]
    times, is_write, size = (np.concatenate(column) for column in zip(*columns, strict=True))
    length = max(len(times) // parts, 1)
    starts = np.arange(0, len(times) - length + 1, length)  # a rest that makes no whole part is left out
    spans = np.array([times[min(int(start) + length, len(times) - 1)] - times[start] for start in starts])  # ns
    writes, written = (
        np.add.reduceat(quantity, starts) for quantity in (is_write.astype(np.int64), np.where(is_write, size, 0))
    )
    parts_values = np.stack([writes / length, written / np.maximum(writes, 1), length / np.maximum(spans, 1)])
    whole = np.array(
        [is_write.mean(), size[is_write].mean() if is_write.any() else 0.0, len(times) / max(times[-1], 1)]
    )
    # 1e-12 for nothing, whose logarithm there is none of
    nearest = np.argmin((np.log(np.maximum(parts_values, 1e-12) / np.maximum(whole, 1e-12)[:, None]) ** 2).sum(axis=0))
    return [f"workload.skip={starts[nearest]}", f"workload.limit={length}"]


def _chunks(overrides: Sequence[str], page_bytes: int) -> Iterator[Chunk]:
    return open_workload(composed(list(overrides)).workload, ROOMY_BYTES, page_bytes, 0).chunks()


def whole_traces(folder: Path | None, recognised: Callable[[Path], str | None]) -> dict[str, Path]:
    """Return the traces in `folder` by the names that they are `recognised` as, or by their files' names."""
    if folder is None:
        return {}
    if not folder.is_dir():
        raise TraceError(f"--traces={folder}: there is no such folder.")
    by_name: dict[str, Path] = {}
    # sorted, so that messages do not depend on the file system
    for file in sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")):
        name = recognised(file) or file.name.partition(".")[0]
        if name in by_name:
            raise TraceError(
                f"--traces={folder}: {by_name[name].name} and {file.name} are both {name}; leave one, or join them."
            )
        by_name[name] = file
    return by_name
