"""DFTL's cached mapping table against lists and dictionaries that say the same."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from ssdsim._core.mapping_cache import MappingCache

LOGICAL = 150
"""Logical pages: more than the cache has a capacity for."""

PAGES = st.integers(0, LOGICAL - 1)


class CacheMachine(RuleBasedStateMachine):
    """Both segments as lists, most recently used first; an entry in neither of them is leaving."""

    @initialize(protected=st.sampled_from([0, 1, 3, 40]), per_page=st.sampled_from([1, 4, 7, LOGICAL]))
    def begin(self, protected, per_page):
        self.cache = MappingCache(50, protected, LOGICAL, per_page)
        self.protected, self.per_page = protected, per_page
        self.dirty, self.used, self.unused, self.leaving = set(), [], [], []

    def entries(self):
        """Return all entries."""
        return {*self.used, *self.unused, *self.leaving}

    def held(self, lpa):
        """Return an entry that is held, chosen by number."""
        return sorted(self.entries())[lpa % len(self.entries())]

    @rule(lpa=PAGES, count=st.sampled_from([1, 1, 5, 70]))
    def insert(self, lpa, count):
        for each in range(lpa, min(lpa + count, LOGICAL)):
            if each not in self.entries():
                self.cache.insert(each)
                self.unused.insert(0, each)

    @rule(lpa=PAGES)
    def touch(self, lpa):
        assert self.cache.touch(lpa) == (lpa in self.entries())
        for segment in (self.used, self.unused):
            if lpa in segment:
                segment.remove(lpa)
                self.used.insert(0, lpa)
                break
        while len(self.used) > self.protected:
            self.unused.insert(0, self.used.pop())

    @precondition(lambda self: self.entries())
    @rule(lpa=PAGES, count=st.integers(1, 5))
    def change(self, lpa, count):
        for each in {self.held(lpa + more) for more in range(count)}:
            self.cache.change(each)
            self.dirty.add(each)

    @rule(count=st.integers(1, 4))
    def have_victims_leave(self, count):
        for _ in range(count):
            if self.victim() >= 0:
                self.leave(self.victim())

    def leave(self, lpa):
        page = lpa // self.per_page
        assert self.cache.leave(lpa) == (page not in {each // self.per_page for each in self.leaving})
        self.leaving.append(lpa)
        for segment in (self.used, self.unused):
            if lpa in segment:
                segment.remove(lpa)

    def victim(self):
        """Return the entry to be evicted next, which the cache must name."""
        expected = [*self.used[-1:], *self.unused[-1:]] or [-1]
        assert self.cache.victim() == expected[-1]
        return expected[-1]

    @rule(lpa=PAGES)
    def end_leaving(self, lpa):
        self.cache.end_leaving(lpa // self.per_page)
        for each in [each for each in self.leaving if each // self.per_page == lpa // self.per_page]:
            self.leaving.remove(each)
            if each in self.dirty:
                self.unused.insert(0, each)

    @precondition(lambda self: {*self.used, *self.unused} - self.dirty)
    @rule(which=PAGES)
    def remove(self, which):
        clean = sorted({*self.used, *self.unused} - self.dirty)
        lpa = clean[which % len(clean)]
        self.cache.remove(lpa)
        for segment in (self.used, self.unused):
            if lpa in segment:
                segment.remove(lpa)

    @rule(lpa=PAGES)
    def write_back(self, lpa):
        page = lpa // self.per_page
        self.cache.dirty.clear(page)
        self.dirty = {each for each in self.dirty if each // self.per_page != page}

    @rule()
    def compare(self):
        assert self.cache.used == len(self.entries())
        assert self.cache.staying == len(self.used) + len(self.unused)
        for lpa in range(LOGICAL):
            assert self.cache.holds(lpa) == (lpa in self.entries())
        assert {lpa for lpa in self.entries() if self.cache.is_dirty(lpa)} == self.dirty

    def teardown(self):
        if hasattr(self, "cache"):
            self.compare()
            while self.victim() >= 0:
                self.leave(self.victim())


def test_a_cache_is_a_segmented_lru_with_lists_of_dirty_entries():
    examples = settings.default.max_examples
    run_state_machine_as_test(CacheMachine, settings=settings(settings.default, max_examples=examples))
