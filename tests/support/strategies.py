"""Random devices, policies and workloads, as nested keywords for `tiny_device.tiny_config`."""

from typing import Any

from hypothesis import strategies as st

from ssdsim.config import ACCESS_LATENCIES
from ssdsim.testing import requests
from support import chips, host_interfaces, isolations, slc_caches
from support import device_parts as parts
from support.controllers import in_front
from support.device_parts import logical_bytes
from support.forced_writes import forced, written_through
from support.lanes import side_by_side
from support.rates import rates
from support.superblocks import superblocks
from support.suspensions import suspension
from support.wordlines import wordlines

SECTOR = 512


@st.composite
def devices(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a device with its policies, preconditioned or not: only what goes together, but all of that."""
    ftl, flash = draw(parts.placement()), draw(parts.cells())
    by_rows = ftl["unit"] == "die"
    soft = draw(st.integers(2, 4))
    hard = draw(st.integers(2, soft))
    min_gain = draw(st.sampled_from([0, 0.25]))
    backup = draw(parts.backup(ftl, flash))
    cache = draw(slc_caches.slc_cache(flash, backup))
    aside = parts.set_aside(backup) + slc_caches.blocks_taken(cache)
    spare = parts.active_blocks(ftl, flash) + (hard if min_gain else soft) + aside
    flash = draw(parts.hardware(flash, spare, soft + 1, by_rows))
    flash |= draw(chips.units_and_maps(ftl, backup))
    blocks = parts.physical_blocks(flash)
    held = parts.active_blocks(ftl, flash) + aside + parts.logical_pages_per_plane(flash) / parts.block_pages(flash)
    held += (1 - 1 / flash["planes_per_die"]) * blocks / parts.block_pages(flash) if by_rows else 0
    gc = draw(parts.collection(ftl, backup, soft, hard, blocks, blocks - held))
    joins = draw(parts.joining())
    joined = bool(joins["multi_plane"]) and joins["plane_groups"] != 1 and flash["planes_per_die"] > 1
    device = {
        "seed": draw(st.integers(0, 2**32)),
        "hardware": flash | draw(slc_caches.slc_times()),
        "flash": {
            "unprogrammed_read": draw(st.sampled_from(["memory", "flash"])),
            "bus": draw(st.sampled_from(["starts_first", "data_out_first", "command_first", "fcfs"])),
            "coalesced_read_us": draw(st.sampled_from([None, None, 0.0, 1.0])),
            "write_complete": draw(st.sampled_from(["program_end", "transfer_end"])),
            "partial_write_turn": draw(st.sampled_from(parts.partial_write_turns(backup))),
            "collection_holds": draw(st.sampled_from(["die", "channel"])),
            **joins,
            "program_order": draw(st.sampled_from(chips.orders(flash, parts.orders(ftl, backup != "none")))),
            "wordline_buffer": draw(st.booleans()),
        },
        "scheduler": draw(parts.scheduler(joined)),
        "ftl": {
            **draw(parts.plane_allocation(ftl, gc["moves"])),
            "free_blocks": draw(st.sampled_from(["oldest", "next"])),
            "next_block": draw(st.sampled_from(["needed", "filled"]))
            if ftl["page_order"] == "sequential"
            else "needed",
            "partial_write": draw(st.sampled_from(["pad", "read_modify_write"])),
            "bac": draw(st.booleans()),
            "backup": backup,
            **draw(parts.ways_of_backup(backup, flash["channels"])),
            "gc": {
                **gc,
                "joins": draw(st.sampled_from(["any", "same_page"])),
                "min_gain": min_gain,
                "copyback_waste": (0.25, 0.0, 0.5, 1.0)[(soft + hard) % 4],
            },
            "wear_leveling": {
                "dynamic": draw(st.booleans()),
                "static": draw(st.booleans()),
                "static_threshold": draw(st.integers(1, 4)),
            },
            "slc_cache": slc_caches.goes_with(cache, gc),
            **ftl,
        },
        "precondition": draw(
            parts.precondition(
                flash, aside + gc.get("reserved_blocks", 1) - 1, timed=ftl["unit"] in ("die", "super_page")
            )
        ),
    }
    device["flash"]["suspension"] = draw(suspension(device["flash"], device["hardware"]))
    device = draw(superblocks(device))
    if device["flash"]["collection_holds"] == "die":
        device["ftl"]["gc"]["budget_us"] = draw(st.sampled_from([None, None, None, 0.001, 20.0, 500.0]))
    return draw(wordlines(draw(side_by_side(device))))


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
    return {"rows": rows, "queue_depth": depth} | draw(forced())


@st.composite
def experiments(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw a device, its host queue, and one to three streams, each as keywords of a list of requests."""
    device = draw(devices())
    streams = draw(st.integers(1, 3))
    names = ["main", "second", "third"][:streams]
    device["host"] = {
        "queue_depth": draw(st.sampled_from([1, 2, 8, 64])),
        **draw(host_interfaces.interfaces(names)),
        "rates": draw(rates(names)),
        "access_latency": draw(st.dictionaries(st.sampled_from(names), st.sampled_from(ACCESS_LATENCIES))),
    }
    device["ftl"] |= draw(isolations.isolation(device, names))
    typed = device["ftl"]["page_order"] in parts.BY_PAGE_TYPE
    device["buffer"] = draw(parts.write_buffer(device)) | draw(written_through())
    if typed and device["buffer"]["replacement"] != "none":
        if draw(st.booleans()):
            device["ftl"] |= {"page_type": ["adaptive"], "page_type_options": {}}
        device["ftl"]["gc"]["page_type"] = draw(st.sampled_from([device["ftl"]["gc"]["page_type"], ["adaptive"]]))
    device |= draw(in_front())
    capacity = logical_bytes(device["hardware"])
    page_bytes = int(device["hardware"]["page_kib"] * 1024)
    return device, [draw(streams_of_requests(capacity, page_bytes)) for _ in names]
