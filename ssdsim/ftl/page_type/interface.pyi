from typing import Any, ClassVar

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim.host.request import Request

PASS: Any

BY_PAGE: Any

class PageTypeScheme:
    blocks: Blocks
    types: int
    is_by_page: bool
    page_bytes: int
    buffer: Any
    random: RandomStream
    owed: ClassVar[Any]
    optional: ClassVar[Any]
    may_pass: ClassVar[Any]
    by_page: ClassVar[Any]
    needs_buffer: ClassVar[Any]
    def __init__(self) -> None: ...
    def bind(self, blocks: Blocks, page_bytes: int, buffer: Any, random: RandomStream) -> Any: ...
    def choose(self, request: Request) -> int: ...
    def choose_page(self, plane: int) -> int: ...
    def quota_left(self) -> Any: ...
