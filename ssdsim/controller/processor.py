# cython: infer_types=True
"""The controller's processor: the time that commands take on its cores."""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING, Any, final

from ssdsim._core.codes import READ
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import hold, now
from ssdsim.host.request import Request
from ssdsim.stage import Stage

if TYPE_CHECKING:
    from ssdsim.config import ControllerConfig


@final
class Processor(Stage):
    """Passes requests on once a core has dealt with them, first come, first served.

    A request takes a core for the time of its kind, a flush for none. Reads go on when they are done
    with; what changes data, in the order in which it came, as an older write must not undo a newer one.
    """

    env: Any
    command_ns: list[float]  # by operation
    free_ns: Int64s  # by core: when it is done with all that it was given
    in_order_ns: int  # when the last of what is kept in order goes on
    waiting: int  # requests in it

    def __init__(self, inner: Stage, config: ControllerConfig) -> None:
        self.inner = inner
        self.env = None
        self.command_ns = [config.read_ns, config.write_ns, config.trim_ns, 0.0]
        self.free_ns = array("q", [0] * config.cores)
        self.in_order_ns = self.waiting = 0

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    def submit(self, request: Request) -> None:
        """Give a request to the core that is free first."""
        duration: float = self.command_ns[request.op]
        chosen = 0
        for core in range(1, len(self.free_ns)):
            if self.free_ns[core] < self.free_ns[chosen]:
                chosen = core
        now_ns: int = now(self.env)
        end_ns: int = max(self.free_ns[chosen], now_ns) + int(duration + 0.5)
        self.free_ns[chosen] = end_ns
        if request.op != READ:
            end_ns = max(end_ns, self.in_order_ns)
            self.in_order_ns = end_ns
        request.processor_ns = end_ns - now_ns
        self.waiting += 1
        hold(self.env, end_ns - now_ns).callbacks.append(partial(self.passed, request))

    def passed(self, request: Request, event: Any) -> None:
        """Pass on a request that is done with."""
        self.waiting -= 1
        self.inner.submit(request)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.inner.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and why."""
        return [f"{self.waiting} requests wait for the processor"] if self.waiting else []
