"""Random paces of collection, for devices that are drawn without."""

from typing import Any

from hypothesis import strategies as st


@st.composite
def paces(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Return `device`, half of the time with collections that pause, move so many pages a write, or have a budget."""
    gc = device["ftl"]["gc"]
    if device["flash"]["collection_holds"] == "die":
        gc["budget_us"] = draw(st.sampled_from([None, None, None, 0.001, 20.0, 500.0]))
    if gc["combine_writes"] or gc["holds_requests"]:
        return device
    gc["pauses_for"] = draw(st.sampled_from([None, None, "reads", "requests"]))
    gc["moves_per_write"] = draw(st.sampled_from([None, None, 0.5, 1.0, 5.0]))
    return device
