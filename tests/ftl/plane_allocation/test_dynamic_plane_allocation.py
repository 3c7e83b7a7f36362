"""Dynamic plane allocation: by hand, and against a model through random writes, work and lack of room.

Compiled and interpreted.
"""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import READ
from ssdsim._core.either_kernel import make_environment
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation.policies import stripe
from support.bound import plane_allocation
from support.tiny_device import PAGE, tiny_config
from support.transactions import taken

LATER = 1_000_000
NAMES = ["f", "d", "f2"]
LEVELS = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]

SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))
WRITE = st.tuples(st.just("write"), st.integers(0, 100))
WORK = st.tuples(st.sampled_from(["queued", "executing", "bus"]), st.integers(0, 100))
ROOM = st.tuples(st.just("room"), st.integers(0, 100))
STEPS = st.lists(st.one_of(WRITE, WRITE, WRITE, WORK, WORK, ROOM), min_size=10, max_size=80)


class Bench:
    """A plane allocation on a device of whose dies, buses and planes the test says which are busy or full."""

    def __init__(self, modules, controllers, name, shape, connected=True):
        frontier = modules["ssdsim.ftl.frontier.interface"].WriteFrontier
        transactions = modules["ssdsim.flash.transactions"].Transactions()
        self.full = full = set()
        self.transaction = taken(transactions)
        self.of_state = controllers
        self.dies = modules["ssdsim.flash.dies"].Dies(transactions, prod(shape[:3]), prod(shape[1:3]), shape[2])
        self.dies.buses[:] = [controllers[False]] * self.dies.count

        class Frontier(frontier):
            span, blocks = 1, None

            def has_room(self, plane):
                return plane not in full

        hardware = modules["ssdsim.config"].HardwareConfig(**dict(zip(LEVELS, shape, strict=True)))
        made = modules["ssdsim.assembly.parts"].CLASSES["ftl.plane_allocation"][name]
        self.policy = plane_allocation(made, hardware, Frontier(), modules)
        if connected:
            self.policy.dies = self.dies

    def carry_out(self, kind, number):
        """Carry out one step; return the plane chosen, if it is a write."""
        if kind == "write":
            return self.policy.plane_for(number, 0)
        die = number % self.dies.count
        if kind == "queued":
            self.dies.idle[die] = not self.dies.idle[die]
        elif kind == "executing":
            self.dies.transaction[die] = 0 if self.dies.transaction[die] else self.transaction
            self.dies.commands[die] = self.dies.transaction[die] != 0
        elif kind == "bus":
            first = number % (self.dies.count // self.dies.per_channel) * self.dies.per_channel
            self.dies.buses[first] = self.of_state[not self.dies.buses[first].bus_taken]
        else:
            self.full ^= {number}
        return None


class Model:
    """What is promised, over the tree of channels, chips, dies and planes as tuples of their places."""

    def __init__(self, name, shape):
        self.name, self.shape = name, shape
        self.planes = list(product(*map(range, shape)))
        self.last = {}
        self.busy, self.executing, self.taken, self.full = set(), set(), set(), set()

    def carry_out(self, kind, number):
        if kind == "write":
            return self.write(number)
        dies = list(product(*map(range, self.shape[:3])))
        changed, what = {
            "queued": (self.busy, dies[number % len(dies)]),
            "executing": (self.executing, dies[number % len(dies)]),
            "bus": (self.taken, (number % self.shape[0],)),
            "room": (self.full, self.planes[number] if number < len(self.planes) else None),
        }[kind]
        changed ^= {what}
        return None

    def write(self, lpa):
        room = [plane for plane in self.planes if plane not in self.full]
        busy = self.busy | self.executing
        if self.name == "d":
            die = lpa // prod(self.shape[:2]) % self.shape[2]
            room = [plane for plane in room if plane[2] == die] or room
        if self.name == "f2":
            held = {die[:2]: die for die in self.in_rounds()}
            room = [plane for plane in room if held.get(plane[:2], plane[:3]) == plane[:3]]
            busy -= set(held.values()) - self.executing
        path = ()
        while len(path) < 4:
            size = self.shape[len(path)]
            turns = [(*path, (self.last.get(path, -1) + 1 + step) % size) for step in range(size)]
            below = {child: {plane[:3] for plane in room if plane[: len(child)] == child} for child in turns}
            fit = [child for child in turns if below[child]]
            if not fit:
                return -1
            child = next((child for child in fit if below[child] - busy and child not in self.taken), fit[0])
            self.last[path] = child[-1]
            path = child
        return self.planes.index(path)

    def in_rounds(self):
        """Return the dies that were the last of their chips and have room in planes behind the last one."""
        lasts = [(*chip, self.last[chip]) for chip in product(*map(range, self.shape[:2])) if chip in self.last]
        return [die for die in lasts if {(*die, n) for n in range(self.last[die] + 1, self.shape[3])} - self.full]


@pytest.fixture(scope="module")
def make(modules):
    """Make a bench of either kind, with a controller whose bus is taken and one whose bus is free."""
    device = modules["ssdsim.assembly.device"].Device(
        tiny_config({"hardware": {"channels": 2}}, modules["ssdsim.config"])
    )
    env = make_environment("compiled")
    device.connect(env)
    device.scheduler.submit(taken(device.transactions, op=READ, ppa=0))
    env.run(until=50)  # in the middle of the read's command
    controllers = {each.bus_taken != 0: each for each in device.controllers}
    return lambda *given, **more: Bench(modules, controllers, *given, **more)


@given(STEPS, st.sampled_from(NAMES), SHAPES)
def test_it_does_what_the_model_does(make, steps, name, shape):
    bench, model = make(name, shape), Model(name, shape)
    for step in steps:
        assert bench.carry_out(*step) == model.carry_out(*step)


@pytest.mark.parametrize(("name", "order"), [("f", "CWDP"), ("d", "CWDP"), ("f2", "CWPD")])
@given(SHAPES)
def test_with_nobody_busy_pages_in_order_go_by_a_static_order(make, name, order, shape):
    bench = make(name, shape, connected=False)
    planes = stripe(order, HardwareConfig(**dict(zip(LEVELS, shape, strict=True))), 1)
    assert [bench.policy.plane_for(lpa, 0) for lpa in range(2 * len(planes))] == planes * 2


def shape_of(*sizes, **changes):
    """Return changes that make a device of so many channels, chips, dies and planes."""
    return {"hardware": dict(zip(LEVELS, sizes, strict=True)), **changes}


def at(time, op="write", page=0):
    return time, op, page * PAGE, PAGE


def places(out, op="program"):
    """Return where the host's operations went, in order of arrival: channel, chip, die, plane."""
    rows = sorted((row for row in out.commands if row["op"] == op), key=lambda row: row["lpa"])
    return [tuple(row[name] for name in ("channel", "chip", "die", "plane")) for row in rows]


@pytest.mark.parametrize(("delay", "expected"), [(50, (1, 0)), (150, (0, 1))])
def test_a_channel_is_busy_while_its_bus_is_taken(run, delay, expected):
    """A read's command takes 100 ns; then the other chip of its channel can be written to."""
    rows = [*(at(0, page=page) for page in range(4)), at(LATER, "read", 0), at(LATER + delay, page=4)]
    out = run(rows, shape_of(2, 2, 1, 1, ftl={"plane_allocation": "f"}))
    assert places(out)[-1][:2] == expected
