"""What must hold of the commands of a die where rules of suspension are in force."""

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
