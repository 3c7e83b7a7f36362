# cython: infer_types=True
"""What is asked of a scheme that specifies page types."""

from __future__ import annotations

from typing import Any, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim.device_view import Policy
from ssdsim.host.request import Request

PASS: Final = -1
"""The answer of a scheme that leaves a write to the next one."""

BY_PAGE: Final = -2
"""The answer of a scheme that is to be asked again for each page, once its plane is known."""


class PageTypeScheme(Policy):
    """One scheme.

    `choose` is called once a write request, when it is admitted, and, without a request, once a page that is moved, or
    once a row where whole rows are. It returns a page type, 0 for LSB up to `types` - 1, or `PASS`. `may_pass` says,
    once the scheme is bound, whether it ever passes. A scheme that decides `by_page` may answer `BY_PAGE`, and
    `choose_page` returns the type of each page when it is placed. One that `needs_buffer` has no meaning without a
    write buffer. A scheme changes nothing but its own state and draws only from `random`.
    """

    blocks: Blocks
    types: int
    is_by_page: bool  # `by_page`, once it is bound
    page_bytes: int
    buffer: Any
    random: RandomStream

    owed = ("choose(request) -> a whole number",)
    optional = ("choose_page(plane) -> a whole number",)
    may_pass = False
    by_page = False
    needs_buffer = False

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, blocks: Blocks, page_bytes: int, buffer: Any, random: RandomStream) -> None:
        """Receive the state of the blocks, the page size, the write buffer or None, and a `RandomStream`, once."""
        self.blocks = blocks
        self.types = blocks.page_types
        self.page_bytes = page_bytes
        self.buffer = buffer
        self.random = random
        self.is_by_page = self.by_page

    def choose(self, request: Request | None) -> int:
        """Return the type of page for the write `request`, or for moved data if it is None."""
        raise NotImplementedError

    def choose_page(self, plane: int) -> int:
        """Return the type of a page that is written to `plane` now; only asked of schemes that decide `by_page`."""
        raise NotImplementedError

    def quota_left(self) -> int | None:
        """Return the quota of LSB pages that the scheme goes by, or None if it goes by none; for what is measured."""
