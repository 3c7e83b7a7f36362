from ssdsim.host.request import RequestPool
from ssdsim.stage import Stage


def test_requests_are_used_again_and_those_taken_are_known():
    pool = RequestPool()
    first, second = pool.take(), pool.take()
    first.owner, first.bus_ns, first.slowest_type = Stage(), 7, 2
    assert pool.taken() == [first]
    first.owner = None
    pool.give_back(first)
    assert pool.take() is first and (first.bus_ns, first.slowest_type) == (0, -1)
    assert pool.take() not in (first, second)


def test_a_million_requests_are_freed():
    """One after the other: a chain of them would end the process, as each frees the next within its own end."""
    pool = RequestPool()
    for request in reversed([pool.take() for _ in range(1_000_000)]):
        pool.give_back(request)
    del request, pool
