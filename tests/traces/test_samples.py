"""The traces that ship are those that their README describes."""

import hashlib
import lzma
from itertools import pairwise
from pathlib import Path

import pytest

TRACES = Path(__file__).parents[2] / "traces"


@pytest.mark.parametrize("sample", sorted(TRACES.glob("*.csv.xz")), ids=lambda path: path.name)
def test_the_samples_are_those_of_the_readme(sample):
    assert hashlib.sha256(sample.read_bytes()).hexdigest() in (TRACES / "README.md").read_text()
    header, *lines = lzma.decompress(sample.read_bytes()).decode("ascii").splitlines()
    rows = [(int(at), op, int(offset), int(size)) for at, op, offset, size in (line.split(",") for line in lines)]
    assert header == "arrival_ns,op,offset_bytes,size_bytes"
    assert rows[0][0] == 0 and all(one[0] <= two[0] for one, two in pairwise(rows))
    assert {op for _, op, _, _ in rows} == {"read", "write", "trim", "flush"}
    assert all((size > 0) == (op != "flush") and offset % 4096 == size % 4096 == 0 for _, op, offset, size in rows)
