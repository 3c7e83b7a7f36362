# cython: infer_types=True
"""The lanes of dies that carry out several reads at a time, and which reads those may be."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, cast, final

from ssdsim._core.codes import READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.flash.channel import Channel
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions

if TYPE_CHECKING:
    from ssdsim.flash.scheduler.policy import SchedulingPolicy


@final
class Lanes:
    """The rule by which a die carries out reads side by side, each in a *lane*; anything else has the die for itself.

    Where planes read independently, a read may start while others are under way in other planes, at any page. It joins
    them only if the scheduling policy would start a read on an idle die, so that whatever has its turn is not put off
    by reads behind it.

    One lane of a die asks for the bus to start a command at a time.
    """

    dies: Dies
    transactions: Transactions
    per_die: int
    planes_per_die: int
    is_off: bool  # while the policy is asked what it would start on an idle die
    busy_since_ns: Int64s  # by die: the start of the first of them
    asks: Int8s  # by die: a lane asks for the bus to start a command, or is about to, or not all have begun

    def __init__(self, dies: Dies, per_die: int, planes_per_die: int) -> None:
        self.dies = dies
        self.transactions = dies.transactions
        self.per_die = per_die
        self.planes_per_die = planes_per_die
        self.is_off = False
        self.busy_since_ns = array("q", [0] * dies.count)
        self.asks = array("b", [1] * dies.count)

    # What may start.

    def is_turn_of_read(self, die: int, policy: SchedulingPolicy) -> bool:
        """Return whether `die` executes nothing, or `policy` would start a read if it did not."""
        if not self.dies.commands[die]:
            return True
        self.is_off = True
        chosen = policy.select(die)
        self.is_off = False
        return chosen != 0 and self.transactions.op[chosen] == READ

    def admits(self, transaction: int) -> bool:
        """Return whether `transaction` may start beside what its die executes."""
        transactions = self.transactions
        die = transactions.die[transaction]
        if self.is_off or not self.dies.commands[die]:
            return True
        if transactions.op[transaction] != READ:
            return False
        plane = transactions.plane[transaction]
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            page = self.dies.transaction[lane]
            while page:
                if transactions.op[page] != READ or transactions.plane[page] == plane:
                    return False
                # dies that are commanded as one do not work at the same time
                if transactions.plane[page] // self.planes_per_die != plane // self.planes_per_die:
                    return False
                page = transactions.partner[page]
        return True

    def free_lane(self, die: int) -> int:
        """Return the first lane of `die` that executes nothing, or -1."""
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            if not self.dies.transaction[lane]:
                return lane
        return -1

    # Asking for the bus.

    def look(self, die: int) -> None:
        """Have a free lane of `die`, if there is one, ask for the bus if something waits, or be idle."""
        lane = self.free_lane(die)
        if self.asks[die] or lane < 0:
            return
        if not self.dies.waiting[die]:
            self.dies.idle[die] = True
            return
        self.dies.idle[die] = False
        self.asks[die] = True
        bus = cast(Channel, self.dies.buses[lane])
        bus.ask(lane)

    # Accounts.

    def started(self, die: int, now_ns: int) -> None:
        """Count a command that `die` starts now."""
        if not self.dies.commands[die]:
            self.busy_since_ns[die] = now_ns
        self.dies.commands[die] += 1
        self.dies.end_gc(die, now_ns)

    def finished(self, die: int, now_ns: int) -> int:
        """Count a command off; return another that `die` goes on with, which holds it from now on, or 0."""
        dies = self.dies
        dies.commands[die] -= 1
        if not dies.commands[die]:
            dies.busy_ns[die] += now_ns - self.busy_since_ns[die]
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            command = dies.transaction[lane]
            if command:
                if not self.transactions.is_of_host(command):
                    dies.gc_since_ns[die] = now_ns
                    if dies.urgent_planes[die]:
                        dies.urgent_since_ns[die] = now_ns
                return command
        return 0
