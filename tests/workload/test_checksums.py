"""The checksum of a trace file: taken while it is read, and again only where that was not of the whole file."""

import gzip
import hashlib

import pytest

from ssdsim.workload.tracefile import Checksum, TraceFile, file_sha256

TEXT = b"arrival_ns,op,offset_bytes,size_bytes\n" + b"1,read,0,4096\n" * 50


def read(path, blocks=None):
    """Read a file, or so many of its blocks, and return whether its checksum is known from that."""
    file, checksum = TraceFile(path), Checksum()
    for number, _ in enumerate(checksum.over(file.blocks(200)), start=1):
        if number == blocks:
            break
    file.remember(checksum)


@pytest.fixture
def hashed(monkeypatch):
    """Return the files that are hashed from here on."""
    seen, digest = [], hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda file, name: seen.append(file.name) or digest(file, name))
    return seen


def test_a_file_that_was_read_is_not_hashed_again(tmp_path, hashed):
    path = tmp_path / "trace.csv"
    path.write_bytes(TEXT)
    read(path)
    assert file_sha256(path) == hashlib.sha256(TEXT).hexdigest()
    assert not hashed


def test_one_that_has_changed_since_is(tmp_path, hashed):
    path = tmp_path / "trace.csv"
    path.write_bytes(TEXT)
    read(path)
    path.write_bytes(TEXT + TEXT)
    assert file_sha256(path) == file_sha256(path) == hashlib.sha256(TEXT + TEXT).hexdigest()
    assert len(hashed) == 1
    path.unlink()
    assert file_sha256(path) is None


@pytest.mark.parametrize(("name", "pack", "blocks"), [("part.csv", bytes, 2), ("packed.csv.gz", gzip.compress, None)])
def test_what_was_read_in_part_or_unpacked_is_hashed_as_it_lies_there(tmp_path, hashed, name, pack, blocks):
    path = tmp_path / name
    path.write_bytes(pack(TEXT))
    read(path, blocks)
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(hashed) == 1
