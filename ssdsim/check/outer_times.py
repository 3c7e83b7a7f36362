"""The time that a request takes at least on the host's link and in the controller, by sums of its own."""

from math import ceil

from ssdsim._core.codes import FLUSH, READ, REQUESTS, TRIM, WRITE
from ssdsim.config import ControllerConfig, DramConfig, LinkConfig
from ssdsim.errors import SimulationError
from ssdsim.host.request import Request


class OuterTimes:
    """Holds requests against the least that link, processor and DRAM take: what an idle device does.

    What the DRAM has done for all complete requests, one after another, takes no longer than the time that has passed.
    """

    def __init__(self, link: LinkConfig, controller: ControllerConfig, dram: DramConfig, page_bytes: int):
        self.link = link
        self.controller = controller
        self.dram = dram
        self.page_bytes = page_bytes
        self.moved_ns = 0

    def message_ns(self, size_bytes: int) -> int:
        """Return the time that a message of so many bytes takes, without the latency of the link."""
        packets = max(ceil(size_bytes / self.link.payload_bytes), 1)
        of_lane = ceil((size_bytes + packets * self.link.overhead_bytes) / self.link.lanes)
        return int(of_lane * self.link.lane_ns_per_byte + 0.5)

    def link_ns(self, op: int, size_bytes: int) -> int:
        """Return the time of all messages of a request that it waits for, 0 without a link."""
        link = self.link
        if not link.lanes:
            return 0
        there: list[int | None] = [link.doorbell_bytes, link.fetch_bytes, link.command_bytes]
        if op in (WRITE, TRIM):
            there += [link.data_request_bytes, link.trim_bytes if op == TRIM else size_bytes]
        back: list[int | None] = [link.completion_bytes]
        if op == READ:
            back += [link.read_setup_bytes, size_bytes]
        sent = [size for size in (*there, *back) if size is not None]
        arrivals = sum(size is not None for size in there) + 1  # what goes back comes in one go
        return sum(map(self.message_ns, sent)) + arrivals * round(link.latency_ns)

    def pages(self, request: Request) -> int:
        """Return the number of pages that a request touches."""
        end = ceil((request.offset_bytes + request.size_bytes) / self.page_bytes)
        return 0 if request.op == FLUSH else end - request.offset_bytes // self.page_bytes

    def processor_ns(self, request: Request) -> int:
        """Return the time that a core takes for a request."""
        of_kind: float = getattr(self.controller, f"{REQUESTS[request.op]}_ns")
        return int(of_kind + self.pages(request) * self.controller.page_ns + 0.5)

    def dram_ns(self, request: Request) -> int:
        """Return the time that the DRAM takes for a request, rounded down: for its look-ups, and to move its data."""
        if self.dram.bandwidth_mib_s is None:
            return 0
        lookups, pages = self.pages(request) * self.dram.table_accesses, self.pages(request)
        accesses = lookups + pages * (request.op in (READ, WRITE))
        size_bytes = lookups * self.dram.access_bytes + request.size_bytes * (request.op in (READ, WRITE))
        took_ns = accesses * self.dram.latency_ns + size_bytes / (self.dram.bandwidth_mib_s * 2**20) * 1e9
        return max(int(took_ns) - 1, 0)  # a nanosecond is rounded off in both of two moves

    def check(self, request: Request, number: int, now_ns: int) -> None:
        """Raise `SimulationError` if a request that completes now was faster than it can be."""
        link_ns, dram_ns = self.link_ns(request.op, request.size_bytes), self.dram_ns(request)
        self.moved_ns += dram_ns
        if self.moved_ns > now_ns:
            raise SimulationError(
                f"integrity: the DRAM has moved data for {self.moved_ns} ns by {now_ns} ns, when request {number} was "
                "complete: more than its bandwidth allows."
            )
        for where, spent_ns, least_ns in (
            ("on the host's link", request.link_ns, link_ns),
            ("in the processor", request.processor_ns, self.processor_ns(request)),
            ("in the DRAM", request.dram_ns, dram_ns),
            ("in the device", now_ns - request.admitted_ns, request.link_ns + request.processor_ns + request.dram_ns),
        ):
            if spent_ns < least_ns:
                raise SimulationError(
                    f"integrity: request {number} was {where} for {spent_ns} ns when it was complete at {now_ns} ns, "
                    f"but takes {least_ns} there at least (requests are numbered from 1 in the order of admission)."
                )
