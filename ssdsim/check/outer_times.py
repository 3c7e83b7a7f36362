"""The time that a request takes at least on the host's link and in the controller's processor, by sums of its own."""

from math import ceil

from ssdsim._core.codes import FLUSH, READ, REQUESTS, TRIM, WRITE
from ssdsim.config import ControllerConfig, LinkConfig
from ssdsim.errors import SimulationError
from ssdsim.host.request import Request


class OuterTimes:
    """Holds requests against the least that link and processor take: what an idle device does."""

    def __init__(self, link: LinkConfig, controller: ControllerConfig, page_bytes: int):
        self.link = link
        self.controller = controller
        self.page_bytes = page_bytes

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

    def processor_ns(self, request: Request) -> int:
        """Return the time that a core takes for a request."""
        pages = 0
        if request.op != FLUSH:
            end = request.offset_bytes + request.size_bytes
            pages = ceil(end / self.page_bytes) - request.offset_bytes // self.page_bytes
        of_kind: float = getattr(self.controller, f"{REQUESTS[request.op]}_ns")
        return int(of_kind + pages * self.controller.page_ns + 0.5)

    def check(self, request: Request, number: int, now_ns: int) -> None:
        """Raise `SimulationError` if a request that completes now was faster than it can be."""
        link_ns = self.link_ns(request.op, request.size_bytes)
        for where, spent_ns, least_ns in (
            ("on the host's link", request.link_ns, link_ns),
            ("in the processor", request.processor_ns, self.processor_ns(request)),
            ("in the device", now_ns - request.admitted_ns, request.link_ns + request.processor_ns),
        ):
            if spent_ns < least_ns:
                raise SimulationError(
                    f"integrity: request {number} was {where} for {spent_ns} ns when it was complete at {now_ns} ns, "
                    f"but takes {least_ns} there at least (requests are numbered from 1 in the order of admission)."
                )
