"""Completion times of what the translation layer adds, each equal to a sum written here, on both kernels."""

import pytest

from support.requests import GAP, read, write
from support.tiny_device import (
    ERASE,
    ERASE_BLOCK,
    PAGE,
    PROGRAM,
    READ,
    READ_COMMAND,
    READ_PAGE,
    TRANSFER,
    WRITE_PAGE,
)

COLLECTING = {
    "hardware": {"blocks_per_plane": 6, "over_provisioning": 2 / 3},
    "ftl": {"gc": {"victim": "fifo"}},
}
"""A plane of 6 blocks of 4 pages, 8 of them logical: the 17th page written takes the second last free block."""


def until_collection(valid):
    """Return writes, the last of which has the oldest block collected, with `valid` valid pages; the next has none."""
    lpas = [*range(8), *range(4 - valid), *range(4, 8), *range(4, 4 + valid), 7]
    return [write(lpa, GAP * at) for at, lpa in enumerate(lpas)]


@pytest.mark.parametrize("valid", range(4))
@pytest.mark.parametrize("scheduler", ["fcfs", "read_priority"])
def test_a_collection_reads_then_programs_then_erases(run, valid, scheduler):
    rows = [*until_collection(valid), read(0, 16 * GAP + GAP // 2)]
    out = run(rows, COLLECTING | {"scheduler": {"policy": scheduler}})
    start = 16 * GAP + WRITE_PAGE  # behind the write that called for it
    reads = [start + (i + 1) * READ_PAGE for i in range(valid)]
    programs = [start + valid * READ_PAGE + (i + 1) * WRITE_PAGE for i in range(valid)]
    assert out.done_at()[16] == start
    assert out.ends("read") == reads
    assert out.ends("program") == programs
    erased = start + valid * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    erases = [erased, erased + ERASE_BLOCK] if valid else [erased]  # moves took a free block: one more is wanted
    assert out.ends("erase") == erases
    moves = {"read": valid * READ, "write": valid * PROGRAM, "transfer": valid * 2 * TRANSFER}
    assert out.summary["gc"] == {
        "collections": len(erases), "page_moves": valid, "unused_pages": 0,
        "victim_valid_share": valid / 4 / len(erases),
        "cost_us": {name: ns / 1000 for name, ns in {**moves, "erase": len(erases) * ERASE}.items()},
        "blocked_writes": 0, "blocked_write_us": 0, "write_us": 17 * WRITE_PAGE / 1000,
    }  # fmt: skip
    assert out.summary["write_amplification"] == (17 + valid) / 17
    assert out.summary["flash"]["programs"] == {
        "host": 17, "gc": valid, "mapping": 0, "backup": 0, "merge": 0, "refresh": 0
    }  # fmt: skip
    assert out.summary["wear"]["max"] == 1


def test_a_read_during_an_erase_waits_for_it_and_says_so(run):
    arrival = 16 * GAP + WRITE_PAGE + 500_000
    row = run([*until_collection(0), read(5, arrival)], COLLECTING).requests[17]
    left = ERASE_BLOCK - 500_000
    assert row["response_ns"] == left + READ_PAGE
    assert (row["queue_ns"], row["bus_ns"], row["array_ns"], row["gc_ns"]) == (0, READ_COMMAND + TRANSFER, READ, left)


def test_a_read_goes_between_the_moves_of_a_collection_that_is_not_urgent(run):
    settings = {"hardware": {"blocks_per_plane": 7, "over_provisioning": 1 - 8 / 28}}
    gc = {"ftl": {"gc": {"victim": "fifo", "soft_threshold": 3, "hard_threshold": 2}}}
    arrival = 16 * GAP + WRITE_PAGE + 1
    out = run([*until_collection(3), read(5, arrival)], settings | gc)
    assert out.ends("read")[0] == 16 * GAP + WRITE_PAGE + READ_PAGE
    assert out.requests[17]["response_ns"] == READ_PAGE - 1 + READ_PAGE
    assert out.requests[17]["gc_ns"] == READ_PAGE - 1


URGENT = 3 * (READ_PAGE + WRITE_PAGE) + 2 * ERASE_BLOCK
"""Two collections: of a block with three valid pages, which take the block that is won, and of one with none."""


def test_a_read_goes_between_the_moves_of_an_urgent_collection_while_the_host_has_room(run):
    arrival = 16 * GAP + WRITE_PAGE + 1
    out = run([*until_collection(3), write(4, arrival), read(5, arrival)], COLLECTING)
    assert out.requests[18]["response_ns"] == READ_PAGE - 1 + READ_PAGE
    assert out.requests[17]["response_ns"] == URGENT - 1 + READ_PAGE + WRITE_PAGE


@pytest.mark.parametrize("scheduler", ["fcfs", "read_priority", "host_reads_first"])
def test_a_read_waits_for_the_whole_of_an_urgent_collection_that_does_not_yield(run, scheduler):
    arrival = 16 * GAP + WRITE_PAGE + 1
    settings = {"scheduler": {"policy": scheduler}, "ftl": {"gc": {"victim": "fifo", "yields_to_reads": False}}}
    row = run([*until_collection(3), read(5, arrival)], COLLECTING | settings).requests[17]
    passed = READ_PAGE if scheduler == "host_reads_first" else URGENT
    assert row["response_ns"] == passed - 1 + READ_PAGE


@pytest.mark.parametrize("valid", range(4))
def test_a_collection_may_start_before_the_write_that_takes_the_block(run, valid):
    settings = {"ftl": {"gc": {"victim": "fifo", "starts_before_write": True}}}
    out = run(until_collection(valid), COLLECTING | settings)
    collection = valid * (READ_PAGE + WRITE_PAGE) + (1 + (valid > 0)) * ERASE_BLOCK
    assert out.ends("erase")[-1] == 16 * GAP + collection
    assert out.done_at()[16] == 16 * GAP + collection + WRITE_PAGE


def test_a_page_rewritten_while_it_is_moved_stays_where_the_host_put_it(run):
    rewrite = 16 * GAP + WRITE_PAGE + 1  # the first of two moves is being read
    rows = [*until_collection(2), write(2, rewrite), read(2, 18 * GAP)]
    out = run(rows, COLLECTING)
    assert out.summary["gc"]["page_moves"] == 1
    assert len(out.ends("read")) == 2 and len(out.ends("program")) == 1


def test_a_write_stands_in_line_behind_a_partial_one_of_its_page(run):
    rows = [write(0), (GAP, "write", 0, 512), write(0, GAP + 1), read(0, 2 * GAP)]
    out = run(rows, {"ftl": {"partial_write": "read_modify_write"}})
    placed = GAP + READ_PAGE - 512
    assert out.done_at()[1:3] == [placed + WRITE_PAGE, placed + 2 * WRITE_PAGE]


def test_a_read_of_a_page_on_its_way_to_flash_is_served_from_memory(run):
    out = run([write(0), read(0, WRITE_PAGE - 1), read(0, WRITE_PAGE + 1)])
    assert [row["response_ns"] for row in out.requests[1:]] == [0, READ_PAGE]
    assert out.summary["memory_reads"] == 1


def test_a_read_of_a_page_never_written_or_trimmed_takes_no_time(run):
    rows = [read(3), write(0), (GAP, "trim", 0, PAGE), read(0, GAP + 1)]
    out = run(rows)
    assert out.done_at() == [0, WRITE_PAGE, GAP, GAP + 1]
    assert out.summary["unmapped_reads"] == 2


def test_a_trim_of_part_of_a_page_leaves_it(run):
    out = run([write(0), (GAP, "trim", 512, PAGE), read(0, 2 * GAP)])
    assert out.requests[2]["response_ns"] == READ_PAGE
    trims = out.summary["requests"]["trim"]
    assert (trims["count"], trims["bytes"], trims["response_us"]["max"]) == (1, PAGE, 0)


def test_a_flush_waits_for_the_writes_before_it_only(run):
    rows = [write(0), write(1), (10, "flush", 0, 0), write(2, 20), read(3, 20), (GAP, "flush", 0, 0)]
    out = run(rows)
    assert out.done_at() == [WRITE_PAGE, 2 * WRITE_PAGE, 2 * WRITE_PAGE, 3 * WRITE_PAGE, 20, GAP]
    flushes = out.summary["requests"]["flush"]
    assert flushes["count"] == 2 and flushes["response_us"]["max"] == (2 * WRITE_PAGE - 10) / 1000


def test_a_read_joins_one_of_the_same_page_until_its_data_starts_to_move(run):
    """One that comes while the page is sensed, and one in the instant in which it no longer is and the bus is free."""
    sensed = READ_PAGE - 4096
    rows = [write(0), read(0, GAP), read(0, GAP + 5000), read(0, GAP + sensed)]
    out = run(rows, {"flash": {"coalesced_read_us": 1.0}})
    assert out.done_at()[1:] == [GAP + READ_PAGE, GAP + 5000 + 1000, GAP + 2 * READ_PAGE]
    assert out.summary["coalesced_reads"] == 1
    assert run(rows).done_at()[1:] == [GAP + READ_PAGE, GAP + 2 * READ_PAGE, GAP + 3 * READ_PAGE]


def test_a_read_joins_one_whose_data_waits_for_the_bus(run):
    """The data of two chips goes over one bus: that of page 1 begins to move when that of page 0 has."""
    moved = GAP + READ_PAGE
    rows = [write(0), write(1), read(0, GAP), read(1, GAP)]
    again = [read(1, moved - 1), read(1, moved), read(1, moved + 1)]
    changes = {"hardware": {"chips_per_channel": 2}, "flash": {"coalesced_read_us": 1.0, "bus": "command_first"}}
    out = run(rows + again, changes)
    ends = [moved, moved + 4096]
    assert out.done_at()[2:] == [*ends, moved - 1 + 1000, moved + 1000, ends[1] + READ_PAGE]
    assert out.summary["coalesced_reads"] == 2


def test_a_write_without_room_waits_for_the_erase_and_is_read_from_memory(run):
    """Of four more writes the last finds the active block full; room comes with the erase, which calls for another."""
    arrival = 16 * GAP + 1
    rows = [*until_collection(0), *(write(lpa, arrival) for lpa in (0, 1, 2, 5)), read(5, arrival)]
    out = run(rows, COLLECTING)
    erased = 16 * GAP + WRITE_PAGE + ERASE_BLOCK
    again = erased + ERASE_BLOCK
    assert out.ends("erase")[:2] == [erased, again]
    assert out.done_at()[17:] == [*(again + i * WRITE_PAGE for i in (1, 2, 3, 4)), arrival]
    row = out.requests[20]
    assert (row["gc_ns"], row["queue_ns"]) == (erased - arrival + ERASE_BLOCK, 3 * WRITE_PAGE)
    blocked = sum(at - arrival for at in out.done_at()[17:21])
    times = {"blocked_writes": 4, "blocked_write_us": blocked / 1000, "write_us": (blocked + 17 * WRITE_PAGE) / 1000}
    assert out.summary["gc"].items() >= times.items()
