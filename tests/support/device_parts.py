"""Properties of a device that follow from the keys of its flash, spelled out, as nested keywords of `tiny_device`."""

from typing import Any

from support.program_rules import RuleBook

BY_PAGE_TYPE = ["page_type", "two_phase", "return_to_fast"]
"""Frontiers that need schemes of page types."""


def physical_blocks(flash: dict[str, Any]) -> int:
    """Return the blocks of a plane, extra ones included."""
    return int(flash["blocks_per_plane"] + flash["extra_blocks"])


def block_pages(flash: dict[str, Any]) -> int:
    """Return how many pages of a block are in use."""
    return flash["pages_per_block"] // flash["bits_per_cell"] * page_types(flash)


def page_types(flash: dict[str, Any]) -> int:
    """Return how many page types are in use."""
    return flash["bits_used"] or flash["bits_per_cell"]


def types_by_number(flash: dict[str, Any]) -> list[int]:
    """Return the type of each page of a block."""
    types = page_types(flash)
    pages = RuleBook("strict", block_pages(flash) // types, types, flash["page_type_map"]).pages
    return [page_type for _, page_type in pages]


def unit_of(command: dict[str, Any], flash: dict[str, Any]) -> int:
    """Return the number of the die within its chip that carries out a command, 0 where chips are commanded."""
    return 0 if flash["command_unit"] == "chip" else int(command["die"])


def are_programmed_at_once(device: dict[str, Any]) -> bool:
    """Return whether all pages of a wordline are programmed at once."""
    return bool(device["hardware"].get("program_unit") == "wordline")


def wordline_us(flash: dict[str, Any]) -> float:
    """Return how long a program of a wordline holds the array."""
    given: float | None = flash["wordline_program_us"]
    times = flash["program_us"] * (flash["bits_per_cell"] if len(flash["program_us"]) == 1 else 1)
    return sum(times[: page_types(flash)]) if given is None else given


def one_page_a_plane(command: list[dict[str, Any]], device: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the first page of each plane, and assert that its others are the rest of a wordline, as it is to be.

    Pages of commands that take no time are not told apart.
    """
    first = command[0]
    is_whole = are_programmed_at_once(device) and first["op"] == "program" and first["page_type"] >= 0
    if not is_whole or first["end_ns"] == first["bus_start_ns"]:
        return command
    types, planes = page_types(device["hardware"]), dict.fromkeys(c["plane"] for c in command)
    of_planes = [[c for c in command if c["plane"] == plane] for plane in planes]
    for pages in of_planes:
        first = pages[0]["page"]
        assert first % types == 0 and [c["page"] for c in pages] == list(range(first, first + types)), command
        assert len({c["block"] for c in pages}) == 1
    return [pages[0] for pages in of_planes]


def sources_in_slc_mode(commands: list[dict[str, Any]], device: dict[str, Any]) -> dict[int, bool | None]:
    """Return, by place among `commands`, whether a copy-back reads a block in SLC mode; None where that is not known.

    It is not where the block was programmed before the first of them.
    """
    flash = device["hardware"]
    modes: dict[int, bool] = {}
    unknown = None if any(device["ftl"]["slc_cache"].get(name) for name in ("blocks", "free_share")) else False
    found = {}
    for place, c in enumerate(commands):
        block = 0
        for name, many in (
            ("channel", flash["channels"]),
            ("chip", flash["chips_per_channel"]),
            ("die", flash["dies_per_chip"]),
            ("plane", flash["planes_per_die"]),
            ("block", physical_blocks(flash)),
        ):
            block = block * many + c[name]
        if c["op"] == "erase":
            modes.pop(block, None)
        elif c["op"] != "read":
            modes[block] = c["page_type"] < 0
        if c["op"] == "copyback":
            found[place] = modes.get(c["copied_from"] // block_pages(flash), unknown)
    return found


def slc_mode_is_kept(op: str, done: set[Any], page: Any, wordlines: int, device: dict[str, Any]) -> None:
    """Assert that `op` is one that a block in SLC mode with `done` pages takes, and add it to these.

    It stores one bit a cell, wordline by wordline where program order is heeded, and is erased when it is full.
    """
    whole = {(wordline, 0) for wordline in range(wordlines)}
    if op == "erase":
        assert done == whole
        done.clear()
    elif op == "program":
        assert page in whole - done
        assert device["flash"]["program_order"] == "free" or len(done) == page[0]
        done.add(page)
