"""Fewer bits in use than a cell has, and wordlines that no buffer keeps: times and places, each written out as a sum.

The tiny device of `support/tiny_device.py` with blocks of two wordlines: times in nanoseconds.
"""

import pytest

from ssdsim.assembly.device import Device
from support.requests import GAP, reads, writes
from support.tiny_device import PROGRAM_COMMAND, READ_COMMAND, TRANSFER

BUS = PROGRAM_COMMAND + TRANSFER  # command and data of a program
READ_BUS = READ_COMMAND + TRANSFER  # command and data of a read
TLC = {"bits_per_cell": 3, "pages_per_block": 6, "program_us": [100.0, 300.0, 700.0], "read_us": [10.0, 20.0, 40.0]}
QLC = TLC | {"bits_per_cell": 4, "pages_per_block": 8, "program_us": [1.0, 20.0, 300.0, 4000.0], "read_us": [5.0]}
LSB, CSB, MSB = range(3)


def responses(out, bus):
    """Return the response times less the time on the bus."""
    return [row["response_ns"] - bus for row in out.requests]


@pytest.mark.parametrize(
    ("used", "types", "capacity"),
    [
        (1, [LSB] * 6, 8),
        (2, [LSB, LSB, CSB, CSB, LSB, LSB], 16),
        (3, [LSB, LSB, CSB, CSB, MSB, MSB], 24),
        (None, [LSB, LSB, CSB, CSB, MSB, MSB], 24),
    ],
)
def test_a_block_has_the_pages_of_the_bits_in_use(run, tiny, used, types, capacity):
    """Eight blocks of two wordlines, of which half the pages are logical: in SLC mode a third of the TLC device's."""
    changes = {"hardware": TLC | {"bits_used": used}}
    assert Device(tiny(changes)).mapping.table.size == capacity
    out = run(writes(*range(6), gap=GAP) + reads(*range(6), at=6 * GAP, gap=GAP), changes)
    per_block = 2 * (used or 3)
    assert [(c["block"], c["page"]) for c in out.commands[:6]] == [divmod(i, per_block) for i in range(6)]
    assert [c["page_type"] for c in out.commands] == types * 2
    assert responses(out, BUS)[:6] == [[100_000, 300_000, 700_000][page_type] for page_type in types]
    assert responses(out, READ_BUS)[6:] == [[10_000, 20_000, 40_000][page_type] for page_type in types]


@pytest.mark.parametrize(
    ("hardware", "buffer", "expected"),
    [
        (TLC, True, {LSB: 100_000, CSB: 300_000, MSB: 700_000}),
        (TLC, False, {LSB: 100_000, CSB: 300_000 + 10_000, MSB: 700_000 + 10_000 + 20_000}),
        (TLC | {"bits_used": 2}, False, {LSB: 100_000, CSB: 300_000 + 10_000}),
        (TLC | {"bits_used": 1}, False, {LSB: 100_000}),
        (TLC | {"read_us": [10.0], "ready_busy_us": 7.0}, False, {LSB: 100_000, CSB: 310_000, MSB: 720_000}),
        (TLC | {"program_us": [100.0]}, False, {LSB: 100_000, CSB: 110_000, MSB: 130_000}),
        (QLC, False, {LSB: 1000, CSB: 20_000 + 5000, MSB: 300_000 + 10_000, 3: 4_000_000 + 15_000}),
    ],
    ids=["buffered", "not buffered", "two bits used", "SLC mode", "one read time", "one program time", "four bits"],
)
def test_without_a_wordline_buffer_a_program_reads_the_pages_below(run, hardware, buffer, expected):
    """In its array time: the bus is held no longer, and no read is counted."""
    pages = 2 * len(expected)
    out = run(writes(*range(pages), gap=GAP), {"hardware": hardware, "flash": {"wordline_buffer": buffer}})
    types = [c["page_type"] for c in out.commands]
    assert sorted(types) == sorted([*expected, *expected])
    assert [row["array_ns"] for row in out.requests] == [expected[page_type] for page_type in types]
    assert responses(out, BUS) == [expected[page_type] for page_type in types]
    assert out.summary["flash"]["reads"]["host"] == 0
