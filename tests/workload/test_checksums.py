"""The checksum of a trace file is that of its bytes as they lie there, and taken again where they have changed."""

import gzip
import hashlib

import pytest

from ssdsim.workload.tracefile import file_sha256

TEXT = b"arrival_ns,op,offset_bytes,size_bytes\n" + b"1,read,0,4096\n" * 50


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_hashed_once_as_long_as_it_stays(tmp_path, monkeypatch, pack):
    seen, digest = [], hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda file, name: seen.append(file.name) or digest(file, name))
    path = tmp_path / "trace.csv"
    for count, text in enumerate((pack(TEXT), pack(TEXT + TEXT)), start=1):
        path.write_bytes(text)
        assert file_sha256(path) == file_sha256(path) == hashlib.sha256(text).hexdigest()
        assert len(seen) == count
    path.unlink()
    assert file_sha256(path) is None
