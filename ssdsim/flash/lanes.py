# cython: infer_types=True
"""The lanes of dies that carry out several commands at a time, and which commands those may be."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.kernel import Routine, resume_routine
from ssdsim.flash.channel import Channel
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions

if TYPE_CHECKING:
    from ssdsim.flash.scheduler.policy import SchedulingPolicy


SENSED: Final = 1
"""The array is done with the read of a lane, and its data is still in the page register."""
HELD: Final = 2
"""As `SENSED`, and the read waits for the cache register; or the data of a program waits there for the array."""
CACHED: Final = 3
"""The data is in the cache register, and the page register is free."""


@final
class Lanes:
    """The rule by which a die carries out reads side by side, each in a *lane*; anything else has the die for itself.

    Where planes read independently, a read may start while others are under way in other planes, at any page. It joins
    them only if the scheduling policy would start a read on an idle die, so that whatever has its turn is not put off
    by reads behind it.

    With a cache register (`cache_ns` is not -1) a read may start where one is under way whose data has left the page
    register: of its plane where planes read independently, of its die where they do not. Data takes `cache_ns` from one
    register to the other, once that is empty, and then leaves the die while the array reads on; it goes there only if a
    read is to follow, or if it followed one itself. Else a read is as one without such a register.

    With `program_ns` (else -1) a program may come over the bus while the array works on the one before it, of the same
    mode, and after it in a block that both are in. Its data waits in the cache register for the array, and takes so
    long from there.

    One lane of a die asks for the bus to start a command at a time.
    """

    dies: Dies
    transactions: Transactions
    per_die: int
    planes_per_die: int
    planes_per_register: int
    cache_ns: int
    program_ns: int
    is_off: bool  # while the policy is asked what it would start on an idle die
    busy_since_ns: Int64s  # by die: the start of the first of them
    stages: Int8s  # by lane: 0 before its array is done, then `SENSED` and so on
    follows: Int8s  # by lane: its read began before all data had left that was in its register
    asks: Int8s  # by die: a lane asks for the bus to start a command, or is about to, or not all have begun

    def __init__(
        self, dies: Dies, per_die: int, planes_per_die: int, planes_per_register: int, cache_ns: int, program_ns: int
    ) -> None:
        self.dies = dies
        self.transactions = dies.transactions
        self.per_die = per_die
        self.planes_per_die = planes_per_die
        self.planes_per_register = planes_per_register
        self.cache_ns = cache_ns
        self.program_ns = program_ns
        self.is_off = False
        self.stages = array("b", [0] * (dies.count * per_die))
        self.follows = array("b", [0] * (dies.count * per_die))
        self.busy_since_ns = array("q", [0] * dies.count)
        self.asks = array("b", [1] * dies.count)

    # What may start.

    def is_turn(self, die: int, policy: SchedulingPolicy) -> bool:
        """Return whether `die` executes nothing, or `policy` would start another such command if it did not."""
        if not self.dies.commands[die]:
            return True
        self.is_off = True
        chosen = policy.select(die)
        self.is_off = False
        if not chosen:
            return False
        op = self.transactions.op[chosen]
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            command = self.dies.transaction[lane]
            if command and self.transactions.op[command] != op:
                return False
        return True

    def admits(self, transaction: int) -> bool:
        """Return whether `transaction` may start beside what its die executes."""
        transactions = self.transactions
        die = transactions.die[transaction]
        if self.is_off or not self.dies.commands[die]:
            return True
        if transactions.op[transaction] == PROGRAM:
            return self.admits_program(transaction)
        if transactions.op[transaction] != READ:
            return False
        plane = transactions.plane[transaction]
        register = plane // self.planes_per_register
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            page = self.dies.transaction[lane]
            while page:
                if transactions.op[page] != READ:
                    return False
                is_shared: bool = transactions.plane[page] // self.planes_per_register == register
                if is_shared and self.stages[lane] != CACHED:
                    return False
                # dies that are commanded as one do not work at the same time
                if transactions.plane[page] // self.planes_per_die != plane // self.planes_per_die:
                    return False
                page = transactions.partner[page]
        return True

    @cfunc
    def admits_program(self, transaction: int) -> bool:
        """Return whether a program may come over the bus while its die executes another."""
        transactions = self.transactions
        die = transactions.die[transaction]
        if self.program_ns < 0 or self.dies.commands[die] > 1:
            return False
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            command = self.dies.transaction[lane]
            if not command:
                continue
            if transactions.op[command] != PROGRAM or transactions.array_start_ns[command] < 0:
                return False
            if (transactions.page_type[command] < 0) != (transactions.page_type[transaction] < 0):
                return False
            own_die = transactions.plane[transaction] // self.planes_per_die
            if transactions.plane[command] // self.planes_per_die != own_die:
                return False
        return True

    def may_follow(self, transaction: int, blocks: Blocks) -> bool:
        """Return whether a program may come behind that of its block which its die executes, as far as order goes."""
        transactions = self.transactions
        if self.program_ns < 0 or transactions.op[transaction] != PROGRAM:
            return False
        if not self.look_ahead(transaction, blocks, 1):
            return False
        may: bool = blocks.may_program(transactions.block[transaction], transactions.page[transaction])
        self.look_ahead(transaction, blocks, -1)
        return may

    @cfunc
    def look_ahead(self, transaction: int, blocks: Blocks, change: int) -> int:
        """Count pages of its block that the die of a program executes as programmed, or not; return their number."""
        transactions = self.transactions
        die = transactions.die[transaction]
        block = transactions.block[transaction]
        pages = 0
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            page = self.dies.transaction[lane]
            while page:
                if transactions.block[page] == block and transactions.op[page] == PROGRAM:
                    blocks.look_ahead(block, transactions.page[page], change)
                    pages += 1
                page = transactions.partner[page]
        return pages

    def free_lane(self, die: int) -> int:
        """Return the first lane of `die` that executes nothing, or -1."""
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            if not self.dies.transaction[lane]:
                return lane
        return -1

    # The registers.

    @cfunc
    def shares_register(self, lane: int, other: int) -> bool:
        """Return whether the data of two lanes, as far as it has not left, goes through one register."""
        transactions = self.transactions
        page = self.dies.transaction[lane]
        while page:
            register = transactions.plane[page] // self.planes_per_register
            other_page = self.dies.transaction[other]
            while other_page:
                if transactions.plane[other_page] // self.planes_per_register == register:
                    return True
                other_page = transactions.partner[other_page]
            page = transactions.partner[page]
        return False

    @cfunc
    def is_kept_back(self, lane: int) -> bool:
        """Return whether the cache register that the read of `lane` needs is full."""
        first = lane - lane % self.per_die
        for other in range(first, first + self.per_die):
            if other != lane and self.stages[other] == CACHED and self.shares_register(lane, other):
                return True
        return False

    @cfunc
    def is_followed(self, lane: int, policy: SchedulingPolicy) -> bool:
        """Return whether a read would be started next that needs the page register of that of `lane`."""
        die = lane // self.per_die
        if not self.dies.waiting[die] or not self.is_turn(die, policy):
            return False
        self.stages[lane] = CACHED  # as it would be then
        chosen = policy.select(die)
        self.stages[lane] = SENSED
        if not chosen:
            return False
        register = self.transactions.plane[chosen] // self.planes_per_register
        page = self.dies.transaction[lane]
        while page:
            if self.transactions.plane[page] // self.planes_per_register == register:
                return True
            page = self.transactions.partner[page]
        return False

    @cfunc
    def release(self, die: int) -> None:
        """Wake the processes of reads whose cache register is empty now, and of a program whose array is idle now."""
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            if self.stages[lane] == HELD and not self.is_kept_back(lane):
                self.stages[lane] = SENSED if self.transactions.op[self.dies.transaction[lane]] == READ else 0
                resume_routine(cast(Routine, self.dies.processes[lane]), 0)

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

    def started(self, die: int, lane: int, now_ns: int) -> None:
        """Count a command that `die` starts now in `lane`."""
        if not self.dies.is_executing(die):
            self.busy_since_ns[die] = now_ns
        self.dies.commands[die] += 1
        self.stages[lane] = 0
        self.follows[lane] = self.cache_ns >= 0 and self.is_kept_back(lane)
        page = self.dies.transaction[lane]
        while page:
            self.transactions.cached_ns[page] = 0
            page = self.transactions.partner[page]
        self.dies.end_gc(die, now_ns)

    def finished(self, die: int, lane: int, now_ns: int) -> None:
        """Count the command of `lane` off: `die` works for others than the host on, if another is for these."""
        dies = self.dies
        dies.commands[die] -= 1
        self.stages[lane] = 0
        self.release(die)
        if not dies.is_executing(die):
            dies.busy_ns[die] += now_ns - self.busy_since_ns[die]
        for lane in range(die * self.per_die, (die + 1) * self.per_die):
            command = dies.transaction[lane]
            if command:
                if not self.transactions.is_of_host(command):
                    dies.gc_since_ns[die] = now_ns
                    if dies.urgent_planes[die]:
                        dies.urgent_since_ns[die] = now_ns
                return
