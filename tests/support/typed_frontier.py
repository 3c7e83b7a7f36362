"""A frontier that heeds page types, spoken to in short words."""

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.table import IndexTable
from ssdsim.config import FtlConfig
from ssdsim.ftl.frontier import PageTypeFrontier
from support.bound import HOST_DATA, bound, given_page

LETTERS = "LCMT"
"""LSB, CSB, MSB and the fourth."""


class Frontier:
    """A frontier over fresh blocks, in short words: `L` is an LSB page, `0 L1` that of block 0 and wordline 1.

    It keeps no block for the collector, for the order of pages to be seen alone.
    """

    def __init__(self, blocks, wordlines, types=3, rule="relaxed", planes=1, made=PageTypeFrontier, **config):
        self.order = ProgramOrder(wordlines, types, rule)
        self.blocks = Blocks(planes, blocks, wordlines * types, order=self.order)
        self.made = bound(made, self.blocks, FtlConfig(**{"active_blocks": "shared"} | config))
        self.made.reserved = 0
        self.letters = "LM" if types == 2 else LETTERS
        self.mapping = IndexTable(self.blocks.pages + 1)

    def ask(self, wanted, plane=0):
        """Write data to a page of type `wanted`, to an address not in use; return the PPA."""
        lpa = next(lpa for lpa in range(self.mapping.size) if self.mapping.get(lpa) < 0)
        ppa = given_page(self.made, plane, HOST_DATA, lpa, wanted)
        self.mapping.set(lpa, ppa)
        return ppa

    def name(self, ppa):
        block = self.blocks.block_of(ppa)
        page = ppa - block * self.blocks.pages_per_block
        return f"{block} {self.letters[self.order.type_of(page)]}{self.order.wordline_of(page)}"

    def asked(self, letters):
        """Write pages of these types and program them; return their names."""
        ppas = []
        for letter in letters:
            ppas.append(self.ask(self.letters.index(letter)))
            self.blocks.program(ppas[-1])
        return [self.name(ppa) for ppa in ppas]

    def candidates(self, letter):
        """Return the blocks that wait to serve a type, where host and collector share them."""
        return self.made.pools.listed(self.letters.index(letter))

    def die(self, block, count):
        """Let so many valid pages of `block` die."""
        for _ in range(count):
            ppa = block * self.blocks.pages_per_block + self.blocks.next_valid(block, 0)
            self.mapping.set(self.blocks.spare.get(ppa), -1)
            self.blocks.invalidate(ppa)
