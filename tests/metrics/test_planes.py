"""Page writes and erases by plane, how evenly they are spread, and what victims held when they were chosen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.metrics import summary
from support.requests import writes
from support.tiny_device import PAGE, merge, run_streams

TWO_PLANES = {"hardware": {"channels": 2}}
SHARED = {"ftl": {"active_blocks": "shared"}}
ONE_VICTIM = [*range(16), 0, 1, 2, 4, 5, 8, 9, 12, 13]
"""With the 25th page one block is free: block 0 is collected, where page 3 is the only one not written again."""


def counts(out):
    """Return the table's columns as lists."""
    return {name: column for name, column in out.result.planes.to_pydict().items() if name != "plane"}


def test_writes_go_to_the_plane_of_their_page(run):
    out = run(writes(0, 2, 4, 6, 8, 1), TWO_PLANES, queue_depth=1)
    assert out.result.planes["plane"].to_pylist() == [0, 1]
    assert counts(out) == {"host_programs": [5, 1], "programs": [5, 1], "erases": [0, 0]}
    assert out.summary["page_writes_per_plane_std"] == 2.0


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
    assert counts(out) == {"host_programs": [25 if timing == "on" else None], "programs": [26], "erases": [1]}
    assert out.summary["page_writes_per_plane_std"] == 0.0 and out.summary["wasted_pages"] == 0


def test_without_collection_there_is_no_victim(run):
    assert run(writes(0)).summary["gc"]["victim_valid_share"] is None


def test_what_was_written_before_the_run_does_not_count(run):
    out = run(writes(0, 2), TWO_PLANES | {"precondition": {"mode": "fill", "fill_share": 0.5}}, queue_depth=1)
    assert counts(out) == {"host_programs": [2, 0], "programs": [2, 0], "erases": [0, 0]}


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(
    lpas=st.lists(st.integers(0, 31), min_size=1, max_size=150),
    depth=st.integers(1, 8),
    lost_after=st.none() | st.integers(1, 60),
)
def test_the_planes_add_up_to_the_device(lpas, depth, lost_after):
    changes = TWO_PLANES | {"power_loss": {"after_programs": lost_after}}
    out = run_streams([{"rows": writes(*lpas), "queue_depth": depth}], changes)
    flash, found = out.summary["flash"], counts(out)
    assert sum(found["host_programs"]) == flash["programs"]["host"]
    assert sum(found["programs"]) == sum(flash["programs"].values()) + sum(flash["copybacks"].values())
    assert sum(found["erases"]) == sum(flash["erases"].values())
    assert out.summary["page_writes_per_plane_std"] == abs(found["programs"][0] - found["programs"][1]) / 2


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(lpas=st.lists(st.integers(0, 31), min_size=1, max_size=150))
def test_without_timing_the_blocks_tell(lpas):
    """One request at a time, and each collection is over before the next one, as without timing."""
    rows = [*writes(*lpas), (0, "read", 0, PAGE)]
    spread = [(number * 10**9, *row[1:]) for number, row in enumerate(rows)]
    timed, untimed = (run_streams([{"rows": spread}], TWO_PLANES | SHARED | {"timing": on}) for on in ("on", "off"))
    host = counts(timed).pop("host_programs")
    assert counts(untimed) == counts(timed) | {"host_programs": [None] * len(host)}
    assert untimed.summary["page_writes_per_plane_std"] == timed.summary["page_writes_per_plane_std"]
    assert untimed.summary["gc"]["victim_valid_share"] == timed.summary["gc"]["victim_valid_share"]


def test_what_the_blocks_do_not_tell_is_not_given():
    """Nine pages were written, but the blocks account for ten: one of them holds nothing."""
    given = {"writes_by_plane": [4, 6], "host_writes_by_plane": [0, 0], "erases_by_plane": [1, 0]}
    total = {f"counters.{name}": np.array(counts) for name, counts in given.items()}
    known, unknown = (summary.planes_table(total, timed=False, pages_written=pages) for pages in (10, 9))
    assert known["programs"].to_pylist() == [4, 6] and unknown["programs"].to_pylist() == [None, None]
    assert unknown["erases"].to_pylist() == [1, 0]
