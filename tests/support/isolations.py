"""Random shares of the device for its streams, as nested keywords for `tiny_device.tiny_config`."""

from typing import Any

from hypothesis import strategies as st

from ssdsim.config.ftl import LEVELS

SIZES = dict(zip(LEVELS, ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die"), strict=True))


@st.composite
def isolation(draw: st.DrawFn, device: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Draw, a third of the time, planes of their own for streams of these names, where they go with the device."""
    ftl = device["ftl"]
    if ftl["gc"]["scope"] == "device" or ftl["unit"] == "superblock" or draw(st.integers(0, 2)):
        return {}
    together = ftl["unit"] != "block" or ftl["gc"]["moves"] == "parallel"
    unit = draw(st.sampled_from(LEVELS[: 3 if together else 4]))
    count = device["hardware"][SIZES[unit]]
    numbers = st.lists(st.integers(0, count - 1), min_size=1, unique=True)
    named = draw(st.sampled_from([{}, dict.fromkeys(names, numbers)]))
    name = draw(st.sampled_from(["by_stream", "by_stream", "by_stream_static"]))
    return {
        "plane_allocation": name,
        "isolation": {"unit": unit, "units": draw(st.fixed_dictionaries(named))},
    }
