"""All that `ssdsim.ftl` may import of the flash.

Work is handed over as a `Transaction` from a `TransactionPool`, to the scheduler by `submit`, or where no time passes
to `InstantFlash`; `wake_for` has a die look again at what waits. What a `Die` or the controller of a channel is doing
may be looked at. `Contents` is what the spare areas say, where that is kept.
"""

from ssdsim.flash.contents import Contents
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die import Die
from ssdsim.flash.instant import InstantFlash
from ssdsim.flash.scheduler import TransactionSchedulingUnit
from ssdsim.flash.transaction import Transaction, TransactionPool

__all__ = [
    "Contents",
    "Die",
    "FlashController",
    "InstantFlash",
    "Transaction",
    "TransactionPool",
    "TransactionSchedulingUnit",
]
