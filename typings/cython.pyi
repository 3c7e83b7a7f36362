"""The decorator that keeps a method to C, as mypy is to see it: Cython's own has no types, and would hide those."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

def cfunc(function: Function) -> Function: ...
