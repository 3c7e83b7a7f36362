"""What the oracle allows, without a device; and that it sees all of a run and changes nothing in it."""

import attrs
import pytest

from ssdsim import SimulationError
from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim.check import Contract, IntegrityOracle
from ssdsim.check.contract import Losses
from ssdsim.check.words import word_of
from ssdsim.config import PowerLossConfig
from ssdsim.flash.data import EMPTY, PageData
from ssdsim.host.request import Request
from ssdsim.run.simulation import simulate
from support.sabotage import Bench
from support.small_devices import load, small
from support.tiny_device import PAGE, Run

SECTOR = 512
SECTORS = PAGE // SECTOR


class Story:
    """Requests for page 3 of 8, told in the order in which they are admitted and completed."""

    def __init__(self, **contract):
        self.data = PageData(8, SECTORS, False)
        terms = {"together": 1, "durable_when_complete": False, "endangered": 0} | contract
        self.oracle = IntegrityOracle(8, PAGE, Contract(**terms), self.data)

    def begin(self, op, first=0, sectors=SECTORS):
        request = Request()
        request.op, request.offset_bytes, request.size_bytes = op, 3 * PAGE + first * SECTOR, sectors * SECTOR
        self.oracle.admitted(request, 0)
        request.about = None if op != WRITE else request.data[3]
        return request

    def end(self, request, image=None):
        if request.op == READ:
            request.data[3] = image
        self.oracle.completed(request, 7)

    def write(self, first=0, sectors=SECTORS):
        request = self.begin(WRITE, first, sectors)
        self.end(request)
        return request.about

    def read(self, image):
        self.end(self.begin(READ), image)


def test_a_parity_gives_back_the_page_that_is_lacking():
    data = PageData(8, SECTORS, False)
    pages = [word_of(1, 5), data.over((None, 77, *[None] * 6), word_of(2, 6)), EMPTY]
    whole = data.parity(pages)
    assert [data.parity([whole, *(each for each in pages if each is not page)]) for page in pages] == pages


def test_a_read_may_return_what_was_complete_before_it_or_is_written_meanwhile():
    story = Story()
    story.read(EMPTY)
    old = story.write()
    writing = story.begin(WRITE)
    reading = [story.begin(READ) for _ in range(3)]
    story.end(reading[0], old)
    story.end(reading[1], writing.about)
    story.end(writing)
    story.end(reading[2], old)
    story.read(writing.about)
    with pytest.raises(SimulationError, match="as request 2 left it, but request 3 had been complete before"):
        story.read(old)


@pytest.mark.parametrize("image", [None, word_of(1, 4), word_of(9, 3), 12345, EMPTY])
def test_nothing_else_may_be_read(image):
    story = Story()
    story.write()
    with pytest.raises(
        SimulationError, match=r"^integrity: request 2, a read, was given sector 0 of logical page 3 .*\.$"
    ):
        story.read(image)


def test_while_a_trim_is_under_way_a_read_returns_nothing_or_the_newest_data_before_it():
    story = Story()
    old, new = story.write(), story.write()
    trim, reading = story.begin(TRIM), [story.begin(READ) for _ in range(3)]
    story.end(reading[0], EMPTY)
    story.end(reading[1], new)
    with pytest.raises(SimulationError, match="as request 1 left it, but request 2 had been complete before"):
        story.end(reading[2], old)
    newer = story.write(2, 3)
    story.read(story.data.over(newer, EMPTY))
    story.read(story.data.over(newer, new))
    with pytest.raises(SimulationError, match="sector 2 of logical page 3 at 7 ns as empty"):
        story.read(EMPTY)
    story.end(trim)
    with pytest.raises(SimulationError, match="sector 0 of logical page 3 at 7 ns as request 2 left it"):
        story.read(story.data.over(newer, new))


def test_a_flush_is_complete_when_the_cells_hold_what_was_written_before_it_or_newer():
    story = Story()
    story.write()
    flush = story.begin(FLUSH)
    newer = story.write()
    story.data.put(0, newer)
    story.end(flush)
    story.data.wipe(0)
    with pytest.raises(SimulationError, match="request 4, a flush, was complete at 7 ns, but no cell"):
        story.end(story.begin(FLUSH))


def test_without_a_buffer_a_write_is_complete_when_the_cells_hold_it():
    story = Story(durable_when_complete=True)
    with pytest.raises(SimulationError, match="request 1, a write, was complete at 7 ns, but no cell"):
        story.write()


@pytest.mark.parametrize(
    ("losses", "is_flushed", "fine"),
    [
        (Losses(), False, False),
        (Losses(memory=[3]), False, True),
        (Losses(memory=[3]), True, False),
        (Losses(memory=[4]), False, False),
        (Losses(flash=[3], programs=1), True, True),
        (Losses(flash=[3], programs=0), True, False),
    ],
)
def test_after_a_loss_of_power_only_that_is_missing_which_the_device_says_it_lost(losses, is_flushed, fine):
    story = Story(endangered=1)
    old, new = story.write(), story.write()
    if is_flushed:
        story.data.put(0, new)
        story.end(story.begin(FLUSH))
    pages = [EMPTY] * 8
    pages[3] = old
    if not fine:
        with pytest.raises(SimulationError, match=r"^integrity: "):
            story.oracle.power_lost(pages.__getitem__, losses, 7)
        return
    story.oracle.power_lost(pages.__getitem__, losses, 7)
    story.read(old)
    with pytest.raises(SimulationError, match="nothing at all"):
        story.read(None)


UNTIMED = {
    "moved pages are lost": ("flash.data:PageData", "sensed", lambda original, self, transactions, number: None),
    "moved pages come from beside": (
        "flash.data:PageData",
        "sense",
        lambda original, self, ppa: original(self, ppa ^ 1),
    ),
    "writes are programmed beside": (
        "flash.data:PageData",
        "programmed",
        lambda original, self, transactions, number: self.put(
            transactions.ppa[number] ^ 1, self.pending.pop(transactions.ppa[number])
        ),
    ),
    "trims are forgotten": ("ftl.writes:WritePath", "trim", lambda original, self, request, lpa: None),
}


@pytest.mark.parametrize("name", ["none", *UNTIMED])
@pytest.mark.parametrize("stack", ["dloop", "fast"])
def test_without_time_it_sees_as_much(interpreted, monkeypatch, stack, name):
    config = load(small(stack, "timing=off"), 260)
    run = interpreted["ssdsim.run.simulation"].simulate
    if name == "none":
        assert run(config).summary["gc"]["collections"] > 10
        return
    Bench(interpreted, monkeypatch).wrap(*UNTIMED[name])
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=r"^integrity: "):
        run(config)


@pytest.mark.parametrize(("stack", "kernel", "cut"), [("spd_plus", "simpy", False), ("pcftl", "compiled", True)])
def test_it_changes_nothing(stack, kernel, cut):
    power = PowerLossConfig(after_programs=170) if cut else PowerLossConfig()
    config = attrs.evolve(load(small(stack), 200), kernel=kernel, power_loss=power, record=["requests", "commands"])
    runs = [Run(simulate(attrs.evolve(config, integrity=given))).facts() for given in ("on", "off")]
    assert runs[0] == runs[1]


def test_what_was_there_before_the_run_is_read_back(interpreted, monkeypatch):
    config = load(small("baseline", "precondition=fill"), 0)
    config = attrs.evolve(config, precondition=attrs.evolve(config.precondition, fill_share=0.5, valid_share=None))
    config.workload.rows[:] = config.workload.rows[:1]
    simulate(config)
    Bench(interpreted, monkeypatch).wrap("check.oracle:IntegrityOracle", "read_back", forgetful)
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=r"^integrity: the read-back "):
        interpreted["ssdsim.run.simulation"].simulate(config)


def forgetful(original, oracle, newest, now_ns):
    """Have a device read back without what the cells hold of its last page."""
    *others, last = (ppa for ppa, image in enumerate(oracle.data.cells) if image is not None)
    for ppa in (last, *others[::3]):
        oracle.data.wipe(ppa)
    original(oracle, newest, now_ns)
