"""All that `ssdsim.ftl` may import of the flash.

Work is handed over as one of the `Transactions`, to the scheduler by `submit`, or where no time passes to
`InstantFlash`; `wake_for` has a die look again at what waits. What the `Dies` or the controller of a channel are doing
may be looked at. `Contents` is what the spare areas say, where that is kept, and `PageData` what the cells hold.
"""

from ssdsim.flash.contents import Contents
from ssdsim.flash.controller import FlashController
from ssdsim.flash.data import PageData
from ssdsim.flash.dies import Dies
from ssdsim.flash.instant import InstantFlash
from ssdsim.flash.scheduler.unit import TransactionSchedulingUnit
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.wordlines import OneShotWordlines

__all__ = [
    "Contents",
    "Dies",
    "FlashController",
    "InstantFlash",
    "OneShotWordlines",
    "PageData",
    "TransactionSchedulingUnit",
    "Transactions",
]
