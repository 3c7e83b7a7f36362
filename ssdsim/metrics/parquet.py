"""Tables to and from Parquet files. The parts of Arrow that this takes are large, and loaded at their use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from ssdsim.errors import InputError, SsdsimError, shown

COMPRESSION = "zstd"


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Raise `InputError` for an error within this context that the contents of the file or folder `path` cause."""
    try:
        yield
    except SsdsimError:
        raise
    except (pa.ArrowException, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, OSError) as error:
        reason = shown(" ".join(f"{type(error).__name__}: {error}".split()), 120)
        kind = "a table" if path.suffix == ".parquet" else "the results of a run"
        raise InputError(f"{path}: cannot be read as {kind} ({reason}); run the experiment again.") from error


def read_table(path: Path) -> pa.Table:
    """Return the table in the file at `path`; raise `InputError` if the file is damaged."""
    from pyarrow.parquet import ParquetFile  # whose `read_table` would load data sets as well

    with damage_told(path), ParquetFile(path) as file:
        return file.read()


def write_table(table: pa.Table, path: Path) -> None:
    """Write `table` to the file at `path`."""
    from pyarrow import parquet

    parquet.write_table(table, path, compression=COMPRESSION)


def open_writer(path: Path, schema: pa.Schema) -> Any:
    """Return a writer of tables of names and whole numbers to the file at `path`, one after another."""
    from pyarrow.parquet import ParquetWriter

    names = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    # half of the time that a dictionary of each column takes, and two thirds of the bytes
    numbers = dict.fromkeys(set(schema.names) - set(names), "DELTA_BINARY_PACKED")
    return ParquetWriter(path, schema, compression=COMPRESSION, use_dictionary=names, column_encoding=numbers)
