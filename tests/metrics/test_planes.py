"""How evenly page writes are spread over the planes, and what victims held when they were chosen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.requests import writes
from support.tiny_device import PAGE, merge, run_streams

TWO_PLANES = {"hardware": {"channels": 2}}
SHARED = {"ftl": {"active_blocks": "shared"}}
ONE_VICTIM = [*range(16), 0, 1, 2, 4, 5, 8, 9, 12, 13]
"""With the 25th page one block is free: block 0 is collected, where page 3 is the only one not written again."""


@pytest.mark.parametrize("moves", ["controller", "copyback"])
@pytest.mark.parametrize("timing", ["on", "off"])
def test_a_victim_by_hand(run, timing, moves):
    """A page that is copied back is written like one that is programmed."""
    much_later = (10**9, "read", 0, PAGE)
    changes = merge(SHARED, {"timing": timing, "ftl": {"gc": {"moves": moves}}})
    out = run([*writes(*ONE_VICTIM), much_later], changes)
    assert sum(out.summary["flash"]["copybacks"].values()) == (moves == "copyback")
    assert out.summary["gc"]["collections"] == 1
    assert out.summary["gc"]["victim_valid_share"] == 0.25
    assert out.summary["page_writes_per_plane_std"] == 0.0 and out.summary["wasted_pages"] == 0


def test_what_was_written_before_the_run_does_not_count(run):
    out = run(writes(0, 2), TWO_PLANES | {"precondition": {"mode": "fill", "fill_share": 0.5}}, queue_depth=1)
    assert out.summary["page_writes_per_plane_std"] == 1.0


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(lpas=st.lists(st.integers(0, 31), min_size=1, max_size=150))
def test_without_timing_the_blocks_tell(lpas):
    """One request at a time, and each collection is over before the next one, as without timing."""
    rows = [*writes(*lpas), (0, "read", 0, PAGE)]
    spread = [(number * 10**9, *row[1:]) for number, row in enumerate(rows)]
    timed, untimed = (run_streams([{"rows": spread}], TWO_PLANES | SHARED | {"timing": on}) for on in ("on", "off"))
    assert untimed.summary["page_writes_per_plane_std"] == timed.summary["page_writes_per_plane_std"]
    assert untimed.summary["gc"]["victim_valid_share"] == timed.summary["gc"]["victim_valid_share"]
