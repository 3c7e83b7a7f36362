"""Below the hard threshold nothing of the host's comes between the steps of a collection, nor between two of them."""

from collections import Counter

import numpy as np
import pytest

from support.rows import device
from support.tiny_device import PAGE, merge

PLANES = {"planes_per_die": 2, "dies_per_chip": 2, "blocks_per_plane": 12}
"""Two dies of two planes of 12 blocks of 4 pages."""
URGENT = {"hardware": PLANES, "check": "end", "ftl": {"gc": {"soft_threshold": 3, "hard_threshold": 3}}}
"""Whatever is collected is urgent."""

VARIANTS = {
    "greedy": {},
    "fifo": {"ftl": {"gc": {"victim": "fifo"}}},
    "one move at a time": {"ftl": {"gc": {"moves_in_flight": 1}}},
    "first come": {"scheduler": {"policy": "fcfs"}},
    "writes held": {"ftl": {"gc": {"holds_writes": True}}},
    "before the write": {"ftl": {"gc": {"starts_before_write": True}}},
    "free pages": {"ftl": {"gc": {"trigger": "free_pages", "soft_threshold": 0.25, "hard_threshold": 0.25}}},
    "copied back": {"ftl": {"gc": {"moves": "copyback"}}},
    "planes together": {"flash": {"multi_plane": ["read", "program", "erase"]}, "ftl": {"gc": {"moves": "parallel"}}},
    "page types": {"scheduler": {"page_type_aware": True}, "ftl": {"wear_leveling": {"dynamic": True}}},
    "paq": {"flash": {"multi_plane": ["read", "program"]}, "scheduler": {"policy": "paq"}},
    "aligned": device("page", 2, 12, 16),
}


def load(reads, seed=3, pages=64, requests=600):
    """Return all pages written in order and then random ones, so many at a time that queues form and empty again."""
    random = np.random.default_rng(seed)
    at = np.cumsum(np.where(random.random(requests) < 0.05, 3_000_000, random.integers(0, 60_000, requests)))
    ops = np.where(random.random(requests) < reads, "read", "write").tolist()
    lpas = random.integers(0, pages, requests).tolist()
    rows = [(0, "write", lpa * PAGE, PAGE) for lpa in range(pages)]
    return [*rows, *((10_000_000 + t, op, lpa * PAGE, PAGE) for t, op, lpa in zip(at.tolist(), ops, lpas, strict=True))]


def intrusions(out, ops, aligned=False):
    """Count erases and chained collections, and those with host commands before them that were not needed.

    What an erase has need of are reads of the victim, and programs of what it has held: for each of `aligned` victims,
    what any of them has, as none is erased while one of them may still be wanted.
    """
    found, held, last = Counter(), {}, {}

    def plane(command):
        return command["chip"], command["die"], command["plane"]

    def siblings(step):
        """Return the commands of the die of `step`."""
        return [each for each in out.commands if plane(each)[:2] == plane(step)[:2]]

    def needs(step, command):
        """Return whether the erase `step` may have to wait for `command` of the host."""
        planes = {plane(each) for each in siblings(step)} if aligned else {plane(step)}
        if command["op"] == "read":
            return command["block"] == step["block"] and plane(command) in planes
        return any(command["lpa"] in held.get((*each, step["block"]), ()) for each in planes)

    gc = {(*plane(each)[:2], each["array_start_ns"]) for each in out.commands if each["source"] == "gc"}

    def rides(command):
        """Return whether a command of the host's is one with a command of a collection, so that it takes no turn."""
        return (*plane(command)[:2], command["array_start_ns"]) in gc

    def is_late(before, step):
        """Return whether the host has had its turn since the step `before`, and not only for the sake of `step`."""
        between = [
            each for each in host
            if plane(each)[:2] == plane(step)[:2]
            and before["end_ns"] <= each["bus_start_ns"] and each["end_ns"] <= step["bus_start_ns"]
        ]  # fmt: skip
        turns = [each["end_ns"] for each in between if each["op"] in ops and not rides(each)]
        until = max(turns, default=0)
        needed = [each for each in between if each["end_ns"] >= until and step["op"] == "erase" and needs(step, each)]
        return until > 0 and not needed

    host = [command for command in out.commands if command["source"] == "host"]
    for step in sorted(out.commands, key=lambda each: each["bus_start_ns"]):
        block = (*plane(step), step["block"])
        if step["op"] in ("program", "copyback"):
            if step["page"] == 0:
                held[block] = set()
            held[block].add(step["lpa"])
        if step["source"] == "host":
            continue
        before = last.get(plane(step))
        last[plane(step)] = step
        if before is not None and step["queued_ns"] == before["end_ns"]:
            kind = "erases" if before["op"] != "erase" else "links"
            if kind == "links" or step["op"] == "erase":
                found[kind] += 1
                found[f"late {kind}"] += is_late(before, step)
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_write_comes_between_the_steps_of_urgent_collections(run, variant):
    out = run(load(reads=0.3), merge(URGENT, VARIANTS[variant]))
    found = intrusions(out, ["program"], aligned=variant == "aligned")
    assert found["erases"] > 10 and found["links"] > 10
    assert (found["late erases"], found["late links"]) == (0, 0)


def test_reads_pass_an_urgent_collection_and_writes_do_not(run):
    """So the longest read is shorter than a collection, and it costs the writes something."""
    longest = {}
    for yields in (True, False):
        out = run(load(reads=0.5), merge(URGENT, {"ftl": {"gc": {"yields_to_reads": yields}}}))
        longest[yields] = max(r["response_ns"] for r in out.requests if r["op"] == "read")
    assert 2 * longest[True] < longest[False]


@pytest.mark.parametrize("at_once", [1, 4])
def test_reads_without_end_hold_up_a_collection_no_longer_than_the_write_that_needs_it(experiment, at_once):
    """First come, first served, writes get through beside reads that keep the die busy.

    A single one waits for its turn, which the collection has in its place; where several come at once they run out of
    room, and the collection goes before the reads, too.
    """
    writes = [(0, "write", lpa * PAGE, PAGE) for lpa in [*range(16), *range(0, 16, 3)] * 5]
    reads = [(0, "read", lpa % 16 * PAGE, PAGE) for lpa in range(8_000)]
    streams = [{"rows": reads, "queue_depth": 4}, {"rows": writes, "queue_depth": at_once}]
    settings = {"scheduler": {"policy": "fcfs"}, "precondition": {"mode": "fill"}, "check": "end"}
    out = experiment(streams, settings)
    done = {r["op"]: r["arrival_ns"] + r["response_ns"] for r in sorted(out.requests, key=lambda r: r["arrival_ns"])}
    assert out.summary["gc"]["collections"] > 20
    assert done["write"] < done["read"] / 2
