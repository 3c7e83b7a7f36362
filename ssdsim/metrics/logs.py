"""Tables that grow with the run, written to Parquet as it goes: one row a request, one row a flash command."""

import os
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import OPERATIONS, REQUESTS, SOURCES
from ssdsim.errors import InputError
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import open_writer
from ssdsim.metrics.rows import CONTENTS, CommandRows, RequestRows, Rows
from ssdsim.metrics.tally import OUTER_PARTS

SPOOL = b"ssdsim checkpoint rows\n"
"""The line that a spool begins with, as a checkpoint does (`ssdsim.states.checkpoint`)."""

ROWS = 65_000
"""Rows that are kept in memory before they are written: no power of 2, as columns would share lines of the cache."""

REQUEST_SCHEMA, COMMAND_SCHEMA = schema("requests"), schema("commands")


OF_PAIRS = ("queue_pair", "submitted_ns", "posted_ns")
"""Columns of requests that go through queue pairs."""


class ParquetLog:
    """Rows of whole numbers on their way into a Parquet file, or into memory where no `path` is given.

    Columns of names take the position of the name in `names`. With a `spool` what is written is kept there as well, as
    plain 64-bit integers: a Parquet file without its end cannot be read, and a run that is to go on from a checkpoint
    writes it anew (`rewrite`). Its state (`ssdsim.states.graph`) is how much is in the spool, and the rows that are not
    there.
    """

    def __init__(self, schema: pa.Schema, names: dict[str, tuple[str, ...]], path: Path | None):
        self.schema = schema
        self.names = names
        self.rows = Rows(len(schema), ROWS, self.write)
        self.tables: list[pa.Table] = []
        self.writer = None if path is None else open_writer(path, schema)
        self.spool: Path | None = None
        self.spooled: BinaryIO | None = None
        self.spooled_bytes = self.checksum = 0

    def write(self) -> None:
        """Write the rows that have come since the last time."""
        columns = self.rows.taken()
        if self.spool is not None:
            self.open_spool(self.spool)  # at the first rows: a run without any leaves no file
            self.keep(columns)
        self.write_columns(columns)

    def open_spool(self, spool: Path) -> None:
        """Begin the spool, unless that has been done."""
        if self.spooled is None:
            spool.parent.mkdir(parents=True, exist_ok=True)
            self.spooled = spool.open("wb")
            self.spooled.write(SPOOL)

    def keep(self, columns: np.ndarray) -> None:
        """Write rows to the spool, if there is one."""
        content = columns.tobytes()
        # Length and checksum are kept without a spool, too: `rewrite` counts by them.
        self.spooled_bytes += len(content)
        self.checksum = zlib.crc32(content, self.checksum)
        if self.spooled is not None:
            self.spooled.write(content)

    def write_columns(self, columns: np.ndarray) -> None:
        """Write rows to the table."""
        arrays = [self._column(field, columns[:, index]) for index, field in enumerate(self.schema)]
        table = pa.Table.from_arrays(arrays, schema=self.schema)
        if self.writer is None:
            self.tables.append(table)
        else:
            self.writer.write_table(table)

    def _column(self, field: pa.Field, values: np.ndarray) -> pa.Array:
        if field.name in self.names:
            return pa.DictionaryArray.from_arrays(values.astype(np.int8), list(self.names[field.name]))
        return pa.array(values, type=field.type)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a log of another run needs to go on, beside the spool."""
        if self.spooled is not None:
            self.spooled.flush()  # what the checkpoint counts on is in storage before it is
            os.fsync(self.spooled.fileno())
        rows = self.rows.taken()
        self.rows.restore(rows)
        return {"spooled_bytes": self.spooled_bytes, "checksum": self.checksum, "rows": rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on where another log was, given what that had written (`rewrite`)."""
        self.spooled_bytes, self.checksum = state["spooled_bytes"], state["checksum"]
        self.rows.restore(state["rows"])

    def rewrite(self, source: Path) -> None:
        """Write the rows of the log that this one goes on with, from its spool; raise `InputError` if it lacks them."""
        length, checksum = self.spooled_bytes, self.checksum
        self.spooled_bytes = self.checksum = 0
        if length:
            # the run goes on in the spool that it came from
            is_own = self.spool is not None and self.spool.resolve() == source.resolve()
            with source.open("rb") as file:
                file.seek(len(SPOOL))
                if self.spool is not None and not is_own:
                    self.open_spool(self.spool)
                while self.spooled_bytes < length:
                    # whole rows only
                    content = file.read(min(ROWS * 8 * len(self.schema), length - self.spooled_bytes))
                    if not content or len(content) % (8 * len(self.schema)):
                        break
                    columns = np.frombuffer(content, np.int64).reshape(-1, len(self.schema))
                    self.keep(columns)
                    self.write_columns(columns)
            if is_own:
                self.spooled = source.open("r+b")
                # rows after the checkpoint belong to a course that is not gone on with
                self.spooled.truncate(len(SPOOL) + length)
                self.spooled.seek(len(SPOOL) + length)
        if (self.spooled_bytes, self.checksum) != (length, checksum):  # fewer than there were, or others
            raise InputError(f"{source}: does not belong to the checkpoint, or is damaged; begin the run anew.")

    def close(self) -> pa.Table | None:
        """Write the rows that are left, and return the table if it was kept in memory."""
        if self.spooled is not None:
            self.spooled.close()
            self.spool = None  # whatever is written from here on is no checkpoint's
        self.write()
        if self.writer is not None:
            self.writer.close()
            return None
        return pa.concat_tables(self.tables)


class RequestLog(ParquetLog):
    """One row a request: in the file in the order of completion, as others would wait in memory for one that starves.

    What is read, from memory here or by `Result`, is in the order of `id`, the number that a request has by admission.
    With `blames` a row has what the request waited for, too, its `OUTER_PARTS` where a device has those, and with queue
    `pairs` which it took.
    """

    def __init__(
        self, path: Path | None, blames: bool = False, has_outer_parts: bool = False, pairs: bool = False
    ) -> None:
        outer = [f"{part}_ns" for part in OUTER_PARTS if not has_outer_parts]
        left_out = (() if blames else ("blame_",)) + (() if pairs else OF_PAIRS)
        columns = [column for column in REQUEST_SCHEMA if not column.name.startswith(left_out)]
        super().__init__(pa.schema([c for c in columns if c.name not in outer]), {"op": REQUESTS}, path)
        self.observer = RequestRows(self.rows, has_outer_parts)

    def close(self) -> pa.Table | None:
        """Write the rows that are left, and return the table, sorted, if it was kept in memory."""
        table = super().close()
        return None if table is None else table.sort_by("id")


class CommandLog(ParquetLog):
    """One row a page of a flash command: who used which die and bus, from when to when, in the order of their ends.

    The bus is held from `bus_start_ns` to `array_start_ns` and, by a read's data, from `data_start_ns` to `end_ns`; the
    array from `array_start_ns` to `array_end_ns`. Pages of one command begin at the same time on the same die.
    `copied_from` is the PPA that a copy-back reads, and -1 for all else; `request` is the number of the request that
    the page is read or written for, or -1 where it is for none; `content` is one of `CONTENTS`. With
    `suspends` a row has how its command was suspended, too. Where data to be programmed may wait on the chip, the bus
    has been left `cached_ns` before `array_start_ns`; while it waits, that is below zero: the time of its coming.
    """

    observes = ("done",)

    def __init__(self, path: Path | None, hardware: Any, suspends: bool = False):
        left_out = (() if suspends else ("suspensions", "suspended_ns")) + (
            ("cached_ns",) if hardware.cache_program_us is None else ()
        )
        columns = [column for column in COMMAND_SCHEMA if column.name not in left_out]
        super().__init__(pa.schema(columns), {"op": OPERATIONS, "source": SOURCES, "content": CONTENTS}, path)
        self.pages = CommandRows(self.rows, hardware, suspends)
        self.done = self.pages.add
