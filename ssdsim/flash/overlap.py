# cython: infer_types=True
"""What a die does beside one command after another: it suspends them, reads side by side, and senses or loads ahead."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine, resume_routine, run_routine
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import HOST_READS, QUEUES, Channel, Dies
from ssdsim.flash.timing import to_ns
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
class Overlap(Routine):
    """The rules by which commands of one `die` overlap, each in a *lane* from `first` to `end`, and its array's state.

    Where planes read independently, a read may start while others are under way in other planes, at any page. It joins
    them only if the scheduling policy would start a read on an idle die, so that whatever has its turn is not put off
    by reads behind it. Anything else has the die for itself, unless:

    With a cache register (`cache_ns` is not -1) a read may start where one is under way whose data has left the page
    register: of its plane where planes read independently, of its die where they do not. Data takes `cache_ns` from one
    register to the other, once that is empty, and then leaves the die while the array reads on; it goes there only if a
    read is to follow, or if it followed one itself. Else a read is as one without such a register.

    With `program_ns` (else -1) a program may come over the bus while the array works on the one before it, of the same
    mode, and after it in a block that both are in. Its data waits in the cache register for the array, and takes so
    long from there.

    A program or an erase that `suspends` says stops for reads that requests wait for (Wu and He, FAST 2012). A read of
    the wordline that is being programmed waits for it. What urgent collection goes before (`SchedulingPolicy`) does not
    suspend it. From the decision it takes `suspend_ns` until the die is free, and from the end of the last that was let
    pass `resume_ns` until the array goes on where it stopped. Commands of suspending and resuming are part of these
    times; that they cross the bus is left out. Between two suspensions the array works for `least_ns`, and a command is
    suspended `most` times. One command is suspended at a time: a program during an erase's suspension is not. Once it
    is, it stays so until nothing that may suspend waits any more.

    As a process it wakes that of the command whose array is open to suspension when the array is done, whose end may
    move: it sleeps until an end that it has known of. Where that has moved, it sleeps on, or pauses if there is none.
    """

    env: Any  # None before `connect`
    scheduling: SchedulingPolicy
    dies: Dies
    transactions: Transactions
    blocks: Blocks
    counters: FlashCounters
    die: int
    first: int
    end: int
    planes_per_die: int
    planes_per_register: int
    cache_ns: int
    program_ns: int
    is_off: bool  # while the policy is asked what it would start on an idle die
    busy_since_ns: int  # the start of the first of its commands
    follows: Int8s  # by lane of the die: its read began before all data had left that was in its register
    suspends: Int8s  # by operation: whether it may be suspended
    suspend_ns: Int64s  # by operation
    least_ns: Int64s  # by operation
    resume_ns: int
    most: int
    lane: int  # that of the command whose array can be suspended
    is_open: bool  # its array is at work and may be suspended now, and its process waits to be woken
    is_set: bool  # to wake up at an end of the array
    end_ns: int  # when the array is done, if it is not suspended once more
    left_ns: int  # how long the suspended command still needs the array
    planes: int  # at work by the suspended command
    was_urgent: bool  # the suspended command is of a collection that was urgent

    def __init__(
        self,
        die: int,
        dies: Dies,
        scheduling: SchedulingPolicy,
        blocks: Blocks,
        counters: FlashCounters,
        hardware: Any,
        wanted: Any,
    ) -> None:
        self.env = None
        self.die = die
        self.dies = dies
        self.transactions = dies.transactions
        self.scheduling = scheduling
        self.blocks = blocks
        self.counters = counters
        self.first = self.lane = die * dies.lanes_per_die
        self.end = self.first + dies.lanes_per_die
        self.planes_per_die = hardware.planes_per_die
        self.planes_per_register = 1 if hardware.plane_reads == "independent" else hardware.planes_per_unit
        times = (hardware.cache_read_us, hardware.cache_program_us)
        self.cache_ns, self.program_ns = (-1 if time is None else to_ns(time) for time in times)
        self.follows = array("b", [0] * dies.lanes_per_die)
        operations = wanted.operations if wanted.wanted else ()
        suspend_us = {PROGRAM: hardware.program_suspend_us, ERASE: hardware.erase_suspend_us}
        least_us = {PROGRAM: wanted.program_least_us, ERASE: wanted.erase_least_us}
        self.suspends = array("b", [name in operations for name in OPERATIONS])
        self.suspend_ns = array("q", [to_ns(suspend_us.get(op, 0)) for op in range(len(OPERATIONS))])
        self.least_ns = array("q", [to_ns(least_us.get(op, 0)) for op in range(len(OPERATIONS))])
        self.resume_ns = to_ns(hardware.resume_us)
        self.most = wanted.most
        self.is_off = self.is_open = self.is_set = self.was_urgent = False
        self.busy_since_ns = self.end_ns = self.left_ns = self.planes = 0

    def connect(self, env: Any) -> None:
        """Start its process on the clock of `env`."""
        self.env = env
        self.is_set = True
        run_routine(env, self)

    # What may start.

    def is_turn(self) -> bool:
        """Return whether the die executes nothing, or the policy would start another such command if it did not."""
        if not self.dies.commands[self.die]:
            return True
        self.is_off = True
        chosen = self.scheduling.select(self.die)
        self.is_off = False
        if not chosen:
            return False
        op = self.transactions.op[chosen]
        for lane in range(self.first, self.end):
            command = self.dies.transaction[lane]
            if command and self.transactions.op[command] != op:
                return False
        return True

    def admits(self, transaction: int) -> bool:
        """Return whether `transaction` may pass the command that is suspended, and join those under way."""
        transactions = self.transactions
        suspended = self.dies.suspended[self.die]
        if suspended and not self.may_interrupt(suspended, transaction):
            return False
        if self.is_off or not self.dies.commands[self.die]:
            return True
        op = transactions.op[transaction]
        if op != READ and (op != PROGRAM or self.program_ns < 0 or self.dies.commands[self.die] > 1):
            return False
        own_die = transactions.plane[transaction] // self.planes_per_die
        for lane in range(self.first, self.end):
            command = self.dies.transaction[lane]
            if not command:
                continue
            # dies that are commanded as one do not work at the same time
            if transactions.op[command] != op or transactions.plane[command] // self.planes_per_die != own_die:
                return False
            stays: bool = self.dies.stages[lane] != CACHED
            if op == READ and stays and self.shares_register(transaction, command):
                return False
            is_of_mode: bool = (transactions.page_type[command] < 0) == (transactions.page_type[transaction] < 0)
            if op == PROGRAM and (transactions.array_start_ns[command] < 0 or not is_of_mode):
                return False
        return True

    def may_follow(self, transaction: int) -> bool:
        """Return whether a program may come behind that of its block which the die executes, as far as order goes."""
        transactions = self.transactions
        block = transactions.block[transaction]
        if self.program_ns < 0 or not self.look_ahead(block, 1):
            return False
        may: bool = self.blocks.may_program(block, transactions.page[transaction])
        self.look_ahead(block, -1)
        return may

    @cfunc
    def look_ahead(self, block: int, change: int) -> int:
        """Count pages of `block` that the die is programming as programmed, or not; return their number."""
        transactions = self.transactions
        pages = 0
        for lane in range(self.first, self.end):
            page = self.dies.transaction[lane]
            while page:
                if transactions.block[page] == block and transactions.op[page] == PROGRAM:
                    self.blocks.look_ahead(block, transactions.page[page], change)
                    pages += 1
                page = transactions.partner[page]
        return pages

    def free_lane(self) -> int:
        """Return the first lane that executes nothing, or -1."""
        for lane in range(self.first, self.end):
            if not self.dies.transaction[lane]:
                return lane
        return -1

    # The registers.

    @cfunc
    def shares_register(self, command: int, other: int) -> bool:
        """Return whether the data of two commands, as far as it has not left, goes through one register."""
        transactions = self.transactions
        while command:
            register = transactions.plane[command] // self.planes_per_register
            page = other
            while page:
                if transactions.plane[page] // self.planes_per_register == register:
                    return True
                page = transactions.partner[page]
            command = transactions.partner[command]
        return False

    @cfunc
    def is_kept_back(self, lane: int) -> bool:
        """Return whether the cache register that the read of `lane` needs is full."""
        command = self.dies.transaction[lane]
        for other in range(self.first, self.end):
            is_full: bool = other != lane and self.dies.stages[other] == CACHED
            if is_full and self.shares_register(command, self.dies.transaction[other]):
                return True
        return False

    @cfunc
    def is_followed(self, lane: int) -> bool:
        """Return whether a read would be started next that needs the page register of that of `lane`."""
        if not self.dies.waiting[self.die] or not self.is_turn():
            return False
        self.dies.stages[lane] = CACHED  # as it would be then
        chosen = self.scheduling.select(self.die)
        self.dies.stages[lane] = SENSED
        return chosen != 0 and self.shares_register(chosen, self.dies.transaction[lane])

    @cfunc
    def release(self) -> None:
        """Wake the processes of reads whose cache register is empty now, and of a program whose array is idle now."""
        for lane in range(self.first, self.end):
            if self.dies.stages[lane] == HELD and not self.is_kept_back(lane):
                self.dies.stages[lane] = SENSED if self.transactions.op[self.dies.transaction[lane]] == READ else 0
                resume_routine(cast(Routine, self.dies.processes[lane]), 0)

    # Starts and ends.

    def look(self) -> None:
        """Have a free lane, if there is one, ask for the bus if something waits, or be idle."""
        lane = self.free_lane()
        if self.dies.asks[self.die] or lane < 0:
            return
        self.dies.idle[self.die] = not self.dies.waiting[self.die]
        if self.dies.waiting[self.die]:
            self.dies.asks[self.die] = True
            bus = cast(Channel, self.dies.buses[lane])
            bus.ask(lane)

    def started(self, lane: int, now_ns: int) -> None:
        """Count a command that the die starts now in `lane`."""
        transactions = self.transactions
        if not self.dies.is_executing(self.die):
            self.busy_since_ns = now_ns
        self.dies.commands[self.die] += 1
        self.dies.stages[lane] = 0
        self.follows[lane - self.first] = self.cache_ns >= 0 and self.is_kept_back(lane)
        page = self.dies.transaction[lane]
        while page:
            transactions.cached_ns[page] = transactions.suspensions[page] = transactions.suspended_ns[page] = 0
            page = transactions.partner[page]
        self.dies.end_gc(self.die, now_ns)

    def finished(self, lane: int, now_ns: int) -> None:
        """Count the command of `lane` off: the die works for others than the host on, if another is for these."""
        dies = self.dies
        dies.commands[self.die] -= 1
        dies.stages[lane] = 0
        self.release()
        if not dies.is_executing(self.die):
            dies.busy_ns[self.die] += now_ns - self.busy_since_ns
        for other in range(self.first, self.end):
            command = dies.transaction[other]
            if command:
                if not self.transactions.is_of_host(command):
                    dies.begin_gc(self.die, now_ns, dies.urgent_planes[self.die] != 0)
                return

    # Suspension.

    def may_interrupt(self, command: int, transaction: int) -> bool:
        """Return whether `transaction` may be carried out while `command` is suspended."""
        transactions = self.transactions
        if transactions.op[transaction] != READ or not transactions.is_of_host(transaction):
            return False
        if self.dies.critical_planes[self.die] and not transactions.is_of_host(command):
            return False
        if transactions.op[command] != PROGRAM:
            return True
        order = self.blocks.order
        while command:  # what is being programmed can not be read
            if transactions.block[command] == transactions.block[transaction]:
                wordline: int = order.wordline_of(transactions.page[command])
                return wordline != order.wordline_of(transactions.page[transaction])
            command = transactions.partner[command]
        return True

    def arrived(self, transaction: int) -> None:
        """Have the array stop if `transaction`, which has just been queued, is worth that."""
        if self.is_open and self.is_worth(transaction):
            self.wake()

    def is_called_for(self) -> bool:
        """Return whether something that waits is worth suspending the command."""
        waiting = self.dies.queues.head[self.die * QUEUES + HOST_READS]
        while waiting:
            if self.is_worth(waiting):
                return True
            waiting = self.transactions.next[waiting]
        return False

    @cfunc
    def is_worth(self, waiting: int) -> bool:
        """Return whether `waiting` may suspend the command, and would start sooner by that."""
        command = self.dies.transaction[self.lane]
        if self.end_ns - now(self.env) <= self.suspend_ns[self.transactions.op[command]]:
            return False
        if not self.may_interrupt(command, waiting):
            return False
        self.is_off = True  # as if the die executed nothing
        may: bool = self.scheduling.may_start(waiting)
        self.is_off = False
        return may

    def open(self) -> None:
        """Have the command's process be woken when its array is done, or earlier by what is worth suspending it."""
        self.is_open = True
        if not self.is_set:  # else it wakes at an earlier end
            self.is_set = True
            resume_routine(self, self.end_ns - now(self.env))

    def wake(self) -> None:
        """Wake the command's process in this instant."""
        self.is_open = False
        resume_routine(cast(Routine, self.dies.processes[self.lane]), 0)

    def go_on(self) -> int:
        """Wake the command's process if its array is done, and return the time that is left otherwise."""
        if self.is_open:
            left_ns = self.end_ns - now(self.env)
            if left_ns > 0:
                return left_ns
            self.wake()
        self.is_set = False
        return PAUSE
