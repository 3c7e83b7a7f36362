"""What the build writes of `_core/*.pyx` for mypy and editors."""

import ast
import importlib
from pathlib import Path

import pytest

import ssdsim._core
from ssdsim._core.stubs import stub

SOURCES = sorted(Path(ssdsim._core.__path__[0]).glob("*.pyx"))


def public(names):
    return {name for name in names if not name.startswith("_")}


def declared(body):
    """The names that statements define, but for those that they import."""
    assigned = {ast.unparse(target) for node in body if isinstance(node, ast.Assign) for target in node.targets}
    typed = {ast.unparse(node.target) for node in body if isinstance(node, ast.AnnAssign)}
    return public(assigned | typed | {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))})


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_stub_has_the_names_of_its_module(source):
    module, tree = importlib.import_module(f"ssdsim._core.{source.stem}"), ast.parse(stub(source))
    imported = {alias.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert declared(tree.body) == public(vars(module)) - imported - {"np", "simpy", "linecache", "zlib"}
    for each in tree.body:
        if isinstance(each, ast.ClassDef):
            assert declared(each.body) == public(vars(getattr(module, each.name)))


def test_types_are_those_of_python(tmp_path):
    """A type in C, an annotation where there is none, and neither."""
    source = tmp_path / "shelf.pyx"
    source.with_suffix(".pxd").write_text(
        """from somewhere cimport Row
cdef class Shelf:
    cdef readonly int64_t size
    cdef public bint full
    cdef int hidden
    cpdef void put(self, Row row, uint16_t[:, ::1] sizes, name) noexcept
"""
    )
    source.write_text(
        '''cdef class Shelf:
    def __cinit__(self, long long size, Row row=None):
        pass
    cpdef void put(self, Row row, const uint16_t[:, ::1] sizes, name) noexcept:
        """Put something down."""
    def find(self, wanted: Iterable[str], double most=2.5) -> list[int]:
        return []
    cdef int look(self) noexcept:
        return 0
'''
    )
    assert stub(source).endswith(
        """
from somewhere import Row
class Shelf():
    @property
    def size(self) -> int: ...
    full: bool
    def __init__(self, size: int, row: Row | None = ...) -> None: ...
    def put(self, row: Row, sizes: Any, name: Any) -> None: ...
    def find(self, wanted: Iterable[str], most: float = ...) -> list[int]: ...
    ...
"""
    )
