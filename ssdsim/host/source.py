# cython: infer_types=True
"""Where requests come from, as an arbitration sees it."""

from __future__ import annotations

from typing import Any


class Source:
    """Sends requests into the device in its turn: a stream, or with `host.interface=nvme` a submission queue."""

    index: int  # its number among the sources
    name: Any
    weight: int
    priority: int  # its class of priority: 0 urgent, 1 high, 2 medium, 3 low

    def ready(self) -> bool:
        """Return whether a request of this source can go into the device now."""
        raise NotImplementedError
