"""Conflict-aware scheduling: whatever keeps the most planes of a die at work goes first."""

from cython.cimports.ssdsim.flash.scheduler.policy import ReadPriority, SchedulingPolicy

from ssdsim.config import check_option, is_count


def is_pass_limit(value):
    """Return whether `value` says how often a transaction may be passed."""
    return is_count(value, 0, 10**9)


class Paq(ReadPriority):
    """Physically addressed queueing (PAQ; Jung and Kandemir, ISCA 2012): out of order, by where the data lies in flash.

    Where read priority selects a transaction, one of the same queue goes in its place: that which starts the largest
    multi-plane command with what is queued, the oldest of equals. That a transaction for a busy die does not hold up
    those for other dies and chips needs no rule, as each die has its own queues and the bus is given to dies.

    A transaction that may start and has been passed `pass_limit` times by younger ones of its queue goes first, so that
    none starves; at the default, a read is passed for about the time of a program.

    A selection holds each transaction of one queue against all others, unless two planes are the most that can join.
    """

    def __init__(self, pass_limit=16):
        check_option(
            "scheduler.options.pass_limit", pass_limit, is_pass_limit, "a whole number of at least 0, at most 1e9"
        )
        self.pass_limit = pass_limit

    def bind_multi_plane(self, multi_plane):
        """Receive the builder of multi-plane commands."""
        self.multi_plane = multi_plane

    def select(self, die):
        """Return the transaction that starts the largest command of those whose turn it is, or None."""
        chosen = SchedulingPolicy.select(self, die)
        return None if chosen is None else self.widest(die, die.queue_for(chosen))

    def widest(self, die, queue):
        """Return the transaction of `queue` that is passed no more, or else that with the largest command."""
        widest = None
        largest_width = 0
        transaction = queue.head
        while transaction is not None:
            if self.may_start(transaction):
                if transaction.passed >= self.pass_limit:
                    return transaction
                width = self.multi_plane.width(die, transaction) if largest_width < self.multi_plane.group else 0
                if width > largest_width:
                    widest = transaction
                    largest_width = width
            transaction = transaction.next
        return widest

    def taken(self, die, transaction):
        """Count a pass of each older transaction of the queue that might have started in its place."""
        older = die.queue_for(transaction).head
        while older is not None and older.sequence < transaction.sequence:
            older.passed += self.may_start(older)
            older = older.next
