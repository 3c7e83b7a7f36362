"""The page of the Python interface, which mkdocstrings makes of docstrings and types."""

import ast
from collections.abc import Iterator
from pathlib import Path

STUB = Path(__file__).parents[2] / "ssdsim" / "__init__.pyi"
HEAD = "# Python interface\n\nEverything that `import ssdsim` gives."


def interface() -> str:
    """Return the page."""
    return "\n\n".join([HEAD, *(f"::: {place}" for place in _places())])


def _places() -> Iterator[str]:
    """Yield the full name of each public name, functions first, as its types import it."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    found = [(each.name, node.module) for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names]
    yield from (f"{module}.{name}" for name, module in sorted(found, key=lambda pair: (pair[0][0].isupper(), pair[0])))
