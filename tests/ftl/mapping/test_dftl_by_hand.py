"""What DFTL adds to a request, each time equal to a sum written here, on both kernels.

A translation page has the entries of four logical pages: that of 0 to 3, that of 4 to 7 and so on.
"""

import pytest

from ssdsim.ftl.mapping import dftl
from support.requests import GAP, read, write
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, merge

ENTRIES = 4

DEVICE = {"hardware": {"blocks_per_plane": 11, "over_provisioning": 1 - 16 / 44}, "ftl": {"gc": {"victim": "fifo"}}}
"""A plane of 11 blocks of 4 pages, 16 of them logical."""

FILLED = {"precondition": {"mode": "fill", "fill_share": 4 / 11, "valid_reads": False}}
"""All logical pages are in flash, and all four translation pages, in whole blocks."""


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: PAGE // ENTRIES)


def caching(entries, *changes, protected_share=0.0):
    """Return the device with a cache of so many entries, and `changes`."""
    mapping = {"scheme": "dftl", "cache_kib": entries * 8 / 1024, "protected_share": protected_share}
    device = merge(DEVICE, {"ftl": {"mapping": mapping}})
    for change in changes:
        device = merge(device, change)
    return device


def times(out):
    """Return the response times."""
    return [row["response_ns"] for row in out.requests]


def commands(out, since=0):
    """Return operation and source of each command that ended after `since`."""
    return [(row["op"], row["source"]) for row in out.commands if row["end_ns"] > since]


def mapping(out):
    """Return the counts of the summary: hits, misses, translation pages read and written."""
    return tuple(out.summary["mapping"][name] for name in ("hits", "misses", "reads", "writes"))


def test_a_hit_costs_nothing_and_a_miss_the_read_of_a_translation_page(run):
    out = run([read(5), read(5, GAP), read(6, 2 * GAP), write(6, 3 * GAP), write(7, 4 * GAP)], caching(3, FILLED))
    assert times(out) == [READ_PAGE + READ_PAGE, READ_PAGE, READ_PAGE + READ_PAGE, WRITE_PAGE, READ_PAGE + WRITE_PAGE]
    assert [row["mapping_ns"] for row in out.requests] == [READ_PAGE, 0, READ_PAGE, 0, READ_PAGE]
    assert mapping(out) == (2, 3, 3, 0)
    assert out.summary["mapping"]["hit_ratio"] == 2 / 5


def test_an_entry_that_is_nowhere_in_flash_costs_nothing(run):
    out = run([read(5), write(6, GAP), read(6, 2 * GAP)], caching(3))
    assert times(out) == [0, WRITE_PAGE, READ_PAGE]
    assert mapping(out) == (1, 2, 0, 0)


def test_a_dirty_entry_costs_the_read_and_the_program_of_its_translation_page(run):
    out = run([write(0), read(8, GAP)], caching(1, FILLED))
    assert times(out) == [READ_PAGE + WRITE_PAGE, READ_PAGE + WRITE_PAGE + READ_PAGE + READ_PAGE]
    rewrite = [("read", "mapping"), ("program", "mapping")]
    assert commands(out, GAP) == [*rewrite, ("read", "mapping"), ("read", "host")]
    assert mapping(out) == (0, 2, 3, 1)


def test_the_dirty_entries_of_a_translation_page_are_written_together(run):
    """When 0 is evicted, 2 is written, too, and is clean when its turn comes; 1 is then at hand only in flash."""
    out = run([write(0), write(2, GAP), read(8, 2 * GAP), read(9, 3 * GAP), read(2, 4 * GAP)], caching(2, FILLED))
    assert times(out) == [
        READ_PAGE + WRITE_PAGE,
        READ_PAGE + WRITE_PAGE,
        READ_PAGE + WRITE_PAGE + READ_PAGE + READ_PAGE,
        READ_PAGE + READ_PAGE,
        READ_PAGE + READ_PAGE,
    ]
    assert mapping(out)[3] == 1


def test_an_entry_that_changes_while_its_page_is_written_stays(run):
    """A read wants the only slot, and its entry is written to flash; a new write finds it at hand until that is done.

    So the entry has to be written once more, after the read of its page and the program of the write, before it goes.
    """
    arrival = GAP + READ_PAGE + WRITE_PAGE // 2
    out = run([write(0), read(8, GAP), (arrival, "write", 0, PAGE), read(0, 2 * GAP)], caching(1, FILLED))
    assert out.done_at()[2] == GAP + READ_PAGE + WRITE_PAGE + READ_PAGE + WRITE_PAGE
    assert out.done_at()[1] == out.done_at()[2] + WRITE_PAGE + READ_PAGE + READ_PAGE
    assert mapping(out) == (1, 3, 5, 2)


def test_entries_of_a_translation_page_that_are_wanted_at_once_take_one_read(run):
    out = run([read(0), read(1), read(0)], caching(4, FILLED))
    assert times(out) == [2 * READ_PAGE, 4 * READ_PAGE, 3 * READ_PAGE]  # what waits for one entry goes on together
    assert mapping(out) == (0, 3, 1, 0)


def test_a_trim_waits_for_the_mapping(run):
    out = run([(0, "trim", 0, PAGE), read(0, GAP)], caching(4, FILLED))
    assert times(out) == [READ_PAGE, 0]
    assert out.summary["unmapped_reads"] == 1


def test_what_was_used_twice_outlasts_what_was_used_once(run):
    lpas = [0, 1, 2, 3, 0, 1, 4, 5, 6, 0, 1, 5, 7, 6, 0]
    hits = [0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0]
    out = run([read(lpa, at * GAP) for at, lpa in enumerate(lpas)], caching(4, FILLED, protected_share=0.5))
    assert times(out) == [READ_PAGE if hit else READ_PAGE + READ_PAGE for hit in hits]
    assert out.summary["mapping"]["hit_ratio"] == sum(hits) / len(hits)


COLLECTED = [write(at % 2, at * GAP) for at in range(17)]
"""Writes of two pages; the last one takes the block that has all of the fill, and of the mapping table, collected."""


def moved(out):
    """Return the logical and translation pages that collection has moved, in that order."""
    return [row["lpa"] for row in out.commands if (row["op"], row["source"]) == ("program", "gc")]


def test_collection_needs_no_translation_page_to_move_data(run):
    """The entries of moved pages are cached; only the last one of them, of 16 for 15 slots, has to go."""
    reads = [read(lpa, (20 + at) * GAP) for at, lpa in enumerate(range(15, 3, -1))]
    out = run([*COLLECTED, *reads], caching(15, FILLED))
    assert sorted(moved(out)) == list(range(2, 16 + 4))
    gone = [lpa for lpa in moved(out) if lpa < 16][-1]
    assert times(out)[17:] == [READ_PAGE + READ_PAGE if lpa == gone else READ_PAGE for lpa in range(15, 3, -1)]
    assert mapping(out)[3] == 1


def test_the_entries_of_moved_pages_are_written_together(run):
    """All pages of the mapping table are written, once each, and just the two entries that were moved last stay."""
    out = run([*COLLECTED, read(5, 20 * GAP), read(3, 21 * GAP), read(0, 22 * GAP)], caching(2, FILLED))
    assert [lpa for lpa in moved(out) if lpa < 16][-2:] == [5, 3]
    pages = [row["lpa"] for row in out.commands if (row["op"], row["source"]) == ("program", "mapping")]
    assert sorted(pages) == [16, 17, 18, 19]
    assert times(out)[17:] == [READ_PAGE, READ_PAGE, READ_PAGE + READ_PAGE]
    assert mapping(out) == (17, 3, 2 + 4 + 1, 4)
