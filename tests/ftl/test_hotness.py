"""Hot data is what was updated often within a window of time: against the list of all updates, and at its borders."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 7), st.integers(0, 15)), max_size=60)


@pytest.mark.parametrize("compiled", [True, False])
@given(STEPS, st.integers(1, 10), st.integers(1, 3), st.sampled_from([1, 2, 4]))
def test_a_page_is_hot_if_updated_often_in_this_window_or_the_one_before(
    interpreted, compiled, steps, window, updates, super_page
):
    modules = sys.modules if compiled else interpreted
    hotness = modules["ssdsim.ftl.hotness"].Hotness(8, super_page, window, updates)
    seen, at = [], 0
    for update, lpa, later in steps:
        at += later
        if update:
            hotness.updated(lpa, at)
            if lpa % super_page == 0:  # the first page stands for its super page
                seen.append((at // window, lpa // super_page))
        counts = [seen.count((at // window - back, lpa // super_page)) for back in (0, 1)]
        assert hotness.is_hot(lpa, at) == (max(counts) >= updates)


def test_a_super_page_written_whole_is_one_update():
    hotness = sys.modules["ssdsim.ftl.hotness"].Hotness(8, 4, 10, 2)
    for _ in range(2):
        assert not hotness.is_hot(5, 1)
        for lpa in range(4, 8):
            hotness.updated(lpa, 1)
    assert hotness.is_hot(5, 1) and not hotness.is_hot(0, 1)


def test_counts_stop_before_they_overflow():
    hotness = sys.modules["ssdsim.ftl.hotness"].Hotness(1, 1, 10, 65535)
    for _ in range(65536):
        hotness.updated(0, 1)
    assert hotness.is_hot(0, 1) and hotness.is_hot(0, 19) and not hotness.is_hot(0, 20)
