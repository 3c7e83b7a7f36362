"""The mark of functions that compiled code calls; where the source runs as it is it means nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def cfunc(function: Function) -> Function:
    """Mark a method or function that C alone calls once it is compiled."""
    return function
