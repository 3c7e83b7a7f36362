"""The gate: who waits while something holds it, in which order they pass, and what that cost them."""

import pytest

from ssdsim._core.kernel import Environment
from ssdsim.host.gate import Gate
from ssdsim.host.request import Request
from ssdsim.stage import Stage


class Front(Stage):
    """Notes the requests that come; one that is listed in `holds` has the gate held again."""

    def __init__(self):
        self.came = []
        self.gate = None
        self.holds = ()

    def submit(self, request):
        self.came.append(request.id)
        if request.id in self.holds:
            self.gate.hold()


@pytest.fixture
def front():
    return Front()


@pytest.fixture
def env():
    return Environment()


@pytest.fixture
def gate(front, env):
    front.gate = Gate(front)
    front.gate.env = env
    return front.gate


def numbered(number):
    request = Request()
    request.id = number
    return request


def test_requests_wait_for_all_who_hold_it_and_pass_in_order(gate, front):
    gate.submit(numbered(1))
    gate.hold()
    gate.hold()
    gate.submit(numbered(2))
    gate.submit(numbered(3))
    gate.let_go()
    gate.open()
    assert front.came == [1]
    gate.let_go()
    gate.submit(numbered(4))
    assert front.came == [1]
    gate.open()
    assert front.came == [1, 2, 3, 4]
    assert gate.what_waits() == []


def test_one_that_passes_may_have_it_held_for_those_behind(gate, front):
    front.holds = (1,)
    gate.hold()
    for number in (1, 2):
        gate.submit(numbered(number))
    gate.let_go()
    gate.open()
    assert front.came == [1]
    assert gate.what_waits() == ["1 requests wait for the end of a collection"]


def test_the_wait_is_collections(gate, env):
    held = numbered(1)
    env.timeout(30 + 100)
    env.run(100)
    gate.hold()
    gate.submit(held)
    env.run()
    gate.let_go()
    gate.open()
    assert (held.held_ns, held.gc_ns, held.urgent_gc_ns) == (30, 30, 30)
