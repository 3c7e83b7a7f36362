from typing import Any, ClassVar

from ssdsim.flash.port import Transaction
from ssdsim.ftl.hotness import Hotness

class Separation:
    hotness: Hotness | None
    env: Any
    owed: ClassVar[Any]
    heeds_hotness: ClassVar[Any]
    hosts: ClassVar[Any]
    moved: ClassVar[Any]
    def __init__(self) -> None: ...
    def kind_of(self, write: Transaction) -> int: ...

class Separate(Separation):
    def kind_of(self, write: Transaction) -> int: ...

class Shared(Separation):
    moved: ClassVar[Any]
    def kind_of(self, write: Transaction) -> int: ...

class HotCold(Separation):
    heeds_hotness: ClassVar[Any]
    moved: ClassVar[Any]
    def kind_of(self, write: Transaction) -> int: ...
