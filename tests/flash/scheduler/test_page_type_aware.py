"""Page-type aware scheduling: by hand, and against a model through random arrivals, starts and obstacles.

Compiled and interpreted.
"""

import sys
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import ERASE, GC, HOST, PROGRAM, READ
from ssdsim._core.kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.flash.queues import HOST_WRITES, TransactionQueues
from ssdsim.flash.transactions import Transactions
from support.one_die import BASES, Bench, Model, carry_out
from support.thinned import grid
from support.tiny_device import PAGE
from support.transactions import listed, taken

LSB, CSB, MSB = range(3)
PROGRAM_US = [500, 2000, 5500]
LIMITS = [10, 20]

PAGE_TYPES = st.sampled_from([LSB, CSB, MSB])
PROGRAMS = st.tuples(st.just("arrive"), st.just(PROGRAM), PAGE_TYPES, st.sampled_from([HOST, HOST, GC]))
READS = st.tuples(st.just("arrive"), st.just(READ), PAGE_TYPES, st.sampled_from([HOST, GC]))
ERASES = st.just(("arrive", ERASE, LSB, GC))
TAKE = st.just(("take",))
TOGGLE = st.tuples(st.just("toggle"), st.integers(0, 40))
URGENT = st.tuples(st.just("urgent"), st.integers(0, 2))
STEPS = st.lists(
    st.one_of(PROGRAMS, PROGRAMS, PROGRAMS, READS, ERASES, TAKE, TAKE, TAKE, TOGGLE, URGENT), min_size=20, max_size=80
)
SOME_LIMITS = st.lists(st.integers(0, 5), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def blocks(tiny):
    return Device(tiny()).blocks


@pytest.fixture(scope="module")
def make(modules, blocks):
    """Make a bench of either kind."""
    return lambda *given: Bench(modules, blocks, *given)


def mean_response_us(bench, types):
    for page_type in types:
        bench.arrive(PROGRAM, page_type)
    ends, now = [], 0
    for number in bench.drain():
        now += PROGRAM_US[types[number]]
        ends.append(now)
    return round(sum(ends) / len(types))


FIGURE_11 = {(MSB, CSB, LSB): 7000, (CSB, MSB, LSB): 5833, (LSB, CSB, MSB): 3667}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("types", "expected"), FIGURE_11.items())
def test_the_orders_of_figure_11(make, base, types, expected):
    assert mean_response_us(make(base), types) == expected
    assert mean_response_us(make(base, LIMITS), types) == 3667


WRITES_FIRST = """
from ssdsim.policies import SchedulingPolicy


class WritesFirst(SchedulingPolicy):
    def choose(self, reads, writes):
        return self.first(writes) or self.first(reads)
"""


@pytest.fixture(scope="module", autouse=True)
def users_folder(tmp_path_factory):
    """Let a module of a user's be importable."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("user")
        (folder / "users_order.py").write_text(WRITES_FIRST)
        patch.syspath_prepend(folder)
        yield
        sys.modules.pop("users_order", None)


THREE_PLANES = {
    "planes_per_die": 3,
    "pages_per_block": 6,
    "bits_per_cell": 3,
    "program_us": [500.0, 2000.0, 5500.0],
    "bus_ns_per_byte": 0.0,
    "program_command_us": 0.0,
    "read_us": [0.001],
    "read_command_us": 0.0,
}
EARLIER = [(0, "write", lpa * PAGE, PAGE) for lpa in (0, 1, 3, 4, 6, 9)]  # plane 0 has an MSB next, 1 a CSB, 2 an LSB
LATER = 10**9
PLANE = {MSB: 0, CSB: 1, LSB: 2}


@pytest.mark.parametrize(
    ("policy", "types"), grid(0.34, [*BASES, "users_order.WritesFirst"], permutations([LSB, CSB, MSB]))
)
def test_figure_11_on_a_device(run, types, policy):
    rows = [*EARLIER, (LATER, "read", 0, PAGE)]  # for a nanosecond the die is busy, so that all three wait
    rows += [(LATER, "write", PLANE[page_type] * PAGE, PAGE) for page_type in types]
    for aware, order in ((False, types), (True, (LSB, CSB, MSB))):
        scheduler = {"policy": policy, "page_type_aware": aware}
        out = run(rows, {"hardware": THREE_PLANES, "scheduler": scheduler})
        assert tuple(row["page_type"] for row in out.commands[-3:]) == order
        mean = sum(row["response_ns"] for row in out.requests[-3:]) / 3 / 1000
        assert round(mean) == FIGURE_11.get(order, round(mean))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("page_type", "limit"), [(CSB, 10), (MSB, 20)])
def test_a_slow_program_is_passed_as_often_as_allowed(make, base, page_type, limit):
    bench = make(base, LIMITS)
    for each in [page_type, *[LSB] * 30]:
        bench.arrive(PROGRAM, each)
    assert bench.drain().index(0) == limit


def test_the_last_limit_holds_for_further_types(make):
    bench = make("fcfs", [1, 2])
    for each in [3, *[LSB] * 9]:
        bench.arrive(PROGRAM, each)
    assert bench.drain()[:4] == [1, 2, 0, 3]


def test_passes_count_from_when_a_transaction_is_queued(tiny):
    device = Device(tiny())
    device.connect(make_environment("compiled"))
    transaction = taken(device.transactions, op=PROGRAM, ppa=0, passed=7)
    device.scheduler.submit(transaction)
    assert listed(device.dies.queues, HOST_WRITES) == [transaction] and device.transactions.passed[transaction] == 0


def test_of_several_that_are_passed_no_more_the_oldest_goes_first(make):
    bench = make("fcfs", [2, 2])
    for each in [MSB, CSB, *[LSB] * 4]:
        bench.arrive(PROGRAM, each)
    assert bench.drain() == [2, 3, 0, 1, 4, 5]


def test_a_program_that_may_not_start_is_not_passed(make):
    bench = make("fcfs", [1, 1])
    for each in [CSB, LSB, LSB, LSB]:
        bench.arrive(PROGRAM, each)
    bench.blocked.add(0)
    assert [bench.take(), bench.take()] == [1, 2]
    bench.blocked.clear()
    bench.arrive(PROGRAM, LSB)
    assert bench.drain() == [3, 0, 4]


def test_a_quick_program_that_may_not_start_holds_nobody_up(make):
    bench = make("fcfs", LIMITS)
    for each in [MSB, CSB, LSB]:
        bench.arrive(PROGRAM, each)
    bench.blocked.add(2)
    assert bench.drain() == [1, 0]


@pytest.mark.parametrize(("op", "source"), [(READ, HOST), (READ, GC), (ERASE, GC)])
def test_a_program_does_not_take_the_turn_of_what_stands_between(make, op, source):
    bench = make("fcfs", LIMITS)
    bench.arrive(PROGRAM, MSB, source)
    bench.arrive(op, LSB, source)
    bench.arrive(PROGRAM, CSB, source)
    bench.arrive(op, LSB, source)
    bench.arrive(PROGRAM, LSB, source)
    assert bench.drain() == [4, 1, 2, 3, 0]


@given(steps=STEPS, base=st.sampled_from([*BASES]), limits=SOME_LIMITS)
def test_it_does_what_the_model_does(make, steps, base, limits):
    bench, model = make(base, limits), Model(base, limits)
    for step in [*steps, *[("take",)] * len(steps)]:
        assert carry_out(step, bench) == carry_out(step, model)
        assert sorted(bench.waiting()) == sorted((item.number, item.place, item.passed) for item in model.items)


@given(steps=STEPS, base=st.sampled_from([*BASES]), limits=SOME_LIMITS)
def test_no_program_is_passed_too_often_or_by_an_equal(make, steps, base, limits):
    bench, kinds, passes = make(base, limits), {}, {}
    for step in [*steps, *[("take",)] * len(steps)]:
        if step[0] == "arrive":
            kinds[bench.arrived] = step[1:]
        before = bench.waiting()
        usual, selected = bench.number(bench.base.select(0)), bench.number(bench.policy.select(0))
        assert bench.waiting() == before
        number = carry_out(step, bench)
        if number is None:
            continue
        assert number == selected
        assert kinds[number][0] == kinds[usual][0]
        if kinds[usual][0] != PROGRAM:
            assert number == usual
            continue
        for older, *_ in before:
            if older < number and kinds[older][::2] == kinds[number][::2] and older not in bench.blocked:
                assert kinds[older] != kinds[number]
                passes[older] = passes.get(older, 0) + 1
    for number, times in passes.items():
        page_type = kinds[number][1]
        assert page_type == LSB or times <= limits[min(page_type, len(limits)) - 1]


@given(steps=STEPS, base=st.sampled_from([*BASES]), limits=SOME_LIMITS)
def test_reads_and_erases_keep_their_turns(make, steps, base, limits):
    """Where every program may start, the policy changes only which program goes when one does."""
    usual, aware, programs = make(base), make(base, limits), set()
    for step in [*steps, *[("take",)] * len(steps)]:
        if step[:2] == ("arrive", PROGRAM):
            programs.add(usual.arrived)
        if step[0] == "toggle" and (step[1] in programs or step[1] >= usual.arrived):
            continue
        one, other = carry_out(step, usual), carry_out(step, aware)
        assert one == other or {one, other} <= programs


@given(steps=STEPS, base=st.sampled_from([*BASES]))
def test_limits_of_nought_leave_everything_to_the_base_policy(make, steps, base):
    usual, aware = make(base), make(base, [0, 0])
    for step in [*steps, *[("take",)] * len(steps)]:
        assert carry_out(step, usual) == carry_out(step, aware)


@given(st.lists(st.tuples(st.integers(-1, 9), st.sampled_from([READ, PROGRAM, ERASE]), st.integers(-1, 3))))
def test_a_queue_counts_its_programs_by_type(steps):
    """Insert before the transaction at the step's place, or at the end; remove the one that stands there if a read.

    The type -1 is that of SLC mode.
    """
    transactions, model = Transactions(), []
    queues = TransactionQueues(transactions, 3)
    beside = [taken(transactions, op=PROGRAM, page_type=each) for each in (1, 2)]
    queues.append(0, beside[0])
    queues.append(2, beside[1])
    for place, op, page_type in steps:
        after = model[place] if 0 <= place < len(model) else 0
        if op == READ and after:
            queues.remove(1, model.pop(place))
        else:
            number = taken(transactions, op=op, page_type=page_type)
            model.insert(len(model) if not after else place, number)
            queues.insert(1, number, after)
        assert [listed(queues, queue) for queue in range(3)] == [beside[:1], model, beside[1:]]
        types = [transactions.page_type[each] for each in model if transactions.op[each] == PROGRAM]
        assert list(queues.programs)[5:10] == [types.count(each) for each in range(-1, 4)]
        assert queues.lowest_page_type(1) == min(types, default=3)
