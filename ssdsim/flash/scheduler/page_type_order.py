"""Page-type aware scheduling: quick programs before slow ones."""

from array import array

from cython.cimports.ssdsim._core.codes import PROGRAM
from cython.cimports.ssdsim.flash.scheduler.policy import SchedulingPolicy


class PageTypeOrder(SchedulingPolicy):
    """Page-type aware scheduling (PAS; PA-SSD, section 4.4.2): quick programs before slow ones, on top of any policy.

    Where policy `base` selects a program, the oldest of the lowest page type in the same queue takes its place. Those
    that it passes move back, each to the place of the next program, so that reads and erases keep their turns. A
    program that may start is passed at most `pass_limits[t - 1]` times if its page type is t > 0 (the last limit holds
    for all further types); then it goes before all but older ones of the lowest type queued.

    A selection visits what it passes and what may not start, and all of the queue if none of the lowest type may start.
    """

    def __init__(self, base, pass_limits):
        *_, last = pass_limits
        self.base = base
        self.limits = array("q", [0, *pass_limits, last, last, last])  # enough for four page types

    def bind(self, blocks):
        """Pass the state of the flash blocks on."""
        self.base.bind(blocks)

    def bind_multi_plane(self, multi_plane):
        """Pass on what joins transactions."""
        self.base.bind_multi_plane(multi_plane)

    def may_start(self, transaction):
        """Return whether the base policy lets `transaction` start."""
        return self.base.may_start(transaction)

    def select(self, die):
        """Return the selection of the base policy, or the program that is to go in its place."""
        chosen = self.base.select(die)
        if chosen is None or chosen.op != PROGRAM:
            return chosen
        return self.next_program(die.queue_for(chosen))

    def next_program(self, queue):
        """Return the oldest program that is of the lowest type queued or is passed no more, or else the quickest."""
        lowest = queue.lowest_page_type()
        quickest = None
        transaction = queue.head
        while transaction is not None:
            if transaction.op == PROGRAM and self.may_start(transaction):
                page_type = transaction.page_type
                if page_type == lowest or transaction.passed >= self.limits[page_type]:
                    return transaction
                if quickest is None or page_type < quickest.page_type:
                    quickest = transaction
            transaction = transaction.next
        return quickest

    def taken(self, die, transaction):
        """Let the programs that `transaction` has passed move back."""
        self.base.taken(die, transaction)
        if transaction.op == PROGRAM:
            self.move_back(die.queue_for(transaction), transaction.sequence)

    def move_back(self, queue, sequence):
        """Count a pass of each older program that may start; hand places down from the oldest such to `sequence`."""
        moved = None
        transaction = queue.head
        while transaction is not None and transaction.sequence < sequence:
            following = transaction.next
            if transaction.op == PROGRAM:
                passed = self.may_start(transaction)
                transaction.passed += passed
                if moved is not None:
                    moved.sequence = transaction.sequence
                if moved is not None or passed:
                    moved = transaction
            elif moved is not None:
                queue.remove(transaction)
                queue.insert(transaction, moved)
            transaction = following
        if moved is not None:
            moved.sequence = sequence
