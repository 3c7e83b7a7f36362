"""The checksum of a trace file is that of its bytes as they lie there."""

import gzip
import hashlib

import pytest

from ssdsim.workload.tracefile import file_sha256

TEXT = b"arrival_ns,op,offset_bytes,size_bytes\n" + b"1,read,0,4096\n" * 50


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_hashed_as_it_is_now(tmp_path, pack):
    path = tmp_path / "trace.csv"
    for text in (pack(TEXT), pack(TEXT + TEXT)):
        path.write_bytes(text)
        assert file_sha256(path) == hashlib.sha256(text).hexdigest()
    path.unlink()
    assert file_sha256(path) is None
