"""The frontier of flexFTL: all fast pages of a block before its slow ones, and a block for either in every plane."""

from cython.cimports.ssdsim.ftl.frontier.page_type import PageTypeFrontier


class TwoPhaseFrontier(PageTypeFrontier):
    """Two-phase ordering (flexFTL, 3.1): a block goes free -> fast -> slow -> full, with a phase for each page type.

    The fast block is active until its LSB pages are handed out; then it queues, first in, first out, to be the slow
    one. Unlike in `PageTypeFrontier`, no block begins a phase before the end of the last: where there is no slow block,
    the fast one gives an LSB page instead. It needs a program order that allows as much.
    """

    borrows = False
