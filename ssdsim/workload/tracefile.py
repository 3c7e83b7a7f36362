"""The bytes of a trace file: decompressed, and cut into blocks at line ends."""

import hashlib
import io
import lzma
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ssdsim.errors import TraceError

BLOCK_BYTES = 1 << 21
"""Text read at a time: some 64 thousand rows."""

MOST_LINE_BYTES = 1 << 20
"""Longer lines are taken for damage."""

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"PAR1": "parquet"}


def file_sha256(path: Path) -> str | None:
    """Return the checksum of a file as it is now, None if it is not there."""
    if not path.is_file():
        return None
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


class TraceFile:
    """A file, plain or compressed by gzip, bzip2, xz or zstd (`codec`, told by its first bytes, whatever its name).

    Raise a `TraceError` for a path that cannot be read, and for damage.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        try:
            with self.path.open("rb") as plain:
                start = plain.read(6)  # as long as the longest magic number
        except OSError as error:
            raise TraceError(f"workload.path={path}: {error.strerror}; name a file that can be read.") from error
        self.codec = next((codec for magic, codec in _MAGIC.items() if start.startswith(magic)), None)

    def fault(self, problem: str) -> TraceError:
        """Return the error of a file that has a `problem`."""
        return TraceError(f"{self.path}: {problem}.")

    def lines(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed text in blocks of whole lines, of about `block_bytes`, without a byte-order mark."""
        mark = b"\xef\xbb\xbf"  # at the start of the file alone
        try:
            with self._stream() as stream:
                while block := stream.read(block_bytes):
                    rest = stream.readline(MOST_LINE_BYTES)
                    if len(rest) == MOST_LINE_BYTES:
                        raise self.fault(f"a line is longer than {MOST_LINE_BYTES} bytes; this is no text trace")
                    yield (block + rest).removeprefix(mark)
                    mark = b""
        except (OSError, EOFError, lzma.LZMAError, pa.ArrowException) as error:
            raise self.fault(f"the compressed data end early or are damaged ({error}); fetch the file again") from error

    @cached_property
    def table(self) -> Any:
        """The Parquet file."""
        from pyarrow.parquet import ParquetFile

        try:
            return ParquetFile(self.path)
        except (OSError, pa.ArrowException) as error:
            raise self.fault(f"is no whole file of Parquet ({error}); fetch it again") from error

    def _stream(self) -> IO[bytes]:
        if self.codec is None:
            return self.path.open("rb")
        if self.codec == "xz":
            return lzma.open(self.path)
        return io.BufferedReader(pa.input_stream(str(self.path), compression=self.codec))
