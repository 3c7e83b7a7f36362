"""Hot data is what was updated often within a window of time: against the list of all updates, and at its borders."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tiny_device import PAGE

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 7), st.integers(0, 15)), max_size=60)


@pytest.mark.parametrize("compiled", [True, False])
@given(STEPS, st.integers(1, 10), st.integers(1, 3), st.sampled_from([1, 2, 4]))
def test_a_page_is_hot_if_updated_often_in_this_window_or_the_one_before(
    interpreted, compiled, steps, window, updates, super_page
):
    modules = sys.modules if compiled else interpreted
    hotness = modules["ssdsim.ftl.frontier.separation"].Hotness(8, super_page, window, updates)
    seen, at = [], 0
    for update, lpa, later in steps:
        at += later
        if update:
            hotness.updated(lpa, at)
            if lpa % super_page == 0:  # the first page stands for its super page
                seen.append((at // window, lpa // super_page))
        counts = [seen.count((at // window - back, lpa // super_page)) for back in (0, 1)]
        assert hotness.is_hot(lpa, at) == (max(counts) >= updates)


@pytest.mark.parametrize("updates", [1, 3])
def test_moved_data_that_is_hot_joins_the_hosts_and_the_rest_does_not(run, updates):
    """Half of the pages are rewritten all the time, a quarter twice, and a quarter never."""
    random = np.random.default_rng(6)
    often, twice = range(16), range(16, 24)
    pages = [*range(32), *twice, *twice, *random.choice(often, 600).tolist()]
    rows = [(number * 10**6, "write", page * PAGE, PAGE) for number, page in enumerate(pages)]
    ftl = {"active_blocks": "hot_cold", "hot_updates": updates, "hot_window_s": 1e6, "gc": {"victim": "fifo"}}
    out = run(rows, {"hardware": {"blocks_per_plane": 16}, "ftl": ftl})
    written = {page: [c["queued_ns"] for c in out.commands if is_hosts(c) and c["lpa"] == page] for page in range(32)}
    held, moved = {}, {True: 0, False: 0}
    for c in out.commands:
        if c["op"] == "erase":
            held.pop(c["block"], None)
        elif c["op"] == "program":
            is_hot = sum(at < c["queued_ns"] for at in written[c["lpa"]]) > updates
            moved[is_hot] += not is_hosts(c)
            beside = held.setdefault(c["block"], set())
            beside.add(is_hosts(c) or is_hot)
            assert len(beside) == 1
    assert min(moved.values()) > 50


def is_hosts(command):
    """Return whether a page is programmed for the host."""
    return (command["op"], command["source"]) == ("program", "host")
