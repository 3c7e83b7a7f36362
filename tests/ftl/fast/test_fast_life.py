"""FAST against a plain dictionary: whatever is written, trimmed and merged, nothing is lost and the books agree."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ssdsim._core.blocks import STATES
from ssdsim.assembly.device import Device
from ssdsim.host.request import Request
from support.tiny_device import PAGE, merge, run_streams, tiny_config

FREE = STATES.index("free")
FAST: dict[str, Any] = {"ftl": {"mapping": {"scheme": "fast"}}}
ALIGNED = {"unit": "twin"}


@st.composite
def flash(draw, span=None):
    """Draw a tiny device as full as FAST allows, or less, with planes of its own or aligned ones."""
    planes = draw(st.sampled_from([1, 2, 3])) if span is None else span
    bits, wordlines = draw(st.sampled_from([1, 2, 3])), draw(st.integers(2, 3))
    data, log = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    blocks, pages = data + log + draw(st.sampled_from([2, 3, 4])), bits * wordlines
    logical = data * pages - draw(st.sampled_from([0, 0, 1]))
    aligned = planes > 1 if span is not None else planes > 1 and draw(st.booleans())
    changes = {
        "hardware": {
            "dies_per_chip": draw(st.integers(1, 2)),
            "planes_per_die": planes,
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
    return merge(FAST, merge(changes, {"ftl": ALIGNED} if aligned else {}))


class FastMachine(RuleBasedStateMachine):
    """Writes, trims and reads at memory speed; each step is checked against a dictionary and the recount."""

    @initialize(changes=flash())
    def start(self, changes):
        self.config = tiny_config(merge(changes, {"timing": "off", "integrity": "off"}))
        self.device = Device(self.config)
        self.pages = self.config.hardware.logical_pages
        self.model: set[int] = set()

    def write(self, lpa):
        before = self.device.mapping.lookup(lpa)
        assert (before >= 0) == (lpa in self.model)
        self.device.layer.writes.write_now(Request(), lpa)
        self.model.add(lpa)

    @rule(at=st.integers(0, 10**6), count=st.integers(1, 20))
    def write_in_order(self, at, count):
        for lpa in range(at % self.pages, min(at % self.pages + count, self.pages)):
            self.write(lpa)

    @rule(lpas=st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
    def write_at_random(self, lpas):
        for lpa in lpas:
            self.write(lpa % self.pages)

    @rule(at=st.integers(0, 10**6))
    def rewrite_a_logical_block(self, at):
        """Give a sequential log block the pages that it waits for: those of one plane, or die, in ascending order."""
        mapping = self.device.mapping
        unit = mapping.unit_of(at % self.pages)
        number = mapping.index_of(at % self.pages) // mapping.block_pages
        for offset in range(mapping.block_pages):
            lpa = mapping.lpa_at(unit, number * mapping.block_pages + offset)
            if lpa >= 0:
                self.write(lpa)

    @rule(at=st.integers(0, 10**6), count=st.integers(1, 3))
    def trim(self, at, count):
        for lpa in range(at % self.pages, min(at % self.pages + count, self.pages)):
            self.device.layer.writes.trim_now(lpa)
            self.model.discard(lpa)

    @invariant()
    def agrees(self):
        if not hasattr(self, "device"):
            return
        blocks, mapping = self.device.blocks, self.device.mapping
        self.device.check()
        for lpa in range(self.pages):
            ppa = mapping.lookup(lpa)
            assert (ppa >= 0) == (lpa in self.model)
            assert ppa < 0 or (blocks.spare.get(ppa) == lpa and blocks.is_valid(ppa))
        states = blocks.column("state").reshape(blocks.units, -1)
        assert np.count_nonzero(states != FREE) <= blocks.span * blocks.units * (
            mapping.logical_blocks + self.device.frontier.random_blocks + 2
        )


TestFast = FastMachine.TestCase
TestFast.settings = settings(max_examples=settings.default.max_examples * 2 // 5, stateful_step_count=30)


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
    "superpage": {"ftl": ALIGNED | {"unit": "super_page", "bac": True}},
    "spd": {"ftl": ALIGNED | {"unit": "die", "bac": True}, "buffer": {"replacement": "epo"}},
}


@st.composite
def runs(draw, stack):
    """Draw a device under one of the plane-level schemes, and requests for it."""
    changes = merge(draw(flash(span=2)), STACKS[stack])
    if stack == "baseline":
        changes["ftl"] |= {"unit": "block"}
    if stack == "spd":
        changes["buffer"] = {"replacement": "epo", "size_mib": draw(st.integers(1, 10)) * PAGE / 2**20}
    return draw(loads(tiny_config(changes).hardware.logical_pages)), changes


@pytest.mark.parametrize("stack", STACKS)
@settings(max_examples=settings.default.max_examples * 3 // 20)
@given(data=st.data())
def test_every_read_finds_what_was_written_last(stack, data):
    """Integrity and the recount are checked throughout the run; in the end every page is read."""
    rows, changes = data.draw(runs(stack))
    out = run_streams([{"rows": rows}], changes)
    assert len(out.requests) == len(rows)
    merges_read_what_is_programmed(out)


def merges_read_what_is_programmed(out):
    """Assert that no merge reads a page whose data is still in controller memory."""
    programmed = set()
    for c in out.commands:  # in order of their ends
        block = tuple(c[name] for name in ("channel", "chip", "die", "plane", "block"))
        if c["op"] == "erase":
            programmed = {page for page in programmed if page[0] != block}
        elif c["op"] == "program":
            programmed.add((block, c["page"]))
        elif c["source"] == "merge":
            assert (block, c["page"]) in programmed


@settings(max_examples=settings.default.max_examples // 5)
@given(data=st.data())
def test_kernels_and_compilation_agree(interpreted, data):
    rows, changes = data.draw(runs(data.draw(st.sampled_from(sorted(STACKS)))))
    facts = [
        run_streams([{"rows": rows}], changes, kernel, modules).facts()
        for kernel, modules in [("compiled", sys.modules), ("simpy", sys.modules), ("compiled", interpreted)]
    ]
    assert facts[0] == facts[1] == facts[2]
