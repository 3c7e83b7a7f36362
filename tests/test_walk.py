"""The way of a page through the device, counted as a profiler sees it: calls of ssdsim's functions, and their files.

`python -m pytest tests/test_walk.py -s -n 0` prints the walks. A way may not become longer than it is.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest

import ssdsim
from support.requests import GAP, read, write
from support.tiny_device import merge, run_streams

ROOT = Path(ssdsim.__file__).parent
ALONE = {"check": "end", "integrity": "off", "record": [], "metrics": {"window_ms": 1000}}
"""Nothing but the device: no oracle, no tables, and one window of the time series."""

ROWS = merge(ALONE, {"hardware": {"planes_per_die": 2, "blocks_per_plane": 12}})
SPD = merge(ROWS, {"ftl": {"unit": "die"}, "buffer": {"replacement": "epo", "size_mib": 2 / 256}})


def walk(interpreted, rows, changes, **load):
    """Return how often each function of the package is called in a run, by file and name."""
    calls = Counter()

    def count(frame, event, argument):
        file = Path(frame.f_code.co_filename)
        if event == "call" and ROOT in file.parents:
            calls[file.relative_to(ROOT).as_posix(), frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        run_streams([{"rows": rows, **load}], changes, modules=interpreted)
    finally:
        sys.setprofile(None)
    return calls


def longer(interpreted, fewer, more, changes, **load):
    """Return the calls that a run with `more` rows has and one with `fewer` has not; print them."""
    walk(interpreted, fewer, changes, **load)  # what is made once has been made
    calls = walk(interpreted, more, changes, **load) - walk(interpreted, fewer, changes, **load)
    for (file, name), count in sorted(calls.items()):
        print(f"  {count:3} {file} {name}")
    files = {file for file, _ in calls}
    print(f"{calls.total()} calls in {len(files)} files")
    return calls.total(), len(files)


@pytest.mark.parametrize(("changes", "calls", "files"), [(ALONE, 69, 15), (SPD, 96, 20)], ids=["baseline", "SPD"])
def test_a_write_that_triggers_nothing(interpreted, changes, calls, files):
    rows = [write(lpa) for lpa in range(7)]
    found = longer(interpreted, rows[:5], rows, changes, queue_depth=1)
    assert found[0] / 2 <= calls
    assert found[1] <= files


def test_a_page_that_collection_moves(interpreted):
    collecting = merge(ALONE, {"hardware": {"blocks_per_plane": 6, "over_provisioning": 2 / 3}})
    collecting = merge(collecting, {"ftl": {"gc": {"victim": "fifo"}}})

    def until_collection(valid):
        lpas = [*range(8), *range(4 - valid), *range(4, 8), *range(4, 4 + valid), 7]
        return [write(lpa, GAP * at) for at, lpa in enumerate(lpas)]

    fewer, more = ([*until_collection(valid), read(7, 18 * GAP)] for valid in (2, 3))  # until it is over
    calls, _ = longer(interpreted, fewer, more, collecting)
    assert calls <= 88
