"""Random devices, policies and workloads, as nested keywords for `conftest.tiny_config`."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ssdsim.config import ACCESS_LATENCIES, STATIC_ORDERS, PageTypeSwitch

SECTOR = 512

TIMES = st.sampled_from([0.0, 0.001, 1.0, 7.5, 100.0])
VICTIMS = ["greedy", "rga", "fifo", "random", "cost_benefit"]
SCHEMES = st.sampled_from(
    [
        ["lsb_first"],
        ["uniform"],
        ["utilization"],
        ["write_buffer"],
        ["queue_depth", "utilization"],
        ["size_based", "uniform"],
        ["host_guided", "size_based", "queue_depth", "utilization"],
    ]
)
SCHEME_OPTIONS = st.fixed_dictionaries(
    {
        "uniform": st.sampled_from([{"order": "round_robin"}, {"order": "random"}]),
        "queue_depth": st.sampled_from([{"threshold": 0}, {"threshold": 2}, {"threshold": 10}]),
        "size_based": st.sampled_from([{"sub_requests": 1}, {"sub_requests": 3}, {"kib": 4}]),
    }
)


@st.composite
def hardware(draw: st.DrawFn, bits: int, used: int | None, spare_blocks: int, least_blocks: int) -> dict[str, Any]:
    """Draw a tiny geometry, up to the fullest that leaves so many blocks a plane without data."""
    wordlines = draw(st.integers(1, 3))
    pages = wordlines * (used or bits)
    blocks = max(spare_blocks + draw(st.integers(1, 4)), least_blocks)
    most = (blocks - spare_blocks) * pages
    logical = most - min(draw(st.integers(0, 6)), most - 1)
    times = st.lists(TIMES, min_size=bits, max_size=bits) | st.lists(TIMES, min_size=1, max_size=1)
    commands = dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us"), draw(TIMES))
    return {
        "channels": draw(st.integers(1, 2)),
        "chips_per_channel": draw(st.integers(1, 2)),
        "dies_per_chip": draw(st.integers(1, 2)),
        "planes_per_die": draw(st.integers(1, 2)),
        "blocks_per_plane": blocks,
        "pages_per_block": wordlines * bits,
        "page_kib": draw(st.sampled_from([1, 4])),
        "bits_per_cell": bits,
        "bits_used": used,
        "read_us": draw(times),
        "program_us": draw(times),
        "erase_us": draw(TIMES),
        "bus_ns_per_byte": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "over_provisioning": 1 - logical / (blocks * pages),
        **commands,
    }


def block_pages(flash: dict[str, Any]) -> int:
    """Return how many pages of a block are in use."""
    return flash["pages_per_block"] // flash["bits_per_cell"] * page_types(flash)


def page_types(flash: dict[str, Any]) -> int:
    """Return how many page types are in use."""
    return flash["bits_used"] or flash["bits_per_cell"]


@st.composite
def collection(draw: st.DrawFn, soft_blocks: int, hard_blocks: int, blocks: int) -> dict[str, Any]:
    """Draw a victim policy with thresholds of so many blocks."""
    by_pages = draw(st.booleans())
    unit = blocks if by_pages else 1
    return {
        "victim": draw(st.sampled_from(VICTIMS)),
        "trigger": "free_pages" if by_pages else "free_blocks",
        "soft_threshold": soft_blocks / unit,
        "hard_threshold": hard_blocks / unit,
        "moves_in_flight": draw(st.sampled_from([1, 2, 16])),
        "page_type": draw(SCHEMES),
    }


@st.composite
def block_allocation(draw: st.DrawFn, by_type: bool) -> dict[str, Any]:
    """Draw a conventional write frontier, or one by page type with the schemes that specify types."""
    if not by_type:
        return {"block_allocation": "sequential"}
    return {
        "block_allocation": "page_type",
        "page_type": draw(SCHEMES),
        "page_type_options": draw(SCHEME_OPTIONS),
    }


@st.composite
def devices(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a device with its policies, preconditioned or not; every other one places data by page type."""
    by_type = draw(st.booleans())
    bits = draw(st.sampled_from([3, 2, 1, 4]))
    used = draw(st.sampled_from([None, None, None, *range(1, bits + 1)]))
    active_blocks = draw(st.sampled_from(["separate", "shared"]))
    active = (2 if active_blocks == "separate" else 1) * ((used or bits) if by_type else 1)
    soft = draw(st.integers(2, 4))
    hard = draw(st.integers(2, soft))
    min_gain = draw(st.sampled_from([0, 0.25]))
    flash = draw(hardware(bits, used, active + (hard if min_gain else soft), soft + 1))
    blocks, pages = flash["blocks_per_plane"], block_pages(flash)
    filled = draw(st.integers(0, blocks - 2))
    logical = round(blocks * pages * (1 - flash["over_provisioning"]))
    most_valid = min(logical / (filled * pages), 1) if filled else 1
    return {
        "seed": draw(st.integers(0, 2**32)),
        "hardware": flash,
        "flash": {
            "unprogrammed_read": draw(st.sampled_from(["memory", "flash"])),
            "bus": draw(st.sampled_from(["starts_first", "data_out_first", "command_first", "fcfs"])),
            "coalesced_read_us": draw(st.sampled_from([None, None, 0.0, 1.0])),
            "write_complete": draw(st.sampled_from(["program_end", "transfer_end"])),
            "multi_plane": draw(st.lists(st.sampled_from(["read", "program", "erase"]), unique=True)),
            "plane_groups": draw(st.sampled_from([None, 1, 2])),
            "program_order": draw(st.sampled_from(["strict", "relaxed"])),
            "wordline_buffer": draw(st.booleans()),
        },
        "scheduler": {
            "policy": draw(st.sampled_from(["fcfs", "read_priority"])),
            "page_type_aware": draw(st.booleans()),
            "pass_limits": draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)),
        },
        "ftl": {
            "plane_allocation": draw(st.sampled_from(["round_robin", *STATIC_ORDERS])),
            "active_blocks": active_blocks,
            "partial_write": draw(st.sampled_from(["pad", "read_modify_write"])),
            "gc": draw(collection(soft, hard, blocks)) | {"min_gain": min_gain},
            "wear_leveling": {
                "dynamic": draw(st.booleans()),
                "static": draw(st.booleans()),
                "static_threshold": draw(st.integers(1, 4)),
            },
            **draw(block_allocation(by_type)),
        },
        "precondition": {
            "mode": draw(st.sampled_from(["none", "fill"])),
            "fill_share": filled / blocks,
            "valid_share": int(draw(st.sampled_from([0, 0.5, 1])) * most_valid * 1000) / 1000,
            "valid_reads": False,
        },
    }


@st.composite
def page_types_of_streams(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Draw page-type schemes for single streams, and switches to others in the middle of the run."""
    switched = st.builds(
        PageTypeSwitch,
        at_s=st.sampled_from([0.0, 1e-5, 1e-4, 1e-3]),
        page_type=SCHEMES,
        stream=st.none() | st.sampled_from(names),
    )
    return {
        "page_type_by_stream": draw(st.dictionaries(st.sampled_from(names), SCHEMES, max_size=2)),
        "page_type_switches": draw(st.lists(switched, max_size=2)),
    }


@st.composite
def write_buffer(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Draw a write buffer of a few pages, or none; none where a list of schemes counts on that."""
    ftl = device["ftl"]
    asked = [ftl["gc"]["page_type"], ftl.get("page_type"), *ftl.get("page_type_by_stream", {}).values()]
    asked += [switch.page_type for switch in ftl.get("page_type_switches", [])]
    policies = ["none"] if ["write_buffer"] in asked else ["none", "lru", "epo", "plane_lists"]
    return {
        "replacement": draw(st.sampled_from(policies)),
        "size_mib": draw(st.integers(1, 8)) * device["hardware"]["page_kib"] / 1024,
    }


def logical_bytes(device: dict[str, Any]) -> int:
    """Return the capacity of a device that `devices` drew."""
    flash = device["hardware"]
    planes = flash["channels"] * flash["chips_per_channel"] * flash["dies_per_chip"] * flash["planes_per_die"]
    pages = flash["blocks_per_plane"] * block_pages(flash)
    return int(pages * (1 - flash["over_provisioning"]) + 1e-9) * planes * flash["page_kib"] * 1024


@st.composite
def requests(draw: st.DrawFn, capacity: int, most: int = 300) -> list[tuple[int, str, int, int]]:
    """Draw requests in order of arrival: bursts on few pages or all, whole pages or odd sectors, all operations."""
    count = draw(st.integers(1, most))
    spread = draw(st.sampled_from([0, 1, 1000, 200_000]))
    whole = draw(st.booleans())
    footprint = draw(st.sampled_from([0.1, 1.0]))
    share = draw(st.sampled_from([(0, 1, 0, 0), (0.3, 0.7, 0, 0), (0.25, 0.6, 0.1, 0.05)]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    unit = 4096 if whole else SECTOR
    unit = min(unit, capacity)
    units = max(int(capacity * footprint) // unit, 1)
    size = 1 + np.minimum(random.geometric(0.3, count), units) - 1
    first = random.integers(0, units - size + 1)
    arrival = np.cumsum(random.integers(0, spread + 1, count) * (random.random(count) < 0.5))
    op = random.choice(["read", "write", "trim", "flush"], p=share, size=count)
    unsized = op == "flush"
    offset, length = np.where(unsized, 0, first * unit), np.where(unsized, 0, size * unit)
    return list(zip(arrival.tolist(), op.tolist(), offset.tolist(), length.tolist(), strict=True))


@st.composite
def experiments(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw a device, its host queue, and one to three streams, each as keywords of a list of requests."""
    device = draw(devices())
    streams = draw(st.integers(1, 3))
    depth = st.none() | st.integers(1, 32)
    names = ["main", "second", "third"][:streams]
    device["host"] = {
        "queue_depth": draw(st.sampled_from([1, 2, 8, 64])),
        "arbitration": draw(st.sampled_from(["round_robin", "weighted"])),
        "weights": {name: draw(st.integers(1, 3)) for name in names},
        "access_latency": draw(st.dictionaries(st.sampled_from(names), st.sampled_from(ACCESS_LATENCIES))),
    }
    if device["ftl"]["block_allocation"] == "page_type":
        device["ftl"] |= draw(page_types_of_streams(names))
    device["buffer"] = draw(write_buffer(device))
    capacity = logical_bytes(device)
    loads = [{"rows": draw(requests(capacity)), "queue_depth": draw(depth)} for _ in names]
    return device, loads
