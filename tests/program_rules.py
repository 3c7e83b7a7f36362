"""The program-order rules as PA-SSD words them, over the set of pages that are programmed: slow, and with no tables."""

from collections.abc import Set

Page = tuple[int, int]
"""A page of a block: its wordline and its type."""


class RuleBook:
    """The rule called `rule`, strict or relaxed, for blocks of so many wordlines and page types."""

    def __init__(self, rule: str, wordlines: int, types: int):
        self.follows = {"strict": self.strict, "relaxed": self.relaxed}[rule]
        self.wordlines, self.types = wordlines, types
        pages = [(wordline, page_type) for wordline in range(wordlines) for page_type in range(types)]
        self.pages = sorted(pages, key=lambda page: (sum(page), page[1]))
        """By number: along the diagonals of Fig. 5, the fastest type first."""
        self.number = {page: number for number, page in enumerate(self.pages)}

    def allows(self, done: Set[Page], page: Page) -> bool:
        """Return whether `page` may be programmed when the pages `done` are, and no others."""
        return page not in done and self.follows(done, page)

    def allowed(self, done: Set[Page]) -> list[Page]:
        """Return every page that may be programmed next."""
        return [page for page in self.pages if self.allows(done, page)]

    def strict(self, done: Set[Page], page: Page) -> bool:
        """Pages are programmed in the order of their numbers."""
        return all(before in done for before in self.pages[: self.number[page]])

    def relaxed(self, done: Set[Page], page: Page) -> bool:
        """Pages of a type in order, and after those of the type below in adjacent wordlines (4.3.1)."""
        wordline, page_type = page
        adjacent = {wordline - 1, wordline, wordline + 1} & set(range(self.wordlines)) if page_type else set()
        return all((before, page_type) in done for before in range(wordline)) and all(
            (each, page_type - 1) in done for each in adjacent
        )
