"""Random parts of a device, as nested keywords for `tiny_device.tiny_config`: flash, placement, collection, buffer."""

from math import ceil
from typing import Any

from hypothesis import strategies as st

from ssdsim.config import STATIC_ORDERS

TIMES = st.sampled_from([0.0, 0.001, 1.0, 7.5, 100.0])
JOINED = ["read", "program", "erase"]
VICTIMS = ["greedy", "greedy_in_order", "rga", "fifo", "random", "cost_benefit"]
DYNAMIC = ["f", "f2", "d", "round_robin"]
PLANE_ALLOCATIONS = [*DYNAMIC, "chip", "token", *STATIC_ORDERS]
POLICIES = ["fcfs", "read_priority", "host_reads_first", "erases_last", "lowest_die_first"]
DIE_BUFFERS = ["epo", "plane_lists"]
PAGE_SIZES = [4, 1, 0.5, 16, 31.5, 32, 64, 128]
"""In KiB; those from 32 on have more sectors than a word has bits."""

BY_PAGE_TYPE = ["page_type", "two_phase", "return_to_fast"]
"""Frontiers that need schemes of page types."""

SCHEMES = st.sampled_from(
    [
        ["lsb_first"],
        ["slowest_first"],
        ["uniform"],
        ["utilization"],
        ["write_buffer", "uniform"],
        ["queue_depth", "utilization"],
        ["size_based", "uniform"],
        ["host_guided", "size_based", "queue_depth", "utilization"],
    ]
)
SCHEME_OPTIONS = st.fixed_dictionaries(
    {
        "uniform": st.sampled_from([{"order": "round_robin"}, {"order": "random"}]),
        "queue_depth": st.sampled_from([{"threshold": 0}, {"threshold": 2}, {"threshold": 10}]),
        "size_based": st.sampled_from([{}, {"kib": 4}]),
    }
)


@st.composite
def placement(draw: st.DrawFn) -> dict[str, Any]:
    """Draw how pages find their place: a frontier, the unit of writing, and who shares its blocks."""
    order = draw(st.sampled_from(["sequential", "sequential", "page_type", "two_phase", "return_to_fast"]))
    drawn: dict[str, Any] = {
        "page_order": order,
        "unit": draw(st.sampled_from(["block", "block", "twin", "die", "die", "super_page"])),
        "active_blocks": draw(st.sampled_from(["separate", "shared", "hot_cold"])),
        "hot_window_s": draw(st.sampled_from([1e-9, 1e-6, 1e-4, 1e-3, 7200.0])),
        "hot_updates": draw(st.integers(1, 3)),
        "return_to_fast_blocks": draw(st.integers(1, 3)),
    }
    if order == "return_to_fast":
        drawn["active_blocks"] = draw(st.sampled_from(["separate", "shared"]))
    if order in BY_PAGE_TYPE:
        schemes, options = draw(SCHEMES), draw(SCHEME_OPTIONS)
        drawn |= {
            "page_type": schemes,
            "page_type_options": {each: options[each] for each in options if each in schemes},
        }
    return drawn


def partial_write_turns(backup: str) -> list[str]:
    """Return when writes of parts of pages may take their turn: not on arrival where pages are backed up beforehand."""
    return ["after_read", "on_arrival"] if backup in ("none", "block_parity") else ["after_read"]


def active_blocks(ftl: dict[str, Any], flash: dict[str, Any]) -> int:
    """Return how many blocks of a plane are active at most."""
    if ftl["page_order"] == "return_to_fast":
        return int(ftl["return_to_fast_blocks"])
    types = page_types(flash) if ftl["page_order"] in BY_PAGE_TYPE else 1
    return types * (1 if ftl["active_blocks"] == "shared" else 2)


@st.composite
def backup(draw: st.DrawFn, ftl: dict[str, Any], flash: dict[str, Any]) -> str:
    """Draw a backup of paired pages that goes with the placement in `ftl`, or none."""
    policies = ["none"]
    if page_types(flash) <= 2:
        policies.append("page_copy")
        one_writer = {"sequential": "pair_parity", "two_phase": "block_parity"}.get(ftl["page_order"])
        if one_writer and ftl["active_blocks"] == "shared":
            policies += 2 * [one_writer]
    return draw(st.sampled_from(policies))


@st.composite
def ways_of_backup(draw: st.DrawFn, name: str, channels: int) -> dict[str, Any]:
    """Draw where the backups called `name` go, and whether moved pages have any."""
    return {
        "backup_pages": draw(st.sampled_from(["any", "fast"])),
        "backup_place": draw(st.sampled_from(["plane", "next_channel"] if channels > 1 else ["plane"])),
        "backup_moved": name != "page_copy" or draw(st.booleans()),
    }


@st.composite
def plane_allocation(draw: st.DrawFn, ftl: dict[str, Any], moves: str | None) -> dict[str, Any]:
    """Draw a plane allocation that goes with a unit of blocks and moves, and when a write is given its plane."""
    mixes = ftl["unit"] != "block" or moves in ("parallel", "chip")
    names = [n for n in PLANE_ALLOCATIONS if n != "token"] if mixes else PLANE_ALLOCATIONS + 4 * ["token"]
    name = draw(st.sampled_from(names + 4 * DYNAMIC))
    moments = ["admission", "dispatch"] if name in DYNAMIC else ["admission"]
    return {"plane_allocation": name, "plane_allocation_at": draw(st.sampled_from(moments))}


def set_aside(name: str) -> int:
    """Return the blocks of a plane that a backup of so few page types takes."""
    return 0 if name == "none" else 2


def orders(ftl: dict[str, Any], backed_up: bool) -> list[str]:
    """Return the program orders that go with a frontier, and with backups if there are any."""
    if ftl["page_order"] == "two_phase":
        return ["relaxed", "rps"]
    return ["strict", "relaxed", "fps", "rps"] + ([] if backed_up else ["free"])


@st.composite
def cells(draw: st.DrawFn) -> dict[str, Any]:
    """Draw wordlines of some bits a cell, not all of them in use, and the planes of a die."""
    bits = draw(st.sampled_from([3, 2, 1, 1, 4]))
    return {
        "pages_per_block": draw(st.integers(1, 3)) * bits,
        "bits_per_cell": bits,
        "bits_used": draw(st.sampled_from([None, None, None, *range(1, bits + 1)])),
        "planes_per_die": draw(st.sampled_from([1, 2, 2, 3, 4])),
    }


@st.composite
def hardware(draw: st.DrawFn, flash: dict[str, Any], spare: int, least: int, rows: bool) -> dict[str, Any]:
    """Complete `flash` to a tiny device, up to the fullest that leaves `spare` blocks of a plane without data.

    A plane has at least `least` blocks. Where the host writes `rows`, pages that make up none are left over, too.
    """
    pages, planes, bits = block_pages(flash), flash["planes_per_die"], flash["bits_per_cell"]
    blocks = max(spare + draw(st.integers(1, 4)), least)
    most = 0
    while most < 1:
        lost = (1 - 1 / planes) * blocks if rows else 0
        most = int((blocks - spare) * pages - lost - 1e-6 + (not rows))
        blocks += most < 1
    logical = most - min(draw(st.integers(0, 6)), most - 1)
    extra = draw(st.just(0) | st.integers(0, blocks - ceil(logical / pages)))
    times = st.lists(TIMES, min_size=bits, max_size=bits) | st.lists(TIMES, min_size=1, max_size=1)
    names = ("read_command_us", "program_command_us", "erase_command_us", "copyback_command_us")
    commands = dict.fromkeys(names, draw(TIMES)) | {f"{op}_plane_busy_us": draw(TIMES) for op in JOINED}
    return {
        **flash,
        "channels": draw(st.integers(1, 2)),
        "chips_per_channel": draw(st.integers(1, 2)),
        "dies_per_chip": draw(st.integers(1, 2)),
        "blocks_per_plane": blocks - extra,
        "extra_blocks": extra,
        "page_kib": draw(st.sampled_from(PAGE_SIZES)),
        "read_us": draw(times),
        "program_us": draw(times),
        "erase_us": draw(TIMES),
        "bus_ns_per_byte": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "over_provisioning": 1 - logical / ((blocks - extra) * pages),
        **commands,
    }


def physical_blocks(flash: dict[str, Any]) -> int:
    """Return the blocks of a plane, extra ones included."""
    return int(flash["blocks_per_plane"] + flash["extra_blocks"])


def block_pages(flash: dict[str, Any]) -> int:
    """Return how many pages of a block are in use."""
    return flash["pages_per_block"] // flash["bits_per_cell"] * page_types(flash)


def page_types(flash: dict[str, Any]) -> int:
    """Return how many page types are in use."""
    return flash["bits_used"] or flash["bits_per_cell"]


def logical_pages_per_plane(flash: dict[str, Any]) -> int:
    """Return the logical pages that there are for each plane."""
    return int(flash["blocks_per_plane"] * block_pages(flash) * (1 - flash["over_provisioning"]) + 1e-9)


def logical_bytes(flash: dict[str, Any]) -> int:
    """Return the capacity of a device."""
    planes = flash["channels"] * flash["chips_per_channel"] * flash["dies_per_chip"] * flash["planes_per_die"]
    return int(logical_pages_per_plane(flash) * planes * flash["page_kib"] * 1024)


@st.composite
def collection(
    draw: st.DrawFn, ftl: dict[str, Any], backup: str, soft: int, hard: int, blocks: int, spare: float
) -> dict[str, Any]:
    """Draw a collector for the frontier and the unit of writing in `ftl`, with thresholds of so many blocks.

    A plane has so many `blocks`, of which `spare` are free when every logical page holds data.
    """
    triggers = {"free_blocks": 1, "free_pages": blocks} | ({"spare_blocks": spare} if soft <= spare else {})
    trigger = draw(st.sampled_from(sorted(triggers)))
    unit = triggers[trigger]
    moves = [None, "controller" if ftl["unit"] in ("block", "twin") else "rows"]
    if ftl["unit"] == "block" and ftl["page_order"] != "return_to_fast" and backup == "none":
        moves.append("copyback")
    if ftl["unit"] == "block" and ftl["page_order"] == "sequential":
        moves += ["parallel", "chip", "chip"]
    chosen = draw(st.sampled_from(moves))
    scopes = ["unit"]
    if chosen == "chip":
        scopes = ["device"]
    elif ftl["unit"] == "block" and ftl["page_order"] == "sequential" and chosen != "parallel":
        scopes.append("device")
    combines = draw(st.booleans()) if ftl["unit"] == "die" else False
    alone: dict[str, Any] = {}
    singly = chosen == "controller" or (chosen is None and ftl["unit"] == "block")
    if singly and ftl["page_order"] == "sequential":
        reserved = 1 if trigger == "free_pages" else draw(st.integers(1, hard - 1))
        if reserved > 1:  # victims are collected side by side
            alone = {"reserved_blocks": reserved, "scope": "unit", "holds_requests": False, "holds_writes": False}
            alone |= {"background_threshold": None, "chip_margin": None}
    return {
        "moves": chosen,
        "scope": draw(st.sampled_from(scopes)),
        "holds_requests": draw(st.booleans()),
        "background_threshold": None if combines else draw(st.sampled_from([None, None, 0.1, 0.5, 1.0])),
        "idle_us": draw(st.sampled_from([0.0, 1.0, 100.0])),
        "ranking": draw(st.sampled_from(["total", "least"])) if ftl["unit"] == "twin" else "total",
        "partner_gain": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "chip_margin": draw(st.sampled_from([None, None, 0.0, 0.05, 0.3])),
        "holds_writes": draw(st.booleans()),
        "yields_to_reads": draw(st.booleans()),
        "starts_before_write": draw(st.booleans()),
        "combine_writes": combines,
        "victim": draw(st.sampled_from(VICTIMS)),
        "trigger": trigger,
        "soft_threshold": soft / unit,
        "hard_threshold": hard / unit,
        "moves_in_flight": draw(st.sampled_from([1, 2, 16])),
        "page_type": draw(SCHEMES),
        **alone,
    }


@st.composite
def joining(draw: st.DrawFn) -> dict[str, Any]:
    """Draw which operations are joined into multi-plane commands, and in which planes."""
    operations = st.lists(st.sampled_from(["read", "program", "erase", "copyback"]), unique=True)
    return {
        "multi_plane": draw(st.just(["program", "read", "erase", "copyback"]) | operations),
        "plane_groups": draw(st.sampled_from([None, None, 1, 2])),
        "joined_programs": draw(st.sampled_from(["same_page", "any_page"])),
        "plane_data": draw(st.sampled_from(["in_turn", "together"])),
        "joined_first": draw(st.sampled_from(["host", "same_source"])),
    }


@st.composite
def scheduler(draw: st.DrawFn, joins: bool) -> dict[str, Any]:
    """Draw a policy of the scheduler; `joins` says that there are multi-plane commands."""
    if joins and draw(st.booleans()):
        return {"policy": "paq", "options": {"pass_limit": draw(st.integers(0, 5))}}
    if not draw(st.integers(0, 4)):
        options = {"epoch_ms": st.sampled_from([0.01, 10.0]), "fairness_threshold": st.sampled_from([0, 0.6, 1])}
        return {"policy": "flin", "options": draw(st.fixed_dictionaries({}, optional=options))}
    return {
        "policy": draw(st.sampled_from(POLICIES)),
        "page_type_aware": draw(st.booleans()),
        "pass_limits": draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)),
    }


@st.composite
def write_buffer(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Draw a write buffer of a few pages, or none; dies are written by rows, from a buffer."""
    policies = DIE_BUFFERS if device["ftl"]["unit"] == "die" else ["none", "lru", *DIE_BUFFERS]
    return {
        "replacement": draw(st.sampled_from(policies)),
        "size_mib": (pages := draw(st.integers(1, 12))) * device["hardware"]["page_kib"] / 1024,
        "footprint_share": draw(st.sampled_from([None, None, 0.01, 0.2])),
        "write_back": draw(st.sampled_from(["when_full", "at_once"])),
        "pages_in_flight": draw(st.sampled_from([None, 1, 3])),
        "slot_free_when": ("programmed", "evicted")[pages % 2],
    }


@st.composite
def precondition(draw: st.DrawFn, flash: dict[str, Any], aside: int, timed: bool) -> dict[str, Any]:
    """Draw the state of the device before the first request; it may have to be reached as time passes."""
    blocks, pages = physical_blocks(flash), block_pages(flash)
    fullest = blocks - aside - 2
    filled = draw(st.integers(0, fullest))
    filled_to = draw(st.none() | st.integers(filled, fullest))
    most = max(filled, filled_to or 0) * pages
    valid = draw(st.sampled_from([0, 0.5, 1]))
    return {
        "mode": draw(st.sampled_from(["none", "none", "fill", "fill", "writes"])),
        "fill_share": filled / blocks,
        "fill_share_to": None if filled_to is None else filled_to / blocks,
        "valid_share": int(valid * min(logical_pages_per_plane(flash) / most if most else 1, 1) * 1000) / 1000,
        "valid_reads": False,
        "timed": timed or draw(st.booleans()),
        "max_windows": 2,
    }
