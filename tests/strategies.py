"""Random devices, policies and workloads, as nested keywords for `conftest.tiny_config`."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ssdsim.config import STATIC_ORDERS

SECTOR = 512

TIMES = st.sampled_from([0.0, 0.001, 1.0, 7.5, 100.0])
VICTIMS = ["greedy", "rga", "fifo", "random", "cost_benefit"]


@st.composite
def hardware(draw: st.DrawFn, active: int, soft_blocks: int) -> dict[str, Any]:
    """Draw a tiny geometry, up to the fullest that `active` blocks a plane and a soft threshold leave room for."""
    bits = draw(st.integers(1, 3))
    pages = bits * draw(st.integers(1, 3))
    blocks = active + soft_blocks + draw(st.integers(1, 4))
    most = (blocks - active - soft_blocks) * pages
    logical = most - min(draw(st.integers(0, 6)), most - 1)
    times = st.lists(TIMES, min_size=bits, max_size=bits) | st.lists(TIMES, min_size=1, max_size=1)
    commands = dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us"), draw(TIMES))
    return {
        "channels": draw(st.integers(1, 2)),
        "chips_per_channel": draw(st.integers(1, 2)),
        "dies_per_chip": draw(st.integers(1, 2)),
        "planes_per_die": draw(st.integers(1, 2)),
        "blocks_per_plane": blocks,
        "pages_per_block": pages,
        "page_kib": draw(st.sampled_from([1, 4])),
        "bits_per_cell": bits,
        "read_us": draw(times),
        "program_us": draw(times),
        "erase_us": draw(TIMES),
        "bus_ns_per_byte": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "over_provisioning": 1 - logical / (blocks * pages),
        **commands,
    }


@st.composite
def collection(draw: st.DrawFn, soft_blocks: int, blocks: int) -> dict[str, Any]:
    """Draw a victim policy and thresholds of which the soft one is `soft_blocks`."""
    hard = draw(st.integers(2, soft_blocks))
    by_pages = draw(st.booleans())
    unit = blocks if by_pages else 1
    return {
        "victim": draw(st.sampled_from(VICTIMS)),
        "trigger": "free_pages" if by_pages else "free_blocks",
        "soft_threshold": soft_blocks / unit,
        "hard_threshold": hard / unit,
        "moves_in_flight": draw(st.sampled_from([1, 2, 16])),
    }


@st.composite
def devices(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a device with its policies, preconditioned or not."""
    active_blocks = draw(st.sampled_from(["separate", "shared"]))
    soft = draw(st.integers(2, 4))
    flash = draw(hardware(2 if active_blocks == "separate" else 1, soft))
    blocks = flash["blocks_per_plane"]
    filled = draw(st.integers(0, blocks - 2))
    logical = round(blocks * flash["pages_per_block"] * (1 - flash["over_provisioning"]))
    most_valid = min(logical / (filled * flash["pages_per_block"]), 1) if filled else 1
    return {
        "seed": draw(st.integers(0, 2**32)),
        "hardware": flash,
        "flash": {
            "scheduler": draw(st.sampled_from(["fcfs", "read_priority"])),
            "unprogrammed_read": draw(st.sampled_from(["memory", "flash"])),
            "bus": draw(st.sampled_from(["starts_first", "data_out_first", "command_first", "fcfs"])),
            "coalesced_read_us": draw(st.sampled_from([None, None, 0.0, 1.0])),
            "write_complete": draw(st.sampled_from(["program_end", "transfer_end"])),
        },
        "ftl": {
            "plane_allocation": draw(st.sampled_from(["round_robin", *STATIC_ORDERS])),
            "active_blocks": active_blocks,
            "partial_write": draw(st.sampled_from(["pad", "read_modify_write"])),
            "gc": draw(collection(soft, blocks)),
            "wear_leveling": {
                "dynamic": draw(st.booleans()),
                "static": draw(st.booleans()),
                "static_threshold": draw(st.integers(1, 4)),
            },
        },
        "precondition": {
            "mode": draw(st.sampled_from(["none", "fill"])),
            "fill_share": filled / blocks,
            "valid_share": int(draw(st.sampled_from([0, 0.5, 1])) * most_valid * 1000) / 1000,
            "valid_reads": False,
        },
    }


def logical_bytes(device: dict[str, Any]) -> int:
    """Return the capacity of a device that `devices` drew."""
    flash = device["hardware"]
    planes = flash["channels"] * flash["chips_per_channel"] * flash["dies_per_chip"] * flash["planes_per_die"]
    pages = flash["blocks_per_plane"] * flash["pages_per_block"]
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
    }
    capacity = logical_bytes(device)
    loads = [{"rows": draw(requests(capacity)), "queue_depth": draw(depth)} for _ in names]
    return device, loads
