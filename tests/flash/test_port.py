"""Which way imports go between the flash and its neighbours."""

import re
from pathlib import Path

import pytest

import ssdsim

IMPORTED = re.compile(r"^\s*from ssdsim\.([\w.]+) import", re.MULTILINE)


@pytest.mark.parametrize(
    ("room", "others"),
    [
        ("flash", "ftl|check|buffer|run|assembly|metrics"),
        ("check", r"ftl|run|assembly|flash\.(?!data)"),
        ("ftl", r"check|run|assembly|metrics|flash\.(?!port)"),
        ("config", "assembly|ftl|flash|host|buffer|run"),
    ],
)
def test_no_room_imports_who_is_built_on_it(room, others):
    files = [*(Path(ssdsim.__file__).parent / room).rglob("*.py")]
    names = {name for file in files for name in IMPORTED.findall(file.read_text())}
    assert names and not [name for name in names if re.match(others, name)]
