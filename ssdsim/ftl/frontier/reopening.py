# cython: infer_types=True
"""What frontiers have in common when power is back: which partly written (aligned) blocks can be gone on with, and how.

Pages that were lost on their way may have left a row of such a block with a gap. Where rows are written as a whole
(`by_rows`), a row begun has one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ssdsim._core.blocks import Blocks


def members_open(blocks: Blocks, found: Iterable[int]) -> list[int]:
    """Return the blocks of the (aligned) blocks in `found` that have a page left; numbers below 0 are of none."""
    members = [blocks.member(each, place) for each in found if each >= 0 for place in range(blocks.span)]
    return [block for block in members if blocks.written(block) < blocks.pages_per_block]


def has_typed_rows(blocks: Blocks, aligned: int, by_rows: bool) -> bool:
    """Return whether the rows of each type of `aligned` are in line."""
    members = [blocks.member(aligned, place) for place in range(blocks.span)]
    by_type = [[blocks.unwritten_of(block, kind) for block in members] for kind in range(blocks.page_types)]
    return all(_is_in_line(left, not by_rows) for left in by_type)


def is_in_page_order(blocks: Blocks, aligned: int, by_rows: bool) -> bool:
    """Return whether rows of `aligned` are in line, and its pages programmed the first: it can be appended to."""
    members = [blocks.member(aligned, place) for place in range(blocks.span)]
    firsts = [block * blocks.pages_per_block for block in members]
    written = [range(first, first + blocks.written(block)) for first, block in zip(firsts, members, strict=True)]
    in_turn = 0 if by_rows else blocks.stripe
    return _is_in_line([blocks.pages_per_block - len(pages) for pages in written], in_turn) and all(
        blocks.is_programmed(ppa) for pages in written for ppa in pages
    )


def holds_translation(blocks: Blocks, aligned: int, first_translation: int) -> bool:
    """Return whether the first block of `aligned` has pages of the mapping table."""
    first = blocks.member(aligned, 0) * blocks.pages_per_block
    programmed = filter(blocks.is_programmed, range(first, first + blocks.pages_per_block))
    return any(blocks.spare.get(ppa) >= first_translation for ppa in programmed)


def _is_in_line(left: list[int], in_turn: int) -> bool:
    """Return whether blocks have so many pages left, or `in_turn` less where it is the turn of one behind them."""
    return left == sorted(left) and max(left) - min(left) <= in_turn
