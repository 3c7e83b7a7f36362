"""Random superblocks, for devices that are drawn with single blocks or twins."""

from typing import Any

from hypothesis import strategies as st


@st.composite
def superblocks(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Return `device`, a quarter of the time with superblocks, if pages come one by one."""
    ftl = device["ftl"]
    if ftl["unit"] not in ("block", "twin") or draw(st.integers(0, 3)):
        return device
    ftl |= {"unit": "superblock", "plane_allocation_at": "admission"}
    device["flash"]["collection_holds"] = "die"
    if ftl["plane_allocation"] in ("f2", "token"):
        ftl["plane_allocation"] = "PCWD"
    ftl["gc"] |= {"moves": None, "scope": "unit", "ranking": "total", "chip_margin": None}
    return device
