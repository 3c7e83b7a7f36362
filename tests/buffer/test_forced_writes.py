"""Writes that are complete only when they are in flash, past whatever answers earlier: FUA, and write-through."""

import pytest

from support.tiny_device import PAGE, PROGRAM_COMMAND, TRANSFER, WRITE_PAGE, buffered, merge

LATER = 10 * WRITE_PAGE
WRITES = [(0, "write", page * PAGE, PAGE) for page in range(4)]
READS = [(LATER, "read", page * PAGE, PAGE) for page in range(4)]


def test_a_write_with_fua_goes_to_flash_and_others_stay(run):
    """Of pages 0 to 3 the second and fourth have FUA: two programs, one after the other."""
    out = run(WRITES, buffered(4), fua_every=2)
    assert out.done_at() == [0, WRITE_PAGE, 0, 2 * WRITE_PAGE]
    assert [row["lpa"] for row in out.commands] == [1, 3]


@pytest.mark.parametrize("free_when", ["programmed", "evicted"])
@pytest.mark.parametrize("way", [{"fua_every": 1}, {"write_through": True}])
def test_one_slot_is_enough_for_all_and_reads_find_what_is_on_its_way(run, free_when, way):
    """The programs of four pages follow one another; page 3 is read while it waits, from memory."""
    changes = buffered(1, slot_free_when=free_when, write_through=way.get("write_through", False))
    rows = [*WRITES, (WRITE_PAGE + 1, "read", 1 * PAGE, PAGE)]
    out = run(rows, changes, fua_every=way.get("fua_every", 0))
    assert out.done_at() == [*(number * WRITE_PAGE for number in range(1, 5)), WRITE_PAGE + 1]


def test_rows_of_a_die_go_together(run):
    """Planes 0 and 1 of one die: pages 0 and 1 in a row, with one program of both, and then 2 and 3."""
    die = {"hardware": {"planes_per_die": 2, "blocks_per_plane": 16}, "ftl": {"unit": "die"}}
    changes = merge(buffered(4, replacement="epo"), die | {"flash": {"multi_plane": ["program"]}})
    out = run([(0, "write", 0, 4 * PAGE)], changes, fua_every=1)
    assert out.done_at() == [2 * (2 * (PROGRAM_COMMAND + TRANSFER) + WRITE_PAGE - PROGRAM_COMMAND - TRANSFER)]
    assert out.summary["padded_pages"] == 0


def test_no_chip_answers_such_a_write_early(run):
    """Page 0 is complete when it has been transferred, page 1 when it has been programmed."""
    out = run(WRITES[:2], {"flash": {"write_complete": "transfer_end"}}, fua_every=2)
    assert out.done_at() == [PROGRAM_COMMAND + TRANSFER, 2 * WRITE_PAGE]


@pytest.mark.parametrize(("through", "capacitor", "lost"), [(False, False, 2), (False, True, 0), (True, False, 0)])
def test_what_was_promised_outlasts_a_loss_of_power(run, through, capacitor, lost):
    """Of pages 0 to 3, 1 and 3 have FUA; power fails when page 3 alone, or page 2 and it, are in the array."""
    cut = {"power_loss": {"at_s": (3.5 if through else 1.5) * WRITE_PAGE / 1e9, "capacitor": capacitor}}
    out = run([*WRITES, *READS], buffered(4, write_through=through) | cut, fua_every=2)
    found = out.summary["power_loss"]
    assert (found["lost_in_flash"], found["lost_buffered"]) == (0, lost)
    assert out.summary["unmapped_reads"] == (lost + 1 if lost or through else 0)
