"""Whatever is written, programmed and collected, frontiers by page type have a page as long as one is left."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SimulationError
from ssdsim._core.blocks import STATES
from ssdsim._core.fill import recount
from ssdsim.ftl.frontier import PageTypeFrontier, TwoPhaseFrontier
from ssdsim.testing import RuleBook
from support.bound import HOST_DATA, MOVED_DATA
from support.typed_frontier import Frontier

FULL = STATES.index("full")


class Life:
    """A frontier under writes, programs, deaths and collection, drawn at random, in steps that are checked."""

    def __init__(self, frontier, rules, drawn):
        self.frontier, self.rules, self.drawn = frontier, rules, drawn
        self.blocks, self.made = frontier.blocks, frontier.made
        self.written = [set() for _ in range(self.blocks.count)]
        self.pending = []

    def write(self, weights):
        wanted = self.drawn.choices(range(self.frontier.types), weights)[0]
        purpose = self.drawn.choice([HOST_DATA, MOVED_DATA])
        if self.blocks.free_pages(0) == 0:
            with pytest.raises(SimulationError, match="no page left"):
                self.frontier.ask(wanted, 0, purpose)
            return
        ppa = self.frontier.ask(wanted, 0, purpose)
        block, number = divmod(ppa, self.blocks.pages_per_block)
        page = self.rules.pages[number]
        assert self.rules.allows(self.written[block], page)
        if not self.made.borrows:
            assert all(page_type >= page[1] for _, page_type in set(self.rules.pages) - self.written[block])
        self.written[block].add(page)
        self.pending.append(ppa)

    def program(self):
        able = [ppa for ppa in self.pending if self.blocks.may_program(*divmod(ppa, self.blocks.pages_per_block))]
        if able:
            ppa = self.drawn.choice(able)
            self.pending.remove(ppa)
            self.blocks.program(ppa)

    def die(self):
        valid = [ppa for ppa in range(self.blocks.pages) if self.blocks.is_valid(ppa)]
        if valid:
            self.frontier.kill(self.drawn.choice(valid))

    def collect(self):
        """Erase a full block, or the last resort, whose valid pages are thought to be trimmed."""
        full = [block for block in range(self.blocks.count) if self.blocks.state(block) == FULL]
        victim = self.drawn.choice(full) if full else self.made.partly_written.best(0)
        if victim < 0:
            return
        if full:
            self.blocks.collect(victim)
        else:
            self.made.partly_written.withdraw(0, victim)
            self.blocks.reclaim(victim)
        self.frontier.die(victim, self.blocks.valid(victim))
        self.blocks.erase(victim)
        self.written[victim].clear()

    def check(self):
        assert recount(self.blocks, self.frontier.mapping) is None
        pages, unused = self.blocks.pages_per_block, self.blocks.free_pages(0)
        beyond = self.blocks.free_blocks(0) >= self.made.reserved and unused > self.made.reserved * pages
        assert self.made.has_room(0) == beyond
        assert self.made.free_blocks(0) == unused // pages
        partly = [block for block, written in enumerate(self.written) if 0 < len(written) < pages]
        assert sorted(self.made.open_blocks()) == partly
        pools = range(self.frontier.types * self.made.kinds)
        candidates = [block for pool in pools for block in self.made.pools.listed(pool)]
        dead = {block: len(self.written[block]) - self.blocks.valid(block) for block in candidates}
        idle = {block: n for block, n in dead.items() if n and not any(ppa // pages == block for ppa in self.pending)}
        best = self.made.partly_written.best(0)
        assert (best in idle and idle[best] == max(idle.values())) if idle else best == -1


@pytest.mark.parametrize("types", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("made", "rule"),
    [*((PageTypeFrontier, rule) for rule in ("strict", "relaxed", "fps", "free")), (TwoPhaseFrontier, "rps")],
)
@given(
    active=st.sampled_from(["shared", "separate"]),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 5)),
    weights=st.lists(st.sampled_from([1, 5, 100]), min_size=4, max_size=4),
    chances=st.lists(st.sampled_from([0, 1, 3]), min_size=3, max_size=3),
    reserved=st.integers(0, 1),
    seed=st.integers(0, 2**32),
)
def test_a_page_is_given_as_long_as_one_is_left(made, rule, types, active, shape, weights, chances, reserved, seed):
    (blocks, wordlines), drawn = shape, random.Random(seed)
    frontier = Frontier(blocks, wordlines, types, rule, made=made, reserved=reserved, active_blocks=active)
    life = Life(frontier, RuleBook(rule, wordlines, types), drawn)
    for _ in range(100):
        what = drawn.choices(["write", "program", "die", "collect"], [4, *chances])[0]
        if what == "write":
            life.write(weights[:types])
        else:
            getattr(life, what)()
        life.check()
