"""Transactions of a test's own making, by their numbers."""

from ssdsim._core.codes import HOST, READ, REQUESTED
from ssdsim.flash.dies import GC_READS, QUEUES
from ssdsim.flash.instant import NOBODY


def taken(transactions, source=HOST, owner=NOBODY, lpa=-1, **columns):
    """Return the number of a new transaction whose columns are set as given."""
    number = transactions.take(source, owner, READ, lpa, -1, 0)
    for name, value in columns.items():
        getattr(transactions, name)[number] = value
    return number


def queued(dies, number):
    """Put a transaction, which knows its `op`, `source` and `die`, at the end of its queue; return its number."""
    transactions = dies.transactions
    queue = transactions.die[number] * QUEUES + (transactions.op[number] != READ)
    if not REQUESTED >> transactions.source[number] & 1:
        queue += GC_READS
    dies.queues.insert(queue, number, 0)
    dies.waiting[dies.transactions.die[number]] += 1
    return number


def listed(queues, queue):
    """Return the transactions of a queue, oldest first; each names the one before it, and the last is the tail."""
    numbers, number = [], queues.head[queue]
    while number:
        assert queues.transactions.previous[number] == (numbers[-1] if numbers else 0)
        assert queues.transactions.queue[number] == queue
        numbers.append(number)
        number = queues.transactions.next[number]
    assert queues.length[queue] == len(numbers) and queues.tail[queue] == (numbers[-1] if numbers else 0)
    return numbers
