# cython: infer_types=True
"""Pages that were written in part: what they store, and what of that has to be read or crosses the bus."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim.config import SimulationConfig
from ssdsim.host.request import BIT, SECTOR, Bits, Request


@final
class PartialPages:
    """Says of a write of part of a page what is read first (`ftl.partial_write`), and what each page stores.

    The latter matters where only changed or stored sectors cross the bus (`flash.partial_program`, `partial_read`).
    """

    page_bytes: int
    read_modify_write: bool  # a write of part of a page reads the rest; else that is padded
    on_arrival: bool  # a write takes its page and its turn before the rest has been read
    reads_stored: bool  # what a page stores is read, whatever is wanted of it
    # Of a page that is written in part; without either, all that it stores:
    programs_whole: bool
    programs_changed: bool
    matters: bool  # what pages store decides how long something takes
    whole_page: Bits  # the bits of all sectors of a page
    parts: dict[int, Bits]  # by LPA written in part only, where that matters: the sectors, as bits

    def __init__(self, config: SimulationConfig) -> None:
        self.page_bytes = config.hardware.page_bytes
        self.read_modify_write = config.ftl.partial_write == "read_modify_write"
        self.on_arrival = config.flash.partial_write_turn == "on_arrival"
        self.reads_stored = config.flash.partial_read == "stored"
        self.programs_whole = config.flash.partial_program == "whole_page"
        self.programs_changed = config.flash.partial_program == "changed"
        self.matters = self.reads_stored or not self.programs_whole
        self.whole_page = (BIT << self.page_bytes // SECTOR) - 1
        self.parts = {}

    @cfunc
    def rest_of(self, lpa: int, size: int, request: Request | None) -> int:
        """Return the bytes that a write of `size` bytes leaves of what its page stores."""
        if request is None or lpa not in self.parts:
            return self.page_bytes - size
        return (self.parts[lpa] & ~request.touched(lpa, self.page_bytes)).bit_count() * SECTOR

    @cfunc
    def bytes_read(self, lpa: int) -> int:
        """Return how many bytes of page `lpa` cross the bus where that is all that it stores."""
        sectors = self.parts.get(lpa)
        return self.page_bytes if sectors is None else sectors.bit_count() * SECTOR

    def keep(self, request: Request | None, lpa: int, size: int, before: int) -> int:
        """Record the sectors that page `lpa` stores with a write of `size` bytes; return how many bytes cross the bus.

        `before` is where its data was, or -1.
        """
        if request is None or size == self.page_bytes:  # as it was, or whole, which most are
            if request is not None and self.parts:
                self.parts.pop(lpa, None)
            return self.page_bytes
        touched = request.touched(lpa, self.page_bytes)
        stored = touched
        if self.read_modify_write and before >= 0:
            stored |= self.parts.get(lpa, self.whole_page)
        if stored == self.whole_page:
            self.parts.pop(lpa, None)
        else:
            self.parts[lpa] = stored
        if self.programs_whole:
            return self.page_bytes
        moved = touched if self.programs_changed else stored
        return moved.bit_count() * SECTOR
