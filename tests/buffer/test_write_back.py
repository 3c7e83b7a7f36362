"""When pages leave the write buffer: as room is needed, or at once, so many of them at a time."""

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import TRIM, WRITE
from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.replacement import Epo, Lru
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation import stripe
from ssdsim.host.request import Request
from ssdsim.stage import Stage
from support.requests import write
from support.tiny_device import PAGE, WRITE_PAGE

LATER = 1_000_000


def at_once(pages, in_flight=None, **changes):
    """Return changes that give the tiny device a buffer of so many pages that writes them at once."""
    size = {"replacement": "lru", "size_mib": pages * PAGE / 2**20}
    return {"buffer": size | {"write_back": "at_once", "pages_in_flight": in_flight}} | changes


def programs(out):
    """Return the pages programmed, and when each was sent to flash."""
    return [(row["lpa"], row["queued_ns"]) for row in out.commands if row["op"] == "program"]


def test_oldest_first_and_never_more_than_so_many(run):
    rows = [write(0, pages=3), write(3), write(1), (LATER, "flush", 0, 0)]
    out = run(rows, at_once(8, in_flight=1))
    assert programs(out) == [(0, 0), (2, WRITE_PAGE), (3, 2 * WRITE_PAGE), (1, 3 * WRITE_PAGE)]
    out = run(rows, at_once(8, in_flight=2))
    assert [lpa for lpa, _ in programs(out)] == [0, 1, 2, 3, 1]  # it was on its way when it was written again


def test_the_default_is_two_pages_a_die(run):
    """As many wait for a die as run on it."""
    rows = [write(0, pages=12), (LATER, "read", 0, PAGE)]
    out = run(rows, at_once(16, hardware={"channels": 3}))
    assert [sent for _, sent in programs(out)].count(0) == 6


def test_no_more_are_sent_because_some_wait(run):
    """Six wait for a buffer of two; when room is needed that sends as many as it can."""
    rows = [write(0, pages=8)]
    assert [sent for _, sent in programs(run(rows, at_once(2, in_flight=1)))].count(0) == 1
    changes = at_once(2)
    changes["buffer"] |= {"write_back": "when_full"}
    assert [sent for _, sent in programs(run(rows, changes))].count(0) == 2


class Flash(Stage):
    """A translation layer that keeps what it is sent until told that one is done, and a host that does not care."""

    def __init__(self):
        self.outstanding = []
        self.sent = []

    def submit(self, request):
        self.outstanding.append(request)
        self.sent.append((request.op, request.offset_bytes // PAGE))

    def completed(self, request):
        pass


def buffered(replacement, in_flight, capacity=6, row=1, planes=1):
    hardware = HardwareConfig(channels=2, chips_per_channel=1, dies_per_chip=1, planes_per_die=planes)
    replacement.bind(stripe("CWDP", hardware, 1), hardware, 1)
    flash = Flash()
    pages = BufferedPages(replacement, capacity, PAGE)
    buffer = WriteBuffer(pages, flash, row=row, pages_in_flight=in_flight)

    def ask(op, page, pages=1):
        request = Request()
        request.op, request.owner = op, flash
        request.offset_bytes, request.size_bytes = page * PAGE, pages * PAGE
        buffer.submit(request)

    def done():
        request = flash.outstanding.pop(0)
        request.owner.completed(request)

    return pages, flash, ask, done


@given(
    in_flight=st.integers(1, 8),
    capacity=st.integers(1, 6),
    steps=st.lists(st.tuples(st.sampled_from(["write", "write", "trim", "done"]), st.integers(0, 9)), max_size=60),
)
def test_pages_leave_in_order_as_long_as_fewer_than_so_many_are_on_their_way(in_flight, capacity, steps):
    """Against lists of pages: those held, those on their way, and those that wait for a slot."""
    pages, flash, ask, done = buffered(Lru(), in_flight, capacity)
    held, leaving, waiting, sent = [], [], [], []

    def find_slot(page):
        if page in held:
            held.remove(page)
        elif len(held) + len(leaving) == capacity:
            return False
        held.append(page)
        return True

    for what, page in steps:
        if what == "write":
            ask(WRITE, page)
            if not find_slot(page):
                waiting.append(page)
        elif what == "trim" and not waiting:
            ask(TRIM, page)
            flash.outstanding.pop()
            held = [each for each in held if each != page]
        elif what == "done" and leaving:
            done()
            leaving.pop(0)
            while waiting and find_slot(waiting[0]):
                waiting.pop(0)
        while len(leaving) < in_flight and held:
            leaving.append(held.pop(0))
            sent.append(leaving[-1])
        assert [page for op, page in flash.sent if op == WRITE] == sent
        assert (pages.leaving, pages.used) == (len(leaving), len(held) + len(leaving))
        assert pages.utilization() == (len(held) + len(leaving)) / capacity


def test_rows_leave_when_a_die_has_enough_for_one_and_short_ones_only_for_room():
    """Pages 0, 2, 4 and 6 are of die 0, the others of die 1."""
    pages, flash, ask, done = buffered(Epo(), in_flight=8, capacity=4, row=2, planes=2)
    ask(WRITE, 0)
    ask(WRITE, 1)
    assert flash.sent == []
    ask(WRITE, 2)
    assert flash.sent == [(WRITE, 0), (WRITE, 2)]
    done()
    done()
    assert (pages.leaving, pages.used) == (0, 1)
    pages, flash, ask, done = buffered(Epo(), in_flight=8, capacity=2, row=2, planes=2)
    ask(WRITE, 0)
    ask(WRITE, 1)
    assert flash.sent == []
    ask(WRITE, 3)
    assert flash.sent == [(WRITE, 0)]
