"""Tables that grow with the run, written to Parquet as it goes: one row a request, one row a flash command."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import OPERATIONS, REQUESTS, SOURCES
from ssdsim.metrics.blame import CAUSES, blamed
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import open_writer
from ssdsim.metrics.recorder import OUTER_PARTS
from ssdsim.metrics.rows import CONTENTS, CommandRows, RequestRows, Rows

ROWS = 65_000  # kept in memory before they are written


class ParquetLog:
    """Rows of whole numbers on their way into a Parquet file, or into memory where no `path` is given.

    The columns are those of `table` but for `absent`; those of names take the position of the name in `names`.
    """

    def __init__(self, table: str, absent: Collection[str], names: dict[str, tuple[str, ...]], path: Path | None):
        self.schema = pa.schema(field for field in schema(table) if field.name not in absent)
        self.names = names
        self.rows = Rows(len(self.schema), ROWS, self.write)
        self.tables: list[pa.Table] = []
        self.writer = None if path is None else open_writer(path, self.schema)

    def write(self) -> None:
        """Write the rows that have come since the last time."""
        columns = zip(self.schema, self.rows.taken().T, strict=True)
        table = pa.Table.from_arrays([self._column(field, values) for field, values in columns], schema=self.schema)
        if self.writer is None:
            self.tables.append(table)
        else:
            self.writer.write_table(table)

    def _column(self, field: pa.Field, values: np.ndarray) -> pa.Array:
        if field.name in self.names:
            return pa.DictionaryArray.from_arrays(values.astype(np.int8), list(self.names[field.name]))
        return pa.array(np.ascontiguousarray(values), type=field.type)

    def close(self) -> pa.Table | None:
        """Write the rows that are left, and return the table if it was kept in memory."""
        self.write()
        if self.writer is None:
            return pa.concat_tables(self.tables)
        self.writer.close()
        return None


class RequestLog(ParquetLog):
    """One row a request: in the file in the order of completion, as others would wait in memory for one that starves.

    What is read, from memory here or by `Result`, is in the order of `id`, the number that a request has by admission.
    A row has the `OUTER_PARTS` of a request where a device has those, and with queue `pairs` which it took.
    """

    def __init__(self, path: Path | None, has_outer_parts: bool = False, pairs: bool = False) -> None:
        absent = [f"blame_{cause}_ns" for cause in CAUSES]
        absent += [] if has_outer_parts else [f"{part}_ns" for part in OUTER_PARTS]
        absent += [] if pairs else ["queue_pair", "submitted_ns"]
        super().__init__("requests", absent, {"op": REQUESTS}, path)
        self.observer = RequestRows(self.rows, has_outer_parts)

    def close(self) -> pa.Table | None:
        """Write the rows that are left, and return the table, sorted, if it was kept in memory."""
        table = super().close()
        return None if table is None else table.sort_by("id")


def with_blame(requests: pa.Table, commands: pa.Table) -> pa.Table:
    """Return the table of requests with a column for each cause of their response times."""
    columns = schema("requests")
    for cause, times_ns in blamed(requests, commands).items():
        requests = requests.append_column(columns.field(f"blame_{cause}_ns"), pa.array(times_ns))
    return requests


class CommandLog(ParquetLog):
    """One row a page of a flash command: who used which die and bus, from when to when, in the order of their ends.

    Pages of one command begin at the same time on the same die. With `suspends` a row has how its command was
    suspended, too. Where data to be programmed may wait on the chip, the bus has been left `cached_ns` before
    `array_start_ns`; while it waits, that is below zero: the time of its coming.
    """

    observes = ("done",)

    def __init__(self, path: Path | None, hardware: Any, suspends: bool = False):
        absent = [] if suspends else ["suspensions", "suspended_ns"]
        absent += [] if hardware.cache_program_us is not None else ["cached_ns"]
        super().__init__("commands", absent, {"op": OPERATIONS, "source": SOURCES, "content": CONTENTS}, path)
        self.pages = CommandRows(self.rows, hardware, suspends)
        self.done = self.pages.add
