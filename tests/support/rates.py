"""Random rates of streams, as nested keywords for `tiny_device.tiny_config`."""

from typing import Any

from hypothesis import strategies as st


@st.composite
def rates(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Draw, a third of the time, limits of some streams of these names."""
    if draw(st.integers(0, 2)):
        return {}
    limits = st.dictionaries(st.sampled_from(names), st.sampled_from([3.7, 100.0, 5000.0]))
    requests = st.dictionaries(st.sampled_from(names), st.sampled_from([3e3, 1e5, 7e7]))
    return {
        "bandwidth_mib_s": draw(limits),
        "iops": draw(requests),
        "burst_ms": draw(st.sampled_from([0.0, 0.0013, 1.0])),
    }
