"""Flushes wait for the page writes admitted before them, and for no others."""

from hypothesis import given
from hypothesis import strategies as st

from ssdsim.ftl.admission import Admission
from ssdsim.host.request import Request
from ssdsim.stage import Stage


class Host(Stage):
    """Remembers the flushes that are complete."""

    def __init__(self):
        self.complete = []

    def completed(self, request):
        self.complete.append(request.id)


@given(st.lists(st.one_of(st.sampled_from(["write", "trim", "flush"]), st.integers(0, 100)), max_size=60))
def test_a_flush_is_complete_with_the_last_write_that_was_admitted_before(steps):
    """A number has one of the writes under way programmed."""
    admission, host = Admission(), Host()
    under_way, waits, expected = [], {}, []
    for at, step in enumerate(steps):
        if step == "write":
            under_way.append(admission.began())
        elif step == "trim":
            admission.number()
        elif step == "flush":
            request = Request()
            request.owner, request.id = host, at
            waits[at] = set(under_way)
            admission.flush(request)
        elif under_way:
            version = under_way.pop(step % len(under_way))
            admission.programmed(version)
            for wait in waits.values():
                wait.discard(version)
        done = [flush for flush, wait in waits.items() if not wait and flush not in expected]
        expected += done
        assert host.complete == expected
        assert admission.writes_in_flight == len(under_way)
    assert admission.version == sum(step in ("write", "trim") for step in steps)
