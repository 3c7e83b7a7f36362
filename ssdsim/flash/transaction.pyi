from typing import Any

from ssdsim.host.request import Request, WriteGroup

class Transaction:
    request: Request | None
    owner: Any
    group: WriteGroup | None
    task: Any
    data: Any
    next: Transaction | None
    previous: Transaction | None
    partner: Transaction | None
    rest: Transaction | None
    op: int
    source: int
    die: int
    page: int
    bytes: int
    page_type: int
    specified_type: int
    kind: int
    stream: int
    asked: bool
    lpa: int
    ppa: int
    block: int
    plane: int
    request_number: int
    before: int
    copied_from: int
    sequence: int
    passed: int
    version: int
    valid_pages: int
    held_ns: int
    line_ns: int
    queued_ns: int
    bus_ns: int
    array_ns: int
    gc_ns: int
    urgent_gc_ns: int
    mapping_ns: int
    gc_mark_ns: int
    urgent_mark_ns: int
    bus_start_ns: int
    array_start_ns: int
    array_end_ns: int
    data_start_ns: int
    def __init__(self) -> None: ...

class TransactionPool:
    def __init__(self) -> None: ...
    def take(self, source: int, owner: Any, lpa: int) -> Transaction: ...
    def give_back(self, transaction: Transaction) -> None: ...

class TransactionQueue:
    head: Transaction | None
    tail: Transaction | None
    length: int
    programs: Any
    def __init__(self) -> None: ...
    def append(self, transaction: Transaction) -> None: ...
    def insert(self, transaction: Transaction, after: Transaction) -> None: ...
    def count_in(self, transaction: Transaction) -> None: ...
    def remove(self, transaction: Transaction) -> None: ...
    def lowest_page_type(self) -> int: ...
