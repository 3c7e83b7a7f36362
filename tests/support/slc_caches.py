"""Random SLC caches, and what holds of the blocks that are in SLC mode."""

from typing import Any

from hypothesis import strategies as st

from support.device_parts import TIMES, block_pages, page_types, physical_blocks


@st.composite
def slc_cache(draw: st.DrawFn, flash: dict[str, Any], backup: str) -> dict[str, Any]:
    """Draw an SLC cache for cells of several bits that are not backed up, half of the time, or none."""
    kept = draw(st.sampled_from([None, None, 1, 2]))
    share = draw(st.sampled_from([None, 0.3, 1.0])) if kept else draw(st.sampled_from([None, 0.5, 1.0]))
    if page_types(flash) == 1 or backup != "none" or not (kept or share):
        return {}
    return {"blocks": kept, "free_share": share, "when_full": draw(st.sampled_from(["bypass", "fold"]))}


def blocks_taken(cache: dict[str, Any]) -> int:
    """Return the blocks of a plane that are no room for data: those that are kept, and one being filled."""
    return (cache.get("blocks") or 0) + bool(cache.get("free_share"))


def goes_with(cache: dict[str, Any], gc: dict[str, Any]) -> dict[str, Any]:
    """Return `cache`, or none if blocks are not collected one by one in each unit."""
    alone = gc["scope"] == "unit" and gc["moves"] != "parallel" and not gc["combine_writes"]
    return cache if alone and gc.get("reserved_blocks", 1) == 1 else {}


@st.composite
def slc_times(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the times of blocks in SLC mode."""
    return {f"slc_{op}_us": draw(TIMES) for op in ("read", "program")}


def sources_in_slc_mode(commands: list[dict[str, Any]], device: dict[str, Any]) -> dict[int, bool | None]:
    """Return, by place among `commands`, whether a copy-back reads a block in SLC mode; None where that is not known.

    It is not where the block was programmed before the first of them.
    """
    flash = device["hardware"]
    modes: dict[int, bool] = {}
    unknown = None if device["ftl"].get("slc_cache") else False
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
