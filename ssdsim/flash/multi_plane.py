"""Multi-plane commands: which queued transactions a die carries out together with the one it is to start."""

from array import array

import cython

from ssdsim._core.codes import OPERATIONS

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import ERASE, READ
else:
    from ssdsim._core.codes import ERASE, READ


class MultiPlaneCommands:
    """Groups transactions of one die that its planes can carry out at the same time.

    All of a command have the same operation and lie in different planes; reads and programs have the same page offset
    (PAC), and with `same_block` all have the same block offset in their planes (BAC). A die of more than `group` planes
    joins only planes of one group: with 2, planes 0 and 1 or 2 and 3. `operations` names those that are joined at all.
    """

    def __init__(self, policy, blocks, planes_per_die, operations, group, same_block):
        self.policy = policy
        self.blocks = blocks
        self.planes_per_die = planes_per_die
        self.group = group
        self.same_block = same_block
        self.joins = array("b", [name in operations for name in OPERATIONS])

    def complete(self, die, first):
        """Take what can run together with `first` out of the queues of `die` and append it, oldest first."""
        if not self.joins[first.op]:
            return
        reads = first.op == READ
        taken = 1 << (first.plane % self.planes_per_die)
        last = first
        for queue in (die.host_reads, die.gc_reads) if reads else (die.host_writes, die.gc_writes):
            transaction = queue.head
            while transaction is not None:
                following = transaction.next
                bit = 1 << (transaction.plane % self.planes_per_die)
                if not taken & bit and self.fits(first, transaction) and self.policy.may_start(transaction):
                    taken |= bit
                    queue.remove(transaction)
                    die.waiting -= 1
                    self.policy.taken(die, transaction)
                    last.partner = transaction
                    last = transaction
                transaction = following

    def fits(self, first, other):
        """Return whether operation, page, block and group of `other` allow one command with `first`."""
        if other.op != first.op or (other.op != ERASE and other.page != first.page):
            return False
        if first.plane % self.planes_per_die // self.group != other.plane % self.planes_per_die // self.group:
            return False
        blocks = self.blocks.blocks_per_plane
        return not self.same_block or first.block % blocks == other.block % blocks
