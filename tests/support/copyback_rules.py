"""The rules of copy-back, held against a command trace: PCFTL, 3.2 and 3.3."""

from collections import defaultdict
from typing import Any

from support.device_parts import BY_PAGE_TYPE, block_pages, page_types, physical_blocks
from support.program_rules import RuleBook

Life = list[dict[str, Any]]


def lives_of_blocks(out: Any) -> list[Life]:
    """Return what was programmed in each block from one erase to the next, but in SLC mode."""
    erased: list[Life] = []
    since: dict[Any, Life] = defaultdict(list)
    for c in out.commands:
        key = tuple(c[name] for name in ("channel", "chip", "die", "plane", "block"))
        if c["op"] == "erase":
            erased.append(since.pop(key, []))
        elif c["op"] in ("program", "copyback") and c["page_type"] >= 0:
            since[key].append(c)
    return erased


def copybacks_keep_the_rules(out: Any, device: dict[str, Any]) -> None:
    """Assert that data stays in its plane and its parity, and that pages are only wasted where that takes it.

    Where blocks are filled by page type it is the type that data keeps, and no page is passed over for that.

    What is wasted is followed by a copy-back, which needed the other parity, or ends its block; no more of it than the
    share allowed of what victims had to gain. Where there are no copy-backs, pages may be left over for other reasons,
    which are for `blocks_are_programmed_in_order`.
    """
    flash = device["hardware"]
    pages = block_pages(flash)
    by_type = device["ftl"]["page_order"] in BY_PAGE_TYPE
    rules = RuleBook(
        "relaxed", flash["pages_per_block"] // flash["bits_per_cell"], page_types(flash), flash["page_type_map"]
    )
    for c in out.commands:
        assert (c["op"] == "copyback") == (c["copied_from"] >= 0)
        if c["op"] == "copyback":
            assert c["source"] == "gc"
            assert c["copied_from"] // pages // physical_blocks(flash) == plane_of(c, flash)
            if by_type:
                assert rules.pages[c["copied_from"] % pages][1] == c["page_type"]
            else:
                assert c["copied_from"] % pages % 2 == c["page"] % 2
    if by_type or device["ftl"]["gc"].get("moves") != "copyback":
        return
    wasted = 0
    for life in lives_of_blocks(out):
        how = {c["page"]: c["op"] for c in life}
        passed_over = [page for page in range(pages) if life and page not in how]
        assert all(page + 1 == pages or how[page + 1] == "copyback" for page in passed_over)
        wasted += len(passed_over)
    assert wasted <= out.summary["wasted_pages"]
    gc = out.summary["gc"]
    if gc["collections"]:
        dead = gc["collections"] * pages * (1 - gc["victim_valid_share"])
        planes = flash["channels"] * flash["chips_per_channel"] * flash["dies_per_chip"] * flash["planes_per_die"]
        begun = pages * planes if device["precondition"].get("timed") else 0  # before what was counted
        share = device["ftl"]["gc"].get("copyback_waste", 0.25)
        assert out.summary["wasted_pages"] <= share * (dead + begun) + 1e-6


def plane_of(command: dict[str, Any], flash: dict[str, Any]) -> int:
    """Return the number of a command's plane in the device."""
    die = (command["channel"] * flash["chips_per_channel"] + command["chip"]) * flash["dies_per_chip"] + command["die"]
    return int(die * flash["planes_per_die"] + command["plane"])
