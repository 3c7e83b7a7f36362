"""What units of command and maps of page types mean, spelled out."""

from typing import Any

from support.device_parts import block_pages, page_types
from support.program_rules import RuleBook


def types_by_number(flash: dict[str, Any]) -> list[int]:
    """Return the type of each page of a block."""
    types = page_types(flash)
    pages = RuleBook("strict", block_pages(flash) // types, types, flash["page_type_map"]).pages
    return [page_type for _, page_type in pages]


def unit_of(command: dict[str, Any], flash: dict[str, Any]) -> int:
    """Return the number of the die within its chip that carries out a command, 0 where chips are commanded."""
    return 0 if flash["command_unit"] == "chip" else int(command["die"])
