"""What holds of the commands of devices that program all pages of a wordline at once."""

from typing import Any

from support.device_parts import page_types


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
