"""What stands before the rest of the device, drawn at random: link, processor, DRAM and a read cache."""

from typing import Any

from hypothesis import strategies as st

MESSAGES = st.sampled_from([None, 0, 16])
NVME = {"lanes": 4, "payload_bytes": 128}
SATA = {
    "lanes": 1,
    "duplex": "half",
    "doorbell_bytes": None,
    "fetch_bytes": None,
    "release_bytes": None,
    "accepted_bytes": 16,
    "read_setup_bytes": 24,
    "payload_bytes": 8192,
}


@st.composite
def in_front(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a link or none, a processor and a DRAM that take time or do not, and a read cache or none."""
    link: dict[str, Any] = {"lanes": 0}
    if draw(st.booleans()):
        link = draw(st.sampled_from([NVME, SATA])) | {
            "lane_gt_s": draw(st.sampled_from([1.0, 8.0, 64.0])),
            "latency_ns": draw(st.sampled_from([0, 150, 2000])),
            "data_request_bytes": draw(MESSAGES),
        }
    times = {f"{op}_ns": draw(st.sampled_from([0, 0, 300, 5000])) for op in ("read", "write", "trim")}
    cache = {
        "size_mib": draw(st.sampled_from([0, 0, 0.01, 1.0])),
        "keeps": draw(st.sampled_from(["reads", "reads_and_writes"])),
    }
    controller = {"cores": draw(st.integers(1, 3)), **times}
    return {"link": link, "controller": controller, "read_cache": cache, "dram": draw(drams())}


@st.composite
def drams(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a DRAM that all data shares, or none that takes time.

    None is slower than the flash: collection that goes on and on would do so for all the time that requests take.
    """
    return {
        "bandwidth_mib_s": draw(st.sampled_from([None, 20_000.0, 1e6])),
        "latency_ns": draw(st.sampled_from([0.0, 26.5])),
        "table_accesses": draw(st.integers(0, 2)),
    }
