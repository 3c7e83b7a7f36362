"""What is measured of the planes' parallelism and of collection's time, by hand and from the trace of commands."""

from types import SimpleNamespace

import pytest

from ssdsim._core.codes import GC, HOST, PROGRAM
from ssdsim.assembly.device import Device
from support.planes import ARRAY, COMMAND, LATER, device
from support.requests import read, write, writes
from support.tiny_device import PAGE, TRANSFER
from support.transactions import queued as put
from support.transactions import taken

WRITE_PAGE = COMMAND["program"] + TRANSFER + ARRAY["program"]
CASES = ("single", "mixed", "unaligned", "parallel")
BUSY = [write(0, pages=2), read(0, LATER)]
"""Two pages written, and a read that keeps the die busy while what comes next has to wait."""


def cases(**shares):
    """Return the cases of a summary, those not given at 0."""
    return dict.fromkeys(CASES, 0) | {name: pytest.approx(share) for name, share in shares.items()}


@pytest.mark.parametrize(
    ("rows", "changes", "expected"),
    [
        ([write(0, pages=2)], {}, {"parallel": 1}),
        (writes(0, 2), {}, {"single": 1}),
        ([write(0), *writes(0, 1, at=1)], {}, {"single": 2 / 3, "unaligned": 1 / 3}),
        ([*BUSY, write(0, LATER + 1), read(1, LATER + 1)], {}, {"parallel": 2 / 3, "mixed": 1 / 3}),
        ([*BUSY, write(0, LATER + 1), read(0, LATER + 1)], {}, {"parallel": 2 / 3, "single": 1 / 3}),
        ([write(0), *writes(0, 1, at=1), read(1, 1)], {}, {"single": 2 / 3, "unaligned": 1 / 3}),
        ([write(0, pages=4)], {"planes": 4}, {"parallel": 1}),
        ([write(0), *writes(0, 2, at=1)], {"planes": 4}, {"single": 2 / 3, "unaligned": 1 / 3}),
        ([write(0), *writes(0, 2, at=1)], {"planes": 4, "groups": 2}, {"single": 1}),
        ([write(0), *writes(0, 2, at=1)], {"dies_per_chip": 2}, {"single": 1}),
    ],
)
def test_each_case_of_a_program(run, rows, changes, expected):
    of = device(**changes) | {"scheduler": {"policy": "fcfs"}}
    assert run(rows, of).summary["multi_plane"]["cases"] == cases(**expected)


@pytest.mark.parametrize(("first", "own_first", "partner"), [(GC, False, HOST), (GC, True, GC), (HOST, True, HOST)])
def test_who_joins_first(modules, tiny, first, own_first, partner):
    """A program of the host's and one of collection wait for the other plane, at the same page."""
    names = ("counters", "dies", "multi_plane", "scheduler.unit", "transactions")
    flash = {name: modules[f"ssdsim.flash.{name}"] for name in names}

    class Anything(flash["scheduler.unit"].SchedulingPolicy):
        def may_start(self, transaction):
            return True

    counters, transactions = flash["counters"].FlashCounters(2), flash["transactions"].Transactions()
    dies = flash["dies"].Dies(transactions, 1, 1, 1)
    blocks, policy = Device(tiny()).blocks, Anything()
    policy.bind(SimpleNamespace(blocks=blocks, dies=dies, timing=None, multi_plane=None))
    joins = {"multi_plane": ["program"], "joined_first": "same_source" if own_first else "host"}
    config = tiny({"hardware": {"planes_per_die": 2}, "flash": joins})
    commands = flash["multi_plane"].MultiPlaneCommands(policy, dies, blocks, counters, config, 2)
    program, *others = (
        taken(transactions, source, op=PROGRAM, plane=plane, page=5)
        for source, plane in ((first, 0), (GC, 1), (HOST, 1))
    )
    for other in others:
        put(dies, other)
    assert commands.complete(0, program) == program
    assert dict(zip(CASES, counters.cases, strict=True))["parallel"] == (first == HOST) + (partner == HOST)


def test_planes_at_work_are_counted_when_a_page_is_programmed(run):
    """Two dies share a bus: the second starts when the first has its data, and ends alone."""
    out = run(writes(0, 1), device(planes=1, dies_per_chip=2))
    assert out.summary["planes_at_work"] == {"mean": 1.5, "max": 2}


def test_what_ends_in_the_same_instant_counts_and_what_starts_in_it_does_not(run):
    out = run([write(0, pages=4)], device(planes=2, channels=2))
    assert out.done_at() == [2 * (COMMAND["program"] + TRANSFER) + ARRAY["program"]]
    assert out.summary["planes_at_work"] == {"mean": 4, "max": 4}
    out = run(writes(0, 1, 2, 3), device(planes=1, channels=2))
    assert out.done_at() == [WRITE_PAGE, WRITE_PAGE, 2 * WRITE_PAGE, 2 * WRITE_PAGE]
    assert out.summary["planes_at_work"] == {"mean": 2, "max": 2}


def test_pages_that_leave_the_buffer_together_are_one_eviction(run):
    """A row of two planes is sampled once, with both at work; the single page after it with its own alone."""
    changes = device() | {"ftl": {"unit": "die"}, "buffer": {"replacement": "epo", "size_mib": 2 * PAGE / 2**20}}
    changes["hardware"]["blocks_per_plane"] = 16
    rows = [*writes(0, 1, 2), *writes(3, 4, at=LATER), (2 * LATER, "read", 8 * PAGE, PAGE)]
    assert run(rows, changes).summary["planes_at_work"] == {"mean": 2, "max": 2}
    changes["ftl"] = {}
    changes["buffer"]["replacement"] = "lru"
    assert run(writes(0, 2, 1), changes).summary["planes_at_work"] == {"mean": 1, "max": 1}


def test_a_read_that_opens_all_planes_has_them_at_work_and_moves_what_is_wanted(run):
    changes = device()
    changes["flash"] |= {"read_planes": "all"}
    rows = [*writes(0), read(0, LATER)]
    wanted, opened = run(rows, device()), run(rows, changes)
    assert opened.done_at() == wanted.done_at()
    assert (wanted.summary["multi_plane"]["read_share"], opened.summary["multi_plane"]["read_share"]) == (0, 1)
    busy = [round(of * wanted.summary["simulated_s"] * 1e9) for of in wanted.summary["utilization"]["plane"]]
    assert busy == [ARRAY["program"] + ARRAY["read"], 0]
    busy = [round(of * opened.summary["simulated_s"] * 1e9) for of in opened.summary["utilization"]["plane"]]
    assert busy == [ARRAY["program"] + ARRAY["read"], ARRAY["read"]]
