"""Marks of functions that compiled code calls; where the source runs as it is they mean nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def cfunc(function: Function) -> Function:
    """Mark a method or function that C alone calls once it is compiled."""
    return function


def inline(function: Function) -> Function:
    """Mark a short function, or method of a class without subclasses, that C alone calls and that costs no call."""
    return function
