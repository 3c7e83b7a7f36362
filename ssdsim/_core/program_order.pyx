"""Program-order rules: which pages of a block may be programmed next, one table a rule.

A wordline holds one page of each type, the bits of its cells: type 0 (LSB) is the fastest to program. Pages are numbered
by the diagonal order or wordline by wordline, whatever the rule. All that a rule looks at is how many pages of each type
are programmed; its table says, for each page, how many of each type it needs to come before it. Pages of one type follow
one another. Only the free rule looks at nothing: pages are handed out as by the others, and programmed in any order.
"""

cimport cython
from libc.string cimport memset

import numpy as np

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


@cython.final
cdef class ProgramOrder:
    """The rule named `rule` for blocks of so many wordlines and page types, their pages numbered as `page_map` says."""

    def __init__(self, int wordlines, int types=1, str rule="strict", str page_map="diagonal"):
        pages = MAPS[page_map](wordlines, types)
        order = np.array(pages)
        self.rule, self.wordlines, self.types, self.pages = rule, wordlines, types, wordlines * types
        self.free = rule == "free"
        self.wordline_at = order[:, 0].astype(np.uint16)
        self.type_at = order[:, 1].astype(np.uint8)
        self.page_at = np.lexsort((order[:, 0], order[:, 1])).astype(np.int32)
        needs = np.zeros((self.pages, MOST_TYPES), np.uint16)
        needs[:, :types] = RULES[rule](pages, wordlines, types)
        self.needs = needs

    cdef bint allows(self, const uint16_t* programmed, int page) noexcept:
        """Return whether `page` may be programmed after so many pages of each type."""
        cdef int each
        if programmed[self.type_at[page]] != self.wordline_at[page]:
            return False
        for each in range(self.types):
            if programmed[each] < self.needs[page, each]:
                return False
        return True

    cdef int candidate(self, const uint16_t* programmed, int page_type) noexcept:
        """Return the page of `page_type` that may be programmed after so many pages of each type, or -1."""
        cdef int wordline = programmed[page_type], page
        if wordline == self.wordlines:
            return -1
        page = self.page_at[page_type * self.wordlines + wordline]
        return page if self.allows(programmed, page) else -1

    cpdef int type_of(self, int page) noexcept:
        """Return the type of `page`."""
        return self.type_at[page]

    cpdef int wordline_of(self, int page) noexcept:
        """Return the wordline that `page` lies in."""
        return self.wordline_at[page]

    cpdef int page_of(self, int wordline, int page_type) noexcept:
        """Return the page of `page_type` in `wordline`."""
        return self.page_at[page_type * self.wordlines + wordline]

    def first_illegal(self, sequence: Iterable[int]) -> int:
        """Return the place of the first page in `sequence` that may not be programmed after those before it, or -1."""
        cdef uint16_t[MOST_TYPES] programmed
        cdef int place, page
        if self.free:
            seen = set()
            for place, page in enumerate(sequence):
                if not 0 <= page < self.pages or page in seen:
                    return place
                seen.add(page)
            return -1
        memset(programmed, 0, sizeof(programmed))
        for place, page in enumerate(sequence):
            if not 0 <= page < self.pages or not self.allows(programmed, page):
                return place
            programmed[self.type_at[page]] += 1
        return -1

    def aggressors(self, sequence: Iterable[int]) -> list[int]:
        """Return for each wordline how many pages beside it are programmed after it is full, in so ordered a block.

        Each of them disturbs all of its cells' bits (flexFTL, 2.1). No page may be in `sequence` twice.
        """
        unprogrammed, counts = [self.types] * self.wordlines, [0] * self.wordlines
        for wordline in np.asarray(self.wordline_at)[list(sequence)].tolist():
            unprogrammed[wordline] -= 1
            for beside in (wordline - 1, wordline + 1):
                if 0 <= beside < self.wordlines and not unprogrammed[beside]:
                    counts[beside] += 1
        return counts

    def describe(self, int page) -> str:
        """Return a phrase for what `page` is."""
        name = TYPE_NAMES[self.types][self.type_at[page]].upper()
        return f"page {page} ({name} of wordline {self.wordline_at[page]})"
