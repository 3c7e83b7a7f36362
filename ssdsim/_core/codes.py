# cython: infer_types=True
"""The small numbers by which requests, transactions and their sources are told apart, and their names."""

from typing import Final

READ: Final = 0  # asked for by a request, and done by a transaction
WRITE: Final = 1
TRIM: Final = 2
FLUSH: Final = 3
REQUESTS = ("read", "write", "trim", "flush")

PROGRAM: Final = 1  # done by a transaction
ERASE: Final = 2
COPYBACK: Final = 3
OPERATION_COUNT: Final = 4
OPERATIONS = ("read", "program", "erase", "copyback")

# The steps of operations: each has a bit for those that take it, from the right in the order of `OPERATIONS`, so that
# `PROGRAMS >> op & 1` says whether `op` programs a page.
SENDS_DATA: Final = 0b0010  # data follows the command over the bus
SENSES: Final = 0b1001  # the array reads a page
PROGRAMS: Final = 0b1010  # the array programs a page
ERASES: Final = 0b0100  # the array erases a block
RETURNS_DATA: Final = 0b0001  # data crosses the bus at the end
MOVES_DATA: Final = 0b0011  # one or the other
COPIES: Final = 0b1000  # the array programs what it has read, from the page in the transaction's `before`

HOST: Final = 0  # whom a transaction runs for
GC: Final = 1
MAPPING: Final = 2
BACKUP: Final = 3
MERGE: Final = 4
REFRESH: Final = 5
SOURCE_COUNT: Final = 6
REQUESTED: Final = 0b001101  # what requests wait for, with a bit for each source: that of the host is the first
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")


def operations_with(step: int) -> list[int]:
    """Return the operations that take a step, such as PROGRAMS."""
    return [op for op in range(OPERATION_COUNT) if step >> op & 1]
