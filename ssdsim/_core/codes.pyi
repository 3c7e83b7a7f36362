WRITE: int
TRIM: int
FLUSH: int
READ: int
PROGRAM: int
ERASE: int
COPYBACK: int
HOST: int
GC: int
MAPPING: int
BACKUP: int
MERGE: int
REFRESH: int
SOURCE_COUNT: int
REQUESTS: tuple[str, ...]
OPERATIONS: tuple[str, ...]
SOURCES: tuple[str, ...]
