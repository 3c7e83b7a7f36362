"""Random devices, policies and workloads, as nested keywords for `tiny_device.tiny_config`.

Values are drawn freely. What does not go together is mended as the rules say (`ssdsim.assembly.rules`), and what does
not fit is given blocks or filled less, as capacity says: so a device is as full as is allowed, or a little less.
"""

from copy import deepcopy
from operator import attrgetter
from random import Random
from typing import Any

import yaml
from hypothesis import strategies as st

from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import DEFAULT, refusals
from ssdsim.config import ACCESS_LATENCIES, STATIC_ORDERS
from ssdsim.config.ftl import LEVELS
from ssdsim.testing import RequestList, requests
from support.device_parts import BY_PAGE_TYPE, block_pages, page_types, physical_blocks
from support.host_interfaces import NVME_LINK, SATA_LINK, interfaces, rates
from support.tiny_device import tiny_config
from support.tiny_stacks import is_allowed, sized

SECTOR = 512
TIMES = [0.0, 0.001, 1.0, 7.5, 100.0]
DYNAMIC = ["f", "f2", "d", "round_robin"]
FLAGS = [False, True]
SIZES = dict(zip(LEVELS, ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die"), strict=True))

VALUES: dict[str, list[Any]] = {
    "hardware.channels": [1, 2],
    "hardware.chips_per_channel": [1, 2],
    "hardware.dies_per_chip": [1, 2],
    "hardware.command_unit": ["die", "chip"],
    "hardware.planes_per_die": [1, 2, 2, 3, 4],
    "hardware.page_kib": [4, 1, 0.5, 16, 31.5, 32, 64, 128],  # from 32 on there are more sectors than bits of a word
    "hardware.extra_blocks": [0, 0, 1, 3],
    "hardware.page_type_map": [*["diagonal"] * 4, "modulo"],
    "hardware.program_unit": [*["page"] * 5, "wordline"],
    "hardware.wordline_program_us": [None, *TIMES],
    "hardware.plane_reads": ["together", "together", "together", "independent"],
    "hardware.cache_read_us": [None, None, None, 0.0, 1.5],
    "hardware.cache_program_us": [None, None, None, 0.0, 1.5],
    "hardware.bus_ns_per_byte": [0.0, 0.3, 1.0],
    **{f"hardware.{op}_us": TIMES for op in ("erase", "slc_read", "slc_program", "resume")},
    **{f"hardware.{op}_suspend_us": TIMES for op in ("program", "erase")},
    **{f"hardware.{op}_plane_busy_us": TIMES for op in ("read", "program", "erase")},
    **{f"hardware.{op}_command_us": TIMES for op in ("read", "program", "erase", "copyback")},
    "flash.unprogrammed_read": ["memory", "memory", "flash"],
    "flash.bus": ["starts_first", "data_out_first", "command_first", "fcfs"],
    "flash.coalesced_read_us": [None, None, 0.0, 1.0],
    "flash.write_complete": ["program_end", "program_end", "transfer_end"],
    "flash.partial_write_turn": ["after_read", "after_read", "on_arrival"],
    "flash.collection_holds": [*["die"] * 4, "channel"],
    "flash.program_order": ["strict", "relaxed", "fps", "rps", "rps", "free"],
    "flash.wordline_buffer": FLAGS,
    "flash.multi_plane": [["read", "program", "erase", "copyback"]] * 3 + [[], ["program"], ["read", "erase"]],
    "flash.plane_groups": [None, None, 1, 2],
    "flash.joined_programs": ["same_page", "any_page"],
    "flash.plane_data": ["in_turn", "together"],
    "flash.joined_first": ["host", "same_source"],
    "flash.suspension.policy": ["never", "always"],
    "flash.suspension.operations": [["program", "erase"], ["program"], ["erase"]],
    "flash.suspension.program_least_us": TIMES,
    "flash.suspension.erase_least_us": TIMES,
    "flash.suspension.most": [1, 3, 1000],
    "scheduler.policy": [
        *["fcfs", "read_priority", "host_reads_first", "erases_last", "lowest_die_first"],
        *["paq"] * 4,
    ],
    "scheduler.page_type_aware": FLAGS,
    "scheduler.pass_limits": [[0], [3], [1, 2, 3]],
    "ftl.page_order": ["sequential", "sequential", *2 * BY_PAGE_TYPE],
    "ftl.return_to_fast_blocks": [1, 2, 3],
    "ftl.unit": [*["block"] * 5, "twin", "die", "die", "super_page", "superblock"],
    "ftl.active_blocks": ["separate", "shared", "hot_cold"],
    "ftl.hot_window_s": [1e-9, 1e-6, 1e-4, 1e-3, 7200.0],
    "ftl.hot_updates": [1, 2, 3],
    "ftl.plane_allocation": [
        *[*DYNAMIC, "chip", *STATIC_ORDERS],
        *[*DYNAMIC, "token", "by_stream", "by_stream_static"] * 4,
    ],
    "ftl.plane_allocation_at": ["admission", "admission", "dispatch"],
    "ftl.isolation.unit": LEVELS,
    "ftl.free_blocks": ["oldest", "next"],
    "ftl.next_block": [*["needed"] * 7, "filled"],
    "ftl.partial_write": ["pad", "read_modify_write"],
    "ftl.bac": FLAGS,
    "ftl.backup": [*["none"] * 4, "page_copy", "pair_parity", "block_parity"],
    "ftl.backup_pages": ["any", "fast"],
    "ftl.backup_place": ["plane", "next_channel"],
    "ftl.backup_moved": FLAGS,
    "ftl.slc_cache.blocks": [*[None] * 6, 1, 2],
    "ftl.slc_cache.free_share": [*[None] * 6, 0.3, 1.0],
    "ftl.slc_cache.when_full": ["bypass", "fold"],
    "ftl.wear_leveling.dynamic": FLAGS,
    "ftl.wear_leveling.static": FLAGS,
    "ftl.wear_leveling.static_threshold": [1, 2, 4],
    "ftl.gc.moves": [None, None, "controller", "rows", "copyback", "copyback", "parallel", "chip", "chip"],
    "ftl.gc.scope": [*["unit"] * 5, "device"],
    "ftl.gc.reserved_blocks": [*[1] * 8, 2, 3],
    "ftl.gc.holds_requests": FLAGS,
    "ftl.gc.holds_writes": FLAGS,
    "ftl.gc.paced": FLAGS,
    "ftl.gc.background_threshold": [None, None, 0.1, 0.5, 1.0],
    "ftl.gc.idle_us": [0.0, 1.0, 100.0],
    "ftl.gc.ranking": ["total", "least"],
    "ftl.gc.partner_gain": [0.0, 0.5, 1.0],
    "ftl.gc.chip_margin": [None, None, 0.0, 0.05, 0.3],
    "ftl.gc.yields_to_reads": FLAGS,
    "ftl.gc.starts_before_write": FLAGS,
    "ftl.gc.combine_writes": [False, False, True],
    "ftl.gc.victim": ["greedy", "greedy_in_order", "rga", "fifo", "random", "cost_benefit"],
    "ftl.gc.moves_in_flight": [1, 2, 16],
    "ftl.gc.joins": ["any", "same_page"],
    "ftl.gc.min_gain": [0, 0.25],
    "ftl.gc.copyback_waste": [0.25, 0.0, 0.5, 1.0],
    "buffer.replacement": ["none", "lru", "epo", "plane_lists"],
    "buffer.footprint_share": [None, None, 0.01, 0.2],
    "buffer.write_back": ["when_full", "at_once"],
    "buffer.pages_in_flight": [None, 1, 3],
    "buffer.slot_free_when": ["programmed", "evicted"],
    "buffer.access_ns": [0.0, 0.0, 50.0],
    "buffer.transfer_ns_per_byte": [0.0, 0.0, 0.5],
    "buffer.write_through": [False, False, True],
    "host.queue_depth": [1, 2, 8, 64],
    "link": [{"lanes": 0}, {"lanes": 0}, NVME_LINK, SATA_LINK],
    "link.lane_gt_s": [1.0, 8.0, 64.0],
    "link.latency_ns": [0, 150, 2000],
    "link.data_request_bytes": [None, 0, 16],
    "controller.cores": [1, 2, 3],
    **{f"controller.{op}_ns": [0, 0, 300, 5000] for op in ("read", "write", "trim")},
    "read_cache.size_mib": [0, 0, 0.01, 1.0],
    "read_cache.keeps": ["reads", "reads_and_writes"],
    # none is slower than the flash: collection that goes on and on would do so for all the time that requests take
    "dram.bandwidth_mib_s": [None, 20_000.0, 1e6],
    "dram.latency_ns": [0.0, 26.5],
    "dram.table_accesses": [0, 1, 2],
}
"""What is drawn of each key, whatever the others are."""

SCHEMES = [
    ["lsb_first"],
    ["slowest_first"],
    ["uniform"],
    ["utilization"],
    ["write_buffer", "utilization"],
    ["adaptive"],
    ["queue_depth", "utilization"],
    ["size_based", "uniform"],
    ["host_guided", "size_based", "queue_depth", "utilization"],
]
SCHEME_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "uniform": [{"order": "round_robin"}, {"order": "random"}],
    "queue_depth": [{"threshold": 0}, {"threshold": 2}, {"threshold": 10}],
    "size_based": [{}, {"kib": 4}],
}


def put(device: dict[str, Any], key: str, value: Any) -> None:
    """Set a dotted key."""
    *sections, name = key.split(".")
    for section in sections:
        device = device.setdefault(section, {})
    device[name] = value


def mended(device: dict[str, Any], names: tuple[str, ...], random: Random) -> dict[str, Any]:
    """Return `device` for streams of these names, of which all goes together.

    What does not go with a feature is set as the rules advise, once, or the feature is left out.
    """
    streams = {name: RequestList(rows=[]) for name in names[1:]}
    set_before = set()
    for _ in range(100):
        refusal = next(refusals(Parts(tiny_config({**device, "workloads": streams}))), None)
        if refusal is None:
            return device
        feature, wrong = refusal.keys
        if "{right}" in refusal.rule.remedy and wrong not in set_before and random.random() < 0.5:
            set_before.add(wrong)
            put(device, wrong, yaml.safe_load(refusal.right))
        elif feature == "ftl.page_type":  # orders by page type need schemes, and others heed none
            device["ftl"]["page_type"] = [] if device["ftl"].get("page_type") else ["uniform"]
        else:
            put(device, feature, attrgetter(feature)(DEFAULT))
    raise AssertionError(f"{refusal} is mended in vain")


@st.composite
def devices(draw: st.DrawFn, names: tuple[str, ...] = ("main",)) -> dict[str, Any]:
    """Draw a device with its policies for streams of these names, preconditioned or not."""
    device: dict[str, Any] = {"seed": draw(st.integers(0, 2**32))}
    random = Random(device["seed"])  # as Hypothesis would have most of so many choices be those of the last device
    for key, values in VALUES.items():
        put(device, key, deepcopy(random.choice(values)))
    flash, ftl, buffer = device["hardware"], device["ftl"], device["buffer"]
    bits = draw(st.sampled_from([3, 2, 2, 1, 1, 4]))
    times = st.lists(st.sampled_from(TIMES), min_size=bits, max_size=bits) | st.sampled_from([[t] for t in TIMES])
    flash |= {
        "pages_per_block": draw(st.integers(1, 3)) * bits,
        "bits_per_cell": bits,
        "bits_used": draw(st.sampled_from([None, None, None, *range(1, bits + 1)])),
        "read_us": draw(times),
        "program_us": draw(times),
    }
    buffer["size_mib"] = draw(st.integers(1, 12)) * flash["page_kib"] / 1024
    if page_types(flash) == 1:
        ftl["slc_cache"] = {}
    if ftl["unit"] == "die":
        buffer["replacement"] = draw(st.sampled_from(["epo", "plane_lists"]))
    ftl["gc"]["combine_writes"] &= ftl["unit"] == "die"
    if ftl["page_order"] in BY_PAGE_TYPE:
        has_buffer = buffer["replacement"] != "none"  # which adaptive goes by
        schemes = st.sampled_from([each for each in SCHEMES if has_buffer or each != ["adaptive"]])
        ftl["page_type"], ftl["gc"]["page_type"] = draw(schemes), draw(schemes)
        named = [name for name in ftl["page_type"] if name in SCHEME_OPTIONS]
        ftl["page_type_options"] = {name: draw(st.sampled_from(SCHEME_OPTIONS[name])) for name in named}
    device["precondition"] = {"mode": "none"}
    device = mended(device, names, random)
    if device["scheduler"]["policy"] == "paq":
        device["scheduler"]["options"] = {"pass_limit": draw(st.integers(0, 5))}
    if any(flash[name] not in (None, "together") for name in ("plane_reads", "cache_read_us", "cache_program_us")):
        # commands that begin in one instant could not be told apart
        flash["read_command_us"] = max(flash["read_command_us"], 0.001)
    device = sized_device(draw, device)
    device = mended(device | {"precondition": draw(preconditions(device))}, names, random)
    if ftl["plane_allocation"].startswith("by_stream") and draw(st.booleans()):
        numbers = st.lists(st.integers(0, flash[SIZES[ftl["isolation"]["unit"]]] - 1), min_size=1, unique=True)
        ftl["isolation"]["units"] = {name: draw(numbers) for name in names}
    return device


def sized_device(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Give `device` thresholds of collection, and as many blocks as these take, at least, for some data."""
    flash, gc = device["hardware"], device["ftl"]["gc"]
    triggers = ["free_blocks", "spare_blocks"] + ["free_pages"] * (gc["reserved_blocks"] == 1)
    trigger, share = draw(st.sampled_from(triggers)), draw(st.sampled_from([0.5, 0.8, 1.0]))
    hard = gc["reserved_blocks"] + draw(st.integers(1, 2))
    soft, slack = hard + draw(st.integers(0, 2)), draw(st.integers(0, 6))
    for blocks in range(soft + 2 + draw(st.integers(0, 3)), 200):
        flash["blocks_per_plane"] = blocks
        whole = physical_blocks(flash)
        limits = {"free_blocks": (soft, hard), "free_pages": (soft / whole, hard / whole), "spare_blocks": (share, 0.5)}
        gc |= {"trigger": trigger, "soft_threshold": limits[trigger][0], "hard_threshold": limits[trigger][1]}
        config = sized(tiny_config(device), slack)
        if is_allowed(config):
            flash["over_provisioning"] = config.hardware.over_provisioning
            return device
    raise AssertionError("no number of blocks is enough")


@st.composite
def preconditions(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Draw the state of the device before the first request; it may have to be reached as time passes."""
    flash, config = device["hardware"], tiny_config(device)
    blocks, pages = physical_blocks(flash), block_pages(flash)
    cache = config.ftl.slc_cache
    aside = Parts(config).backup_blocks + (cache.blocks or 0) + (cache.free_share is not None)
    fullest = blocks - aside - config.ftl.gc.reserved_blocks - 1
    filled = draw(st.integers(0, fullest))
    filled_to = draw(st.none() | st.integers(filled, fullest))
    most = max(filled, filled_to or 0) * pages
    logical, valid = config.hardware.logical_pages_per_plane, draw(st.sampled_from([0, 0.5, 1]))
    return {
        "mode": draw(st.sampled_from(["none", "none", "fill", "fill", "writes"])),
        "fill_share": filled / blocks,
        "fill_share_to": None if filled_to is None else filled_to / blocks,
        "valid_share": int(valid * min(logical / most if most else 1, 1) * 1000) / 1000,
        "valid_reads": False,
        "timed": draw(st.booleans()),
        "max_windows": 2,
    }


@st.composite
def power_losses(draw: st.DrawFn) -> dict[str, Any]:
    """Draw when power is lost, and whether the write buffer has a capacitor."""
    at_s = st.sampled_from([0.0, 1e-6, 1e-4, 1e-3, 0.01])
    moment = draw(
        st.fixed_dictionaries({"at_s": at_s}) | st.fixed_dictionaries({"after_programs": st.integers(1, 300)})
    )
    return moment | {"capacitor": draw(st.booleans())}


@st.composite
def streams_of_requests(draw: st.DrawFn, capacity: int, page_bytes: int) -> dict[str, Any]:
    """Draw a stream as keywords of a list of requests; in a closed loop one in sixteen has an idle time before it."""
    rows, depth = draw(requests(capacity, page_bytes, 200)), draw(st.none() | st.integers(1, 32))
    if depth:
        rows = [(at * (index % 16 == 15), *rest) for index, (at, *rest) in enumerate(rows)]
    return {"rows": rows, "queue_depth": depth, "fua_every": draw(st.sampled_from([0, 0, 1, 3]))}


@st.composite
def experiments(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw a device, its host queue, and one to three streams, each as keywords of a list of requests."""
    names = ["main", "second", "third"][: draw(st.integers(1, 3))]
    device = draw(devices(tuple(names)))
    device["host"] |= draw(interfaces(names)) | {
        "rates": draw(rates(names)),
        "access_latency": draw(st.dictionaries(st.sampled_from(names), st.sampled_from(ACCESS_LATENCIES))),
    }
    hardware = tiny_config(device).hardware
    streams = streams_of_requests(hardware.capacity_bytes, hardware.page_bytes)
    return device, [draw(streams) for _ in names]
