# cython: infer_types=True
"""What the spare area of each page says, and what has been promised of each logical page."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable
from ssdsim.flash.transactions import Transactions

UNREADABLE = -1
"""The version of a page that cannot be read any more: its program, or one that endangered it, was cut short."""


class Contents:
    """The data in each physical page, and the newest acknowledged version of each logical page.

    Every page write and trim of the host's is given the next version number when it is admitted. A logical page that is
    mapped nowhere reads as the version of the trim that unmapped it, 0 if it was never written. The version of a page
    of parity is the XOR of those of what it covers. `stamp` numbers the page writes in the order in which they were
    placed. Version and stamp stand in the spare area, as does the logical page (`Blocks.spare`), and `notes` has what
    else a backup's holds there.

    A version is acknowledged when the host is told that it is written, and durable when its page is programmed. `data`
    has what the cells really hold, where integrity is checked, and is told of pages that lose it.
    """

    held: Int64s  # by PPA: versions
    stamp: Int64s  # by PPA
    unmapped: Int64s  # by LPA
    acknowledged: Int64s  # by LPA
    durable: Int64s  # by LPA
    stamps: int  # given so far
    notes: dict[Any, Any]  # by PPA: what a backup covers
    data: Any  # in the cells (`ssdsim.flash.data`), where integrity is checked; else None

    observes = ("erased",)

    def __init__(self, physical_pages: Any, logical_pages: Any, pages_per_block: int) -> None:
        self.pages_per_block = pages_per_block
        self.held = array("q", bytes(8 * physical_pages))
        self.stamp = array("q", bytes(8 * physical_pages))
        self.unmapped = array("q", bytes(8 * logical_pages))
        self.acknowledged = array("q", bytes(8 * logical_pages))
        self.durable = array("q", bytes(8 * logical_pages))
        self.stamps = 0
        self.notes = {}
        self.data = None

    def put(self, ppa: int, version: int) -> None:
        """Record that page `ppa` is given data of this version, and number that write."""
        self.held[ppa] = version
        self.stamps += 1
        self.stamp[ppa] = self.stamps

    @cfunc
    def put_padding(self, ppa: int) -> None:
        """Record that page `ppa` is written, which is padding unless it was given data before."""
        if self.stamp[ppa] == 0:
            self.put(ppa, self.held[ppa])

    def filled(self, mapping: IndexTable) -> None:
        """Record that every logical page mapped was given its first version."""
        for lpa in range(len(self.unmapped)):
            ppa = mapping.get(lpa)
            if ppa >= 0:
                self.put(ppa, 1)
                self.make_durable(lpa, 1)
                self.acknowledge(lpa, 1)

    def get(self, ppa: int) -> int:
        """Return the version that page `ppa` holds, 0 if it was erased since."""
        return self.held[ppa]

    def stamp_of(self, ppa: int) -> int:
        """Return the place of the write of page `ppa` among all."""
        return self.stamp[ppa]

    def erased(self, transactions: Transactions, transaction: int) -> None:
        """Record that a block holds nothing any more (`Observer`)."""
        self.forget_block(transactions.block[transaction])

    def forget_block(self, block: int) -> None:
        """Record that `block` holds nothing any more."""
        first = block * self.pages_per_block
        for ppa in range(first, first + self.pages_per_block):
            self.forget(ppa)

    def unmap(self, lpa: int, version: int) -> None:
        """Record that `lpa` was trimmed by `version`."""
        self.unmapped[lpa] = version

    def acknowledge(self, lpa: int, version: int) -> None:
        """Record that the host was told that `version` of `lpa` is written."""
        if version > self.acknowledged[lpa]:
            self.acknowledged[lpa] = version

    @cfunc
    def make_durable(self, lpa: int, version: int) -> None:
        """Record that the cells hold `version` of `lpa`."""
        if version > self.durable[lpa]:
            self.durable[lpa] = version

    def forget(self, ppa: int) -> None:
        """Record that page `ppa` holds nothing, or was not given what it was to get."""
        self.held[ppa] = 0
        self.stamp[ppa] = 0
        if self.notes:
            self.notes.pop(ppa, None)
        if self.data is not None:
            self.data.wipe(ppa)

    def destroy(self, ppa: int) -> None:
        """Record that page `ppa` cannot be read any more, until it is erased."""
        self.held[ppa] = UNREADABLE
        if self.notes:
            self.notes.pop(ppa, None)
        if self.data is not None:
            self.data.wipe(ppa)

    def columns(self) -> Any:
        """Return versions, stamps, and by logical page what is acknowledged, durable and trimmed: views, not copies."""
        return (
            np.frombuffer(self.held, np.int64),
            np.frombuffer(self.stamp, np.int64),
            np.frombuffer(self.acknowledged, np.int64),
            np.frombuffer(self.durable, np.int64),
            np.frombuffer(self.unmapped, np.int64),
        )
