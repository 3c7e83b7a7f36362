"""The rules in which pages of a block are programmed, in words of their own, and a check of commands against them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from ssdsim.config import HardwareConfig

Row = Mapping[str, Any]
"""A row of the table of commands, as `to_pylist` gives it."""

Page = tuple[int, int]
"""A page of a block: its wordline and its type."""


class RuleBook:
    """The rule called `rule`, a value of `flash.program_order`, for blocks of so many wordlines and page types.

    `page_map` is a value of `hardware.page_type_map`.
    """

    def __init__(self, rule: str, wordlines: int, types: int, page_map: str = "diagonal"):
        needs = {"strict": self.strict, "relaxed": self.relaxed, "fps": self.fixed, "rps": self.sequence}
        self.needs = (needs | {"free": self.free})[rule]
        self.wordlines, self.types = wordlines, types
        pages = [(wordline, page_type) for wordline in range(wordlines) for page_type in range(types)]
        self.pages = sorted(pages, key=lambda page: (sum(page), page[1])) if page_map == "diagonal" else pages
        """By number: along the diagonals of Fig. 5, the fastest type first; or wordline by wordline."""
        self.number = {page: number for number, page in enumerate(self.pages)}

    def allows(self, done: Set[Page], page: Page) -> bool:
        """Return whether `page` may be programmed when the pages `done` are, and no others."""
        return page not in done and self.needs(page) <= done

    def allowed(self, done: Set[Page]) -> list[Page]:
        """Return every page that may be programmed next."""
        return [page for page in self.pages if self.allows(done, page)]

    def closure(self, page: Page) -> set[Page]:
        """Return all pages that have to come before `page`, for the sake of others that have to, too."""
        earlier: set[Page] = set()
        left = [page]
        while left:
            new = self.needs(left.pop()) - earlier
            earlier |= new
            left.extend(new)
        return earlier

    def free(self, page: Page) -> set[Page]:
        """Pages are programmed in any order, as in MQSim."""
        return set()

    def strict(self, page: Page) -> set[Page]:
        """Pages are programmed in the order of their numbers."""
        return set(self.pages[: self.number[page]])

    def relaxed(self, page: Page) -> set[Page]:
        """Pages of a type in order, and after those of the type below in adjacent wordlines (PA-SSD, 4.3.1)."""
        wordline, page_type = page
        before = {(earlier, page_type) for earlier in range(wordline)}
        return before | self.existing((near, page_type - 1) for near in (wordline - 1, wordline, wordline + 1))

    def sequence(self, page: Page) -> set[Page]:
        """FlexFTL's constraints 1 to 3 (2.2), said of two types and taken for each two that are neighbours.

        A wordline's faster page comes first, too: where there is but one wordline, none of the three says so.
        """
        k, page_type = page
        return self.existing([(k - 1, page_type), (k + 1, page_type - 1), (k, page_type - 1)])

    def fixed(self, page: Page) -> set[Page]:
        """Add constraint 4."""
        return self.sequence(page) | self.existing([(page[0] - 2, page[1] + 1)])

    def existing(self, pages: Iterable[Page]) -> set[Page]:
        """Return the `pages` of a block, without those beyond its edges."""
        return {page for page in pages if page in self.number}


def check_program_order(
    commands: Iterable[Row],
    hardware: HardwareConfig,
    rule: str,
    passed_over: Callable[[Row, Set[Page], RuleBook], set[Page]],
) -> None:
    """Assert that every program is one that `flash.program_order=rule` allows; an erase starts a block anew.

    It is for devices whose blocks are empty or full at first; blocks in SLC mode have no rule. `passed_over` returns
    the pages that a program need not wait for, given those of the block that are done.
    """
    rules = RuleBook(rule, hardware.wordlines, hardware.page_types, hardware.page_type_map)
    programmed: dict[Any, set[Page]] = defaultdict(set)
    for command in commands:
        done = programmed[tuple(command[name] for name in ("channel", "chip", "die", "plane", "block"))]
        if command["op"] == "erase":
            done.clear()
        elif command["op"] in ("program", "copyback") and command["page_type"] >= 0:
            page = rules.pages[command["page"]]
            assert rules.allows(done | passed_over(command, done, rules), page), command
            done.add(page)
