"""Units of command and maps of page types: random ones, and what they mean, spelled out."""

from typing import Any

from hypothesis import strategies as st

from support.device_parts import block_pages, page_types
from support.program_rules import RuleBook


@st.composite
def units_and_maps(draw: st.DrawFn, ftl: dict[str, Any], backup: str) -> dict[str, Any]:
    """Draw what executes one command at a time, and a map of page types that goes with order and backup of pages."""
    maps = ["diagonal"]
    if ftl["page_order"] != "two_phase" and backup != "pair_parity":
        maps.append("modulo")
    return {"command_unit": draw(st.sampled_from(["die", "chip"])), "page_type_map": draw(st.sampled_from(maps))}


def orders(flash: dict[str, Any], allowed: list[str]) -> list[str]:
    """Return the program orders of those `allowed` that go with the map of page types."""
    return allowed if flash["page_type_map"] == "diagonal" else [each for each in allowed if each in ("strict", "free")]


def types_by_number(flash: dict[str, Any]) -> list[int]:
    """Return the type of each page of a block."""
    types = page_types(flash)
    pages = RuleBook("strict", block_pages(flash) // types, types, flash["page_type_map"]).pages
    return [page_type for _, page_type in pages]


def unit_of(command: dict[str, Any], flash: dict[str, Any]) -> int:
    """Return the number of the die within its chip that carries out a command, 0 where chips are commanded."""
    return 0 if flash["command_unit"] == "chip" else int(command["die"])
