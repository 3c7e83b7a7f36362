"""Cython's decorators of what C calls, as mypy is to see them: its own have no types, and would hide those."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

def ccall(function: Function) -> Function: ...
def cfunc(function: Function) -> Function: ...
