from typing import Any

from ssdsim.host.request import Request

class Entry:
    lpa: int
    maker: int
    touched: Any
    data: Any
    stream: int
    access_latency: int
    evicting: bool
    eviction: Eviction | None
    previous: Entry | None
    next: Entry | None
    def __init__(self, lpa: Any, touched: Any) -> None: ...

class Eviction:
    payer: Request
    left: int
    def __init__(self, payer: Any) -> None: ...

class EntryList:
    head: Entry | None
    tail: Entry | None
    length: int
    def __init__(self) -> None: ...
    def append(self, entry: Entry) -> Any: ...
    def remove(self, entry: Entry) -> Any: ...
    def listed(self) -> list[Any]: ...
