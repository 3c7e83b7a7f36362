"""The first line of a docstring is a verb and a noun of the field: no «what», «who» or «that of» is its object."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
NOT_YET = PROJECT / "experiments" / "papers"
"""Its docstrings are still to be written anew; they are not held to the rule for now."""
SOURCES = [
    path
    for package in ("ssdsim", "experiments")
    for path in sorted((PROJECT / package).rglob("*.py*"))
    if path.suffix in (".py", ".pyx") and NOT_YET not in path.parents
]
NAMELESS = re.compile(
    r"[A-Z]\w+(?:,? (?:and|or) \w+)? "
    r"(?:what|whoever|whatever|who|that of|those that|those of|how(?! many)|whether it|which)\b"
)


def first_lines(path):
    """Yield the first line of the docstring of every function, method and class in a file, with its line number."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":  # Cython, which `ast` does not read
        yield from ((n, line.strip()[3:]) for n, line in enumerate(text.splitlines(), 1) if '    """' in line)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and (doc := ast.get_docstring(node)):
            yield node.lineno, doc.partition("\n")[0]


def test_the_objects_of_first_lines_have_names():
    found = [(path, *entry) for path in SOURCES for entry in first_lines(path)]
    assert {path.suffix for path, _, _ in found} == {".py", ".pyx"}
    assert not [f"{path.relative_to(PROJECT)}:{n}: {line}" for path, n, line in found if NAMELESS.match(line)]


@pytest.mark.parametrize(
    "line",
    [
        "Return what ends that.",
        "Run and keep what came of it.",
        "Return those of the pages that are valid.",
        "Return how it went.",
        "Return whether it is.",
    ],
)
def test_an_object_without_a_name_is_told(line):
    assert NAMELESS.match(line)


@pytest.mark.parametrize(
    "line", ["Return how many pages are valid.", "Return whether a page is valid.", "Return the pages that are valid."]
)
def test_an_object_with_a_name_is_not(line):
    assert not NAMELESS.match(line)
