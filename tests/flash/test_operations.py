"""Operations of the flash: what they do stands in `ssdsim._core.codes`, and only there.

A command of the flash is added in four files: its number, name and steps in `_core/codes.py`, the time of its command
on the bus in `config/hardware.py`, who issues it, and its name among the fields of the results (`metrics/fields.tsv`).
"""

from ssdsim._core.codes import OPERATION_COUNT, OPERATIONS
from ssdsim._core.program_order import ProgramOrder
from ssdsim.config import HardwareConfig
from ssdsim.flash.timing import FlashTiming

"""Where copy-backs are declared, issued, counted where no time passes, and handed on to policies of one's own."""


def test_an_operation_has_its_command_on_the_bus_and_then_the_times_of_its_steps():
    hardware = HardwareConfig(read_us=[10.0], program_us=[100.0], erase_us=1000.0, copyback_command_us=0.3)
    timing = FlashTiming(hardware, ProgramOrder(hardware.wordlines, hardware.page_types))
    array_us = {"read": 10, "program": 100, "erase": 1000, "copyback": 110}
    assert len(OPERATIONS) == OPERATION_COUNT == len(array_us)
    for op, name in enumerate(OPERATIONS):
        assert timing.array[op * timing.types + 1] == array_us[name] * 1000
        assert timing.command[op] == round(getattr(hardware, f"{name}_command_us") * 1000)
