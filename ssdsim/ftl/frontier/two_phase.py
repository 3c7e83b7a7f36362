"""The frontier of flexFTL: all fast pages of a block before its slow ones, and a block for either in every plane."""

import cython

from ssdsim.errors import ConfigError

if cython.compiled:
    from cython.cimports.ssdsim.ftl.frontier.page_type import PageTypeFrontier
else:
    from ssdsim.ftl.frontier.page_type import PageTypeFrontier


class TwoPhaseFrontier(PageTypeFrontier):
    """Two-phase ordering (flexFTL, 3.1): a block goes free -> fast -> slow -> full, with a phase for each page type.

    The fast block is active until its LSB pages are handed out; then it queues, first in, first out, to be the slow
    one. Unlike in `PageTypeFrontier`, no block begins a phase before the end of the last: where there is no slow block,
    the fast one gives an LSB page instead. It needs a program order that allows as much.
    """

    name = "two_phase"
    borrows = False

    def bind(self, blocks, config):
        """Start without active blocks and candidates; raise `ConfigError` if the program order has no two phases."""
        PageTypeFrontier.bind(self, blocks, config)
        order = blocks.order
        by_type = [order.page_of(k, page_type) for page_type in range(order.types) for k in range(order.wordlines)]
        if order.first_illegal(by_type) >= 0:
            raise ConfigError(
                f"ftl.block_allocation=two_phase: programs all pages of a type before the next, which "
                f"flash.program_order={order.rule} forbids; set that to rps."
            )
