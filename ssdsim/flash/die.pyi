from typing import Any

from ssdsim._core.kernel import Routine
from ssdsim.flash.transaction import Transaction, TransactionQueue

class Channel:
    env: Any
    def ask(self, die: Die) -> int: ...
    def offer_bus(self) -> int: ...

class Die:
    index: int
    channel: int
    chip: int
    host_reads: TransactionQueue
    host_writes: TransactionQueue
    gc_reads: TransactionQueue
    gc_writes: TransactionQueue
    urgent_planes: int
    critical_planes: int
    collection_began: int
    waiting: int
    idle: bool
    transaction: Transaction | None
    planes_at_work: int
    bus: Channel | None
    process: Routine
    next_asking: Die | None
    asks_to_start: bool
    asks_for_data_out: bool
    busy_ns: int
    gc_busy_ns: int
    urgent_busy_ns: int
    gc_since_ns: int
    urgent_since_ns: int
    def __init__(self, index: Any, channel: Any, chip: Any) -> None: ...
    def queue_for(self, transaction: Transaction) -> TransactionQueue: ...
    def takes_writes(self, queue_limit: int) -> bool: ...
    def begin_wait(self, transaction: Transaction) -> None: ...
    def end_wait(self, transaction: Transaction, now_ns: int) -> None: ...
    def what_waits(self) -> Any: ...
