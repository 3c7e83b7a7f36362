"""When a slot of the write buffer is free again: once its page is programmed, or once it is evicted (SSDSim)."""

import pytest

from support.requests import write
from support.tiny_device import PAGE, PROGRAM, PROGRAM_COMMAND, READ_PAGE, TRANSFER, WRITE_PAGE, buffered

LATER = 1_000_000
DIE = {"hardware": {"planes_per_die": 2, "blocks_per_plane": 16}, "flash": {"multi_plane": ["program"]}}
ROW = 2 * (PROGRAM_COMMAND + TRANSFER) + PROGRAM


def evicted(pages, replacement="lru", **changes):
    """Return changes that give the tiny device a buffer of so many pages, whose slots are free from eviction on."""
    return buffered(pages, replacement, **{"slot_free_when": "evicted"} | changes)


def test_who_needs_room_waits_for_the_eviction_and_no_one_else_does(run):
    """The third write evicts page 0; the fourth is of a page that the buffer holds."""
    out = run([write(0), write(1), write(2), write(2, 10), (20, "read", 0, PAGE)], evicted(2))
    assert out.done_at() == [0, 0, WRITE_PAGE, 10, 20]
    parts = [out.requests[2][f"{name}_ns"] for name in ("queue", "bus", "array", "gc")]
    assert parts == [0, PROGRAM_COMMAND + TRANSFER, PROGRAM, 0]


def test_each_write_waits_for_what_it_evicted_itself(run):
    """One program after the other: where slots are free when programmed, the same writes take as long."""
    rows = [write(0), write(1), write(2, 10)]
    assert run(rows, evicted(1)).done_at() == [0, WRITE_PAGE, 2 * WRITE_PAGE]
    assert run(rows, evicted(1, slot_free_when="programmed")).done_at() == [0, WRITE_PAGE, 2 * WRITE_PAGE]


def test_a_row_makes_room_for_two_and_only_the_first_of_them_waits(run):
    """The third page evicts two, so that the fourth finds a slot; where that is free after the program it waits."""
    rows = [write(0, pages=2), write(2), write(3, 10), write(4, 20)]
    changes = DIE | {"ftl": {"unit": "die"}}
    assert run(rows, changes | evicted(2, "epo")).done_at() == [0, ROW, 10, 2 * ROW]
    after = evicted(2, "epo", slot_free_when="programmed")
    assert run(rows, changes | after).done_at() == [0, ROW, ROW, 2 * ROW]


def test_a_page_written_again_on_its_way_is_programmed_twice_in_order(run):
    rows = [write(0), write(1), write(0, 10), (LATER, "flush", 0, 0), (2 * LATER, "read", 0, PAGE)]
    out = run(rows, evicted(1))
    assert out.done_at() == [0, WRITE_PAGE, 2 * WRITE_PAGE, LATER + WRITE_PAGE, 2 * LATER + READ_PAGE]
    assert [row["lpa"] for row in out.commands if row["op"] == "program"] == [0, 1, 0]


def test_a_flush_waits_for_pages_on_their_way_too(run):
    out = run([write(0), write(1), (10, "flush", 0, 0)], evicted(1))
    assert out.done_at() == [0, WRITE_PAGE, 2 * WRITE_PAGE]


def test_what_leaves_in_the_background_keeps_no_write_waiting(run):
    """At once: two are on their way, so the third and fourth find slots; the fifth evicts, and pays."""
    changes = evicted(2, write_back="at_once", pages_in_flight=2)
    assert run([write(page, page) for page in range(5)], changes).done_at() == [0, 1, 2, 3, 4 + 3 * WRITE_PAGE - 4]


@pytest.mark.parametrize("capacitor", [True, False])
def test_a_loss_of_power_finds_pages_on_their_way_in_memory(run, capacitor):
    """Pages 0 and 1 have been evicted, 0 is in the array: with a capacitor no acknowledged write is lost.

    The write of pages 2 and 3 waits for that eviction, and has not been acknowledged.
    """
    cut = {"power_loss": {"at_s": (TRANSFER + 1000) / 1e9, "capacitor": capacitor}}
    rows = [write(0, pages=2), write(2, 10, pages=2), *[(LATER * 100, "read", page * PAGE, PAGE) for page in range(4)]]
    out = run(rows, evicted(2) | cut)
    lost = out.summary["power_loss"]
    assert (lost["destroyed_programs"], lost["lost_in_flash"]) == (1, 0)
    assert lost["lost_acknowledged"] == lost["lost_buffered"] == (0 if capacitor else 2)
    assert out.summary["unmapped_reads"] == (0 if capacitor else 4)
