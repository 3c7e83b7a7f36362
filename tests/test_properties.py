"""What holds on every device, under every policy and workload: nothing is lost, nothing overlaps, all runs agree."""

from collections import Counter, defaultdict
from itertools import accumulate, pairwise
from math import fsum, isclose
from typing import Any

from hypothesis import assume, given, settings

from ssdsim.config import HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.metrics.blame import CAUSES
from ssdsim.testing import RequestList, check_requests
from support import host_interfaces
from support.copyback_rules import copybacks_keep_the_rules
from support.cut_off import cut_off
from support.device_parts import (
    are_programmed_at_once,
    block_pages,
    one_page_a_plane,
    page_types,
    slc_mode_is_kept,
    sources_in_slc_mode,
    types_by_number,
    unit_of,
    wordline_us,
)
from support.outer_times import OuterTimes, outer_times_are_no_shorter
from support.program_rules import RuleBook, check_program_order
from support.strategies import experiments, power_losses
from support.suspensions import commands_of_a_die_keep_apart, reads_side_by_side, reads_side_by_side_keep_apart
from support.tiny_device import section, tiny_config


def parts_add_up(out: Any) -> None:
    """Assert that the parts of every response time are none below zero and add up to it."""
    for row in out.requests:
        named = ("queue", "bus", "array", "gc", "buffer", "link", "processor")
        parts = [row[f"{name}_ns"] for name in named if f"{name}_ns" in row]
        assert min(parts) >= 0 and sum(parts) == row["response_ns"]
        blamed = [row[f"blame_{name}_ns"] for name in CAUSES]
        assert min(blamed) >= 0 and sum(blamed) == row["response_ns"]
        assert (blamed[0], blamed[1]) == (row["array_ns"], row["bus_ns"])
    for of_op in out.summary["requests"].values():
        if of_op["count"]:
            assert isclose(fsum(of_op["blame_us"].values()), of_op["response_us"]["mean"], rel_tol=1e-12)


def queue_depths_are_kept(out: Any, device: dict[str, Any], loads: list[dict[str, Any]]) -> None:
    """Assert that no closed loop ever has more requests outstanding than its depth, nor the device than it holds."""

    def deepest(rows: list[dict[str, Any]], start: str) -> int:
        steps = [(row["arrival_ns"] + row["response_ns"], -1) for row in rows] + [(row[start], 1) for row in rows]
        return max(accumulate((step for _, step in sorted(steps)), initial=0))

    for index, load in enumerate(loads):
        if load["queue_depth"]:
            assert deepest([row for row in out.requests if row["stream"] == index], "arrival_ns") <= load["queue_depth"]
    if device["host"]["interface"] != "nvme":
        assert deepest(out.requests, "admitted_ns") <= device["host"]["queue_depth"]
    host_interfaces.queue_pairs_keep_their_rules(out, device, len(loads))


def apart(spans: list[tuple[int, int]]) -> bool:
    """Return whether no two spans of time overlap."""
    return all(end <= start for (_, end), (start, _) in pairwise(sorted(spans)))


def array_ns(command: list[dict[str, Any]], device: dict[str, Any]) -> int:
    """Return how long a command holds the array: its slowest page; copy-backs all read before any programs.

    A copy-back that is `from_slc` reads a block in SLC mode, whose type is -1: the last of the times. Where that is not
    known of any page of it, it may be either.
    """
    times, first = array_times_ns(device), command[0]
    if first["op"] != "copyback":
        return max(times[first["op"]][c["page_type"]] for c in command)
    flash = device["hardware"]
    types = types_by_number(flash)
    cell_types = [types[c["copied_from"] % block_pages(flash)] for c in command]
    read_types = {True: [-1], False: cell_types}
    modes = {c["from_slc"] for c in command} - {None} or {True, False}
    program_ns = max(times["program"][c["page_type"]] for c in command)
    possible = [max(times["read"][each] for each in read_types[mode]) + program_ns for mode in modes]
    held_ns = first["array_end_ns"] - first["array_start_ns"] - first.get("suspended_ns", 0)
    return held_ns if held_ns in possible else possible[0]


def array_times_ns(device: dict[str, Any]) -> dict[str, list[int]]:
    """Return how long reads, programs and erases hold the array, by page type, and last in SLC mode."""
    flash = device["hardware"]
    types = page_types(flash)
    ns = {op: [round(us * 1000) for us in flash[f"{op}_us"]] for op in ("read", "program")}
    ns = {op: (times * flash["bits_per_cell"] if len(times) == 1 else times)[:types] for op, times in ns.items()}
    if not device["flash"]["wordline_buffer"]:
        ns["program"] = [time + sum(ns["read"][:below]) for below, time in enumerate(ns["program"])]
    if are_programmed_at_once(device):
        ns["program"] = [round(wordline_us(flash) * 1000)] * types
    ns |= {"erase": [round(flash["erase_us"] * 1000)] * types}
    return {
        op: [*times, round(flash["erase_us" if op == "erase" else f"slc_{op}_us"] * 1000)] for op, times in ns.items()
    }


def commands_of_dies(out: Any, device: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the operations of each command: those of a die that start together, unless they take no time at all."""
    commands: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    from_slc = sources_in_slc_mode(out.commands, device)
    for number, c in enumerate(out.commands):
        c["from_slc"] = from_slc.get(number)
        assert c["queued_ns"] <= c["bus_start_ns"] <= c["array_start_ns"] <= c["end_ns"]
        start = (c["op"], c["channel"], c["chip"], c["die"], c["bus_start_ns"], c["array_start_ns"])
        commands[start if c["end_ns"] > c["bus_start_ns"] else (number,)].append(c)
    return list(commands.values())


def planes_work_together_by_the_rules(command: list[dict[str, Any]], device: dict[str, Any]) -> None:
    """Assert that operations that start together in a die are ones that its planes can carry out at once."""
    command = one_page_a_plane(command, device)
    if len(command) == 1:
        return
    flash = device["flash"]
    group = flash["plane_groups"] or device["hardware"]["planes_per_die"]
    (op,) = {c["op"] for c in command}
    assert len({c["page_type"] < 0 for c in command}) == 1 and len({c["from_slc"] for c in command} - {None}) <= 1
    assert op in flash["multi_plane"]
    assert len({c["plane"] for c in command}) == len(command)
    assert len({c["plane"] // group for c in command}) == 1
    if op != "copyback":
        anywhere = op == "erase" or (op == "program" and flash["joined_programs"] == "any_page")
        assert anywhere or len({c["page"] for c in command}) == 1  # PAC
        assert not device["ftl"]["bac"] or len({c["block"] for c in command}) == 1  # BAC


def commands_keep_apart(out: Any, device: dict[str, Any]) -> None:
    """Assert that a die or chip executes one command and a bus carries one thing at a time, each for its right time.

    A suspended command of a die is passed by others and reads may lie side by side (`suspensions`).

    The bus carries the addresses, and the data to be programmed, of one plane of a command after another, and is held
    while a plane is busy between two.
    """
    flash = device["hardware"]
    dies, buses = defaultdict(list), defaultdict(list)
    last_ns = {(c["channel"], c["chip"], c["die"]): c["bus_start_ns"] for c in out.commands if c["op"] == "read"}
    cut = sum(cut_off(out).values())
    page_ns = int(flash["page_kib"] * 1024 * flash["bus_ns_per_byte"] + 0.5)
    is_sharing = reads_side_by_side(flash)
    for command in commands_of_dies(out, device):
        planes_work_together_by_the_rules(command, device)
        first, kind = command[0], command[0]["op"]
        start, ready = first["bus_start_ns"], first["array_start_ns"] + array_ns(command, device)
        ready += first.get("suspended_ns", 0)
        sent = round(flash[f"{kind}_command_us"] * 1000) + (page_ns if kind == "program" else 0)
        busy = round(flash.get(f"{kind}_plane_busy_us", 0) * 1000)
        die = first["channel"], first["chip"], first["die"]
        # the last read of a die may have had planes whose data was still there when the run ended
        most = len(command) + (cut if first["op"] == "read" and (is_sharing or start == last_ns[die]) else 0)
        planes = range(len(command), most + 1)
        begins = {start + number * sent + (number - 1) * busy for number in planes}
        sent_ns = first["array_start_ns"] - first.get("cached_ns", 0)
        if kind == "program" and device["dram"]["bandwidth_mib_s"]:  # the bus may wait for the DRAM
            assert sent_ns >= min(begins)
        else:
            assert sent_ns in begins
        dies[first["channel"], first["chip"], unit_of(first, flash)].append(command)
        buses[first["channel"]].append((start, sent_ns))
        if first["op"] == "read":
            assert min(c["data_start_ns"] for c in command) >= ready
            buses[first["channel"]] += [(c["data_start_ns"], c["end_ns"]) for c in command]
        else:
            assert {c["end_ns"] for c in command} == {ready}
    assert all(map(apart, buses.values()))
    for commands in dies.values():
        if is_sharing:
            reads_side_by_side_keep_apart(commands, device)
        else:
            commands_of_a_die_keep_apart(commands, device)


def blocks_are_programmed_in_order(out: Any, device: dict[str, Any], fresh: bool) -> None:
    """Assert that every program is one that the rule allows, and that whole blocks are erased.

    Only with blocks by page type is a block erased of which part was programmed, with copy-back of which pages were
    passed over (that these are the right ones is for `copyback_rules`), and of backups on fast pages the slow ones. A
    `fresh` device was empty at first.
    """
    flash, rule = section(HardwareConfig, device["hardware"]), device["flash"]["program_order"]

    def passed_over(command: Any, done: Any, rules: RuleBook) -> set[Any]:
        page = rules.pages[command["page"]]
        if is_of_fast_pages(command, device):
            return {rules.pages[number] for number in range(rules.number[page]) if rules.pages[number][1] > 0}
        return left_by_copyback(done, page, rules, device)

    check_program_order(out.commands, flash, rule, passed_over)
    rules = RuleBook(rule, flash.wordlines, flash.page_types, flash.page_type_map)
    programmed: dict[Any, set[Any]] = defaultdict(set)
    for c in out.commands:
        done = programmed[tuple(c[name] for name in ("channel", "chip", "die", "plane", "block"))]
        page = rules.pages[c["page"]]
        if c["page_type"] < 0:
            slc_mode_is_kept(c["op"], done, page, flash.wordlines, device)
        elif c["op"] == "erase":
            whole = len(done) == len(rules.pages) or (not done and not fresh)
            whole |= device["ftl"]["gc"].get("moves") == "copyback"
            whole |= is_of_fast_pages(c, device) and {each for each in rules.pages if each[1] == 0} <= done
            assert whole or device["ftl"]["page_order"] in ("page_type", "two_phase")
            done.clear()
        else:
            assert c["page_type"] == page[1]
            if c["op"] in ("program", "copyback"):
                done.add(page)
            elif fresh and device["flash"]["unprogrammed_read"] == "memory":
                assert page in done


def is_of_fast_pages(command: dict[str, Any], device: dict[str, Any]) -> bool:
    """Return whether `command` is one on a block of backups that takes fast pages only."""
    return bool(command["source"] == "backup" and device["ftl"]["backup_pages"] == "fast")


def left_by_copyback(done: set[Any], page: Any, rules: RuleBook, device: dict[str, Any]) -> set[Any]:
    """Return the pages before `page` that need not be programmed, as a copy-back may have passed over them.

    They are of those that follow no other such page.
    """
    if device["ftl"]["gc"].get("moves") != "copyback":
        return set()
    missing = [number for number in range(rules.number[page]) if rules.pages[number] not in done]
    return {rules.pages[number] for number in missing if number - 1 not in missing}


def books_balance(out: Any, loads: list[dict[str, Any]], device: dict[str, Any]) -> None:
    """Assert that the summary's counts are those of the requests and of the command trace.

    But for reads whose data was still on the chip when the run ended: those of collections and of backups, and of pages
    that a write buffer writes back in part after their requests are complete.
    """
    asked = Counter(row[1] for load in loads for row in load["rows"])
    assert {op: of["count"] for op, of in out.summary["requests"].items() if of["count"]} == asked
    buffered = device.get("buffer", {}).get("replacement", "none") != "none" or "read_cache" in out.summary
    assert set(cut_off(out)) <= {("reads", "gc"), ("reads", "backup"), *[("reads", "host")] * buffered}


@given(experiments())
def test_a_run(experiment, interpreted, drawn):
    device, loads = drawn
    device["metrics"] = {"blame": True}
    out = experiment(loads, device | {"check": "recount"})
    written = device["precondition"]["mode"] == "writes"  # which may take time, and leave a block half programmed
    check_requests(out.requests, [RequestList(**load) for load in loads], None if written else 0)
    parts_add_up(out)
    config = tiny_config(device)
    least = OuterTimes(config.link, config.controller, config.dram, config.hardware.page_bytes)
    outer_times_are_no_shorter(out, least)
    queue_depths_are_kept(out, device, loads)
    commands_keep_apart(out, device)
    if not written:
        blocks_are_programmed_in_order(out, device, device["precondition"]["mode"] == "none")
        copybacks_keep_the_rules(out, device)
    books_balance(out, loads, device)
    facts = out.facts()
    assert experiment(loads, device, kernel="simpy").facts() == facts
    assert experiment(loads, device, modules=interpreted).facts() == facts


@settings(max_examples=max(settings.default.max_examples // 4, 1))
@given(experiments(), power_losses())
def test_a_run_with_a_loss_of_power(experiment, interpreted, drawn, power_loss):
    """What is given up is not in the tables, and everything else is there once."""
    device, loads = drawn
    device |= {"power_loss": power_loss, "metrics": {"blame": True}}
    if device["flash"]["program_order"] == "free":  # which cannot be read back
        device["flash"]["program_order"] = "strict"
    try:
        out = experiment(loads, device)
    except SimulationError as error:  # open rows that power has taken may leave a full device too little room
        assume("garbage collection makes no progress" not in str(error))
        raise
    numbers = [row["id"] for row in out.requests]
    asked = sum(len(load["rows"]) for load in loads)
    assert (
        numbers == sorted(set(numbers)) and len(numbers) + out.summary["power_loss"].get("aborted_requests", 0) == asked
    )
    parts_add_up(out)
    queue_depths_are_kept(out, device, loads)
    promises = device["ftl"]["backup"] != "none" or page_types(device["hardware"]) == 1
    promises |= are_programmed_at_once(device)
    assert not promises or out.summary["power_loss"].get("lost_in_flash", 0) == 0
    facts = out.facts()
    assert experiment(loads, device, kernel="simpy").facts() == facts
    assert experiment(loads, device, modules=interpreted).facts() == facts
