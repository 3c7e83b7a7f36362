"""How long each operation holds the bus and the array."""

from array import array

from ssdsim.flash.program_order import page_types


def to_ns(microseconds):
    """Return a time in microseconds as whole nanoseconds."""
    return round(microseconds * 1000)


class FlashTiming:
    """Times in nanoseconds, by operation and page type.

    A program moves its data over the bus with its command and then holds the array; a read holds the array and then
    moves its data; an erase and a copy-back move none. A copy-back's array time is that of its read and its program.
    """

    def __init__(self, hardware):
        types = hardware.bits_per_cell
        read = [to_ns(time + hardware.ready_busy_us) for time in hardware.read_us] * (types // len(hardware.read_us))
        program = [to_ns(time) for time in hardware.program_us] * (types // len(hardware.program_us))
        erase = [to_ns(hardware.erase_us)] * types
        copyback = [sum(times) for times in zip(read, program, strict=True)]
        commands = ("read_command_us", "program_command_us", "erase_command_us", "copyback_command_us")
        self.types = types
        self.array = array("q", read + program + erase + copyback)
        self.command = array("q", [to_ns(getattr(hardware, name)) for name in commands])
        self.page_type = array("i", page_types(hardware.pages_per_block, types))
        self.ns_per_byte = hardware.bus_ns_per_byte

    def array_ns(self, op, page_type):
        """Return how long `op` on a page of `page_type` holds the array."""
        return self.array[op * self.types + page_type]

    def command_ns(self, op):
        """Return how long the command and address of `op` hold the bus."""
        return self.command[op]

    def transfer_ns(self, size_bytes):
        """Return how long `size_bytes` of data hold the bus, rounded to the nearest nanosecond."""
        return int(size_bytes * self.ns_per_byte + 0.5)
