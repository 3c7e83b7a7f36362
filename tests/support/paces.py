"""Random paces of collection, for devices that are drawn without."""

from typing import Any

from hypothesis import strategies as st


@st.composite
def paces(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Return `device`, now and then with collections that have a budget."""
    gc = device["ftl"]["gc"]
    if device["flash"]["collection_holds"] == "die":
        gc["budget_us"] = draw(st.sampled_from([None, None, None, 0.001, 20.0, 500.0]))
    return device
