"""The transaction scheduling unit and its policies: which transaction a die executes next."""

from ssdsim.flash.scheduler.flin import Flin
from ssdsim.flash.scheduler.policy import (
    ErasesLast,
    Fcfs,
    HostReadsFirst,
    LowestDieFirst,
    PageTypeOrder,
    Paq,
    ReadPriority,
    SchedulingPolicy,
)
from ssdsim.flash.scheduler.unit import TransactionSchedulingUnit

__all__ = [
    "ErasesLast",
    "Fcfs",
    "Flin",
    "HostReadsFirst",
    "LowestDieFirst",
    "PageTypeOrder",
    "Paq",
    "ReadPriority",
    "SchedulingPolicy",
    "TransactionSchedulingUnit",
]
