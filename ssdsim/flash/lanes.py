# cython: infer_types=True
"""Lanes: which commands a die carries out side by side, in several planes or through a cache register."""

from __future__ import annotations

from array import array
from typing import Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.columns import Int8s
from ssdsim._core.schedule import Routine, resume_routine
from ssdsim.flash.dies import ARRAY, CACHED, CACHING, HELD, RELEASED, Dies, Selector
from ssdsim.flash.suspension import Suspension
from ssdsim.flash.timing import to_ns
from ssdsim.flash.transactions import Transactions


@final
class Lanes:
    """The rules by which the commands of a `die` overlap, each in a *lane* from `first` to `end`.

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

    What a `suspension` has put aside is in no lane, and needs no register.
    """

    scheduling: Selector
    suspension: Suspension
    dies: Dies
    transactions: Transactions
    blocks: Blocks
    die: int
    first: int
    end: int
    planes_per_die: int
    planes_per_register: int
    cache_ns: int
    program_ns: int
    follows: Int8s  # by lane of the die: its read began before all data had left that was in its register

    def __init__(self, dies: Dies, scheduling: Selector, suspension: Suspension, hardware: Any) -> None:
        self.die = suspension.die
        self.dies = dies
        self.transactions = dies.transactions
        self.scheduling = scheduling
        self.suspension = suspension
        self.blocks = suspension.blocks
        self.first = self.die * dies.lanes_per_die
        self.end = self.first + dies.lanes_per_die
        self.planes_per_die = hardware.planes_per_die
        self.planes_per_register = 1 if hardware.plane_reads == "independent" else hardware.planes_per_unit
        times = (hardware.cache_read_us, hardware.cache_program_us)
        self.cache_ns, self.program_ns = (-1 if time is None else to_ns(time) for time in times)
        self.follows = array("b", [0] * dies.lanes_per_die)

    # What may start.

    @cfunc
    def is_free(self) -> bool:
        """Return whether the die executes nothing, but for a command that it has suspended."""
        return self.dies.commands[self.die] == (self.dies.suspended[self.die] != 0)

    @cfunc
    def is_turn(self) -> bool:
        """Return whether the die executes nothing, or the policy would start another such command if it did not."""
        if self.is_free():
            return True
        self.suspension.as_if_idle = True
        chosen = self.scheduling.select(self.die)
        self.suspension.as_if_idle = False
        transactions = self.transactions
        # all that are under way are of one operation
        return chosen != 0 and transactions.op[chosen] == transactions.op[self.dies.command_of(self.die)]

    @cfunc
    def admits(self, transaction: int) -> bool:
        """Return whether `transaction` may pass the command that is suspended, and join those under way."""
        transactions = self.transactions
        suspended = self.dies.suspended[self.die]
        if suspended and not self.suspension.may_pass(suspended, transaction):
            return False
        if self.suspension.as_if_idle or self.is_free():
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
            stays: bool = self.dies.phase[lane] != CACHED
            if op == READ and stays and self.shares_register(transaction, command):
                return False
            is_of_mode: bool = (transactions.page_type[command] < 0) == (transactions.page_type[transaction] < 0)
            if op == PROGRAM and (transactions.array_start_ns[command] < 0 or not is_of_mode):
                return False
        return True

    @cfunc
    def may_follow(self, transaction: int) -> bool:
        """Return whether a program may come behind that of its block which the die executes, as far as order goes."""
        transactions = self.transactions
        block = transactions.block[transaction]
        if self.program_ns < 0 or not self.look_ahead(block, 1):
            return False
        may: bool = self.blocks.cells.may_program(block, transactions.page[transaction])
        self.look_ahead(block, -1)
        return may

    @cfunc
    def look_ahead(self, block: int, change: int) -> int:
        """Count pages of `block` that the die is programming as programmed, or not; return their number."""
        transactions, programmed = self.transactions, self.blocks.cells.programmed
        pages = 0
        for lane in range(self.first, self.end):
            page = self.dies.transaction[lane]
            while page:
                if transactions.block[page] == block and transactions.op[page] == PROGRAM:
                    page_type: int = self.blocks.order.type_at[transactions.page[page]]
                    programmed.set(block, page_type, programmed.of_type(block, page_type) + change)
                    pages += 1
                page = transactions.partner[page]
        return pages

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
            is_full: bool = other != lane and self.dies.phase[other] == CACHED
            if is_full and self.shares_register(command, self.dies.transaction[other]):
                return True
        return False

    @cfunc
    def is_followed(self, lane: int) -> bool:
        """Return whether the read of `lane` followed another, or one would be started next that needs its register."""
        if self.follows[lane - self.first]:
            return True
        if not self.dies.waiting[self.die] or not self.is_turn():
            return False
        self.dies.phase[lane] = CACHED  # as it would be then
        chosen = self.scheduling.select(self.die)
        self.dies.phase[lane] = ARRAY
        return chosen != 0 and self.shares_register(chosen, self.dies.transaction[lane])

    @cfunc
    def begin_caching(self, lane: int) -> int:
        """Begin to move the data of `lane` from one register to the other and return for how long that takes."""
        self.dies.phase[lane] = CACHING
        is_read: bool = self.transactions.op[self.dies.transaction[lane]] == READ
        return self.cache_ns if is_read else self.program_ns

    @cfunc
    def release(self) -> None:
        """Wake the processes of reads whose cache register is empty now, and of a program whose array is idle now."""
        for lane in range(self.first, self.end):
            if self.dies.phase[lane] == HELD and not self.is_kept_back(lane):
                self.dies.phase[lane] = RELEASED
                resume_routine(cast(Routine, self.dies.processes[lane]), 0)

    # Starts and ends.

    @cfunc
    def started(self, lane: int, now_ns: int) -> None:
        """Begin the books of the command that the die starts now in `lane`."""
        transactions = self.transactions
        self.follows[lane - self.first] = self.cache_ns >= 0 and self.is_kept_back(lane)
        command = self.dies.transaction[lane]
        transactions.put(transactions.cached_ns, command, 0)
        transactions.put(transactions.suspensions, command, 0)
        transactions.put(transactions.suspended_ns, command, 0)
        if self.dies.gc_since_ns[self.die] >= 0:
            self.dies.end_gc(self.die, now_ns)

    @cfunc
    def finished(self, now_ns: int) -> None:
        """Release commands that waited for another; if one is for others than the host, the die works for these on."""
        dies = self.dies
        self.release()
        command = dies.command_of(self.die)
        if command and not self.transactions.is_of_host(command):
            dies.begin_gc(self.die, now_ns, dies.urgent_planes[self.die] != 0)
