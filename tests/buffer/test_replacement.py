"""Which pages leave the write buffer, and in what order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.buffer.replacement import Entry, Epo, Lru, PlaneLists, PlaneTurns
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation.policies import stripe

HARDWARE = HardwareConfig(channels=2, chips_per_channel=1, dies_per_chip=1, planes_per_die=2)
STRIPE = stripe("CWDP", HARDWARE, 1)
"""Two dies of two planes; consecutive pages fall to planes 0, 2, 1, 3."""


def filled(policy, pages):
    """Return a policy that these pages were written to, each once, and its entries by page."""
    policy.bind(STRIPE, HARDWARE, 1)
    entries = {lpa: Entry(lpa, 1) for lpa in pages}
    for entry in entries.values():
        policy.insert(entry)
    return policy, entries


def order(policy, count):
    """Return the pages of the next evictions."""
    return [[entry.lpa for entry in policy.victims(1, False)] for _ in range(count)]


def test_lru_evicts_what_was_written_longest_ago():
    policy, entries = filled(Lru(), [5, 3, 9, 1])
    policy.touch(entries[5])
    policy.remove(entries[9])
    assert order(policy, 3) == [[3], [1], [5]]


def test_epo_takes_the_dies_in_turn_and_skips_empty_ones():
    policy, entries = filled(Epo(), [0, 2, 4, 1, 6])  # die 0: 0, 2, 4, 6; die 1: 1
    policy.touch(entries[0])
    assert order(policy, 5) == [[2], [1], [4], [6], [0]]


def test_plane_lists_evict_a_page_of_each_plane_of_a_die():
    policy, entries = filled(PlaneLists(), [0, 4, 2, 1, 8, 6])  # plane 0: 0, 4, 8; plane 1: 2, 6; plane 2: 1
    policy.touch(entries[0])
    assert order(policy, 4) == [[4, 2], [1], [8, 6], [0]]


def test_planes_in_turn_evict_one_page_each_of_one_die_after_the_other():
    policy, entries = filled(PlaneTurns(), [0, 4, 2, 1, 8, 6])  # the turn is that of planes 0, 2, 1, 3
    policy.touch(entries[0])
    assert order(policy, 6) == [[4], [1], [2], [8], [6], [0]]
    policy, _ = filled(PlaneTurns(), [0, 2, 1])
    assert [entry.lpa for entry in policy.victims(2, False)] == [0, 2]  # a row of die 0


@pytest.mark.parametrize("policy", [Lru, Epo, PlaneLists, PlaneTurns])
@given(steps=st.lists(st.tuples(st.sampled_from(["write", "write", "evict", "remove"]), st.integers(0, 11))))
def test_every_page_leaves_once_and_the_oldest_of_its_list_first(policy, steps):
    policy = policy()
    policy.bind(STRIPE, HARDWARE, 1)
    lists = [[] for _ in policy.lists]
    entries = {}
    for step, lpa in steps:
        mine = lists[policy.list_of(lpa)]
        if step == "write" and lpa in entries:
            policy.touch(entries[lpa])
            mine.remove(lpa)
            mine.append(lpa)
        elif step == "write":
            entries[lpa] = Entry(lpa, 1)
            policy.insert(entries[lpa])
            mine.append(lpa)
        elif step == "remove" and lpa in entries:
            policy.remove(entries.pop(lpa))
            mine.remove(lpa)
        elif step == "evict" and entries:
            victims = policy.victims(1, False)
            assert victims
            for entry in victims:
                assert lists[policy.list_of(entry.lpa)].pop(0) == entry.lpa
                assert entries.pop(entry.lpa) is entry
