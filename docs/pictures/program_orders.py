"""Orders in which the pages of a block may be programmed, found by asking the rule itself."""

from experiments.papers.flexftl import beside_full
from ssdsim._core.cells import first_illegal
from ssdsim._core.program_order import TYPE_NAMES, ProgramOrder

from .canvas import BLUE, RED, YELLOW, Canvas

WORDLINES, TYPES = 5, 3
CELL = 8


def in_turn(rule: ProgramOrder) -> list[int]:
    """Return the diagonal order, in which pages are numbered."""
    return list(range(rule.pages))


def by_type(rule: ProgramOrder) -> list[int]:
    """Return the order that programs all pages of a type before any of the next."""
    return [rule.page_of(wordline, kind) for kind in range(rule.types) for wordline in range(rule.wordlines)]


def program_orders() -> str:
    """Return the picture: two orders under two rules, the pages numbered by when they are programmed."""
    cases = [("strict", in_turn), ("relaxed", by_type)]
    told = {"strict": "Strict: the diagonal order alone", "relaxed": "Relaxed: for instance type by type"}
    canvas = Canvas(100, WORDLINES * CELL + 26)
    for column, (name, order) in enumerate(cases):
        rule = ProgramOrder(WORDLINES, TYPES, name)
        sequence = order(rule)
        refused = first_illegal(ProgramOrder(WORDLINES, TYPES, "strict"), sequence)
        assert first_illegal(rule, sequence) < 0
        left = 14 + column * 50
        canvas.text(left + TYPES * CELL / 2, 3, told[name], 9.5, fontweight="bold")
        for kind, fill in zip(range(TYPES), (BLUE, YELLOW, RED), strict=True):
            canvas.text(left + (kind + 0.5) * CELL, 8, TYPE_NAMES[TYPES][kind].upper(), 8.5)
            for wordline in range(WORDLINES):
                x, y = left + kind * CELL, 11 + wordline * CELL
                canvas.box(x + 0.5, y + 0.5, CELL - 1, CELL - 1, fill)
                canvas.text(x + CELL / 2, y + CELL / 2, str(sequence.index(rule.page_of(wordline, kind))), 9)
        for wordline in range(WORDLINES):
            canvas.text(left - 2, 11 + (wordline + 0.5) * CELL, f"WL {wordline}", 8, "right")
        middle, bottom = left + TYPES * CELL / 2, 15 + WORDLINES * CELL
        canvas.text(middle, bottom, f"Programs beside a full wordline: at most {max(beside_full(rule, sequence))}", 8)
        if refused >= 0:
            canvas.text(middle, bottom + 3, f"The strict rule refuses its step {refused}", 8)
    canvas.text(50, 22 + WORDLINES * CELL, "Numbers are steps: when a page is programmed", 8.5)
    return canvas.svg()
