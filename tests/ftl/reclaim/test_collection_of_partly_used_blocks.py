"""Blocks collected before all of them is programmed, or only once enough of them is dead; and no way to stall."""

import numpy as np
import pytest

from ssdsim.assembly.device import Device
from ssdsim.host.request import Request
from support.requests import GAP, read, writes
from support.thinned import grid
from support.tiny_device import PAGE


def spaced(lpas):
    """Return a write after another, and a read so late that all collection is done by then."""
    return [*writes(*lpas, gap=GAP), read(0, GAP * len(lpas))]


def lsb_first(blocks, wordlines, bits, logical, gc, active="shared"):
    """Return the changes for a plane of which so many pages are logical and all writes want LSB."""
    pages = wordlines * bits
    hardware = {
        "blocks_per_plane": blocks,
        "pages_per_block": pages,
        "bits_per_cell": bits,
        "over_provisioning": 1 - logical / (blocks * pages),
    }
    ftl = {"page_order": "page_type", "active_blocks": active, "page_type": ["lsb_first"], "gc": gc}
    return {"hardware": hardware, "ftl": ftl}


def test_the_unused_pages_of_reclaimed_blocks_are_counted(run):
    """Eight blocks of L, C and M, of which four shall be free; one logical page, so that but one page is not dead.

    Writes 1 to 7 take the L of every block but the last, which is in reserve, 8 to 13 the C of blocks 0 to 5; 11 unused
    pages are three blocks' worth. No block is full: 0 is reclaimed, with its M unused, and 13 pages are. Write 14 takes
    the L of block 7, as 0 is in reserve now, write 15 the C of block 6, and block 1 goes.
    """
    changes = lsb_first(8, 1, 3, 3, {"soft_threshold": 4, "hard_threshold": 4})
    for count, collections in ((12, 0), (13, 1), (14, 1), (15, 2)):
        out = run(spaced([0] * count), changes)
        counts = {"collections": collections, "page_moves": 0, "unused_pages": collections}
        assert out.summary["gc"].items() >= counts.items()
    assert [c["block"] for c in out.commands if c["op"] == "erase"] == [0, 1]
    types = [(c["block"], c["page_type"]) for c in out.commands if c["op"] == "program"]
    assert types == [*((block, 0) for block in range(7)), *((block, 1) for block in range(6)), (7, 0), (6, 1)]


def test_above_the_hard_threshold_no_partly_programmed_block_is_reclaimed(run):
    """Write 15 is the M of block 0, outdated on its way there: the block is collected, another is left missing."""
    changes = lsb_first(8, 1, 3, 3, {"soft_threshold": 4, "hard_threshold": 2})
    *rows, late = spaced([0] * 15)
    out = run([*rows, (rows[-1][0] + 1, "trim", 0, PAGE), late], changes)
    assert out.summary["gc"].items() >= {"collections": 1, "page_moves": 0, "unused_pages": 0}.items()
    assert sum(out.summary["page_types"][f"free_{name}"] for name in ("lsb", "csb", "msb")) == 24 - 15 + 3


@pytest.mark.parametrize(
    ("min_gain", "hard", "last", "collections", "moves"),
    [
        (0.0, 2, [1], 1, 2),
        (0.5, 2, [1], 1, 2),
        (0.75, 2, [1], 0, 0),
        (0.75, 3, [1], 0, 0),
        (0.75, 4, [1], 1, 2),
        (0.75, 2, [1, 2], 1, 1),
        (1.0, 2, [1, 2], 0, 0),
        (1.0, 2, [1, 2, 3], 1, 0),
    ],
)
def test_above_the_hard_threshold_a_victim_is_worth_its_moves(run, min_gain, hard, last, collections, moves):
    """Blocks of four: 0-3, 4-7, 8-11 and 0, 4, 8, 0. Write 17 leaves three blocks free of four wanted.

    It is that of page 1, after which two pages of block 0 are dead and one of each of the others; 2 and 3 follow.
    """
    gc = {"soft_threshold": 4, "hard_threshold": hard, "min_gain": min_gain}
    changes = {"hardware": {"over_provisioning": 5 / 8}, "ftl": {"active_blocks": "shared", "gc": gc}}
    out = run(spaced([*range(12), 0, 4, 8, 0, *last]), changes)
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (collections, moves)


@pytest.mark.parametrize(
    ("block", "rule", "active", "scheme", "hard", "min_gain"),
    grid(
        0.125,
        [(1, 3), (3, 4), (8, 2)],
        ["strict", "relaxed"],
        ["shared", "separate"],
        ["lsb_first", "uniform", "utilization"],
        [2, 4],
        [0, 0.25],
    ),
)
def test_the_fullest_device_gets_back_to_its_hard_threshold(tiny, block, rule, active, scheme, hard, min_gain):
    """Whatever the order of writes; the last ones leave hardly any data in the active blocks, which is the worst.

    To the soft one only if that is as low: above the hard one partly programmed blocks are left alone.
    """
    (wordlines, bits), soft, data_blocks = block, 4, 3
    blocks = data_blocks + bits * (2 if active == "separate" else 1) + (hard if min_gain else soft)
    gc = {"soft_threshold": soft, "hard_threshold": hard, "min_gain": min_gain}
    changes = lsb_first(blocks, wordlines, bits, data_blocks * wordlines * bits, gc, active)
    changes["ftl"]["page_type"] = [scheme]
    device = Device(tiny(changes | {"flash": {"program_order": rule}}))
    logical, request = device.mapping.table.size, Request()
    churned = np.random.default_rng(7).integers(0, logical, 600).tolist()
    for lpa in [*range(logical), *churned, *([0] * 50), *([0, 1] * 50)]:
        request.page_type = device.page_types.of_request(request)
        device.layer.writes.write_now(request, lpa)
        assert device.frontier.free_pages(0, False) // device.frontier.unit_pages >= hard
    device.check()
