"""What the build makes of compiled modules: declarations of their types in C, and sources that Cython reads."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ssdsim
from ssdsim._core.declarations import MARK, Copy, Package
from ssdsim._core.joining import homes, joined, relocated, write

KERNEL = """
cdef class Routine:
    cdef public object env  # its clock
    cpdef object go_on(self)

cpdef long now(object env)

cpdef enum:  # waits
    PAUSE = -2  # for somebody
"""
BODY = """
from typing import Final

from ssdsim.flash.port import Die

LIMIT: Final = 3

class Unit:
    die: Die
"""
PACKAGE = {
    "_core/kernel.pxd": KERNEL,
    "flash/die.py": f"{MARK}\nclass Die:\n    idle: bool\ndef reset(die: Die) -> None:\n    pass\n",
    "flash/port/__init__.py": "from ssdsim.flash.die import Die, reset\n",
    "flash/face.py": "from ssdsim.flash.die import Die\nfrom ssdsim.ftl.other import Other\n",
    "ftl/other.py": f"{MARK}\nclass Other:\n    pass\n",
    "plain.py": "class Plain:\n    pass\ndef helper(die):\n    pass\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return what writes a package, with `module.py` of a compiled module, and reads it."""
    monkeypatch.chdir(tmp_path)

    def write(text, more=None):
        own = {"module.py": f"{MARK} infer_types=True\n{text}"}
        for path, content in (PACKAGE | own | (more or {})).items():
            file = Path("ssdsim", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        return Package(Path("ssdsim"))

    return write


def declared(package):
    """Return the lines that declare `module`."""
    return [line.strip() for line in package.declared(package.modules["ssdsim.module"]).splitlines() if line]


def test_copies_of_the_simulator_have_every_line_where_it_was(monkeypatch):
    monkeypatch.chdir(Path(ssdsim.__file__).parents[1])
    whole = Package(Path("ssdsim"))
    compiled = [module for module in whole.modules.values() if module.compiled]
    assert len(compiled) > 50
    for module in compiled:
        copy = Copy(whole, module).text()
        ast.parse(copy)
        there = [at for at, line in enumerate(copy.splitlines(), 1) if line.lstrip().startswith("def ")]
        wanted = [at for at, line in enumerate(module.text.splitlines(), 1) if line.lstrip().startswith("def ")]
        assert there == wanted, module.path


def test_what_has_not_changed_is_not_written_again(package):
    made = package(BODY)
    write(made, Path("stage"))
    written = {path: path.stat().st_mtime_ns for path in Path("stage").rglob("*.*") if path.stem != "__init__"}
    names = ("_core/kernel.pxd", *(f"_compiled/{name}" for name in ("device.py", "flash.py", "ftl.py")))
    assert {path for path in written if path.suffix != ".pxd"} == {Path("stage/ssdsim", name) for name in names[1:]}
    assert set(written) == {
        Path("stage/ssdsim", name) for name in (*names, *(name.replace(".py", ".pxd") for name in names[1:]))
    }
    made = package(BODY.replace("LIMIT: Final = 3", "LIMIT: Final = 4"))
    write(made, Path("stage"))
    changed = {path.name for path, at_ns in written.items() if path.stat().st_mtime_ns != at_ns}
    assert changed == {"device.pxd"}


TWO = {
    "flash/die.py": f"{MARK}\nfrom ssdsim.flash.lane import Lane\n\nclass Die(Lane):\n    bus: Bus\n\nWIDE = 1\n",
    "flash/lane.py": f"{MARK}\nclass Lane:\n    pass\n",
    "flash/bus.py": f"{MARK}\nfrom ssdsim.errors import told\n\nclass Bus:\n    def take(self):\n        pass\n",
}
C = """
static const char* const __pyx_f[] = {
  "ssdsim/_compiled/flash.py",
  "ssdsim/_compiled/base.pxd",
};
__PYX_ERR(0, 6, L1) __PYX_ERR(1, 6, L1) __PYX_MARK_ERR_POS(0, 11)
  "ssdsim._compiled.flash.""Die", /*tp_name*/
"""


def test_sources_of_one_home_are_one_for_cython_and_themselves_for_a_reader(package):
    made = package("", TWO)
    members = homes(made)["ssdsim._compiled.flash"]
    assert [member.path.name for member in members] == ["bus.py", "lane.py", "die.py"]
    lines = joined(made, members).splitlines()
    assert lines[1] == "from __future__ import annotations; import cython" and "cimports" not in "".join(lines)
    assert [lines[place] for place in (2, 8, 11)] == [f"# ssdsim/flash/{name}.py" for name in ("bus", "lane", "die")]
    declared = made.declarations(*members).splitlines()
    assert [line for line in declared if line.startswith("cdef class") and not line.endswith(":")] == [
        "cdef class Bus",
        "cdef class Lane",
        "cdef class Die(Lane)",
    ]
    file = Path("flash.c")
    file.write_text(C)
    for _ in range(2):  # once is enough
        relocated(file, "ssdsim._compiled.flash", members)
        told = file.read_text()
        assert '  "ssdsim/flash/bus.py",\n  "ssdsim/flash/lane.py",\n  "ssdsim/flash/die.py",\n};' in told
        assert "__PYX_ERR(2, 4, L1) __PYX_ERR(1, 6, L1) __PYX_MARK_ERR_POS(3, 3)" in told
        assert '"ssdsim.flash.die.""Die", /*tp_name*/' in told


def test_two_sources_of_one_home_with_one_name_are_refused(package):
    made = package("", TWO | {"flash/lane.py": f"{MARK}\nWIDE = 2\nclass Lane:\n    pass\n"})
    with pytest.raises(SystemExit, match=r"^ssdsim\._compiled\.flash: ssdsim\.flash\.die\.WIDE and .*another name\.$"):
        write(made, Path("stage"))


def test_no_module_and_its_home_import_each_other(monkeypatch):
    monkeypatch.chdir(Path(ssdsim.__file__).parents[1])
    whole, needed = Package(Path("ssdsim")), dict[str, set[str]]()
    for name, module in whole.modules.items():
        origins = {origin for origin in module.names().values() if origin[0] != name}
        places = {place for place, own in origins if not whole.origin(place, own)}  # others are of C
        found = needed.setdefault(whole.place(name), set())
        found |= {whole.place(place) for place in places if place in whole.modules} - {whole.place(name)}
    TopologicalSorter(needed).prepare()


def test_a_field_without_a_type_is_refused(package):
    made = package("class Die:\n    def __init__(self, env):\n        self.env = env\n")
    with pytest.raises(SystemExit, match=r"module\.py:4: `env` has no type; annotate it\.$"):
        declared(made)
