"""The bytes of a trace file: decompressed, checksummed, and cut into blocks at line ends."""

import difflib
import hashlib
import io
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from ssdsim.errors import TraceError

BLOCK_BYTES = 1 << 21
"""Text read at a time: some 64 thousand rows."""

MOST_LINE_BYTES = 1 << 16
"""Longer lines are taken for damage."""

MOST_UNPACKING_BYTES = 1 << 28
"""Memory that the unpacking of xz may take: `xz -9` asks for a quarter of it, a file may ask for gigabytes."""

_PACKED_BYTES = 1 << 16
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"}


def line_ends(block: bytes) -> int:
    """Return how many lines end in `block`."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))


def file_sha256(path: Path) -> str | None:
    """Return the checksum of a file as it is now, None if it is not there: a sweep asks for the same time and again."""
    try:
        state = _state(path)
    except OSError:
        return None
    if state not in _KNOWN:
        with path.open("rb") as opened:
            _remember(state, hashlib.file_digest(opened, "sha256").hexdigest())
    return _KNOWN[state]


_MOST_KNOWN = 256
_KNOWN: dict[tuple[int, ...], str] = {}
"""Checksums of files, by the state in which they were."""


def _state(path: Path) -> tuple[int, ...]:
    """Return the facts that change when the file `path` does, its size last."""
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _remember(state: tuple[int, ...], digest: str) -> None:
    if len(_KNOWN) == _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]  # the one known for longest, which a dictionary has first
    _KNOWN[state] = digest


class TraceFile:
    """A file, plain or compressed by gzip, bzip2, xz or zstd (told by its first bytes, whatever its name).

    `open` refuses a path that cannot be read, and names the nearest file there is. Every error is a `TraceError`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise TraceError(f"workload.path={path}: {self._absence()}.")
        self._state = _state(self.path)

    def remember(self, checksum: "Checksum") -> None:
        """Keep the digest of `checksum` for `file_sha256`, if that is of the whole file as it was and still is."""
        # of compressed files what passed through is not what they hold
        if self._codec() is None and checksum.bytes == self._state[-1] and _state(self.path) == self._state:
            _remember(self._state, checksum.hexdigest())

    def _absence(self) -> str:
        if self.path.is_dir():
            return "this is a folder; name one file in it"
        folder = self.path.parent
        if not folder.is_dir():
            return f"there is no folder {folder}; correct the path"
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
        close_names = difflib.get_close_matches(self.path.name, names, n=1, cutoff=0.0)
        return "there is no such file; " + (
            f"did you mean {folder / close_names[0]}?" if close_names else "its folder is empty"
        )

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed text in blocks of whole lines, each of about `block_bytes`."""
        return self.in_lines(self.pieces(block_bytes))

    def in_lines(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the `pieces` of the text in blocks of whole lines."""
        rest, start = b"", 0
        for piece in pieces:
            cut = piece.rfind(b"\n") + 1
            if cut:
                block, rest = b"".join((rest, memoryview(piece)[:cut])), piece[cut:]
                self._check(block, start)
                start += len(block)
                yield block
            else:  # the line goes on in the next piece
                rest += piece
            if len(rest) > MOST_LINE_BYTES:
                self._check(rest, start)
        if rest:
            self._check(rest, start)
            yield rest

    def _check(self, block: bytes, start: int) -> None:
        """Raise a `TraceError` if a line of `block`, which begins so many bytes into the text, is too long."""
        last = -1
        while len(block) - last - 1 > MOST_LINE_BYTES:
            # the last end within reach of a line: the fewest looks
            end = block.rfind(b"\n", last + 1, last + 2 + MOST_LINE_BYTES)
            if end < 0:
                row = self._lines_before(start + last + 1) + 1
                problem = f"a line is longer than {MOST_LINE_BYTES} bytes"
                raise TraceError(f"{self.path}: row {row}: {problem}; this is no text trace.")
            last = end

    def _lines_before(self, place: int) -> int:
        """Return how many lines end in the first `place` bytes of the text, which is read once more for that."""
        lines = 0
        for piece in self.pieces(BLOCK_BYTES):
            lines += line_ends(piece[:place])
            place -= len(piece)
            if place <= 0:
                break
        return lines

    def pieces(self, piece_bytes: int) -> Iterator[bytes]:
        """Yield the content of the file, decompressed, in pieces of `piece_bytes`; the last one may be shorter."""
        try:
            with self._stream() as stream:
                while piece := stream.read(piece_bytes):
                    yield piece
        except (OSError, EOFError, lzma.LZMAError, pa.ArrowException) as error:
            if isinstance(error, OSError) and error.errno:
                raise TraceError(f"{self.path}: {error.strerror}; make it a file that can be read.") from error
            if isinstance(error, lzma.LZMAError) and "limit" in str(error):
                limit = f"{MOST_UNPACKING_BYTES >> 20} MiB"
                raise TraceError(f"{self.path}: takes over {limit} to unpack; compress it by xz -9 or less.") from error
            raise TraceError(
                f"{self.path}: the compressed data end early or are damaged ({error}); fetch the file again."
            ) from error

    def _codec(self) -> str | None:
        with self.path.open("rb") as plain:
            start = plain.read(6)  # as long as the longest magic number
        return next((codec for magic, codec in _MAGIC.items() if start.startswith(magic)), None)

    def _stream(self) -> IO[bytes] | pa.NativeFile:
        codec = self._codec()
        if codec is None:
            return self.path.open("rb")
        if codec == "xz":
            return io.BufferedReader(_Xz(self.path))
        return pa.input_stream(str(self.path), compression=codec)


class _Xz(io.RawIOBase):
    """The content of an xz file in bounded memory, for which `lzma.open` does not ask."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_UNPACKING_BYTES)

    def readable(self) -> bool:
        """Return that it is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, none at the end; raise `EOFError` or `LZMAError` for damage."""
        piece = b""
        while not piece:
            packed = b""
            if self._stream.eof:
                if not (packed := self._next_stream()):
                    return 0
                self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_UNPACKING_BYTES)
            elif self._stream.needs_input and not (packed := self._file.read(_PACKED_BYTES)):
                raise EOFError("the end of a stream is missing")
            piece = self._stream.decompress(packed, len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _next_stream(self) -> bytes:
        """Return the start of another stream past the zeros after this one, nothing at the end of the file."""
        rest = self._stream.unused_data
        while not (rest := rest.lstrip(b"\0")) and (rest := self._file.read(_PACKED_BYTES)):
            pass  # padding between streams is allowed to be zeros
        return rest

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


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
