"""What holds of the blocks that are in SLC mode."""

from typing import Any

from support.device_parts import block_pages, physical_blocks


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
