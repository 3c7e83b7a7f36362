"""Which way imports go between the flash and its neighbours."""

import re
from pathlib import Path

import pytest

import ssdsim

IMPORTED = re.compile(r"^\s*from ssdsim\.([\w.]+) import", re.MULTILINE)


def imported(room):
    """Return what the modules of a room import of ssdsim, by file."""
    files = (Path(ssdsim.__file__).parent / room).rglob("*.py")
    found = {file: set(IMPORTED.findall(file.read_text())) for file in files}
    assert any(found.values())
    return found


def test_the_translation_layer_imports_the_port_of_the_flash_and_no_more():
    found = {name for names in imported("ftl").values() for name in names if name.startswith("flash")}
    assert found == {"flash.port"}


@pytest.mark.parametrize(
    ("room", "others"),
    [
        ("flash", ("ftl", "check", "buffer", "run", "assembly", "metrics")),
        ("check", ("ftl", "run", "assembly")),
        ("ftl", ("check", "run", "assembly", "metrics")),
        ("config", ("assembly", "ftl", "flash", "host", "buffer", "run")),
    ],
)
def test_no_room_imports_who_is_built_on_it(room, others):
    for file, names in imported(room).items():
        assert not [name for name in names if name.split(".")[0] in others], file


def test_what_checks_knows_of_the_flash_the_data_alone():
    assert {name for names in imported("check").values() for name in names if name.startswith("flash")} == {
        "flash.data"
    }
