"""Words: the content of a sector, which says what wrote it."""

from typing import NamedTuple

from ssdsim.flash.data import UNIT

FACTOR = 0xD1342543DE82EF95F1357AEA2E62A9C5 % (1 << 96) | 1
"""An odd number: multiplication by it shuffles numbers of 96 bits, and by its inverse puts them back."""
INVERSE = pow(FACTOR, -1, 1 << 96)
MASK = (1 << 96) - 1
PAGES = 1 << 48


class Origin(NamedTuple):
    """What a word is of: the sector of a logical page that the request with this number wrote."""

    number: int
    lpa: int
    sector: int


def word_of(number: int, lpa: int) -> int:
    """Return the word of the first sector of logical page `lpa` as request `number`, from 1, wrote it.

    Those of the other sectors follow. XORs of several words are words of nothing.
    """
    return ((number * PAGES + lpa) * FACTOR & MASK) * UNIT


def origin_of(word: int) -> Origin:
    """Return the origin of a word other than 0: its write, page and sector."""
    number, lpa = divmod((word // UNIT) * INVERSE & MASK, PAGES)
    return Origin(number, lpa, word % UNIT)
