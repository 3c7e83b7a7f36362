"""What ends or arrives in one nanosecond, by SSDSim's rule of the bus: reads' commands, then data, then programs.

Two chips on a bus; even pages lie in chip 0, odd ones in chip 1. Times in nanoseconds, each written out as a sum.
"""

from support.requests import reads, writes
from support.tiny_device import PROGRAM, PROGRAM_COMMAND, READ, READ_COMMAND, TRANSFER

START = 1_000_000
"""When the pages that are to be read are in flash."""

SENT = PROGRAM_COMMAND + TRANSFER
"""Command and data of a program on the bus."""


def device(**hardware):
    return {
        "hardware": {"chips_per_channel": 2, **hardware},
        "flash": {"bus": "command_first", "write_complete": "transfer_end"},
        "ftl": {"plane_allocation": "CWDP"},
    }


def answers(run, filled, rows, changes=None):
    """Return when the requests after those that fill the device are complete."""
    return run(writes(*filled) + rows, changes or device()).done_at()[len(filled) :]


def test_data_goes_out_before_the_write_that_waits_for_the_end_of_a_program(run):
    programmed = START + SENT + PROGRAM
    rows = writes(0, at=START) + writes(2, at=START + SENT) + reads(1, at=programmed - READ - READ_COMMAND)
    out = programmed + TRANSFER
    assert answers(run, [1], rows) == [START + SENT, out + SENT, out]


def test_data_goes_out_behind_the_read_that_waits_for_the_end_of_a_program(run):
    """The program is so short here that the array of the read begins before it."""
    ready = START + READ_COMMAND + READ
    rows = reads(1, at=START) + writes(4, at=ready - SENT - 5000) + reads(2, at=ready - 100)
    sent = ready + READ_COMMAND
    out = [sent + TRANSFER, ready - 5000, sent + READ + TRANSFER]
    assert answers(run, [1, 2], rows, device(program_us=[5.0])) == out


def test_data_goes_out_behind_the_command_of_a_read_that_arrives_as_it_stands_ready(run):
    ready = START + READ_COMMAND + READ
    sent = ready + READ_COMMAND
    rows = reads(1, at=START) + reads(0, at=ready)
    assert answers(run, [0, 1], rows) == [sent + TRANSFER, sent + READ + TRANSFER]


def test_a_write_goes_behind_a_read_that_arrives_as_the_bus_falls_free(run):
    free = START + READ_COMMAND + READ + TRANSFER
    sent = free + READ_COMMAND
    rows = reads(1, at=START) + writes(0, at=free - 100) + reads(3, at=free)
    assert answers(run, [1, 3], rows) == [free, sent + SENT, sent + READ + TRANSFER]
