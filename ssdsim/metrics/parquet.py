"""Tables to and from Parquet files. What this takes of Arrow, with file systems and networks, is loaded at its use."""

from pathlib import Path
from typing import Any

import pyarrow as pa

COMPRESSION = "zstd"


def read_table(path: Path) -> pa.Table:
    """Return the table in the file at `path`, all of it: `pyarrow.parquet.read_table` would load data sets as well."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        return file.read()


def write_table(table: pa.Table, path: Path) -> None:
    """Write `table` to the file at `path`."""
    from pyarrow import parquet

    parquet.write_table(table, path, compression=COMPRESSION)


def open_writer(path: Path, schema: pa.Schema) -> Any:
    """Return what writes tables to the file at `path`, one after another."""
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(path, schema, compression=COMPRESSION)
