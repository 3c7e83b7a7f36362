"""The load of a drive that was part of another model: recorded as it came, and repeated by a run of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.errors import TraceError
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import damage_told, open_writer
from ssdsim.workload.base import Generator
from ssdsim.workload.chunk import Chunk

COLUMNS = ("arrival_ns", "op", "offset_bytes", "size_bytes", "fua", "access_latency")


class LoadTable:
    """Writes the requests of all streams to a table, a chunk at a time."""

    def __init__(self, path: Path):
        self.schema = schema("load")
        self.writer = open_writer(path, self.schema)

    def add(self, stream: int, first_bytes: int, chunk: Chunk) -> None:
        """Write requests of one stream, whose namespace begins at `first_bytes`."""
        chunk = attrs.evolve(chunk, offset_bytes=chunk.offset_bytes - first_bytes)
        columns = [np.full(len(chunk), stream), *(getattr(chunk, name) for name in COLUMNS)]
        arrays = [pa.array(values, field.type) for values, field in zip(columns, self.schema, strict=True)]
        self.writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))

    def close(self) -> None:
        """Write the end of the table."""
        self.writer.close()


class RecordedLoad(Generator):
    """The requests of stream number `stream` in the table at `path`, at the times at which they came."""

    def __init__(self, path: str, stream: int = 0):
        self.path, self.stream = Path(path), stream
        if not self.path.is_file():
            raise TraceError(f"{path}: there is no such file; give workload.options.path the load.parquet of a drive.")
        self.requests = sum(len(chunk) for chunk in self.chunks()) or None

    def chunks(self) -> Iterator[Chunk]:
        """Yield the requests, in order."""
        from pyarrow.parquet import ParquetFile

        with damage_told(self.path), ParquetFile(self.path) as file:
            for number in range(file.num_row_groups):
                table = file.read_row_group(number)
                columns: dict[str, Any] = {name: table.column(name).to_numpy() for name in ("stream", *COLUMNS)}
                chosen = columns.pop("stream") == self.stream
                if chosen.any():
                    yield Chunk(**{name: values[chosen] for name, values in columns.items()})
