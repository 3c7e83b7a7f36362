"""Pages move one by one, by way of the controller."""

from cython.cimports.ssdsim.ftl.reclaim.moves.interface import PageMoves


class SingleMoves(PageMoves):
    """Every page moves on its own, within its plane if the frontier heeds planes, as soon as it has been read."""

    def __init__(self):
        PageMoves.__init__(self)
        self.can_stop = True

    def arrived(self, collection, page):
        """Place a page."""
        self.port.place(collection, page, page.plane, self.port.kind_of(page))
