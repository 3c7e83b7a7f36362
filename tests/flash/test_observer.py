"""Observers: each is told of what it wants to know, in order, with time and without."""

import pytest

from ssdsim._core.codes import COPYBACK, HOST, PROGRAM, READ
from ssdsim._core.kernel import make_environment
from ssdsim.assembly.device import Device
from ssdsim.check.words import UNIT
from ssdsim.flash.observer import EVENTS
from ssdsim.stage import TransactionOwner
from support.tiny_device import tiny_config
from support.transactions import taken


class Witness:
    """Writes down what it is told, and whether the page holds something by then."""

    def __init__(self, device, wanted=EVENTS):
        self.blocks, self.dies = device.blocks, device.dies
        self.observes = wanted
        self.story = []

    def note(self, event, transactions, number):
        ppa = transactions.ppa[number]
        what = transactions.op[number], ppa, transactions.block[number], transactions.data[number]
        self.story.append((event, *what, bool(self.blocks.is_programmed(ppa))))

    def queued(self, transactions, number):
        self.note("queued", transactions, number)

    def sensed(self, transactions, number):
        self.note("sensed", transactions, number)

    def programmed(self, transactions, number):
        self.note("programmed", transactions, number)

    def erased(self, transactions, number):
        self.note("erased", transactions, number)

    def done(self, transactions, number, end_ns):
        self.note(f"done at {end_ns}", transactions, number)

    def idle(self, die):
        self.story.append(("idle", die, self.dies.transaction[die]))


class Owner(TransactionOwner):
    """Adds to the story of a witness that it is told, too."""

    def __init__(self, story):
        self.story = story

    def done(self, transaction):
        self.story.append("owner")


@pytest.fixture
def device():
    """Return the tiny device with three pages of block 0 handed out, and pages of block 1."""
    device = Device(tiny_config())
    for block in (device.blocks.take_free(0), device.blocks.take_free(0)):
        for page in range(3):
            device.blocks.hand_out(block, page, page)
    return device


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_with_time_each_event_is_told_once_after_the_state_has_changed_and_before_the_owner(device, kernel):
    env = make_environment(kernel)
    device.connect(env)
    env.run(until=5)
    witness, late = Witness(device), Witness(device, ("done",))
    device.observers.add(witness)
    owner = device.transactions.add_owner(Owner(witness.story))
    for op, ppa in ((PROGRAM, 0), (READ, 0), (COPYBACK, 4)):
        columns = {"op": op, "ppa": ppa, "bytes": 4096, "before": 0, "data": UNIT if op == PROGRAM else None}
        device.scheduler.submit(taken(device.transactions, HOST, owner, **columns))
        env.run(until=int(env.now) + 10**9)
        if op == READ:
            device.observers.add(late)
    times = [5 + at * 10**9 for at in range(3)]
    program_end = times[0] + 200 + 4096 + 100_000
    read_end = times[1] + 100 + 10_000 + 4096
    copy_end = times[2] + 400 + 10_000 + 100_000
    assert witness.story == [
        ("queued", PROGRAM, 0, 0, UNIT, False),
        ("programmed", PROGRAM, 0, 0, UNIT, True),
        (f"done at {program_end}", PROGRAM, 0, 0, UNIT, True),
        "owner",
        ("idle", 0, 0),
        ("sensed", READ, 0, 0, UNIT, True),
        (f"done at {read_end}", READ, 0, 0, UNIT, True),
        "owner",
        ("idle", 0, 0),
        ("programmed", COPYBACK, 4, 1, None, True),
        (f"done at {copy_end}", COPYBACK, 4, 1, None, True),
        "owner",
        ("idle", 0, 0),
    ]
    assert late.story == [(f"done at {copy_end}", COPYBACK, 4, 1, None, True)]
