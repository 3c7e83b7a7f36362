"""Planes chosen when a die falls idle: round robin, F, D and F2 against a model of who is free, in plain Python."""

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim._core.codes import GC, HOST, PROGRAM, READ
from support.transactions import queued, taken

LEVELS = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
SHAPES = st.tuples(*map(st.sampled_from, [(1, 2, 3), (1, 2), (2, 1, 3), (2, 1, 3)]))
NUMBER = st.integers(0, 100)
QUEUES = ["host_reads", "host_writes", "gc_reads", "gc_writes"]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NUMBER),
        *[st.tuples(st.just("take"), NUMBER)] * 3,
        st.tuples(st.sampled_from(["executing", "executing", "urgent", "bus", "room"]), NUMBER),
        st.tuples(st.sampled_from(["host_writes", "host_writes", "host_reads", "gc_writes"]), NUMBER),
        st.tuples(st.just("done"), NUMBER),
    ),
    min_size=10,
    max_size=80,
)
"""Asking for a plane, with and without queueing the write there; work that comes and is done; buses and full planes."""


class State:
    """Who works at what: the queues of each die, what it executes, and buses, all as numbers and sets."""

    def __init__(self, shape):
        self.dies = list(product(*map(range, shape[:3])))
        self.planes = list(product(*map(range, shape)))
        self.queued = {die: dict.fromkeys(QUEUES, 0) for die in self.dies}
        self.executing, self.urgent, self.taken, self.full = set(), set(), set(), set()

    def takes(self, die, limit):
        """Return whether a write would be one of the `limit` that `die` does next."""
        queued = self.queued[die]
        if die in self.executing or queued["host_reads"] or queued["host_writes"] >= limit:
            return False
        return die not in self.urgent or queued["gc_reads"] + queued["gc_writes"] == 0


class Model:
    """The four policies over the tree of channels, chips, dies and planes as tuples of their places."""

    def __init__(self, name, shape, state):
        self.name, self.shape, self.state = name, shape, state
        self.last, self.next_place = {}, 0

    def plane_for(self, lpa, stream):
        room = [plane for plane in self.state.planes if plane not in self.state.full]
        if self.name == "round_robin":
            return self.in_turn(room)
        if self.name == "d":
            die = lpa // prod(self.shape[:2]) % self.shape[2]
            room = [plane for plane in room if plane[2] == die] or room
        rounds = self.rounds(room) if self.name == "f2" else {}
        room = [plane for plane in room if rounds.get(plane[:2], plane[:3]) == plane[:3]]
        free = [plane for plane in room if self.state.takes(plane[:3], self.limit(plane[:3], rounds))]
        return self.descend(free, room)

    def limit(self, die, rounds):
        """Return how many writes a die takes before it starts: D and F2 fill a row, F2 from its second plane on."""
        return self.shape[3] if self.name == "d" or die in rounds.values() else 1

    def in_turn(self, room):
        """Return the next plane, the channel changing first, whose die takes a write for each plane."""
        channels, chips, dies, planes = map(range, self.shape)
        order = [(c, w, d, p) for p in planes for d in dies for w in chips for c in channels]
        for step in range(len(order)):
            place = (self.next_place + step) % len(order)
            if order[place] in room and self.state.takes(order[place][:3], self.shape[3]):
                self.next_place = place + 1
                return order[place]
        return None

    def descend(self, free, room):
        """Return the plane that turns lead to; a bus taken is passed over where another channel has a die as free."""
        path = ()
        while len(path) < 4:
            size, depth = self.shape[len(path)], len(path) + 1
            turns = [(*path, (self.last.get(path, -1) + 1 + step) % size) for step in range(size)]
            among = room if depth == 4 else free  # a die is free for all of its planes
            fit = [child for child in turns if any(plane[:depth] == child for plane in among)]
            if not fit:
                return None
            child = next((child for child in fit if child not in self.state.taken), fit[0])
            self.last[path] = child[-1]
            path = child
        return path

    def rounds(self, room):
        """Return by chip the die whose planes are not all written that were begun, if those left have room."""
        found = {}
        for chip in product(*map(range, self.shape[:2])):
            if chip in self.last:
                die = (*chip, self.last[chip])
                if any(plane[:3] == die and plane[3] > self.last[die] for plane in room):
                    found[chip] = die
        return found


class Bench:
    """A plane allocation over dies of the back end, of which a test says what they have to do."""

    def __init__(self, modules, name, shape):
        self.state = State(shape)
        self.transactions = modules["ssdsim.flash.transactions"].Transactions()
        state = self.state

        class Frontier(modules["ssdsim.ftl.frontier"].WriteFrontier):
            def has_room(self, plane):
                return state.planes[plane] not in state.full

        make = modules["ssdsim.flash.dies"].Dies
        self.dies = make(self.transactions, len(self.state.dies), prod(shape[1:3]), shape[2])
        hardware = modules["ssdsim.config"].HardwareConfig(**dict(zip(LEVELS, shape, strict=True)))
        self.policy = modules["ssdsim.assembly.parts"].make_policy("ftl.plane_allocation", name)
        self.policy.bind(hardware, Frontier())
        self.policy.at_dispatch = True

    def change(self, what, number):
        """Have something begin, or end."""
        die = self.state.dies[number % len(self.state.dies)]
        index = self.state.dies.index(die)
        if what == "executing":
            self.state.executing ^= {die}
            self.dies.transaction[index] = taken(self.transactions) if die in self.state.executing else 0
        elif what == "urgent":
            self.state.urgent ^= {die}
            self.dies.urgent_planes[index] = int(die in self.state.urgent)
        elif what == "room":
            plane = self.state.planes[number % len(self.state.planes)]
            alike = {each for each in self.state.planes if each[2] == plane[2]}
            self.state.full ^= {plane} if number % 3 else alike  # of all chips, for D to have none it wants
        elif what == "done":
            for queue, name in enumerate(QUEUES, index * len(QUEUES)):
                while self.state.queued[die][name]:
                    self.state.queued[die][name] -= 1
                    self.dies.queues.remove(queue, self.dies.queues.head[queue])
        else:
            self.queue(die, what)

    def queue(self, die, name):
        """Have one transaction more wait in a queue of `die`."""
        source = HOST if name.startswith("host") else GC
        op = READ if name.endswith("reads") else PROGRAM
        self.state.queued[die][name] += 1
        queued(self.dies, taken(self.transactions, source, op=op, die=self.state.dies.index(die)))


@pytest.mark.parametrize("name", ["round_robin", "f", "d", "f2"])
@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(STEPS, SHAPES)
def test_a_write_goes_where_the_model_says_or_waits(modules, buses, name, steps, shape):
    bench = Bench(modules, name, shape)
    model, state = Model(name, shape, bench.state), bench.state
    held = [buses[False]] * shape[0]
    bench.policy.connect(bench.dies, held)
    for what, number in steps:
        if what == "bus":
            channel = number % shape[0]
            state.taken ^= {(channel,)}
            held[channel] = buses[(channel,) in state.taken]
        elif what in ("write", "take"):
            plane = bench.policy.plane_for(number, 0)
            expected = model.plane_for(number, 0)
            assert (state.planes[plane] if plane >= 0 else None) == expected
            if what == "take" and expected:
                bench.queue(expected[:3], "host_writes")
        else:
            bench.change(what, number)
