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
    def __init__(self, lpa: Any, touched: Any) -> None: ...

class Eviction:
    payer: Request
    left: int
    def __init__(self, payer: Any) -> None: ...
