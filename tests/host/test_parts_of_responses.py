"""A part of the response time is added in three files: with the request, where it is measured, and with its meaning."""

import re
from pathlib import Path

import pytest

import ssdsim
from ssdsim.host.request import MEASURED, OUTER_PARTS, PARTS


@pytest.mark.parametrize("part", OUTER_PARTS)
def test_a_part_is_named_in_three_files(part):
    root = Path(ssdsim.__file__).parent
    files = [path for ending in ("py", "tsv", "pyx") for path in root.rglob(f"*.{ending}")]
    named = {path.relative_to(root).as_posix() for path in files if re.search(rf"\b{part}_ns\b", path.read_text())}
    assert named == {"host/request.py", "metrics/fields.tsv", "controller/delays.py"}
    assert len(PARTS) - 1 + len(OUTER_PARTS) == MEASURED
