"""The bytes of a trace file: decompressed, checksummed, and cut into blocks at line ends."""

import difflib
import hashlib
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa

from ssdsim.errors import TraceError

BLOCK_BYTES = 1 << 21
"""Text read at a time: some 64 thousand rows."""

MOST_LINE_BYTES = 1 << 16
"""Longer lines are taken for damage."""

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"}


class TraceFile:
    """A file, plain or compressed by gzip, bzip2, xz or zstd (told by its first bytes, whatever its name).

    `open` refuses a path that cannot be read, and names the nearest file there is. Every error is a `TraceError`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise TraceError(f"workload.path={path}: {self._absence()}.")

    def _absence(self) -> str:
        if self.path.is_dir():
            return "this is a folder; name one file in it"
        folder = self.path.parent
        if not folder.is_dir():
            return f"there is no folder {folder}; correct the path"
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
        near = difflib.get_close_matches(self.path.name, names, n=1, cutoff=0.0)
        return "there is no such file; " + (f"did you mean {folder / near[0]}?" if near else "its folder is empty")

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed text in blocks of whole lines, each of about `block_bytes`."""
        return self.in_lines(self.pieces(block_bytes))

    def in_lines(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the `pieces` of the text in blocks of whole lines."""
        rest, row = b"", 1
        for piece in pieces:
            cut = piece.rfind(b"\n") + 1
            if cut:
                block, rest = rest + piece[:cut], piece[cut:]
                row = self._checked(block, row)
                yield block
            else:
                rest += piece
            if len(rest) > MOST_LINE_BYTES:
                self._checked(rest, row)
        if rest:
            self._checked(rest, row)
            yield rest

    def _checked(self, block: bytes, row: int) -> int:
        """Return the row after those of `block`, which begins with `row`; raise a `TraceError` if one is too long."""
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
        lengths = np.diff(ends, prepend=-1, append=len(block)) - 1
        if len(long := np.flatnonzero(lengths > MOST_LINE_BYTES)):
            most = f"a line is longer than {MOST_LINE_BYTES} bytes"
            raise TraceError(f"{self.path}: row {row + long[0]}: {most}; this is no text trace.")
        return row + len(ends)

    def pieces(self, piece_bytes: int) -> Iterator[bytes]:
        """Yield what the file holds, decompressed, in pieces of `piece_bytes`; the last one may be shorter."""
        try:
            with self._stream() as stream:
                while piece := stream.read(piece_bytes):
                    yield piece
        except (OSError, EOFError, lzma.LZMAError, pa.ArrowException) as error:
            if isinstance(error, OSError) and error.errno:
                raise TraceError(f"{self.path}: {error.strerror}; make it a file that can be read.") from error
            raise TraceError(
                f"{self.path}: the compressed data end early or are damaged ({error}); fetch the file again."
            ) from error

    def _stream(self) -> IO[bytes] | pa.NativeFile:
        with self.path.open("rb") as plain:
            start = plain.read(6)
        codec = next((codec for magic, codec in _MAGIC.items() if start.startswith(magic)), None)
        if codec is None:
            return self.path.open("rb")
        return lzma.open(self.path) if codec == "xz" else pa.input_stream(str(self.path), compression=codec)


class Checksum:
    """SHA-256 of the blocks that pass through."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.bytes = 0

    def over(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks unchanged."""
        for block in blocks:
            self._hash.update(block)
            self.bytes += len(block)
            yield block

    def hexdigest(self) -> str:
        """Return the digest of what has passed so far."""
        return self._hash.hexdigest()
