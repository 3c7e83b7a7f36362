"""In which order the host's work and collection's go, by each policy, where a die has one of each kind queued."""

import pytest

from ssdsim._core.codes import ERASE, GC, HOST, PROGRAM, READ
from ssdsim.assembly.device import Device
from support.one_die import Bench, make_urgent

QUEUED = {"gc erase": (ERASE, GC), "host write": (PROGRAM, HOST), "gc read": (READ, GC), "host read": (READ, HOST)}


@pytest.mark.parametrize(
    ("policy", "urgent", "order"),
    [
        ("fcfs", 0, ["host write", "host read", "gc erase", "gc read"]),
        ("fcfs", 1, ["gc erase", "gc read", "host write", "host read"]),
        ("fcfs", 2, ["gc erase", "gc read", "host write", "host read"]),
        ("read_priority", 0, ["host read", "host write", "gc read", "gc erase"]),
        ("read_priority", 1, ["host read", "gc read", "gc erase", "host write"]),
        ("read_priority", 2, ["gc read", "gc erase", "host read", "host write"]),
        ("host_reads_first", 0, ["host read", "host write", "gc read", "gc erase"]),
        ("host_reads_first", 1, ["host read", "gc read", "gc erase", "host write"]),
        ("host_reads_first", 2, ["host read", "gc read", "gc erase", "host write"]),
        ("erases_last", 0, ["host read", "host write", "gc read", "gc erase"]),
        ("erases_last", 1, ["host read", "gc read", "gc erase", "host write"]),
        ("erases_last", 2, ["gc read", "gc erase", "host read", "host write"]),
    ],
)
def test_the_order(tiny, modules, policy, urgent, order):
    bench = Bench(modules, Device(tiny()).blocks, policy)
    make_urgent(bench.dies, urgent)
    for op, source in QUEUED.values():
        bench.arrive(op, source=source)
    assert [[*QUEUED][number] for number in bench.drain()] == order


def test_a_collection_does_not_overtake_what_was_queued_before_it_began(tiny, modules):
    bench = Bench(modules, Device(tiny()).blocks, "host_reads_first")
    bench.dies.urgent_planes[0] = 1
    bench.dies.collection_began[0] = 1
    for op, source in [(PROGRAM, HOST), (READ, GC), (PROGRAM, HOST), (ERASE, GC)]:
        bench.arrive(op, source=source)
    assert bench.drain() == [0, 1, 3, 2]


def test_nothing_passes_a_waiting_erase_but_what_that_waits_for(tiny, modules):
    """The erase may not start; a read is of the block being collected, and the last write replaces a page of it.

    When the erase waits for none of what is queued here, the others go on.
    """
    blocks = Device(tiny()).blocks
    victim = blocks.take_free(0)
    for lpa in range(4):
        blocks.program(blocks.append(victim, lpa))
    blocks.collect(victim)
    bench = Bench(modules, blocks, "erases_last")
    make_urgent(bench.dies, 2)
    bench.arrive(ERASE, source=GC)
    bench.blocked.add(0)
    *_, last = [bench.arrive(PROGRAM) for _ in range(3)]
    bench.transactions.before[last] = victim * 4
    bench.transactions.block[bench.arrive(READ)] = victim
    assert bench.drain() == [4, 3, 1, 2]
