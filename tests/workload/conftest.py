"""Traces written on the spot."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ssdsim.config import TraceConfig
from ssdsim.workload import open_workload
from ssdsim.workload.trace import TraceWorkload

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}

Open = Callable[..., TraceWorkload]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the traces of all tests, each of which writes its own."""
    return tmp_path_factory.mktemp("traces")


@pytest.fixture(scope="session")
def compressions() -> dict[str, Callable[[bytes], bytes]]:
    """Give what compresses a file, by the suffix of its name."""
    return COMPRESSIONS


@pytest.fixture(scope="session")
def open_trace(folder: Path) -> Open:
    """Write a trace and open it on a device of 1 TiB in pages of 4 KiB, unless told otherwise."""

    def opened(text: str | bytes, capacity: int = 1 << 40, page: int = 4096, suffix: str = "", **config: Any):
        block_bytes = config.pop("block_bytes", None)
        path = folder / f"trace{suffix}"
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(COMPRESSIONS[suffix](data))
        given = TraceConfig(path=str(path), **config)
        if block_bytes:
            return TraceWorkload(given, capacity, page, block_bytes=block_bytes)
        return open_workload(given, capacity, page, seed=1)

    return opened
