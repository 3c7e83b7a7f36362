"""The time that a request takes at least on the host's link and in the controller, by sums of their own.

The picture of the link (`docs/pictures/link.py`) shows these sums, too.
"""

from math import ceil
from typing import Any

from ssdsim.config import ControllerConfig, DramConfig, LinkConfig


class OuterTimes:
    """What link, processor and DRAM take for a request: what an idle device does."""

    def __init__(self, link: LinkConfig, controller: ControllerConfig, dram: DramConfig, page_bytes: int):
        self.link, self.controller, self.dram, self.page_bytes = link, controller, dram, page_bytes

    def message_ns(self, size_bytes: int) -> int:
        """Return the time that a message of so many bytes takes, without the latency of the link."""
        packets = max(ceil(size_bytes / self.link.payload_bytes), 1)
        of_lane = ceil((size_bytes + packets * self.link.overhead_bytes) / self.link.lanes)
        return int(of_lane * self.link.lane_ns_per_byte + 0.5)

    def link_ns(self, op: str, size_bytes: int) -> int:
        """Return the time of all messages of a request that it waits for, 0 without a link."""
        link = self.link
        if not link.lanes:
            return 0
        there: list[int | None] = [link.doorbell_bytes, link.fetch_bytes, link.command_bytes]
        if op in ("write", "trim"):
            there += [link.data_request_bytes, link.trim_bytes if op == "trim" else size_bytes]
        back: list[int | None] = [link.completion_bytes]
        if op == "read":
            back += [link.read_setup_bytes, size_bytes]
        sent = [size for size in (*there, *back) if size is not None]
        arrivals = sum(size is not None for size in there) + 1  # what goes back comes in one go
        return sum(map(self.message_ns, sent)) + arrivals * round(link.latency_ns)

    def pages(self, row: Any) -> int:
        """Return the number of pages that a request touches."""
        end = ceil((row["offset_bytes"] + row["size_bytes"]) / self.page_bytes)
        return 0 if row["op"] == "flush" else end - row["offset_bytes"] // self.page_bytes

    def processor_ns(self, row: Any) -> int:
        """Return the time that a core takes for a request."""
        return 0 if row["op"] == "flush" else int(getattr(self.controller, f"{row['op']}_ns") + 0.5)

    def dram_ns(self, row: Any) -> int:
        """Return the time that the DRAM takes for a request, rounded down: for its look-ups, and to move its data."""
        if self.dram.bandwidth_mib_s is None:
            return 0
        moves = row["op"] in ("read", "write")
        lookups = self.pages(row) * self.dram.table_accesses
        size_bytes = lookups * self.dram.access_bytes + row["size_bytes"] * moves
        accesses = lookups + self.pages(row) * moves
        took_ns = accesses * self.dram.latency_ns + size_bytes / (self.dram.bandwidth_mib_s * 2**20) * 1e9
        return max(int(took_ns) - 1, 0)  # a nanosecond is rounded off in both of two moves


def outer_times_are_no_shorter(out: Any, least: OuterTimes) -> None:
    """Assert that no request was faster than it can be, nor the DRAM for all of them, one after another."""
    moved_ns = 0
    for row in sorted(out.requests, key=lambda row: row["arrival_ns"] + row["response_ns"]):
        assert row.get("link_ns", 0) >= least.link_ns(row["op"], row["size_bytes"])
        assert row.get("processor_ns", 0) >= least.processor_ns(row)
        outside_ns = row.get("link_ns", 0) + row.get("processor_ns", 0)
        assert row["response_ns"] >= outside_ns + least.dram_ns(row)
        moved_ns += least.dram_ns(row)
        assert moved_ns <= row["arrival_ns"] + row["response_ns"]
