"""The page of all policies by the key that chooses them, of the docstrings of their classes."""

import inspect
from collections.abc import Iterator

from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config.registry import AXES, STATIC_ORDERS, Axis

HEAD = """\
# Policies

Each heading is a key, below it the values that it takes and the class that each stands for. Names of papers in
parentheses say where a policy comes from. A class of your own is named by its dotted path, and derives from the base.
"""


def policies() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for axis in AXES.values() for line in _axis(axis))])


def _axis(axis: Axis) -> Iterator[str]:
    base = BASES[axis.key][0]
    yield f"## `{axis.key}` {{ #{axis.key} }}\n"
    yield f"Base: `{base.__module__}.{base.__name__}`\n" if axis.own else "It takes no class of your own.\n"
    for name, of in axis.named.items():
        if name in STATIC_ORDERS and name != STATIC_ORDERS[0]:
            continue
        shown = f"{name} and the other orders of these letters" if name in STATIC_ORDERS else name
        yield f"### {shown} {{ #{axis.key}.{name} }}\n"
        yield said(CLASSES[axis.key][name]) if of else "There is none.\n"
    if axis.own:
        yield f"### A class of your own {{ #{axis.key}.own }}\n\n{inspect.getdoc(base)}\n"


def said(cls: type) -> str:
    """Return the name and the docstring of a class."""
    return f"`{cls.__module__}.{cls.__name__}`\n\n{inspect.getdoc(cls)}\n"
