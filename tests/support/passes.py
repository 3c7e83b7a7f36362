"""Random devices that program wordlines in a coarse and a fine pass."""

from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

from ssdsim._core.pass_order import most_open
from support.device_parts import TIMES, block_pages, page_types


@st.composite
def passes(draw: st.DrawFn, flash: dict[str, Any]) -> dict[str, Any]:
    """Draw two passes for cells that are programmed by the wordline, half of the time, or none."""
    if flash.get("cache_program_us") is not None or draw(st.booleans()):
        return {}
    wordlines = block_pages(flash) // page_types(flash)
    strings = st.sampled_from([each for each in range(1, wordlines + 1) if not wordlines % each])
    return {
        "program_passes": "coarse_fine",
        "strings": draw(strings),
        "string_order": draw(st.sampled_from(["layer_first", "string_first"])),
        "coarse_program_us": draw(TIMES),
        "fine_program_us": draw(TIMES),
    }


def pages_open(flash: dict[str, Any], drawn: dict[str, Any]) -> int:
    """Return how many pages of a plane are written at most until the first of them is in flash."""
    types = page_types(flash)
    if not drawn:
        return types
    return types * most_open(block_pages(flash) // types, drawn["strings"], drawn["string_order"])


def kind_of(op: str) -> str:
    """Return the operation that a command is as far as the bus and multi-plane commands are concerned."""
    return "program" if op == "coarse" else op


def pages_held_are_counted(out: Any, device: dict[str, Any]) -> None:
    """Assert that the summary tells at least as many pages of data as the programs of a fresh run hold at a time."""
    if device["hardware"].get("program_passes") != "coarse_fine":
        assert "passes" not in out.summary
        return
    programs = [c for c in out.commands if c["op"] == "program" and c["page_type"] >= 0]
    data = [c for c in programs if c["content"] != "padding"]
    changes = sorted([(c["end_ns"], -1) for c in data] + [(c["queued_ns"], 1) for c in data])
    most = max(accumulate(change for _, change in changes), default=0)
    assert most <= out.summary["passes"]["most_pages_held"]
