"""Write frontiers in plain Python, on lists and sets: which page of a unit a write is given, by the order rules alone.

A unit is a plane, or a die of `span` planes whose blocks go together; a page is known by (block offset, place in the
die, wordline, page type). Nothing is shared with the frontiers of ssdsim.
"""

from support.program_rules import Page, RuleBook

Place = tuple[int, int, int, int]


class Unit:
    """The blocks of a unit: those free, in the order in which they will be taken, and what is handed out of each."""

    def __init__(self, blocks: int, wordlines: int, types: int, span: int, rule: str, by_rows: bool):
        self.book = RuleBook(rule, wordlines, types)
        self.wordlines, self.types, self.span, self.by_rows = wordlines, types, span, by_rows
        self.free = list(range(blocks))
        self.given: list[list[set[Page]]] = [[set() for _ in range(span)] for _ in range(blocks)]
        self.full: list[int] = []

    @property
    def unused(self) -> int:
        """How many pages are not handed out."""
        return self.wordlines * self.types * self.span * len(self.given) - sum(map(self.count, range(len(self.given))))

    def count(self, block: int) -> int:
        """Return how many pages of `block`, on all planes, are handed out."""
        return sum(map(len, self.given[block]))

    def count_of(self, block: int, page_type: int) -> int:
        """Return how many of one type are."""
        return sum(each == page_type for pages in self.given[block] for _, each in pages)

    def is_in_row(self, block: int) -> bool:
        """Return whether a row of `block` is begun."""
        return self.count(block) % self.span > 0

    def give(self, block: int, page: Page, place: int) -> Place:
        """Hand out a page."""
        self.given[block][place].add(page)
        if self.count(block) == self.wordlines * self.types * self.span:
            self.full.append(block)
        return (block, place, *page)

    def give_next(self, block: int) -> Place:
        """Hand out the next page of `block` in the order of their numbers, row by row."""
        row, place = divmod(self.count(block), self.span)
        return self.give(block, self.book.pages[row], place)

    def next_type(self, block: int) -> int:
        """Return the type of that."""
        return self.book.pages[self.count(block) // self.span][1]

    def give_of_type(self, block: int, page_type: int) -> Place | None:
        """Hand out the next page of a type, the planes in turn, if the program order has all that it is to follow."""
        wordline, place = divmod(self.count_of(block, page_type), self.span)
        page = (wordline, page_type)
        may = wordline < self.wordlines and self.book.allows(self.given[block][place], page)
        return self.give(block, page, place) if may else None

    def erase(self, block: int) -> None:
        """Make `block` the last of the free ones."""
        self.full.remove(block)
        self.given[block] = [set() for _ in range(self.span)]
        self.free.append(block)


class Sequential:
    """A block for each kind, filled row by row."""

    def __init__(self, unit: Unit, kinds: int, **_: int):
        self.unit, self.shared = unit, kinds == 1
        self.filled: dict[int, int] = {}

    def write(self, kind: int, wanted: int) -> Place | None:
        """Return the page that a write is given, or None if there is none for its kind."""
        if kind not in self.filled:
            if not self.unit.free:
                return None
            self.filled[kind] = self.unit.free.pop(0)
        block = self.filled[kind]
        place = self.unit.give_next(block)
        if block in self.unit.full:
            del self.filled[kind]
        return place

    def has_room(self) -> bool:
        """Return whether the host may write a page of its kind, 0: of shared blocks, not of the last one."""
        return len(self.unit.free) > 1 or (0 in self.filled and (len(self.unit.free) > 0 or not self.shared))


class Pools:
    """PA-SSD, 4.3.1: of each kind a pool of candidates for each type, and the one at work, which is its first.

    A type that has no candidate is served by the block of the type below (`borrows`); alternates are Fig. 10's. The
    last free block is taken when nothing else is left, in the blocks of any kind.
    """

    borrows = True

    def __init__(self, unit: Unit, kinds: int, **_: int):
        self.unit, self.kinds = unit, kinds
        self.pools: list[list[list[int]]] = [[[] for _ in range(unit.types)] for _ in range(kinds)]
        self.row: dict[int, tuple[int, int]] = {}

    def write(self, kind: int, wanted: int) -> Place | None:
        if kind in self.row:
            block, page_type = self.row[kind]
            if place := self.hand_out(block, page_type):
                if not self.unit.is_in_row(block):
                    del self.row[kind]
                return place
        types = [*range(wanted, -1, -1), *range(wanted + 1, self.unit.types)]
        for kept in (1, 0):
            for other in range(self.kinds):
                for page_type in types:
                    block = self.serving((kind + other) % self.kinds, page_type, kept)
                    if block is None or (self.unit.by_rows and self.unit.is_in_row(block)):
                        continue
                    if place := self.hand_out(block, page_type):
                        if self.unit.by_rows and self.unit.is_in_row(block):
                            self.row[kind] = block, page_type
                        return place
        return None

    def serving(self, kind: int, page_type: int, kept: int) -> int | None:
        pool = self.pools[kind][page_type]
        if not pool and page_type == 0 and len(self.unit.free) > kept:
            pool.append(self.unit.free.pop(0))
        if not pool and page_type and self.borrows:
            return self.serving(kind, page_type - 1, kept)
        return pool[0] if pool else None

    def hand_out(self, block: int, page_type: int) -> Place | None:
        place = self.unit.give_of_type(block, page_type)
        each = self.unit.wordlines * self.unit.span
        if place and self.unit.count_of(block, page_type) == each:
            for pools in self.pools:
                if pools[page_type][:1] == [block]:
                    pools[page_type].pop(0)
                    later = range(page_type + 1, self.unit.types)
                    slower = [other for other in later if self.unit.count_of(block, other) < each]
                    if slower:
                        pools[slower[0]].append(block)
        return place

    def has_room(self) -> bool:
        """All pages are room but those of the last free block; while that is in use the host waits."""
        beyond = self.unit.unused - self.unit.wordlines * self.unit.types * self.unit.span
        return len(self.unit.free) > 0 and beyond >= (self.unit.span if self.unit.by_rows else 1)


class TwoPhases(Pools):
    """flexFTL, 3.1: a block is fast, then slow, each type a phase; without a slow one a fast page is given."""

    borrows = False


class ReturnToFast:
    """rtfFTL (flexFTL, 4.1): the oldest of up to `most` blocks whose next page is of the type asked for."""

    def __init__(self, unit: Unit, kinds: int, most: int):
        self.unit, self.most = unit, most
        self.filled: list[int] = []

    def write(self, kind: int, wanted: int) -> Place | None:
        begun = [block for block in self.filled if self.unit.by_rows and self.unit.is_in_row(block)]
        fit = begun or [block for block in self.filled if self.unit.next_type(block) == wanted]
        if not fit:
            may_open = wanted == 0 and len(self.unit.free) > 1 and len(self.filled) < self.most
            if may_open or not self.filled:
                if not self.unit.free:
                    return None
                self.filled.append(self.unit.free.pop(0))
                fit = self.filled[-1:]
            else:
                fit = self.filled[:1]
        place = self.unit.give_next(fit[0])
        self.filled = [block for block in self.filled if block not in self.unit.full]
        return place

    has_room = Pools.has_room
