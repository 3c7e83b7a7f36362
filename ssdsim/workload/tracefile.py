"""The bytes of a trace file: decompressed, and cut into blocks at line ends."""

import hashlib
import lzma
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from ssdsim.errors import TraceError, nearest

BLOCK_BYTES = 1 << 21
"""Text read at a time: some 64 thousand rows."""

MOST_LINE_BYTES = 1 << 20
"""Longer lines are taken for damage."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"PAR1": "parquet"}


def line_ends(block: bytes) -> int:
    """Return how many lines end in `block`."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))


def file_sha256(path: Path) -> str | None:
    """Return the checksum of a file as it is now, None if it is not there: a sweep asks for the same time and again."""
    try:
        status = path.stat()
    except OSError:
        return None
    return _sha256(path, (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(256)
def _sha256(path: Path, state: tuple[int, ...]) -> str:
    """Return the checksum of a file; its `state` changes when the file does."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


class TraceFile:
    """A file, plain or compressed by gzip, bzip2, xz or zstd (`codec`, told by its first bytes, whatever its name).

    Raise a `TraceError` for a path that cannot be read, with the nearest file there is, and for damage.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        folder = self.path.parent
        if self.path.is_dir():
            raise TraceError(f"workload.path={path}: this is a folder; name one file in it.")
        if not folder.is_dir():
            raise TraceError(f"workload.path={path}: there is no folder {folder}; correct the path.")
        if not self.path.is_file():
            near = nearest(self.path.name, [entry.name for entry in folder.iterdir() if entry.is_file()])
            raise TraceError(f"workload.path={path}: there is no such file in {folder}{near}; correct the path.")
        try:
            with self.path.open("rb") as plain:
                start = plain.read(6)  # as long as the longest magic number
        except OSError as error:
            raise TraceError(f"{self.path}: {error.strerror}; make it a file that can be read.") from error
        self.codec = next((codec for magic, codec in _MAGIC.items() if start.startswith(magic)), None)

    def lines(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed text in blocks of whole lines, of about `block_bytes`, without a byte-order mark."""
        rest, start = b"", 0
        for piece in self.pieces(block_bytes):
            cut = piece.rfind(b"\n") + 1
            if cut:
                block, rest = b"".join((rest, memoryview(piece)[:cut])), piece[cut:]
                yield block if start else block.removeprefix(BYTE_ORDER_MARK)
                start += len(block)
            else:  # the line goes on in the next piece
                rest += piece
            if len(rest) > MOST_LINE_BYTES:
                row = 1 + sum(line_ends(piece[: max(start - place, 0)]) for place, piece in self._places())
                problem = f"a line is longer than {MOST_LINE_BYTES} bytes"
                raise TraceError(f"{self.path}: row {row}: {problem}; this is no text trace.")
        if rest:
            yield rest if start else rest.removeprefix(BYTE_ORDER_MARK)

    def _places(self) -> Iterator[tuple[int, bytes]]:
        """Yield the content once more, each piece with the place at which it begins."""
        place = 0
        for piece in self.pieces(BLOCK_BYTES):
            yield place, piece
            place += len(piece)

    def pieces(self, piece_bytes: int) -> Iterator[bytes]:
        """Yield the content of the file, decompressed, in pieces of `piece_bytes`; the last one may be shorter."""
        try:
            with self._stream() as stream:
                if self.codec == "xz":
                    yield from _unpacked(stream, piece_bytes)
                while piece := stream.read(piece_bytes):
                    yield piece
        except (OSError, EOFError, lzma.LZMAError, pa.ArrowException) as error:
            raise TraceError(
                f"{self.path}: the compressed data end early or are damaged ({error}); fetch the file again."
            ) from error

    @cached_property
    def table(self) -> Any:
        """The Parquet file."""
        from pyarrow.parquet import ParquetFile

        try:
            return ParquetFile(self.path)
        except (OSError, pa.ArrowException) as error:
            raise TraceError(f"{self.path}: is no whole file of Parquet ({error}); fetch it again.") from error

    def _stream(self) -> IO[bytes] | pa.NativeFile:
        if self.codec in (None, "xz", "parquet"):
            return self.path.open("rb")
        return pa.input_stream(str(self.path), compression=self.codec)


def _unpacked(packed_file: Any, piece_bytes: int) -> Iterator[bytes]:
    """Yield the content of an xz file; `lzma.open` leaves out what comes after zeros between its streams."""
    stream, held = None, bytearray()
    while packed := packed_file.read(1 << 16):
        while packed or (stream and not stream.needs_input):
            if stream is None:
                if not (packed := packed.lstrip(b"\0")):
                    break
                stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
            held += stream.decompress(packed, piece_bytes - len(held))
            packed = b""
            if len(held) == piece_bytes:
                yield bytes(held)
                held.clear()
            if stream.eof:
                packed, stream = stream.unused_data, None
    if stream:
        raise EOFError("the end of a stream is missing")
    yield from [bytes(held)] if held else []
