"""A transaction: one page's work in the flash back end, from its queue to its completion."""

from cython.cimports.ssdsim._core.codes import PROGRAM


class Transaction:
    """One page's work.

    `bus_ns`, `array_ns` and `gc_ns` add up what the transaction spent on the channel's bus, in the array, and waiting
    for garbage collection; it keeps them when it is issued again (a read-modify-write is one transaction, issued
    twice). `urgent_gc_ns` is the part of `gc_ns` for which collection had the right of way: what its die did for a
    collection that was urgent then, and all of the wait for room. `mapping_ns` is the wait for the entry of the mapping
    table, whatever brought that about. `request` is None for work that no request asked for, `group` unless the page
    waits for others. `before` is the page that a write takes the place of, or -1: its block is not erased before the
    write is in flash; of moved data it is the page that it is moved from. `line_ns` is how long a write waited in line
    for a die, before it had a page. `copied_from` is the page that a copy-back reads. `asked` marks a page of the host
    that collection asked for. `task` is the collection or merge that it is a step of, or None. `rest` links a program
    to the read of what it keeps of its page, without which it may not start, and that read to the program. `data` is
    the image of the page, where that is checked (`ssdsim.check.data`). A write keeps its `request_number` when that
    request has been told: -1 for none, -2 for a page that is written as it is. An erase has the `valid_pages` of its
    block from when that was chosen as a victim, or -1.
    """

    def __init__(self):
        self.request = None
        self.owner = None
        self.group = None
        self.data = None
        self.task = None
        self.next = None
        self.previous = None
        self.partner = None
        self.rest = None
        self.op = self.source = self.die = self.page = self.page_type = self.kind = self.bytes = 0
        self.lpa = self.ppa = self.block = self.plane = self.before = self.copied_from = self.stream = -1
        self.request_number = self.valid_pages = self.specified_type = -1
        self.sequence = self.version = self.passed = 0
        self.asked = False
        self.queued_ns = self.gc_mark_ns = self.urgent_mark_ns = self.held_ns = 0
        self.bus_ns = self.array_ns = self.gc_ns = self.urgent_gc_ns = self.mapping_ns = 0
        self.bus_start_ns = self.array_start_ns = self.array_end_ns = self.data_start_ns = self.line_ns = 0


class TransactionPool:
    """Transactions used again and again, so that the hot path allocates nothing."""

    def __init__(self):
        self.free = None

    def take(self, source, owner, lpa):
        """Return a transaction with its measurements at zero."""
        if self.free is None:
            self.free = Transaction()
        transaction = self.free
        self.free = transaction.next
        transaction.next = None
        transaction.source = source
        transaction.owner = owner
        transaction.lpa = lpa
        transaction.before = transaction.stream = transaction.request_number = transaction.valid_pages = -1
        transaction.specified_type = -1
        transaction.page_type = 0
        transaction.asked = False
        transaction.bus_ns = transaction.array_ns = transaction.gc_ns = transaction.line_ns = 0
        transaction.urgent_gc_ns = transaction.mapping_ns = 0
        return transaction

    def give_back(self, transaction):
        """Keep a finished transaction for the next `take`."""
        if transaction.request is not None:
            transaction.request = None
        if transaction.data is not None:
            transaction.data = None
        transaction.next = self.free
        self.free = transaction


class TransactionQueue:
    """Transactions in the order of their arrival; any of them can be taken out in O(1)."""

    def __init__(self):
        self.head = None
        self.tail = None
        self.length = 0
        self.programs = [0, 0, 0, 0]

    def append(self, transaction):
        """Add `transaction`, which stands nowhere, at the end."""
        if self.tail is None:
            self.head = transaction
        else:
            self.tail.next = transaction
            transaction.previous = self.tail
        self.tail = transaction
        self.count_in(transaction)

    def insert(self, transaction, after):
        """Add `transaction`, which stands nowhere, before `after`, which stands here, or at the end if that is None."""
        if after is None:
            self.append(transaction)
            return
        if after.previous is None:
            self.head = transaction
        else:
            after.previous.next = transaction
            transaction.previous = after.previous
        transaction.next = after
        after.previous = transaction
        self.count_in(transaction)

    def count_in(self, transaction):
        """Count one more."""
        self.length += 1
        if transaction.op == PROGRAM:
            self.programs[transaction.page_type] += 1

    def remove(self, transaction):
        """Take `transaction` out, wherever it stands."""
        if transaction.previous is None:
            self.head = transaction.next
        else:
            transaction.previous.next = transaction.next
        if transaction.next is None:
            self.tail = transaction.previous
        else:
            transaction.next.previous = transaction.previous
            transaction.next = None
        if transaction.previous is not None:
            transaction.previous = None
        self.length -= 1
        if transaction.op == PROGRAM:
            self.programs[transaction.page_type] -= 1

    def lowest_page_type(self):
        """Return the lowest page type of the programs that wait, or the highest there is if none does."""
        page_type = 0
        while page_type + 1 < len(self.programs) and not self.programs[page_type]:
            page_type += 1
        return page_type
