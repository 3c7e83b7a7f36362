"""The transaction scheduling unit and its policies: which transaction a die executes next."""

from ssdsim.flash.scheduler.policies import ErasesLast, HostReadsFirst, LowestDieFirst, PageTypeOrder, Paq
from ssdsim.flash.scheduler.unit import Fcfs, ReadPriority, SchedulingPolicy, TransactionSchedulingUnit

__all__ = [
    "ErasesLast",
    "Fcfs",
    "HostReadsFirst",
    "LowestDieFirst",
    "PageTypeOrder",
    "Paq",
    "ReadPriority",
    "SchedulingPolicy",
    "TransactionSchedulingUnit",
]
