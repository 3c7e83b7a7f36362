from typing import Any, ClassVar

from ssdsim.host.stream import Stream

class Arbitration:
    streams: list[Any]
    last: int
    owed: ClassVar[Any]
    def bind(self, streams: list[Any]) -> Any: ...
    def choose(self) -> Stream | None: ...

class RoundRobin(Arbitration):
    def choose(self) -> Stream: ...

class Weighted(Arbitration):
    def choose(self) -> Stream: ...
