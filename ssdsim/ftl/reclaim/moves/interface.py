# cython: infer_types=True
"""What a collection asks of the moving of its pages."""

from __future__ import annotations

from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.port import MovePort
from ssdsim.host.request import WriteGroup


class PageMoves:
    """Moves the valid pages of victims by way of a `MovePort`; the base of all ways to do so.

    Pages are transactions of the port's that have been read and are still valid. A way that holds some of them back, to
    place them together, keeps them in a `Collection` of its own (`collection_of`); one that does not can leave a page
    that has been read where it is, and so stop at any time (`can_stop`). `role` is what it needs the frontier to be
    (`WriteFrontier.roles`), if anything.
    """

    port: MovePort

    role = ""

    def __init__(self) -> None:
        self.port = None
        self.can_stop = False

    def bind(self, port: MovePort) -> None:
        """Receive the port, once, before the run."""
        self.port = port

    def collection_of(self, number: int, width: int) -> Collection:
        """Return a collection of unit `number`."""
        return Collection(number, width, self.port.blocks)

    def begin(self, collection: Collection) -> None:
        """React when a collection begins: its victims have been chosen."""

    @cfunc
    def takes_controller(self, collection: Collection) -> bool:
        """Return whether pages of a collection that has begun go through the controller, as a rule."""
        return True

    def start(self, collection: Collection) -> bool:
        """Issue the reads of the next page or row and return whether there was one."""
        read = self.port.read(collection)
        if read:
            self.port.submit(read)
        return read != 0

    def arrived(self, collection: Collection, page: int) -> None:
        """Take over a page that has been read: have it placed now, or later along with others."""
        raise NotImplementedError

    def dropped(self, collection: Collection, page: int) -> None:
        """React when a page was rewritten by the host while it was read, and need not be moved."""

    def no_more(self, collection: Collection) -> None:
        """Have placed what is held back, as nothing more can be read before."""

    @cfunc
    def move_now(self, collection: Collection, plane: int, ppa: int) -> int:
        """Move a page of `plane` where no time passes, and return its new PPA."""
        return self.port.move(ppa, plane, self.port.kind_of(ppa))

    @cfunc
    def moved_now(self, collection: Collection) -> None:
        """React when all pages of a collection have been moved where no time passes."""

    def takes(self, collection: Collection, group: WriteGroup) -> bool:
        """Return whether the host's `group` of pages is taken over, to be written in rows with moved ones."""
        return False

    def complete(self, collection: Collection, group: WriteGroup) -> None:
        """Take over the host's pages that this asked for, to complete a row."""
        raise NotImplementedError
