"""Random devices that program all pages of a wordline at once, and what holds of their commands."""

from math import ceil
from typing import Any

from hypothesis import strategies as st

from support.device_parts import TIMES, block_pages, page_types, physical_blocks

MODULO = {"program_unit": "wordline", "page_type_map": "modulo"}
IN_ORDER = {
    "program_order": "strict",
    "wordline_buffer": True,
    "unprogrammed_read": "memory",
    "partial_write_turn": "after_read",
}


@st.composite
def wordlines(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Return `device`, a third of the time with one-shot wordlines, if pages are written in their order.

    Blocks are added for what padding takes.
    """
    flash, ftl = device["hardware"], device["ftl"]
    gc, before = ftl["gc"], device["precondition"]
    types, pages, blocks = page_types(flash), block_pages(flash), physical_blocks(flash)
    planes = flash["planes_per_die"] if ftl["unit"] in ("die", "super_page") else 1  # else no row is whole
    kinds = 2 if ftl["active_blocks"] == "hot_cold" else 1
    kept = 1 - kinds * (types * planes - 1) / planes / pages
    kept -= (1 - 1 / planes) / pages if ftl["unit"] == "die" else 0  # dead pages that make up no row
    alone = gc["scope"] == "unit" and gc["moves"] not in ("copyback", "chip") and not gc["combine_writes"]
    if types == 1 or ftl["page_order"] != "sequential" or ftl["backup"] != "none" or not alone or kept < 0.2:
        return device
    if gc.get("reserved_blocks", 1) > 1 or draw(st.integers(0, 2)):
        return device
    more = ceil(blocks / kept) - blocks
    flash |= {**MODULO, "extra_blocks": flash["extra_blocks"] + more}
    flash["wordline_program_us"] = draw(st.none() | TIMES)
    device["flash"] |= IN_ORDER
    if gc["trigger"] == "free_pages":
        gc |= {f"{each}_threshold": gc[f"{each}_threshold"] * blocks / (blocks + more) for each in ("soft", "hard")}
    for name in ("fill_share", "fill_share_to"):
        before[name] = before[name] and before[name] * blocks / (blocks + more)
    return device


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
