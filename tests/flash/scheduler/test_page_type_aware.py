"""Page-type aware scheduling: by hand, and against a model through random arrivals, starts and obstacles.

Compiled and interpreted.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import ERASE, GC, HOST, PROGRAM, READ
from ssdsim.assembly.device import Device
from support.one_die import BASES, Bench, Model, carry_out
from support.tiny_device import PAGE

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


PLANES = {
    "planes_per_die": 3,
    "pages_per_block": 6,
    "bits_per_cell": 3,
    "program_us": [500.0, 2000.0, 5500.0],
    "read_us": [0.001],
}
EARLIER = [(0, "write", lpa * PAGE, PAGE) for lpa in (0, 1, 3, 4, 6, 9)]  # plane 0 has an MSB next, 1 a CSB, 2 an LSB
LATER = 10**9


@pytest.mark.parametrize("aware", [False, True])
def test_figure_11_on_a_device(run, aware):
    rows = [*EARLIER, (LATER, "read", 0, PAGE)]  # so that all three of the writes after it wait
    rows += [(LATER, "write", plane * PAGE, PAGE) for plane in range(3)]
    out = run(rows, {"hardware": PLANES, "scheduler": {"page_type_aware": aware}})
    assert [row["page_type"] for row in out.commands[-3:]] == ([LSB, CSB, MSB] if aware else [MSB, CSB, LSB])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("page_type", "limit"), [(CSB, 10), (MSB, 20)])
def test_a_slow_program_is_passed_as_often_as_allowed(make, base, page_type, limit):
    bench = make(base, LIMITS)
    for each in [page_type, *[LSB] * 30]:
        bench.arrive(PROGRAM, each)
    assert bench.drain().index(0) == limit


@given(steps=STEPS, base=st.sampled_from([*BASES]), limits=SOME_LIMITS)
def test_it_does_what_the_model_does(make, steps, base, limits):
    bench, model = make(base, limits), Model(base, limits)
    for step in [*steps, *[("take",)] * len(steps)]:
        assert carry_out(step, bench) == carry_out(step, model)
        assert sorted(bench.waiting()) == sorted((item.number, item.place, item.passed) for item in model.items)
