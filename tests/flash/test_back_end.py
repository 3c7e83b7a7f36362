"""The back end without a host: commands submitted to the scheduler of a device, one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import FlashError
from ssdsim._core.codes import COPYBACK, ERASE, GC, HOST, PROGRAM, READ
from ssdsim._core.kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.flash.queues import TransactionQueues
from ssdsim.flash.transactions import Transactions
from ssdsim.stage import TransactionOwner
from support.one_die import make_urgent
from support.transactions import listed, taken

READ_NS, PROGRAM_NS, ERASE_NS, TRANSFER = 10_000, 100_000, 1_000_000, 4096
COMMAND = {READ: 100, PROGRAM: 200, ERASE: 300, COPYBACK: 400}


class Owner(TransactionOwner):
    """Writes down what is done, and when."""

    def __init__(self, env, transactions):
        self.env = env
        self.transactions = transactions
        self.number = transactions.add_owner(self)
        self.ends = []

    def done(self, transaction):
        self.ends.append((int(self.env.now), self.transactions.op[transaction], self.transactions.ppa[transaction]))


class Bench:
    """The tiny device on a clock of its own, with transactions of the test's making."""

    def __init__(self, config, kernel):
        self.env = make_environment(kernel)
        self.device = Device(config)
        self.device.connect(self.env)
        self.transactions = self.device.transactions
        self.owner = Owner(self.env, self.transactions)
        self.env.run(until=5)

    def submit(self, op, ppa, source=HOST, **columns):
        columns = {"op": op, "ppa": ppa, "bytes": 4096} | columns
        self.device.scheduler.submit(taken(self.transactions, source, self.owner.number, **columns))

    def run(self):
        self.env.run(until=int(self.env.now) + 10**9)
        return self.owner.ends


@pytest.fixture(params=["compiled", "simpy"])
def bench(request, tiny):
    """Return a bench of the tiny device with two chips."""
    return Bench(tiny({"hardware": {"chips_per_channel": 2}}), request.param)


def filled(bench, pages, plane=0):
    """Hand out pages of the first free block of `plane` and return it."""
    block = bench.device.blocks.take_free(plane)
    for lpa in range(pages):
        bench.device.blocks.append(block, lpa)
    return block


def test_a_copyback_takes_its_command_and_both_array_times(bench):
    for plane in (0, 1):  # the other chip: the commands share the bus, the array times overlap
        ppa = bench.device.blocks.append(bench.device.blocks.take_free(plane), 0)
        bench.submit(COPYBACK, ppa, copied_from=ppa + 2)
    first = 5 + COMMAND[COPYBACK] + READ_NS + PROGRAM_NS
    assert bench.run() == [(first, COPYBACK, 0), (first + COMMAND[COPYBACK], COPYBACK, 32)]
    assert bench.device.counters.count(COPYBACK, HOST) == 2
    assert bench.device.controllers[0].bus_busy_ns == 2 * COMMAND[COPYBACK]


def test_what_the_bus_is_still_to_be_held_for_does_not_count_yet(bench):
    filled(bench, 1)
    bench.submit(PROGRAM, 0)
    controller = bench.device.controllers[0]
    for now, held in ((5 + 1000, 1000), (5 + COMMAND[PROGRAM] + TRANSFER + 1, COMMAND[PROGRAM] + TRANSFER)):
        bench.env.run(until=now)
        assert controller.bus_time_ns(now) == held


@pytest.mark.parametrize("slow_first", [True, False])
def test_copybacks_of_several_planes_take_the_longest_read_and_the_longest_program(tiny, slow_first):
    """One reads a fast page and programs a slow one, the other the other way round."""
    hardware = {"bits_per_cell": 2, "program_us": [100.0, 300.0], "read_us": [10.0, 40.0], "planes_per_die": 2}
    bench = Bench(tiny({"hardware": hardware}), "compiled")
    fast, slow = (bench.device.order.page_of(0, page_type) for page_type in (0, 1))
    transactions = bench.transactions
    first, second = (
        taken(transactions, op=COPYBACK, copied_from=source, page_type=page_type)
        for source, page_type in ((fast, 1), (slow, 0))
    )
    if not slow_first:
        first, second = second, first
    transactions.partner[first] = second
    assert bench.device.controllers[0].begin_array(first) == 40_000 + 300_000


def test_programs_of_a_block_wait_for_those_before_them(bench):
    filled(bench, 3)
    for ppa in (2, 1, 0):
        bench.submit(PROGRAM, ppa)
    one = COMMAND[PROGRAM] + TRANSFER + PROGRAM_NS
    assert bench.run() == [(5 + (i + 1) * one, PROGRAM, i) for i in range(3)]


def test_the_garbage_collectors_programs_wait_for_the_hosts_in_their_block(bench):
    filled(bench, 2)
    bench.device.dies.urgent_planes[0] = 1
    bench.submit(PROGRAM, 1, GC)
    bench.submit(PROGRAM, 0, HOST)
    assert [ppa for _, _, ppa in bench.run()] == [0, 1]


def test_an_erase_waits_for_reads_on_their_way_to_its_block(bench):
    blocks = bench.device.blocks
    block = filled(bench, 4)
    for page in range(4):
        blocks.program(page)
        blocks.invalidate(page)
    blocks.collect(block)
    bench.device.dies.urgent_planes[0] = 1
    bench.submit(ERASE, 0, GC)
    bench.submit(READ, 2)
    read = 5 + COMMAND[READ] + READ_NS + TRANSFER
    assert bench.run() == [(read, READ, 2), (read + COMMAND[ERASE] + ERASE_NS, ERASE, 0)]
    assert blocks.erases(block) == 1


def test_traffic_of_others_goes_behind_the_hosts_reads_until_it_is_critical(bench):
    filled(bench, 2)
    for degree, expected in ((0, [1, 0]), (1, [1, 0]), (2, [0, 1])):
        bench.owner.ends.clear()
        make_urgent(bench.device.dies, degree)
        bench.submit(READ, 0, GC)
        bench.submit(READ, 1, HOST)
        assert [ppa for _, _, ppa in bench.run()] == expected


@pytest.mark.parametrize("op", [READ, PROGRAM])
def test_the_hosts_pages_join_a_command_before_those_of_collection(tiny, op):
    """Pages of the same offset in one plane wait, of collection and of the host, while the host's of another starts."""
    planes = {"hardware": {"planes_per_die": 2}, "flash": {"multi_plane": ["read", "program"]}}
    bench = Bench(tiny(planes), "compiled")
    of_collection, of_host, first = (filled(bench, 1, plane) * 4 for plane in (1, 1, 0))
    bench.submit(op, of_collection, GC)
    bench.submit(op, first)
    bench.submit(op, of_host)
    assert [ppa for _, _, ppa in bench.run()] == [first, of_host, of_collection]
    assert bench.device.counters.host_multi_plane[op] == 2


def test_a_page_that_was_not_handed_out_is_not_programmed(bench):
    bench.submit(PROGRAM, 0)
    with pytest.raises(FlashError, match=r"page 0 \(LSB of wordline 0\) was programmed out of order"):
        bench.run()


def test_an_erase_that_would_lose_data_is_refused(bench):
    filled(bench, 1)
    bench.submit(ERASE, 0)
    with pytest.raises(FlashError, match="block 0 was erased while active with 1 valid pages"):
        bench.run()


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 9))))
def test_transaction_queues_are_lists(steps):
    """Append to one of two queues at -1; remove the one at the step's place otherwise."""
    transactions = Transactions()
    queues, models = TransactionQueues(transactions, 2), ([], [])
    for queue, place in steps:
        model = models[queue]
        if place < 0:
            model.append(taken(transactions))
            queues.append(queue, model[-1])
        elif place < len(model):
            queues.remove(queue, model.pop(place))
        assert (listed(queues, 0), listed(queues, 1)) == models
