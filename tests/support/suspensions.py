"""Rules for the commands of a die: one at a time, but for what is suspended and for reads side by side."""

from collections import defaultdict
from itertools import pairwise
from typing import Any


def span(command: list[dict[str, Any]]) -> tuple[int, int]:
    """Return from when to when a die executed a command."""
    return command[0]["bus_start_ns"], max(c["end_ns"] for c in command)


def commands_of_a_die_keep_apart(commands: list[list[dict[str, Any]]], device: dict[str, Any]) -> None:
    """Assert that a die executes one command at a time, and others only while one is suspended, by its rules."""

    def rank(command: list[dict[str, Any]]) -> tuple[int, bool, int]:
        start_ns, end_ns = span(command)
        # of those that begin in an instant the longest first, as others are within it, but for what takes no time
        return start_ns, start_ns < end_ns, -end_ns

    commands = sorted(commands, key=rank)
    outer: list[list[dict[str, Any]]] = []
    passing: list[list[list[dict[str, Any]]]] = []
    for command in commands:
        if outer and span(command)[0] < span(outer[-1])[1]:
            passing[-1].append(command)
        else:
            outer.append(command)
            passing.append([])
    for command, others in zip(outer, passing, strict=True):
        assert all(span(first)[1] <= span(second)[0] for first, second in pairwise(others))
        check_suspensions(command, others, device)


def check_suspensions(
    command: list[dict[str, Any]], passing: list[list[dict[str, Any]]], device: dict[str, Any]
) -> None:
    """Assert that what passed `command` did so while that was suspended, as often and as long as it may be."""
    times, stopped_ns = command[0].get("suspensions", 0), command[0].get("suspended_ns", 0)
    if not times:
        assert not passing and not stopped_ns
        return
    rules, hardware, op = device["flash"]["suspension"], device["hardware"], command[0]["op"]
    start_ns, end_ns = span(command)
    spans, passed_ns, until_ns = sorted(map(span, passing)), 0, start_ns
    for first, last in spans:  # which overlap where a die has several lanes
        passed_ns += max(last - max(first, until_ns), 0)
        until_ns = max(last, until_ns)
    assert all(start_ns <= first and last < end_ns for first, last in spans)
    latency_ns = round(hardware[f"{op}_suspend_us"] * 1000) + round(hardware["resume_us"] * 1000)
    assert passed_ns + times * latency_ns <= stopped_ns
    array_ns = command[0]["array_end_ns"] - command[0]["array_start_ns"] - stopped_ns
    assert op in rules["operations"] and times <= rules["most"]
    assert times * round(rules[f"{op}_least_us"] * 1000) < array_ns
    for other in passing:
        assert {c["op"] for c in other} == {"read"}
        assert {c["source"] for c in other} <= {"host", "mapping", "backup"}


def reads_side_by_side(hardware: dict[str, Any]) -> bool:
    """Return whether a die may carry out several commands at a time."""
    planes = hardware["planes_per_die"] if hardware.get("plane_reads") == "independent" else 1
    return planes > 1 or any(hardware.get(f"cache_{op}_us") is not None for op in ("read", "program"))


def reads_side_by_side_keep_apart(commands: list[list[dict[str, Any]]], device: dict[str, Any]) -> None:
    """Assert that a die has one command, or reads, of which the array of each register does one at a time.

    A register is that of a plane that reads independently, or of a die. Its data leaves it before the next read begins;
    with a cache, before the data of the next leaves, in which case that takes the time from one register to the other.
    So may a program come over the bus while the array works on another, and is next there. What has been suspended was
    passed by those that lie within it, and is left out of that.
    """
    hardware, suspended = device["hardware"], [command for command in commands if command[0].get("suspensions")]
    for command in suspended:
        start, end = span(command)
        others = [other for other in commands if other is not command]
        check_suspensions(command, [o for o in others if span(o)[0] < end and start < span(o)[1]], device)
    commands = [command for command in commands if not command[0].get("suspensions")]
    latest: dict[Any, tuple[int, int]] = defaultdict(lambda: (0, 0))
    independent, cache_us = hardware.get("plane_reads") == "independent", hardware.get("cache_read_us")
    cache_ns = 0 if cache_us is None else round(cache_us * 1000)
    program_ns = round((hardware.get("cache_program_us") or 0) * 1000)
    reads_end = others_end = array_start = 0
    is_followed = False
    for command in sorted(commands, key=lambda each: each[0]["bus_start_ns"]):
        start, end = span(command)
        follows = is_followed and command[0]["op"] == "program" and start < others_end
        if follows:
            waits = command[0]["array_start_ns"] - command[0]["cached_ns"] < others_end
            assert array_start <= start and others_end + program_ns * waits <= command[0]["array_start_ns"]
        else:
            assert others_end <= start
        if command[0]["op"] != "read":
            assert reads_end <= start
            others_end, array_start = end, command[0]["array_start_ns"]
            is_followed = command[0]["op"] == "program" and hardware.get("cache_program_us") is not None
            continue
        left: dict[Any, int] = defaultdict(int)
        for c in command:
            register = (c["die"], c["plane"]) if independent else 0
            sensed_ns, free_ns = latest[register]
            if cache_us is None or start >= free_ns:
                assert free_ns <= start
            else:
                assert sensed_ns + cache_ns <= start and free_ns + cache_ns <= c["data_start_ns"]
            left[register] = max(left[register], c["end_ns"])
        for register, left_ns in left.items():
            latest[register] = command[0]["array_end_ns"], left_ns
        reads_end = max(reads_end, end)
