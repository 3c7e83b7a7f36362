"""The write buffer: by hand on a whole device, and over a translation layer that takes its time as it likes."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.replacement import Epo, Lru, PlaneLists, PlaneTurns
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation import stripe
from ssdsim.host.request import Request
from ssdsim.stage import Stage
from support.requests import read, write
from support.tiny_device import PAGE, READ_PAGE, TRANSFER, WRITE_PAGE
from support.tiny_device import READ as READ_NS

LATER = 1_000_000


def buffered(pages, replacement="lru", **flash):
    """Return changes that give the tiny device a buffer of so many pages."""
    return {"buffer": {"replacement": replacement, "size_mib": pages * PAGE / 2**20}, "flash": flash}


def test_a_write_is_complete_when_the_buffer_has_it(run):
    out = run([write(0), write(1), read(1)], buffered(2))
    assert out.done_at() == [0, 0, 0]
    assert out.commands == []
    assert out.summary["buffer"] == {"hit_ratio": pytest.approx(1 / 3), "read_hits": 1, "write_hits": 0}


def test_a_full_buffer_writes_its_oldest_page_to_flash_first(run):
    out = run([write(0), write(1), write(0), write(2)], buffered(2))
    assert out.done_at() == [0, 0, 0, WRITE_PAGE]
    assert [row["lpa"] for row in out.commands] == [1]


def test_with_write_complete_at_the_end_of_the_transfer_a_slot_is_free_then(run):
    out = run([write(0), write(1)], buffered(1, write_complete="transfer_end"))
    assert out.done_at() == [0, 200 + TRANSFER]


def test_only_what_the_buffer_lacks_is_read_from_flash(run):
    rows = [write(0), write(1), write(2), read(0, LATER, pages=3), read(0, 2 * LATER)]
    out = run(rows, buffered(2))
    assert out.done_at()[3:] == [LATER + READ_PAGE, 2 * LATER + READ_PAGE]
    assert [row["lpa"] for row in out.commands if row["op"] == "read"] == [0, 0]
    parts = [out.requests[3][f"{name}_ns"] for name in ("queue", "bus", "array", "gc")]
    assert parts == [0, 100 + TRANSFER, READ_NS, 0]


def test_parts_of_a_page_come_together_in_the_buffer(run):
    half = PAGE // 2
    out = run([write(0), write(1), (LATER, "write", 0, half), write(1, LATER)], buffered(1))
    assert [row["op"] for row in out.commands if row["lpa"] == 0] == ["program", "read", "program"]
    both = [(LATER, "write", 0, half), (LATER, "write", half, half)]
    out = run([write(0), write(1), *both, write(1, LATER)], buffered(1))
    assert [row["op"] for row in out.commands if row["lpa"] == 0] == ["program", "program"]


def test_a_write_does_not_overtake_a_trim_of_its_page_that_waits(run):
    out = run([write(0), write(1), write(2), (0, "trim", PAGE, PAGE), write(1), read(1, LATER)], buffered(2))
    assert out.done_at() == [0, 0, WRITE_PAGE, WRITE_PAGE, 2 * WRITE_PAGE, LATER]
    assert out.summary["unmapped_reads"] == 0


def trimmed_under_way(*more):
    """Overwrite part of a page, and trim it while the rest is read for the write that the buffer has begun."""
    again = [(LATER, "write", 0, 512), (LATER, "flush", 0, 0), (LATER + 1, "trim", 0, PAGE), *more]
    return [write(0), (0, "flush", 0, 0), *again, read(0, LATER + 2)]


@pytest.mark.parametrize("partial_write", ["read_modify_write", "pad"])
def test_a_trim_under_way_leaves_nothing_older_than_what_the_buffer_forgets(run, partial_write):
    out = run(trimmed_under_way(), {**buffered(2), "ftl": {"partial_write": partial_write}})
    rest = READ_PAGE - 512 if partial_write == "read_modify_write" else 0
    assert out.done_at()[3:] == [LATER + rest + WRITE_PAGE, LATER + max(rest, 1), LATER + 2]
    assert out.summary["unmapped_reads"] == 1


@pytest.mark.parametrize("capacitor", [True, False])
def test_a_loss_of_power_undoes_a_trim_under_way(run, capacitor):
    """What the buffer forgot for it was newer than the page in flash, which is there again."""
    cut = {"power_loss": {"at_s": (LATER + 5) / 1e9, "capacitor": capacitor}, "integrity": "on"}
    out = run(trimmed_under_way(), {**buffered(2), "ftl": {"partial_write": "read_modify_write"}, **cut})
    assert out.summary["power_loss"]["trims_undone"] == 1
    assert out.summary["power_loss"]["lost_acknowledged"] == out.summary["power_loss"]["lost_buffered"] == 0


def test_a_flush_waits_until_the_buffer_is_in_flash(run):
    out = run([write(0), write(1), (0, "flush", 0, 0), write(2, 10)], buffered(2))
    assert out.done_at() == [0, 0, 2 * WRITE_PAGE, WRITE_PAGE]


class SlowLayer(Stage):
    """A translation layer that keeps requests until it is told to complete one."""

    def __init__(self):
        self.outstanding = []
        self.seen = []

    def submit(self, request):
        self.outstanding.append(request)
        self.seen.append((request.op, request.offset_bytes // PAGE, request.size_bytes))


class Host(Stage):
    """Counts completions."""

    def __init__(self):
        self.done = []

    def completed(self, request):
        self.done.append(request.id)


class BufferMachine(RuleBasedStateMachine):
    """Whatever the order of requests and of the layer's answers, the newest data is where a read looks for it."""

    @initialize(
        capacity=st.integers(1, 5),
        policy=st.sampled_from([Lru, Epo, PlaneLists, PlaneTurns]),
        in_flight=st.sampled_from([0, 0, 1, 2, 7]),
        row=st.integers(1, 2),
        frees_early=st.booleans(),
    )
    def build(self, capacity, policy, in_flight, row, frees_early):
        self.layer, self.host = SlowLayer(), Host()
        replacement = policy()
        hardware = HardwareConfig(channels=2, chips_per_channel=1, dies_per_chip=1, planes_per_die=2)
        replacement.bind(stripe("CWDP", hardware, 1), hardware, 1)
        row = row if replacement.knows_dies else 1
        self.pages = BufferedPages(replacement, capacity, PAGE, frees_early=frees_early)
        self.buffer = WriteBuffer(self.pages, self.layer, row=row, pages_in_flight=in_flight)
        self.sent = 0
        self.clock = 0
        self.requests = {}
        self.written = {}  # by page: when its newest acknowledged write (or trim) was asked for
        self.in_flash = {}  # by page: when the newest data that reached the flash was sent there
        self.sending = {}

    def ask(self, op, page, pages):
        request = Request()
        request.id = len(self.requests)
        request.op = op
        request.offset_bytes, request.size_bytes = page * PAGE, pages * PAGE
        request.owner = self.host
        self.clock += 1
        self.requests[request.id] = (op, range(page, page + pages), self.clock)
        before = len(self.layer.seen)
        self.buffer.submit(request)
        return before

    def note(self, before):
        """Record what the buffer sent to the layer just now, and of what it acknowledged."""
        self.clock += 1
        for request in self.layer.outstanding:
            if id(request) not in self.sending:
                self.sending[id(request)] = (request, self.clock)
        for done in self.host.done[self.sent :]:
            op, pages, asked = self.requests[done]
            if op == WRITE:
                for page in pages:
                    self.written[page] = max(self.written.get(page, 0), asked)
        self.sent = len(self.host.done)
        for request in self.layer.outstanding:
            if request.op == TRIM:  # whatever was written before it is gone
                (page,), asked = self.requests[request.id][1:]
                if self.written.get(page, 0) < asked:
                    self.written[page] = 0

    @rule(page=st.integers(0, 7), pages=st.integers(1, 4))
    def write(self, page, pages):
        self.note(self.ask(WRITE, page, pages))

    @rule(page=st.integers(0, 7), pages=st.integers(1, 4))
    def read(self, page, pages):
        before = self.ask(READ, page, pages)
        for op, first, size in self.layer.seen[before:]:
            assert op == READ
            for lpa in range(first, first + size // PAGE):
                assert self.in_flash.get(lpa, 0) >= self.written.get(lpa, 0), f"page {lpa} is newer in the buffer"
        self.note(before)

    @rule()
    def flush(self):
        self.note(self.ask(FLUSH, 0, 0))

    @rule(page=st.integers(0, 7))
    def trim(self, page):
        waits = len(self.buffer.waiting)
        self.note(self.ask(TRIM, page, 1))
        if not waits:
            assert page not in self.pages.entries

    @precondition(lambda self: self.layer.outstanding)
    @rule(data=st.data())
    def answer(self, data):
        request = self.layer.outstanding.pop(data.draw(st.integers(0, len(self.layer.outstanding) - 1)))
        _, sent_at = self.sending.pop(id(request))
        if request.op in (WRITE, TRIM):
            page = request.offset_bytes // PAGE
            self.in_flash[page] = max(self.in_flash.get(page, 0), sent_at)
        request.owner.completed(request)
        self.note(len(self.layer.seen))

    @invariant()
    def slots_are_counted(self):
        if hasattr(self, "buffer"):
            early = self.pages.frees_early
            assert 0 <= (0 if early else self.pages.leaving) <= self.pages.used <= self.pages.capacity
            assert self.pages.utilization() == self.pages.used / self.pages.capacity
            assert self.pages.unsent() == self.pages.used - (0 if early else self.pages.leaving)
            assert not (early and self.buffer.waiting)
            if self.buffer.row == 1 and self.pages.unsent():
                assert self.pages.leaving >= self.buffer.pages_in_flight
            assert len(self.host.done) == len(set(self.host.done))

    def teardown(self):
        """When the layer answers everything, every request is complete."""
        if hasattr(self, "buffer"):
            while self.layer.outstanding:
                request = self.layer.outstanding.pop(0)
                request.owner.completed(request)
            assert sorted(self.host.done) == list(range(len(self.requests)))
            assert not self.buffer.waiting and not self.pages.leaving


TestBufferMachine = BufferMachine.TestCase
