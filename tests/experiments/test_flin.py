"""FLIN: where it queues transactions, worked out by hand, whose turn it is, and what it keeps whatever comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import HOST, PROGRAM, READ
from ssdsim._core.either_kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.flash.dies import HOST_READS, HOST_WRITES
from support.requests import reads, writes
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE
from support.transactions import listed, queued, taken

FLIN = "experiments.flin.Flin"


class Die:
    """One die with FLIN, for which all transactions may start, and four streams called a to d."""

    def __init__(self, tiny, listed_load):
        loads = {name: listed_load(rows=[]) for name in "bcd"}
        changes = {"scheduler": {"policy": FLIN}, "workload": listed_load(rows=[]), "workloads": loads}
        device = Device(tiny(changes))
        self.env = device.parts.view.env = make_environment("compiled")
        self.policy, self.dies, self.transactions = device.scheduler.policy, device.dies, device.transactions
        self.device, self.names, self.arrived = device, {}, 0

    def arrive(self, name, op=READ, source=HOST):
        """Queue a transaction called `name`, of the stream that its first letter is, and return it."""
        stream = "abcd".find(name[0])
        made = taken(self.transactions, source, op=op, ppa=0, stream=stream, bytes=PAGE, page_type=0)
        self.transactions.sequence[made] = self.arrived
        self.transactions.queued_ns[made] = self.env.now
        self.arrived += 1
        self.names[made] = name
        queued(self.dies, made)
        self.policy.arrived(made)
        return made

    def order(self, queue=HOST_READS):
        """Return the names of what is queued, in order."""
        return " ".join(self.names[each] for each in listed(self.dies.queues, queue))

    def start(self):
        """Return the name of the transaction that is started next, without that any time passes."""
        return self.names[self.device.scheduler.take(0, self.policy.select(0))]


@pytest.fixture(scope="module")
def die(tiny, listed):
    return lambda: Die(tiny, listed)


def test_a_stream_that_is_slowed_down_most_goes_before_the_others_where_these_fare_unequally(die):
    """All are of high intensity, in the first epoch, and each read takes R.

    Behind three reads of a, whose slowdowns are 1, b1 would be over after 4 R for one of R: 1 / 4 is less than 0.6. So
    it goes first, and is not passed. Behind them b2 would be over after 5 R for 2 R: the means of a and of b,
    (2 + 3 / 2 + 4 / 3) / 3 and (1 + 5 / 2) / 2, are close enough. At the end the fairness is 1 / (5 / 2); before a3 it
    is 1 / 2, as b2 is over after 4 R for 2 R, like a1 after 2 R for R; before a2, which is over after 4 R, as well.
    """
    queue = die()
    for name in ("a1", "a2", "a3", "b1"):
        queue.arrive(name)
    assert queue.order() == "b1 a1 a2 a3"
    queue.arrive("b2")
    assert queue.order() == "b1 a1 a2 b2 a3"


def test_a_write_goes_first_once_it_has_waited_longer_in_proportion(die):
    """A read takes 14,196 ns and a write 104,296 ns; the write has waited for w, and the read comes now.

    The read goes first if 104,296 / 14,196 = 7.35 is at least (w + 14,196) / 104,296: up to w of 752,044 ns.
    """
    longest_ns = WRITE_PAGE * WRITE_PAGE // READ_PAGE - READ_PAGE
    for wait_ns, first in ((longest_ns, "b1"), (longest_ns + 1, "a1")):
        queue = die()
        queue.arrive("a1", PROGRAM)
        queue.env.run(until=wait_ns)
        queue.arrive("b1")
        assert queue.start() == first


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([READ, PROGRAM]), st.integers(0, 5 * 10**6))))
def test_each_stream_keeps_its_order_and_nothing_is_lost(die, arrivals):
    queue = die()
    for number, (stream, op, gap_ns) in enumerate(arrivals):
        if gap_ns > 4 * 10**6:
            queue.env.run(until=queue.env.now + gap_ns)
        queue.arrive(f"{stream}{number}", op)
        if gap_ns % 3 == 0:
            queue.start()
    found = [queue.order(each).split() for each in (HOST_READS, HOST_WRITES)]
    for names in found:
        for stream in "abcd":
            numbers = [int(name[1:]) for name in names if name[0] == stream]
            assert numbers == sorted(numbers)
    assert sum(map(len, found)) == len(arrivals) - sum(gap_ns % 3 == 0 for _, _, gap_ns in arrivals)


def test_no_request_starves_beside_a_flood_of_others(experiment):
    """A stream floods one die with reads; four writes of another come meanwhile, and are done long before the last."""
    flood = {"rows": [*reads(*range(8)) * 50, (0, "write", 0, PAGE)], "queue_depth": 8}
    loads = [flood, {"rows": writes(8, 9, 10, 11, at=100_000)}]
    run = experiment(
        loads,
        {
            "check": "end",
            "scheduler": {"policy": FLIN},
            "precondition": {"mode": "fill"},
            "host": {"queue_depth": 16},
        },
    )
    ends_ns = [row["arrival_ns"] + row["response_ns"] for row in run.requests if row["stream"] == 1]
    assert len(ends_ns) == 4 and max(ends_ns) < max(row["arrival_ns"] for row in run.requests)
