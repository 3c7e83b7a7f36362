from typing import Any

SECTOR: Any

BIT: Any

SIGN_BIT: Any

class Request:
    owner: Any
    about: Any
    data: Any
    group: WriteGroup | None
    next: Request | None
    previous: Request | None
    id: int
    stream: int
    op: int
    access_latency: int
    round: int
    queue_length: int
    page_type: int
    slowest_type: int
    arrival_ns: int
    admitted_ns: int
    offset_bytes: int
    size_bytes: int
    buffer_pages: int
    remaining: int
    bus_ns: int
    array_ns: int
    gc_ns: int
    urgent_gc_ns: int
    mapping_ns: int
    buffer_ns: int
    held_ns: int
    def __init__(self) -> None: ...
    def needed_no_flash(self, mapping_ns: int, buffer_ns: int) -> None: ...
    def bytes_of(self, lpa: int, page_bytes: int) -> int: ...
    def touched(self, lpa: int, page_bytes: int) -> Any: ...

class WriteGroup:
    size: int
    members: list[Any]
    collection: int
    since_ns: int
    def __init__(self, size: Any) -> None: ...

class RequestPool:
    def __init__(self) -> None: ...
    def take(self) -> Request: ...
    def give_back(self, request: Request) -> None: ...
