"""What holds on every device, under every policy and workload: nothing is lost, nothing overlaps, all runs agree."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import given
from strategies import experiments


def completed_once(out: Any, loads: list[dict[str, Any]]) -> None:
    """Assert that the table of requests holds each request of each stream once, in the order of its stream."""
    rows = out.requests
    assert [row["id"] for row in rows] == list(range(sum(len(load["rows"]) for load in loads)))
    for index, load in enumerate(loads):
        seen = [row for row in rows if row["stream"] == index]
        assert [(r["op"], r["offset_bytes"], r["size_bytes"]) for r in seen] == [row[1:] for row in load["rows"]]
        if not load["queue_depth"]:
            assert [row["arrival_ns"] for row in seen] == [row[0] for row in load["rows"]]


def parts_add_up(out: Any) -> None:
    """Assert that the parts of every response time are none below zero and add up to it."""
    for row in out.requests:
        parts = [row[f"{name}_ns"] for name in ("queue", "bus", "array", "gc")]
        assert min(parts) >= 0 and sum(parts) == row["response_ns"]


def queue_depths_are_kept(out: Any, device: dict[str, Any], loads: list[dict[str, Any]]) -> None:
    """Assert that no closed-loop stream ever has more requests outstanding than its depth."""
    depth_of_device = device["host"]["queue_depth"]
    for index, load in enumerate(loads):
        rows = [row for row in out.requests if row["stream"] == index and load["queue_depth"]]
        changes = [(row["arrival_ns"] + row["response_ns"], -1) for row in rows] + [(r["arrival_ns"], 1) for r in rows]
        outstanding = 0
        for _, change in sorted(changes):
            outstanding += change
            assert outstanding <= min(load["queue_depth"], depth_of_device)


def apart(spans: list[tuple[int, int]]) -> bool:
    """Return whether no two spans of time overlap."""
    return all(end <= start for (_, end), (start, _) in pairwise(sorted(spans)))


def commands_keep_apart(out: Any, hardware: dict[str, Any]) -> None:
    """Assert that a die executes one command and a bus carries one thing at a time, each for its right time."""
    dies, buses = defaultdict(list), defaultdict(list)
    array_ns = {"erase": [hardware["erase_us"]] * 3}
    for op in ("read", "program"):
        times = hardware[f"{op}_us"]
        array_ns[op] = times * (3 // len(times)) if len(times) == 1 else times
    for c in out.commands:
        assert c["queued_ns"] <= c["bus_start_ns"] <= c["array_start_ns"] <= c["end_ns"]
        dies[c["channel"], c["chip"], c["die"]].append((c["bus_start_ns"], c["end_ns"]))
        buses[c["channel"]].append((c["bus_start_ns"], c["array_start_ns"]))
        ready = c["array_start_ns"] + round(array_ns[c["op"]][c["page_type"]] * 1000)
        if c["op"] == "read":
            assert c["data_start_ns"] >= ready
            buses[c["channel"]].append((c["data_start_ns"], c["end_ns"]))
        else:
            assert c["end_ns"] == ready
    assert all(apart(spans) for spans in [*dies.values(), *buses.values()])


def blocks_are_programmed_in_order(out: Any, fresh: bool) -> None:
    """Assert that the pages of a block are programmed one after another and that an erase starts it anew."""
    place = ("channel", "chip", "die", "plane", "block")
    following: dict[Any, int] = defaultdict(int)
    for c in out.commands:
        block = tuple(c[name] for name in place)
        if c["op"] == "erase":
            assert following[block] == 0 or c["page"] == 0
            following[block] = 0
        elif c["op"] == "program":
            assert c["page"] == following[block]
            following[block] += 1
        elif fresh:
            assert c["page"] < following[block]


def books_balance(out: Any, loads: list[dict[str, Any]]) -> None:
    """Assert that the summary's counts are those of the requests and of the command trace."""
    asked = Counter(row[1] for load in loads for row in load["rows"])
    assert {op: of["count"] for op, of in out.summary["requests"].items() if of["count"]} == asked
    done = Counter((c["op"] + "s", c["source"]) for c in out.commands)
    counted = {(op, source): n for op, by in out.summary["flash"].items() for source, n in by.items() if n}
    cut_off = Counter(counted) - done  # reads of collections whose data was still on the chip when the run ended
    assert not done - Counter(counted)
    assert not cut_off or set(cut_off) == {("reads", "gc")}


@given(experiments())
def test_a_run(experiment, interpreted, drawn):
    device, loads = drawn
    out = experiment(loads, device)
    completed_once(out, loads)
    parts_add_up(out)
    queue_depths_are_kept(out, device, loads)
    commands_keep_apart(out, device["hardware"])
    only_what_is_programmed_is_read = device["flash"]["unprogrammed_read"] == "memory"
    fresh = device["precondition"]["mode"] == "none"
    blocks_are_programmed_in_order(out, fresh and only_what_is_programmed_is_read)
    books_balance(out, loads)
    facts = out.facts()
    assert experiment(loads, device, kernel="simpy").facts() == facts
    assert experiment(loads, device, modules=interpreted).facts() == facts
