"""Operations of the flash: what they do stands in `ssdsim._core.codes`, and only there.

A command of the flash is added in four files: its number, name and steps in `_core/codes.py`, the time of its command
on the bus in `config/hardware.py`, who issues it, and its name among the fields of the results (`metrics/fields.tsv`).
"""

import re
from pathlib import Path

import pytest

import ssdsim
from ssdsim._core import codes
from ssdsim._core.codes import OPERATION_COUNT, OPERATIONS, operations_with
from ssdsim._core.program_order import ProgramOrder
from ssdsim.config import HardwareConfig
from ssdsim.flash.timing import FlashTiming

ISSUERS = {"_core/codes.py", "ftl/reclaim/moves.py", "run/measurement.py", "policies.py"}
"""Where copy-backs are declared, issued, counted where no time passes, and handed on to policies of one's own."""


def test_only_those_who_issue_copy_backs_name_them():
    root = Path(ssdsim.__file__).parent
    named = {path for path in root.rglob("*.py") if re.search(r"\bCOPYBACK\b", path.read_text())}
    assert {path.relative_to(root).as_posix() for path in named} == ISSUERS


@pytest.mark.parametrize(
    ("step", "taken_by"),
    [
        (codes.SENDS_DATA, ["program"]),
        (codes.SENSES, ["read", "copyback"]),
        (codes.PROGRAMS, ["program", "copyback"]),
        (codes.ERASES, ["erase"]),
        (codes.RETURNS_DATA, ["read"]),
        (codes.MOVES_DATA, ["read", "program"]),
        (codes.COPIES, ["copyback"]),
    ],
)
def test_each_step_is_taken_by_its_operations(step, taken_by):
    assert [OPERATIONS[op] for op in operations_with(step)] == taken_by


def test_an_operation_has_its_command_on_the_bus_and_then_the_times_of_its_steps():
    hardware = HardwareConfig(read_us=[10.0], program_us=[100.0], erase_us=1000.0, copyback_command_us=0.3)
    timing = FlashTiming(hardware, ProgramOrder(hardware.wordlines, hardware.page_types))
    array_us = {"read": 10, "program": 100, "erase": 1000, "copyback": 110}
    assert len(OPERATIONS) == OPERATION_COUNT == len(array_us)
    for op, name in enumerate(OPERATIONS):
        assert timing.array[op * timing.types + 1] == array_us[name] * 1000
        assert timing.command[op] == round(getattr(hardware, f"{name}_command_us") * 1000)
