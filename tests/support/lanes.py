"""What must hold of the commands of a die that reads side by side."""

from collections import defaultdict
from typing import Any

from support.suspensions import check_suspensions, span


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
