"""Bursts, and weighted round robin with an urgent class, against the words of the specification."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.host.arbitration import RoundRobin, UrgentWeighted, Weighted
from ssdsim.host.stream import Stream

LONG = 400
URGENT, HIGH, MEDIUM, LOW = range(4)


class Nothing:
    """A workload without requests."""

    queue_depth, requests = None, 0

    def chunks(self):
        return iter(())


def queues_of(priorities, backlog, weights=None):
    """Return streams with so many commands in the queue of each, of these classes of priority."""
    queues = []
    for index, priority in enumerate(priorities):
        queue = Stream(index, str(index), 1 if weights is None else weights[index], Nothing(), priority=priority)
        queue.submitted, queue.fetch_size = [], 1
        queue.admitted = backlog
        queues.append(queue)
    return queues


def waiting(queue):
    """Return how many commands wait in a queue."""
    return queue.admitted - queue.fetched


def served(policy, queues, most):
    """Return the numbers of the queues that a policy has fetched from, in order."""
    policy.bind(queues)
    order = []
    while len(order) < most and (queue := policy.choose()) is not None:
        assert queue.ready()
        queue.fetched += 1
        policy.update(queue)
        order.append(queue.index)
    return order


@pytest.mark.parametrize(("policy", "weights"), [(RoundRobin, [1, 1, 1]), (Weighted, [2, 1, 3])])
@pytest.mark.parametrize("burst", [1, 4])
def test_a_queue_has_a_burst_in_its_turn(policy, weights, burst):
    turns = [index for index, weight in enumerate(weights) for _ in range(weight * burst)]
    order = served(policy(burst=burst), queues_of([MEDIUM] * 3, LONG, weights), 2 * len(turns))
    assert order == turns * 2


def test_without_a_limit_a_queue_is_emptied_in_its_turn():
    assert served(RoundRobin(burst=None), queues_of([MEDIUM] * 2, 3), 6) == [0, 0, 0, 1, 1, 1]


@given(
    st.lists(st.sampled_from([HIGH, MEDIUM, LOW]), min_size=1, max_size=6),
    st.tuples(*[st.integers(1, 9)] * 3),
    st.sampled_from([1, 2, 8, None]),
    st.integers(1, 8),
)
def test_classes_have_their_weights_while_all_queues_are_backlogged(priorities, weights, burst, rounds):
    """Exactly, after each round; and queues of a class are within a burst a round of each other."""
    wanted = dict(zip((HIGH, MEDIUM, LOW), weights, strict=True))
    present = sorted(set(priorities))
    most = rounds * sum(wanted[each] for each in present)
    queues = queues_of(priorities, LONG)
    order = served(UrgentWeighted(*weights, burst=burst), queues, most)
    by_class, by_queue = Counter(priorities[index] for index in order), Counter(order)
    assert len(order) == most and by_class == {each: rounds * wanted[each] for each in present}
    for each in present:
        counts = [by_queue[index] for index, priority in enumerate(priorities) if priority == each]
        # the end of a round cuts a burst short, and the turn then goes on to the next queue
        bound = 1 if burst == 1 else rounds * min(burst or LONG, wanted[each])
        assert max(counts) - min(counts) <= bound


STEPS = st.lists(st.none() | st.integers(0, 5), max_size=60)
"""A step is a command submitted to a queue, or one fetched."""


@pytest.mark.parametrize("policy", [RoundRobin, Weighted])
@given(weights=st.lists(st.integers(1, 3), min_size=2, max_size=5), steps=STEPS)
def test_the_turn_goes_to_the_next_queue_that_is_ready(policy, weights, steps):
    """Against a look at all queues."""
    queues, chooser = queues_of([MEDIUM] * len(weights), 0, weights), policy()
    chooser.bind(queues)
    last, credit = (0, weights[0]) if policy is Weighted else (len(weights) - 1, 0)
    for step in steps:
        if step is not None:
            queue = queues[step % len(queues)]
            queue.admitted += 1
        else:
            ready, queue = [each.index for each in queues if waiting(each)], chooser.choose()
            if not ready:
                assert queue is None
                continue
            if not (credit and last in ready):
                last = min(ready, key=lambda index: (index - last - 1) % len(queues))
                credit = weights[last] if policy is Weighted else 0
            credit -= policy is Weighted
            assert queue is queues[last]
            queue.fetched += 1
        chooser.update(queue)


@given(st.lists(st.integers(URGENT, LOW), min_size=2, max_size=6), STEPS)
def test_an_urgent_command_goes_before_all_others(priorities, steps):
    queues, policy = queues_of(priorities, 0), UrgentWeighted()
    policy.bind(queues)
    for step in steps:
        if step is not None:
            queue = queues[step % len(queues)]
            queue.admitted += 1
        else:
            queue = policy.choose()
            classes = [each.priority for each in queues if waiting(each)]
            assert (queue is None) == (not classes)
            if queue is None:
                continue
            assert waiting(queue) and (queue.priority == URGENT or URGENT not in classes)
            queue.fetched += 1
        policy.update(queue)
