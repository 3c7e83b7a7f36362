"""The pages that the write buffer holds, against a dictionary of what was written and lists of what left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import TRIM, WRITE
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation import stripe
from ssdsim.host.request import Request
from support.tiny_device import PAGE

HARDWARE = HardwareConfig(channels=2, chips_per_channel=1, dies_per_chip=1, planes_per_die=1)


def request(op, lpa, number):
    made = Request()
    made.op, made.id = op, number
    made.offset_bytes, made.size_bytes = lpa * PAGE, PAGE
    return made


@given(
    steps=st.lists(st.tuples(st.sampled_from(["write", "write", "send", "written", "trim"]), st.integers(0, 5))),
    frees_early=st.booleans(),
)
def test_a_page_has_a_slot_from_its_first_write_until_it_is_sent_or_written(interpreted, steps, frees_early):
    replacement = interpreted["ssdsim.buffer.replacement"].Lru()
    replacement.bind(stripe("CWDP", HARDWARE, 1), HARDWARE, 1)
    pages = interpreted["ssdsim.buffer.pages"].BufferedPages(replacement, 4, PAGE, frees_early=frees_early)
    held, on_their_way, newest = [], [], {}
    for number, (step, lpa) in enumerate(steps):
        if step == "write":
            write = request(WRITE, lpa, number)
            touched = write.touched(lpa, PAGE)
            assert pages.update(write, lpa, touched) == (lpa in held)
            if lpa in held:
                held.remove(lpa)
            else:
                pages.insert(write, lpa, touched)
            held.append(lpa)
            newest[lpa] = None
        elif step == "send" and held:
            (leaving,) = replacement.victims(1, True)
            assert leaving.lpa == held.pop(0)
            pages.sent(leaving)
            on_their_way.append(leaving)
            newest[leaving.lpa] = leaving
        elif step == "written" and on_their_way:
            leaving = on_their_way.pop(0)
            pages.written(leaving)
            if newest.get(leaving.lpa) is leaving:
                del newest[leaving.lpa]
        elif step == "trim":
            pages.forget(request(TRIM, lpa, number))
            held = [page for page in held if page != lpa]
            newest.pop(lpa, None)
        assert pages.leaving == len(on_their_way)
        assert pages.used == len(held) + (0 if frees_early else len(on_their_way))
        assert pages.unsent() == len(held)
        assert pages.utilization() == pages.used / 4 and pages.is_full() == (pages.used >= 4)
        assert sorted(pages.entries) == sorted(newest)


@pytest.mark.parametrize("apart", [0, 4])
def test_names_are_one_for_each_page_and_super_pages_of_the_host_follow_one_another(interpreted, apart):
    """Pages 0, 4 and 8 of the host's are the first super page of three where they are 4 apart."""
    replacement = interpreted["ssdsim.buffer.replacement"].Lru()
    pages = interpreted["ssdsim.buffer.pages"].BufferedPages(replacement, 4, PAGE, super_page=3, stripe=apart)
    names = [pages.renamed(lpa) for lpa in range(24)]
    assert sorted(names) == list(range(24))
    assert [pages.renamed(lpa) for lpa in (0, 4, 8)] == ([0, 1, 2] if apart else [0, 4, 8])
