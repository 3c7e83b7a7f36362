"""Whatever is written, trimmed and merged with FAST, nothing is lost, and all kernels agree."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.tiny_device import PAGE, merge, run_streams, tiny_config

FAST: dict[str, Any] = {"ftl": {"mapping": {"scheme": "fast"}}}
ALIGNED = {"unit": "twin"}


@st.composite
def flash(draw):
    """Draw a tiny device as full as FAST allows, or less."""
    bits, wordlines = draw(st.sampled_from([1, 2, 3])), draw(st.integers(2, 3))
    data, log = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    blocks, pages = data + log + draw(st.sampled_from([2, 3, 4])), bits * wordlines
    logical = data * pages - draw(st.sampled_from([0, 0, 1]))
    changes = {
        "hardware": {
            "dies_per_chip": draw(st.integers(1, 2)),
            "planes_per_die": 2,
            "blocks_per_plane": blocks,
            "pages_per_block": pages,
            "bits_per_cell": bits,
            "over_provisioning": 1 - logical / (blocks * pages),
        },
        "flash": {
            "multi_plane": draw(st.sampled_from([[], ["read", "program", "erase"]])),
            "program_order": draw(st.sampled_from(["strict", "relaxed", "fps", "rps"])),
        },
        "ftl": {
            "plane_allocation": draw(st.sampled_from(["CWDP", "PDWC", "DPCW"])),
            "mapping": {"log_blocks": draw(st.sampled_from([None, 1, log]))},
            "gc": {"moves_in_flight": draw(st.sampled_from([1, 3, 16]))},
        },
    }
    return merge(FAST, changes)


@st.composite
def loads(draw, pages):
    """Draw requests: pages in order and anywhere, with reads, trims and flushes among them; then all are read."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    step, in_order = draw(st.sampled_from([0, 1000, 100_000])), draw(st.sampled_from([0, 0.5, 0.95]))
    ops = random.choice(
        ["write", "read", "trim", "flush"], p=draw(st.sampled_from([(1, 0, 0, 0), (0.7, 0.2, 0.07, 0.03)])), size=200
    )
    rows, following, at = [], 0, 0
    for op in ops.tolist():
        at += int(random.integers(0, 3)) * step
        goes_on = op == "write" and random.random() < in_order
        first = following if goes_on else int(random.integers(pages))
        count = min(int(random.integers(1, 6)), pages - first)
        following = (first + count) % pages if goes_on else following
        size = 512 if random.random() < 0.1 else count * PAGE
        rows.append((at, op, 0, 0) if op == "flush" else (at, op, first * PAGE, size))
    return rows + [(at + 10**9 + lpa, "read", lpa * PAGE, PAGE) for lpa in range(pages)]


STACKS: dict[str, dict[str, Any]] = {
    "baseline": {},
    "twinblk": {"ftl": ALIGNED},
    "spd": {"ftl": ALIGNED | {"unit": "die", "bac": True}, "buffer": {"replacement": "epo"}},
}


@st.composite
def runs(draw, stack):
    """Draw a device under one of the plane-level schemes, and requests for it."""
    changes = merge(draw(flash()), STACKS[stack])
    if stack == "spd":
        changes["buffer"] = {"replacement": "epo", "size_mib": draw(st.integers(1, 10)) * PAGE / 2**20}
    return draw(loads(tiny_config(changes).hardware.logical_pages)), changes


@pytest.mark.parametrize("stack", STACKS)
@settings(max_examples=settings.default.max_examples * 3 // 20)
@given(data=st.data())
def test_every_read_finds_what_was_written_last_on_all_kernels(interpreted, stack, data):
    """Integrity and the recount are checked throughout the run; in the end every page is read."""
    rows, changes = data.draw(runs(stack))
    out = run_streams([{"rows": rows}], changes)
    assert len(out.requests) == len(rows)
    for kernel, modules in (("simpy", sys.modules), ("compiled", interpreted)):
        assert run_streams([{"rows": rows}], changes, kernel, modules).facts() == out.facts()
