"""What a loss of power destroys and what recovery finds and reads: on devices on which all of it can be counted."""

import pytest

from ssdsim.assembly.device import Device
from ssdsim.host.request import Request
from ssdsim.states.power_loss import cut_power, reboot
from support.backups import FLEX, LSB, MSB, PARITY, RTF
from support.requests import read, writes
from support.tiny_device import PAGE, PROGRAM_COMMAND, READ_PAGE, TRANSFER, merge
from support.tiny_stacks import sized, stack

ARRAY_BEGINS = PROGRAM_COMMAND + TRANSFER
"""Command and transfer of a program, in ns."""

FOUR_WORDLINES = {"hardware": {"pages_per_block": 8}}
NO_BACKUP = merge(PARITY, {"ftl": {"backup": "none"}})


def cut(run, changes, rows, at_ns, **more):
    """Run `rows`, one at a time, with a loss of power at `at_ns`; return the report and the run."""
    out = run(rows, merge(changes, {"power_loss": {"at_s": at_ns / 1e9}} | more), queue_depth=1)
    return out.summary["power_loss"], out


def numbers(report, *names):
    return tuple(report[name] for name in names)


LOSSES = ("lost_in_flash", "recovered", "lost_buffered", "trims_undone")
COST = ("pages_read", "reboot_ms")


def test_page_c_is_restored_from_the_parity_of_its_block(run):
    """flexFTL, Fig. 7: A, B, C and D, their parity, and power is lost when the page above C is programmed.

    The types take turns, and the fast pages go to another block meanwhile: A B C D P . M . M . K. All LSB pages of the
    slow and of the fast block are read, and the parity.
    """
    begins = 5 * LSB + 3 * LSB + 2 * MSB + ARRAY_BEGINS
    report, out = cut(run, merge(FLEX, FOUR_WORDLINES), [*writes(*range(10)), *map(read, range(9))], begins + 250_000)
    assert numbers(report, *LOSSES) == (0, 1, 0, 0)
    assert numbers(report, "destroyed_programs", "destroyed_erases", "aborted_requests") == (1, 0, 1)
    assert numbers(report, *COST) == (4 + 3 + 1, pytest.approx(0.08))
    assert [row["op"] for row in out.requests].count("read") == 9


def test_a_parity_of_what_the_block_held_before_it_was_erased_restores_nothing(run):
    """A backup block has room for sixteen parities, and six blocks are filled in turn: it holds two of the first.

    Power is lost when an MSB page of that is programmed for the second time.
    """
    sixteen = {"hardware": {"pages_per_block": 32, "blocks_per_plane": 8, "over_provisioning": 0.76}}
    flex, rows = merge(FLEX, sixteen), writes(*[*range(60)] * 4)
    whole = run(rows, flex, queue_depth=1)
    begins = [c["array_start_ns"] for c in whole.commands if (c["block"], c["page"]) == (2, 2) and c["op"] == "program"]
    report, _ = cut(run, flex, [*rows, *map(read, range(60))], begins[1])
    assert numbers(report, *LOSSES) == (0, 1, 0, 0)


def test_an_lsb_page_is_restored_from_the_parity_of_two(run):
    """Power is lost when M0 is programmed: L0 is the parity without L1."""
    report, _ = cut(run, PARITY, [*writes(*range(3)), *map(read, range(2))], 3 * LSB + ARRAY_BEGINS)
    assert numbers(report, *LOSSES) == (0, 1, 0, 0)
    assert numbers(report, *COST) == (3, pytest.approx(0.03))


def test_an_lsb_page_is_restored_from_its_copy(run):
    """Four LSB pages, the copy of the first, and power is lost when its MSB page is programmed."""
    begins = 4 * LSB + READ_PAGE + LSB + ARRAY_BEGINS
    report, _ = cut(run, RTF, [*writes(*range(5)), *map(read, range(4))], begins + 399_999)
    assert numbers(report, *LOSSES) == (0, 1, 0, 0)
    assert numbers(report, *COST) == (2, pytest.approx(0.02))


def test_without_backup_the_paired_page_is_lost(run):
    report, _ = cut(run, NO_BACKUP, [*writes(*range(3)), *map(read, range(3))], 2 * LSB + ARRAY_BEGINS)
    assert numbers(report, *LOSSES) == (1, 0, 0, 0)
    assert numbers(report, *COST) == (1, pytest.approx(0.01))


def test_of_three_bits_two_pages_are_lost(run):
    """L0, L1, C0, L2, C1 and M0: what was written first and third."""
    tlc = {"hardware": {"bits_per_cell": 3, "pages_per_block": 9, "program_us": [100.0, 200.0, 400.0]}}
    begins = 5 * LSB + 2 * 100_000 + ARRAY_BEGINS
    report, _ = cut(run, merge(NO_BACKUP, tlc), [*writes(*range(6)), *map(read, range(6))], begins)
    assert numbers(report, *LOSSES) == (2, 0, 0, 0)


@pytest.mark.parametrize("at_ns", [2 * LSB + ARRAY_BEGINS - 1, 2 * LSB + MSB])
def test_a_program_that_is_on_the_bus_or_over_harms_nothing(run, at_ns):
    report, _ = cut(run, NO_BACKUP, [*writes(*range(3)), *map(read, range(3))], at_ns)
    assert numbers(report, "destroyed_programs", *LOSSES) == (0, 0, 0, 0, 0)


def test_a_destroyed_page_that_was_not_acknowledged_is_not_lost(run):
    """L1 is written while L0 is in flash, and nothing else is on its wordline."""
    report, out = cut(run, NO_BACKUP, [*writes(0, 1), read(0), read(1)], LSB + ARRAY_BEGINS)
    assert numbers(report, "destroyed_programs", "aborted_requests", *LOSSES) == (1, 1, 0, 0, 0, 0)
    assert out.summary["unmapped_reads"] == 1


def test_writes_answered_after_the_transfer_are_not_in_flash(run):
    early = {"flash": {"write_complete": "transfer_end"}}
    report, _ = cut(run, merge(NO_BACKUP, early), [*writes(0, 1), read(0)], ARRAY_BEGINS + 1)
    assert numbers(report, "destroyed_programs", "aborted_requests", *LOSSES) == (1, 1, 0, 0, 1, 0)


def test_a_trim_leaves_no_trace_in_flash(run):
    rows = [*writes(0), (0, "trim", 0, PAGE), *writes(1), read(0)]
    report, out = cut(run, NO_BACKUP, rows, LSB + 1)
    assert numbers(report, *LOSSES) == (0, 0, 0, 1)
    assert out.summary["unmapped_reads"] == 0


@pytest.mark.parametrize("capacitor", [False, True])
def test_a_buffer_keeps_what_is_not_in_flash_if_it_has_a_capacitor(run, capacitor):
    """Four pages are answered at once; one of them is programmed when power is lost, and one is on its way."""
    buffered = {"buffer": {"replacement": "lru", "size_mib": 4 * PAGE / 2**20, "write_back": "at_once"}}
    rows = [*writes(*range(4)), (0, "flush", 0, 0), *map(read, range(4))]
    at_ns = LSB + ARRAY_BEGINS
    given = {"at_s": at_ns / 1e9, "capacitor": capacitor}
    out = run(rows, merge(NO_BACKUP, buffered | {"power_loss": given}), queue_depth=1)
    report = out.summary["power_loss"]
    assert numbers(report, *LOSSES) == (0, 0, 0 if capacitor else 3, 0)
    assert report["lost_acknowledged"] == report["lost_in_flash"] + report["lost_buffered"]
    assert out.summary["unmapped_reads"] == (0 if capacitor else 3)


def test_a_write_that_pays_for_a_page_that_is_written_again_is_not_acknowledged(run):
    """The second write waits for page 0 to be in flash, which the third writes anew: only page 0 was told of."""
    buffered = {"buffer": {"replacement": "lru", "size_mib": PAGE / 2**20, "slot_free_when": "evicted"}}
    rows = [*writes(0, 1, 0), (0, "flush", 0, 0)]
    out = run(rows, merge(NO_BACKUP, buffered | {"power_loss": {"at_s": ARRAY_BEGINS / 1e9}}), queue_depth=3)
    assert numbers(out.summary["power_loss"], "aborted_requests", "lost_acknowledged") == (3, 1)


def test_what_was_not_acknowledged_is_no_loss(run):
    """Of a buffer of four pages two are of a write that is complete, and two of one that waits for room for more."""
    buffered = {"buffer": {"replacement": "lru", "size_mib": 4 * PAGE / 2**20, "write_back": "at_once"}}
    rows = [(0, "write", 0, 2 * PAGE), (0, "write", 2 * PAGE, 6 * PAGE)]
    given = {"at_s": ARRAY_BEGINS / 1e9}
    report = run(rows, merge(NO_BACKUP, buffered | {"power_loss": given}), queue_depth=2).summary["power_loss"]
    assert numbers(report, "lost_acknowledged", *LOSSES) == (2, 0, 0, 2, 0)


@pytest.mark.parametrize("fast", [1, 63])
def test_the_papers_example_takes_as_many_reads_as_fast_pages_are_written(fast):
    """flexFTL, 3.3: 16 chips, a slow and a fast block in each, 64 LSB pages a block, 40 us a page: up to 81.92 ms.

    It counts all fast pages of both; those of the fast block that were not written are not read.
    """
    overrides = ["hardware.bits_per_cell=2", "hardware.bits_used=null", "hardware.program_us=[500,2000]"]
    config = stack("flex_ftl", *overrides, "ftl.plane_allocation=CWDP", "hardware.read_us=[40]")
    config = sized(
        config, 0, channels=8, chips_per_channel=2, planes_per_die=1, pages_per_block=128, blocks_per_plane=9
    )
    device, request = Device(config), Request()
    for number in range(16 * (64 + fast + 1)):
        request.page_type = number // (16 * (64 + fast))  # a chip's last page is the first MSB page of a slow block
        device.layer.writes.write_now(request, number)
    written = device.blocks.column("written").reshape(16, 9)
    assert (written.sum(axis=1) == 64 + fast + 1 + 1).all() and (written.max(axis=1) == 64 + 1).all()
    _, report = reboot(config, cut_power(device, 0, []))
    assert numbers(report, *COST, *LOSSES) == (16 * (64 + fast), pytest.approx(16 * (64 + fast) * 0.04), 0, 0, 0, 0)
    spare_areas = 64 + fast + 1 + 1 + 9  # of a chip: its pages, and one of each block to see that no more are written
    assert numbers(report, "spare_areas_read", "scan_ms") == (16 * spare_areas, pytest.approx(spare_areas * 0.04))


def test_the_mapping_table_of_dftl_is_written_anew_by_all_dies_at_a_time(run):
    """Its pages of 512 bytes have 128 entries each; a page of each of the five is mapped, and two dies write thrice."""
    dies = {"chips_per_channel": 2, "blocks_per_plane": 32, "pages_per_block": 16}
    dftl = {
        "hardware": dies
        | {"page_kib": 0.5, "over_provisioning": 0.4, "bits_per_cell": 2, "program_us": [100.0, 400.0]},
        "ftl": {"mapping": {"scheme": "dftl", "cache_kib": 0.1}},
    }
    rows = [(0, "write", lpa * 512, 512) for lpa in range(0, 5 * 128, 128)] + [(10**9, "read", 0, 512)]
    report = run(rows, dftl | {"power_loss": {"at_s": 0.5}}).summary["power_loss"]
    assert report["mapping_ms"] == pytest.approx(3 * 0.4)


def test_a_half_erased_block_is_erased_again(run):
    """Six blocks of four pages: 0 to 15, then 0 to 3 over and over; power is lost in the middle of an erase.

    That has worn the block like the erase that follows, and a block of copies is erased when power is back.
    """
    slc = {"hardware": {"blocks_per_plane": 8, "over_provisioning": 0.5}}
    rows = writes(*range(16), *[0, 1, 2, 3] * 6)
    whole = run(rows, slc, queue_depth=1)
    first = next(c for c in whole.commands if c["op"] == "erase")
    report, out = cut(run, slc, [*rows, *map(read, range(16))], first["array_start_ns"] + 500_000)
    assert numbers(report, "destroyed_programs", "destroyed_erases", *LOSSES) == (0, 1, 0, 0, 0, 0)
    again = [c["block"] for c in out.commands if c["op"] == "erase"]
    assert again[0] != first["block"]
    assert report["erased_blocks"] == 2
    assert out.summary["wear"]["mean"] * 8 == len(again) + 2 + 1


def test_a_row_that_begins_with_a_restored_page_is_completed(run):
    """Power is lost as the first slow page of a row of two is programmed, before the second; whole rows follow."""
    rowed = {"hardware": {"planes_per_die": 2}, "flash": {"multi_plane": []}, "ftl": {"unit": "super_page"}}
    changes, rows = merge(PARITY, rowed), [(0, "write", 2 * row * PAGE, 2 * PAGE) for row in range(8)]
    slow = next(c for c in run(rows, changes, queue_depth=1).commands if c["page_type"] == 1)
    report, out = cut(run, changes, rows, slow["array_start_ns"] + 1)
    written = [c for c in out.commands if c["lpa"] > 5]
    assert report["recovered"] == 1 and len(written) == 10
    assert [(c["block"], c["page"]) for c in written[::2]] == [(c["block"], c["page"]) for c in written[1::2]]
    assert [c["plane"] for c in written] == [0, 1] * 5
