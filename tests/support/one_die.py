"""One die's queues under a scheduling policy, and a model of page-type aware scheduling to hold them against.

The model shares nothing with the scheduler but its contract: it looks at everything that waits at every step.
"""

import attrs

from ssdsim._core.codes import GC, HOST, PROGRAM, READ
from ssdsim.flash.dies import QUEUES
from ssdsim.flash.observer import Observers
from support.transactions import listed, queued, taken

BASES = {"fcfs": "Fcfs", "read_priority": "ReadPriority", "host_reads_first": "HostReadsFirst"}
"""Those that the model knows."""

CLASSES = BASES | {"erases_last": "ErasesLast"}


def make_urgent(dies, degree):
    """Make collection in a plane of the first die urgent (1) or critical (2), or neither."""
    dies.urgent_planes[0], dies.critical_planes[0] = int(degree > 0), int(degree > 1)


class Bench:
    """The queues of one die, with a policy for which whatever is not `blocked` may start."""

    def __init__(self, modules, blocks, base, limits=None):
        unit, policies = (modules[f"ssdsim.flash.scheduler.{name}"] for name in ("unit", "policies"))

        def may_start(self, transaction):
            return self.transactions.ppa[transaction] not in blocked

        def gated(name):
            return type("Gated", (getattr(policies, name, None) or getattr(unit, name),), {"may_start": may_start})

        self.blocked = blocked = set()
        self.transactions = modules["ssdsim.flash.transactions"].Transactions()
        self.dies = modules["ssdsim.flash.dies"].Dies(self.transactions, 1, 1, 1)
        self.policy = gated(CLASSES[base])()
        if limits is not None:
            self.policy = gated("PageTypeOrder")(self.policy, limits)
        self.unit = unit.TransactionSchedulingUnit(self.policy, self.dies, blocks, None, None, Observers())
        self.arrived = 0

    def arrive(self, op, page_type=0, source=HOST):
        """Queue a transaction and return the number of its row."""
        number = self.arrived
        self.arrived += 1
        made = taken(self.transactions, source, op=op, page_type=page_type, ppa=number, sequence=number, passed=0)
        return queued(self.dies, made)

    def number(self, transaction):
        """Return the number of the transaction among those that have arrived, None for 0."""
        return self.transactions.ppa[transaction] if transaction else None

    def start(self):
        """Return the transaction that is started, or 0."""
        chosen = self.policy.select(0)
        return self.unit.take(0, chosen) if chosen else 0

    def take(self):
        """Return the number of the transaction that is started, or None."""
        return self.number(self.start())

    def drain(self):
        return list(iter(self.take, None))

    def waiting(self):
        """Return (number, place, passes) of everything queued, queue by queue."""
        found = []
        for queue in range(QUEUES):
            waiting = listed(self.dies.queues, queue)
            places = [self.transactions.sequence[each] for each in waiting]
            assert places == sorted(set(places))
            found += [
                (self.number(each), self.transactions.sequence[each], self.transactions.passed[each])
                for each in waiting
            ]
        return found


@attrs.define(eq=False)
class Item:
    """What the model knows of a transaction."""

    number: int
    op: int
    page_type: int
    source: int
    place: int
    passed: int = 0


class Model:
    """The contract, written out over one list in order of arrival."""

    def __init__(self, base, limits):
        self.base, self.limits = base, limits
        self.items = []
        self.blocked = set()
        self.urgency = 0
        self.arrived = 0

    def arrive(self, op, page_type, source):
        self.items.append(Item(self.arrived, op, page_type, source, self.arrived))
        self.arrived += 1

    def able(self, source):
        return [item for item in self.items if item.source == source and item.number not in self.blocked]

    def by_base(self):
        host_reads = [item for item in self.able(HOST) if item.op == READ]
        if host_reads and self.base == "host_reads_first":
            return host_reads[0]
        by_turn = host_reads if self.base != "fcfs" else self.able(HOST)
        if self.urgency == 1 and by_turn:
            turn = min(by_turn, key=lambda item: item.place)
            if turn.op == READ:
                return turn
        for source in (GC, HOST) if self.urgency else (HOST, GC):
            able = self.able(source)
            reads = [item for item in able if item.op == READ] if self.base != "fcfs" else []
            if able:
                return min(reads or able, key=lambda item: item.place)
        return None

    def take(self):
        chosen = self.by_base()
        if chosen is None:
            return None
        if chosen.op == PROGRAM:
            chosen = self.exchanged(chosen.source)
        self.items.remove(chosen)
        return chosen.number

    def limit(self, item):
        return self.limits[min(item.page_type, len(self.limits)) - 1] if item.page_type else float("inf")

    def exchanged(self, source):
        queued = [item for item in self.items if item.source == source and item.op == PROGRAM]
        able = [item for item in queued if item in self.able(source)]
        lowest = min(item.page_type for item in queued)
        first = [item for item in able if item.page_type == lowest or item.passed >= self.limit(item)]
        chosen = (first or sorted(able, key=lambda item: item.page_type))[0]
        passed = able[: able.index(chosen)]
        for item in passed:
            item.passed += 1
        if passed:
            moved = queued[queued.index(passed[0]) : queued.index(chosen) + 1]
            places = [item.place for item in moved]
            for item, place in zip([chosen, *moved], places, strict=False):
                item.place = place
        return chosen


def carry_out(step, bench):
    """Carry out one step on a bench or a model and return what was started, if that is what the step does."""
    kind, *given = step
    if kind == "arrive":
        bench.arrive(*given)
    elif kind == "toggle":
        bench.blocked ^= set(given)
    elif kind == "take":
        return bench.take()
    elif isinstance(bench, Model):
        bench.urgency = given[0]
    else:
        make_urgent(bench.dies, given[0])
    return None
