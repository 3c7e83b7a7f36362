"""Files of traces that studies make, written once and replayed like any others."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ssdsim.command.from_python import spelled
from ssdsim.workload import Chunk
from ssdsim.workload.chunk import OP_NAMES


def write_trace(chunks: Iterable[Chunk], path: Path) -> None:
    """Write a trace in the format `ssdsim_csv`, compressed with zstd; `path` appears when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")  # not seen as a trace before it is whole
    with pa.CompressedOutputStream(str(unfinished), "zstd") as out:
        out.write(b"arrival_ns,op,offset_bytes,size_bytes\n")
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        for chunk in chunks:
            columns = [chunk.arrival_ns, np.array(OP_NAMES)[chunk.op], chunk.offset_bytes, chunk.size_bytes]
            pyarrow.csv.write_csv(pa.table(columns, ["arrival", "op", "offset", "size"]), out, options)
    unfinished.rename(path)


def made_once(name: str, folder: Path, chunks: Callable[..., Iterable[Chunk]], *asked: Any) -> list[str]:
    """Return the overrides that replay a trace in `folder`, made of `chunks` as `asked` for if it is not there yet."""
    # all that it depends on is in its name: another trace is another file
    path = folder / f"{name}-{hashlib.sha256(repr(asked).encode()).hexdigest()[:8]}.csv.zst"
    if not path.exists():
        write_trace(chunks(*asked), path)
    return [*replayed(path), "workload.format=ssdsim_csv"]


def replayed(path: Path) -> list[str]:
    """Return the overrides that replay the trace file at `path`."""
    return ["workload=trace", f"workload.path={spelled(path.resolve())}"]
