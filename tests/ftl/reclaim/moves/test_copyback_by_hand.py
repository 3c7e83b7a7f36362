"""Copy-back within a plane, by hand: PCFTL's times and its Figs. 6 to 8."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.assembly.device import Device
from ssdsim.host.request import Request
from support.bound import given_page, sequential
from support.tiny_device import PAGE, merge

US = 1000
FILLED = [(0, "write", lpa * PAGE, PAGE) for lpa in (*range(16), 0, 1, 2)]
"""Blocks 0 to 3 are full; of block 0 only page 3 is valid, and three pages of block 4 are written."""

LONG_AFTER = (90_000_000, "read", 0, PAGE)
IN_IDLE_TIME = {"ftl": {"gc": {"moves": "copyback", "copyback_waste": 0.5, "background_threshold": 0.5}}}
"""Below four free blocks of eight, so that one block is collected when the host is quiet; one page of three may be
wasted, as in Fig. 7(b)."""

PAPER = {
    "hardware": {
        "read_us": [25.0],
        "program_us": [200.0],
        "bus_ns_per_byte": 50 * US / PAGE,
        **dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us", "copyback_command_us"), 0.0),
    }
}
"""The times of 3.2: 25 us for a page to its register, 50 over the bus, 200 to the cells, and none for commands."""


def collected(out):
    """Return what collection did, without erases: operation, plane, page that was copied or -1, page, start and end."""
    rows = [row for row in out.commands if row["source"] == "gc" and row["op"] != "erase"]
    names = ("op", "plane", "copied_from", "page", "bus_start_ns", "end_ns")
    return [tuple(row[name] for name in names) for row in rows]


def moved_in(out):
    """Return how long it took from the start of the first of these to the end of the last."""
    starts, ends = zip(*[row[-2:] for row in collected(out)], strict=True)
    return max(ends) - min(starts)


@pytest.mark.parametrize(("copyback", "us"), [(True, 25 + 200), (False, 25 + 50 + 50 + 200)])
def test_a_page_is_moved_in_the_papers_time(run, copyback, us):
    moves = {"ftl": {"gc": {"moves": "copyback" if copyback else "controller"}}}
    out = run([*FILLED, LONG_AFTER], merge(merge(PAPER, IN_IDLE_TIME), moves))
    assert moved_in(out) == us * US
    assert out.summary["gc"]["page_moves"] == 1


def test_a_copyback_leaves_the_bus_to_others(run):
    """While one die copies, after 0.4 us of command, the other one of its channel gets a page over the bus."""
    hardware = {"chips_per_channel": 2}
    filled = [(at, op, 2 * offset, size) for at, op, offset, size in FILLED]  # even pages are the first die's
    begun = 19 * (200 + PAGE + 100_000)
    rows = [*filled, (begun + 1000, "write", PAGE, PAGE), LONG_AFTER]
    out = run(rows, merge(IN_IDLE_TIME, {"hardware": hardware}))
    (copy,) = [row for row in out.commands if row["op"] == "copyback"]
    assert (copy["bus_start_ns"], copy["array_start_ns"]) == (begun, begun + 400)
    assert copy["end_ns"] - copy["array_start_ns"] == 10_000 + 100_000
    assert out.requests[19]["response_ns"] == 200 + PAGE + 100_000


def two_planes(*joined):
    """Return requests and changes that leave page 3 of a block of plane 0 to collect, and page 2 of one of plane 2."""
    fill = [(0, "write", lpa * PAGE, PAGE) for lpa in range(3 * 16)]
    updates = [(0, "write", (3 * k + plane) * PAGE, PAGE) for plane, ks in ((0, (0, 1, 2)), (2, (0, 1, 3))) for k in ks]
    changes = {"hardware": {"planes_per_die": 3}, "flash": {"multi_plane": [*joined]}}
    return [*fill, *updates, LONG_AFTER], merge(merge(PAPER, IN_IDLE_TIME), changes)


@pytest.mark.parametrize(("joined", "us"), [(["copyback"], 25 + 200), ([], 2 * (25 + 200))])
def test_planes_of_a_die_copy_at_once_whatever_their_pages(run, joined, us):
    """The paper's Fig. 6: planes 0 and 2, from and to different pages; without the command, one after the other."""
    out = run(*two_planes(*joined))
    assert moved_in(out) == us * US
    copies = sorted((plane, copied % 32, page) for _, plane, copied, page, *_ in collected(out))
    assert copies == [(0, 3, 1), (2, 2, 0)]


@pytest.mark.parametrize(
    ("written", "pages", "copied_to", "wasted"),
    [
        (0, [0, 3], [0, 1], 0),
        (0, [3], [1], 1),
        (1, [0, 2, 4], [2, 4, 6], 3),
        (1, [1, 3, 5], [1, 3, 5], 2),
        (0, [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6], 0),
        (1, [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7], 0),
        (7, [0, 1], [8, 9], 1),
        (6, [1, 3, 4], [7, 9, 10], 2),
    ],
    ids=["Fig. 7(b), plane 1", "Fig. 7(b), plane 2", "the worse scenario of 3.3", "in between", *["further"] * 4],
)
def test_pages_of_the_other_parity_are_wasted(written, pages, copied_to, wasted):
    """Pages of a victim of eight, into a block of which so many pages are written; page 8 is the first of the next."""
    blocks = Blocks(1, 4, 8)
    made = sequential(blocks)
    for lpa in range(written):
        blocks.program(given_page(made, 0, 0, lpa))
    assert [made.copies.allocate(0, 0, 10 + page, page) for page in pages] == copied_to
    assert blocks.wasted_for_parity == wasted


FIGURE_8 = {"hardware": {"blocks_per_plane": 10, "over_provisioning": 0.4}, "ftl": {"gc": {"moves": "copyback"}}}
"""Blocks of four pages: six for the data, two active ones, and two to be free."""


def figure_8():
    """Return writes and trims; the last write starts the collection of a block with two valid pages of one parity."""
    yield from (("write", lpa) for lpa in range(24))
    yield from [("trim", 0), ("trim", 2)]  # block 0 is left with pages 1 and 3, the only one with two dead pages
    yield from (("write", lpa) for lpa in (0, 2, 4, 8, 12, 16, 20, 0))  # blocks 6 and 7
    yield ("write", 12)  # block 8, which leaves one free


def carry_out(device, request, steps):
    """Write and trim, without timing."""
    for op, lpa in steps:
        if op == "write":
            device.layer.writes.write_now(request, lpa)
        else:
            device.layer.writes.trim(None, lpa)


def valid_pages(blocks):
    """Return the valid pages of each block that has any, as a dictionary of lists."""
    found = {}
    for ppa in range(blocks.pages):
        if blocks.is_valid(ppa):
            found.setdefault(blocks.block_of(ppa), []).append(ppa % blocks.pages_per_block)
    return found


@pytest.mark.parametrize("waste", [0.0, 0.25, 1.0])
def test_a_never_ending_collection_is_foreseen_and_goes_through_the_controller(tiny, waste):
    """The paper's Fig. 8, where the page called even there, counted from one, is odd: state 2 is never reached."""
    device, states = Device(tiny(merge(FIGURE_8, {"ftl": {"gc": {"copyback_waste": waste}}}))), []
    blocks, collector = device.blocks, device.collector
    collector.on_collected = lambda: states.append(
        (valid_pages(blocks), blocks.free_blocks(0), blocks.wasted_for_parity, collector.units[0].to_waste)
    )
    *before, last = figure_8()
    carry_out(device, Request(), before)
    assert not states
    assert valid_pages(blocks)[0] == [1, 3]  # state 1: the victim
    carry_out(device, Request(), [last])
    held, free, wasted, to_waste = states[0]
    assert (held[9], free, wasted, to_waste) == ([0, 1], 1, 0, -1)  # two pages are left, and the next fits
    assert 0 not in held
    assert blocks.free_blocks(0) == 2
    device.check()
