"""Policies of the user's own that do, on views, what one of ours does on numbers: commands and times are the same."""

import sys

import pytest

from support.tiny_device import PAGE

TWINS = """
from collections import Counter

from ssdsim.policies import HOST, READ, BusArbiter, SchedulingPolicy


class Fcfs(SchedulingPolicy):
    def choose(self, reads, writes):
        able = [found for found in (self.first(writes), self.first(reads)) if found is not None]
        return min(able, key=lambda transaction: transaction.sequence, default=None)


class ReadPriority(SchedulingPolicy):
    def __init__(self):
        self.started = []

    def choose(self, reads, writes):
        return self.first(reads) or self.first(writes)

    def taken(self, die, transaction):
        assert transaction.die == die.index and all(transaction not in queue for queue in die.queues)
        self.started.append(transaction.number)


class Paq(ReadPriority):
    def __init__(self, pass_limit):
        super().__init__()
        assert pass_limit == 10**9

    def select(self, die):
        chosen = super().select(die)
        if chosen is None:
            return None
        able = [page for queue in die.queues if chosen in [*queue] for page in queue if self.may_start(page)]
        return max(able, key=lambda page: self.width(die, page))


class Listening(Fcfs):
    heard = Counter()

    def arrived(self, transaction):
        self.heard["arrived"] += 1

    def select(self, die):
        self.heard["select"] += 1
        return super().select(die)

    def taken(self, die, transaction):
        self.heard["taken"] += 1


class CommandFirst(BusArbiter):
    arrivals_first = True

    def __init__(self):
        self.asking = set()

    def ask(self, die):
        self.asking.add(die)

    def choose(self):
        ready = [die for die in self.dies if die in self.asking and die.transaction is not None]
        if any(self.is_ending(die) for die in self.dies if die not in ready):
            return None
        starts = [die for die in self.dies if die in self.asking and die.transaction is None]
        would = [(die, self.would_start(die)) for die in starts]
        reads = [(read.sequence, die) for die, read in would if read is not None and read.op == READ]
        chosen = min(reads, key=lambda each: each[0])[1] if reads else next(iter(ready + starts), None)
        self.asking.discard(chosen)
        return chosen

    def is_ending(self, die):
        command = die.transaction
        return command is not None and command.array_start_ns >= 0 and command.array_end_ns == self.env.now
"""
BUSY = {
    "hardware": {"channels": 2, "chips_per_channel": 3, "planes_per_die": 2},
    "flash": {"multi_plane": ["read", "program", "erase"]},
}


@pytest.fixture(scope="module", autouse=True)
def twins(tmp_path_factory):
    """Let a module of a user's be importable."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("user")
        (folder / "own_twins.py").write_text(TWINS)
        patch.syspath_prepend(folder)
        yield
        sys.modules.pop("own_twins", None)


@pytest.mark.parametrize(
    ("key", "ours", "own"),
    [
        ("scheduler.policy", "fcfs", "Fcfs"),
        ("scheduler.policy", "paq", "Paq"),
        ("flash.bus", "command_first", "CommandFirst"),
    ],
)
def test_a_twin_does_the_same(run, key, ours, own):
    """Bursts of writes and reads on six dies, which collect most of the time."""
    pages = 96
    rows = [
        (step // 20 * 900_000, "read" if step % 3 == 2 else "write", step * 7 % pages * PAGE, PAGE)
        for step in range(500)
    ]
    section, name = key.split(".")
    found = []
    for policy in (ours, f"own_twins.{own}"):
        changes = {group: dict(given) for group, given in BUSY.items()}
        changes.setdefault(section, {})[name] = policy
        if "paq" in policy.lower():
            changes[section]["options"] = {"pass_limit": 10**9}
        found.append(run(rows, changes, queue_depth=16))
    assert found[0].summary["gc"]["collections"] > 20
    assert found[0].requests == found[1].requests and found[0].commands == found[1].commands


def test_a_policy_is_told_what_it_heeds(run):
    rows = [(step * 100_000, "write", step * PAGE, PAGE) for step in range(10)]
    run(rows, {"scheduler": {"policy": "own_twins.Listening"}})
    heard = sys.modules["own_twins"].Listening.heard
    assert heard["arrived"] == heard["taken"] == 10 <= heard["select"]
