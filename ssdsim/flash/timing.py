# cython: infer_types=True
"""How long each operation holds the bus and the array."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASES, OPERATIONS, PROGRAMS, SENSES
from ssdsim._core.columns import Int32s, Int64s
from ssdsim.config import HardwareConfig


def to_ns(microseconds: float) -> int:
    """Return a time in microseconds as whole nanoseconds."""
    return round(microseconds * 1000)


def each_type(times: Sequence[float], hardware: HardwareConfig) -> list[float]:
    """Return one time for each page type in use, given one for all or one for each bit of a cell."""
    return ([*times] * (hardware.bits_per_cell // len(times)))[: hardware.page_types]


def page_types(hardware: HardwareConfig, order: Any) -> list[int]:
    """Return the type of each page of a block, by which it has its times: that of its place in its wordline.

    MQSim has a pattern for pairs of pages of TLC flash in its place (`Flash_Chip`, after Yaakobi et al.,
    "Characterization and Error-Correcting Codes for TLC Flash Memories", ICNC 2012), up to the end of the block.
    """
    if hardware.page_type_map == "mqsim" and order.types == 3:
        return [0 if page < 6 else 1 if page < 8 else (page // 2 - 4) % 3 for page in range(order.pages)]
    return [order.type_of(page) for page in range(order.pages)]


@final
class FlashTiming:
    """Times in nanoseconds, by operation and page type, which is -1 for a page of a block in SLC mode.

    The steps of an operation follow one another (`ssdsim._core.codes`): the array time of a copy-back is that of its
    read and its program. Unless the pages of wordlines that are not full are kept in a buffer of the controller, a
    program reads the pages of its own wordline that come before it (PA-SSD, 5.1). Pages of a wordline that are
    programmed at once all have the time of that.
    """

    types: int  # and SLC mode
    array: Int64s  # by operation, then page type, after that of SLC mode
    command: Int64s  # by operation: for which command and address hold the bus
    plane_busy: Int64s  # by operation: for which a further plane holds the bus, beside its own command and data
    page_type: Int32s  # by page of a block
    ns_per_byte: float

    def __init__(self, hardware: Any, order: Any, wordline_buffer: bool = True) -> None:
        types = hardware.page_types
        cell_read = each_type(hardware.read_us, hardware)
        read = [to_ns(time + hardware.ready_busy_us) for time in cell_read]
        program = [to_ns(time) for time in each_type(hardware.array_program_us, hardware)]
        if not wordline_buffer:
            program = [time + sum(to_ns(each) for each in cell_read[:below]) for below, time in enumerate(program)]
        read.insert(0, to_ns(hardware.slc_read_us + hardware.ready_busy_us))
        program.insert(0, to_ns(hardware.slc_program_us))
        erase = [to_ns(hardware.erase_us)] * (types + 1)
        steps = ((SENSES, read), (PROGRAMS, program), (ERASES, erase))
        array_ns: list[int] = []
        for op in range(len(OPERATIONS)):
            taken = [times for step, times in steps if step >> op & 1]
            array_ns += [sum(times) for times in zip(*taken, strict=True)]
        command_ns = [to_ns(getattr(hardware, f"{name}_command_us")) for name in OPERATIONS]
        busy_ns = [to_ns(getattr(hardware, f"{name}_plane_busy_us", 0)) for name in OPERATIONS]  # 0 for copy-backs
        self.types = types + 1
        self.plane_busy = array("q", busy_ns)
        self.array = array("q", array_ns)
        self.command = array("q", command_ns)
        self.page_type = array("i", page_types(hardware, order))
        self.ns_per_byte = hardware.bus_ns_per_byte

    def type_of(self, ppa: int, blocks: Blocks) -> int:
        """Return the type of page `ppa` by which it has its times, -1 in SLC mode."""
        if blocks.has_slc and blocks.slc(blocks.block_of(ppa)):
            return -1
        return self.page_type[ppa % blocks.pages_per_block]

    @cfunc
    def array_ns(self, op: int, page_type: int) -> int:
        """Return the time in ns that `op` on a page of `page_type` holds the array."""
        return self.array[op * self.types + page_type + 1]

    def own_ns(self, op: int, page_type: int, size_bytes: int) -> int:
        """Return the time that `op` on a page takes on an idle die and bus."""
        return self.array_ns(op, page_type) + self.command[op] + int(size_bytes * self.ns_per_byte + 0.5)
