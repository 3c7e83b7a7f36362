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
OPERATION_COUNT: Final = 5
OPERATIONS = ("read", "program", "erase", "copyback")

HOST: Final = 0  # whom a transaction runs for
GC: Final = 1
MAPPING: Final = 2
BACKUP: Final = 3
MERGE: Final = 4
REFRESH: Final = 5
SOURCE_COUNT: Final = 6
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
