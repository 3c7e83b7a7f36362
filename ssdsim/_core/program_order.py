# cython: infer_types=True
"""Program-order rules: which pages of a block may be programmed next, one table a rule.

A wordline holds one page of each type, the bits of its cells: type 0 (LSB) is the fastest to program. Pages are
numbered by the diagonal order or wordline by wordline, whatever the rule. All that a rule looks at is how many pages of
each type are programmed; its table says, for each page, how many of each type it needs to come before it. Pages of one
type follow one another. Only the free rule looks at nothing: pages are handed out as by the others, and programmed in
any order.
"""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from ssdsim._core.columns import FrozenBytes, Int32s, Uint16s

MOST_TYPES: Final = 4  # page types of a block: one for each bit of a cell

TYPE_NAMES = {1: ("lsb",), 2: ("lsb", "msb"), 3: ("lsb", "csb", "msb"), 4: ("lsb", "csb", "msb", "tsb")}
"""Names of the page types, fastest first, by bits a cell."""


def diagonal_order(wordlines: int, types: int) -> list[tuple[int, int]]:
    """Return (wordline, type) of every page of a block in the usual program order.

    Step k programs the first bit of wordline k, then the second of wordline k - 1, and so on, which keeps the
    interference between neighbouring wordlines low: L0, L1 C0, L2 C1 M0, L3 C2 M1, ... for three bits (PA-SSD, Fig. 5).
    """
    return [
        (step - bit, bit)
        for step in range(wordlines + types - 1)
        for bit in range(types)
        if 0 <= step - bit < wordlines
    ]


def wordline_order(wordlines: int, types: int) -> list[tuple[int, int]]:
    """Return (wordline, type) of every page of a block whose wordlines are programmed one after another."""
    return [(wordline, bit) for wordline in range(wordlines) for bit in range(types)]


def strict(order: list[tuple[int, int]], wordlines: int, types: int) -> np.ndarray:
    """Return the table of the strict rule: every page needs all those before it in the order of their numbers."""
    is_type = np.array([[bit == each for each in range(types)] for _, bit in order])
    return np.cumsum(is_type, axis=0) - is_type


def relaxed(order: list[tuple[int, int]], wordlines: int, types: int) -> np.ndarray:
    """Return the table of the relaxed rule: page k of a type needs pages k - 1, k and k + 1 of the type below.

    PA-SSD, 4.3.1, where it has three types; of two, it is the relaxed program sequence of flexFTL. At the last wordline
    the neighbour that does not exist is not needed. A wordline that is fully programmed sees one more program of a
    neighbour at most, as under the strict rule.
    """
    needs = np.zeros((wordlines * types, types), np.int64)
    for page, (wordline, bit) in enumerate(order):
        if bit:
            needs[page, bit - 1] = min(wordline + 2, wordlines)
    return needs


def fixed(order: list[tuple[int, int]], wordlines: int, types: int) -> np.ndarray:
    """Return the table of the fixed program sequence: the relaxed one, and page k also needs k - 2 of the type above.

    flexFTL's constraints 1 to 4 (2.2), which it has for two types; of those they leave the diagonal order alone.
    """
    needs = relaxed(order, wordlines, types)
    for page, (wordline, bit) in enumerate(order):
        if bit + 1 < types:
            needs[page, bit + 1] = max(wordline - 1, 0)
    return needs


def free(order: list[tuple[int, int]], wordlines: int, types: int) -> np.ndarray:
    """Return the table of the free rule: no page needs another (MQSim, whose blocks take pages in any order)."""
    return np.zeros((wordlines * types, types), np.int64)


RULES = {"strict": strict, "relaxed": relaxed, "fps": fixed, "rps": relaxed, "free": free}
"""Makers of the tables, by the value of `flash.program_order`; rps is flexFTL's name for the relaxed rule."""


MAPS = {"diagonal": diagonal_order, "modulo": wordline_order, "mqsim": wordline_order}
"""Orders of the pages of a block, by the value of `hardware.page_type_map`; MQSim's has times of its own."""


@final
class ProgramOrder:
    """The rule named `rule` for blocks of so many wordlines and page types, their pages numbered as `page_map` says."""

    rule: str
    wordlines: int
    types: int
    pages: int
    free: bool  # pages are programmed in any order
    type_at: FrozenBytes  # by page
    wordline_at: Uint16s  # by page
    page_at: Int32s  # by type, then wordline
    needs: Uint16s  # by page, then `MOST_TYPES` types: how many pages of that type come before it

    def __init__(self, wordlines: int, types: int = 1, rule: str = "strict", page_map: str = "diagonal") -> None:
        pages = MAPS[page_map](wordlines, types)
        order: Any = np.array(pages)
        needs: Any = np.zeros((len(pages), MOST_TYPES), np.uint16)
        needs[:, :types] = RULES[rule](pages, wordlines, types)
        self.rule = rule
        self.wordlines = wordlines
        self.types = types
        self.pages = len(pages)
        self.free = rule == "free"
        self.wordline_at = order[:, 0].astype(np.uint16)
        self.type_at = order[:, 1].astype(np.uint8)
        by_type: Any = np.lexsort(order.T)
        self.page_at = by_type.astype(np.int32)
        self.needs = needs.reshape(-1)

    def type_of(self, page: int) -> int:
        """Return the type of `page`."""
        return self.type_at[page]

    def wordline_of(self, page: int) -> int:
        """Return the wordline that `page` lies in."""
        return self.wordline_at[page]

    def page_of(self, wordline: int, page_type: int) -> int:
        """Return the page of `page_type` in `wordline`."""
        return self.page_at[page_type * self.wordlines + wordline]

    def describe(self, page: int) -> str:
        """Return a phrase for what `page` is."""
        name = TYPE_NAMES[self.types][self.type_at[page]].upper()
        return f"page {page} ({name} of wordline {self.wordline_at[page]})"
