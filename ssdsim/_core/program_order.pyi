from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

TYPE_NAMES: Final[Mapping[int, tuple[str, ...]]]
RULES: Final[Mapping[str, Callable[[int, int], np.ndarray]]]

def diagonal_order(wordlines: int, types: int) -> list[tuple[int, int]]: ...

class ProgramOrder:
    rule: str
    wordlines: int
    types: int
    pages: int
    def __init__(self, wordlines: int, types: int = 1, rule: str = "strict") -> None: ...
    def type_of(self, page: int) -> int: ...
    def wordline_of(self, page: int) -> int: ...
    def page_of(self, wordline: int, page_type: int) -> int: ...
    def describe(self, page: int) -> str: ...
