"""Random ways from the host into the device, as nested keywords for `tiny_device.tiny_config`."""

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from ssdsim.config import PRIORITIES

NVME_LINK = {"lanes": 4, "payload_bytes": 128}
SATA_LINK = {
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
def nvme(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the depth of queue pairs, of few commands more often than of many, and what is fetched of them."""
    return {
        "queue_depth": draw(st.sampled_from([1, 2, 5, 1023])),
        "fetch_size": draw(st.sampled_from([None, 1, 3])),
    }


@st.composite
def arbitration(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Draw an arbitration among streams of these names, or among their queues."""
    name = draw(st.sampled_from(["round_robin", "weighted", "urgent_weighted"]))
    options: dict[str, Any] = draw(st.fixed_dictionaries({}, optional={"burst": st.sampled_from([1, 2, 8, None])}))
    if name == "urgent_weighted":
        options |= draw(st.fixed_dictionaries({}, optional=dict.fromkeys(PRIORITIES[1:], st.integers(1, 5))))
    return {
        "arbitration": name,
        "arbitration_options": options,
        "weights": {stream: draw(st.integers(1, 3)) for stream in names},
        "priorities": draw(st.dictionaries(st.sampled_from(names), st.sampled_from(PRIORITIES))),
    }


@st.composite
def interfaces(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Draw an arbitration, and an interface with its queues."""
    interface = draw(st.sampled_from(["none", "nvme", "nvme", "sata"]))
    return draw(arbitration(names)) | {"interface": interface, "nvme": draw(nvme()) if interface == "nvme" else {}}


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


def commands_go_alone(out: Any) -> None:
    """Assert that a flush or a trim has the device for itself with SATA, and that reads and writes have 32 tags."""
    spans = [(row["admitted_ns"], row["arrival_ns"] + row["response_ns"], row["op"]) for row in out.requests]
    for number, (start_ns, end_ns, op) in enumerate(spans):
        others = spans[:number] + spans[number + 1 :] if op in ("trim", "flush") else []
        assert all(went_ns <= start_ns or came_ns >= end_ns for came_ns, went_ns, _ in others)
    assert out.summary["queue_depth"]["max"] <= 32


def queue_pairs_keep_their_rules(out: Any, device: dict[str, Any], streams: int) -> None:
    """Assert that requests go through the queue pair of their stream by the rules, as far as the tables tell."""
    wanted, requests = device["host"]["nvme"], out.requests
    if device["host"]["interface"] == "sata":
        commands_go_alone(out)
    if device["host"]["interface"] != "nvme":
        assert all("submitted_ns" not in row for row in requests)
        return
    for stream in range(streams):
        rows = [row for row in requests if row["stream"] == stream]
        for row in rows:
            end_ns = row["arrival_ns"] + row["response_ns"]
            assert row["arrival_ns"] <= row["submitted_ns"] <= row["admitted_ns"] <= end_ns
        for name in ("submitted_ns", "admitted_ns"):
            assert all(first[name] <= second[name] for first, second in pairwise(rows))
        spans = [(row["submitted_ns"], row["arrival_ns"] + row["response_ns"]) for row in rows]
        outstanding = (sum(came <= start_ns < went for came, went in spans) for start_ns, _ in spans)
        assert max(outstanding, default=0) <= wanted["queue_depth"]
