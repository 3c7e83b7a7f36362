"""The bytes that a served drive holds: a sparse file, or memory that looks like one."""

import errno
import mmap
import os
from pathlib import Path
from typing import Self

from .protocol import SECTOR


class Data:
    """`size` bytes in the file `path`, or in memory; what was never written, or was trimmed, reads as zeroes.

    What is `damaged` cannot be read (OSError) until it is written again, or trimmed.

    The file is made if need be, is made as long as the drive, and keeps what it holds. Raise OSError where it cannot
    be used, also by `write` for a disk that is full.
    """

    def __init__(self, size: int, path: Path | None = None):
        if path is None:
            self.file = os.memfd_create("ssdsim", os.MFD_CLOEXEC)
        else:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if os.fstat(self.file).st_size > size:
            raise OSError(errno.EFBIG, "is longer than the drive", str(path))
        os.truncate(self.file, size)
        if os.fstat(self.file).st_size != size:  # as of /proc, which takes any length and keeps none
            raise OSError(errno.EINVAL, "it cannot be made as long as the drive", str(path))
        self.mapped = mmap.mmap(self.file, size)  # nothing is read by it: it frees pages
        self.damaged: set[int] = set()  # sectors

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.mapped.close()
        os.close(self.file)

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on."""
        if not self.damaged.isdisjoint(sectors(offset, size)):
            raise OSError(errno.EIO, "this was destroyed when power was lost")
        return self.content(offset, size)

    def content(self, offset: int, size: int) -> bytes:
        """Return the bytes of this place, damaged or not."""
        parts = []
        while size:  # a call returns 2 GiB at most
            parts.append(os.pread(self.file, size, offset))
            offset, size = offset + len(parts[-1]), size - len(parts[-1])
        return b"".join(parts)

    def write(self, offset: int, data: bytes | memoryview) -> None:
        """Put `data` at `offset`."""
        rest = memoryview(data)
        self.mend(offset, len(rest))
        while rest:
            written = os.pwrite(self.file, rest, offset)
            offset, rest = offset + written, rest[written:]

    def trim(self, offset: int, size: int) -> None:
        """Zero these bytes, and free the pages of the machine's memory or disk within."""
        self.mend(offset, size)
        end = offset + size
        first, last = -(-offset // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
        try:
            if first >= last:
                first = last = end
            else:
                self.mapped.madvise(mmap.MADV_REMOVE, first, last - first)
        except OSError:  # of a file system without holes
            first = last = end
        self.zero(offset, first)
        self.zero(last, end)

    def zero(self, begin: int, end: int) -> None:
        """Write zeroes."""
        self.write(begin, bytes(end - begin))

    def damage(self, offset: int, size: int) -> None:
        """Mark these bytes as lost."""
        self.damaged.update(sectors(offset, size))

    def mend(self, offset: int, size: int) -> None:
        """Mark these bytes as readable."""
        if self.damaged:
            self.damaged.difference_update(sectors(offset, size))


def sectors(offset: int, size: int) -> range:
    """Return the numbers of the sectors that these bytes are in."""
    return range(offset // SECTOR, -(-(offset + size) // SECTOR))
