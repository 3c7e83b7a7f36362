"""Write frontiers on their own, and the writes that they are asked with."""

from ssdsim._core.codes import GC, HOST
from ssdsim.config import FtlConfig
from ssdsim.flash.transaction import TransactionPool
from ssdsim.ftl.frontier import SequentialFrontier
from ssdsim.ftl.frontier.separation import HotCold, Separate, Shared

HOST_DATA = 0
MOVED_DATA = 1
SEPARATIONS = {"separate": Separate, "shared": Shared, "hot_cold": HotCold}
POOL = TransactionPool()


def bound(made, blocks, config):
    """Return a frontier of class `made` over `blocks`."""
    frontier = made()
    frontier.separation = SEPARATIONS[config.active_blocks]()
    frontier.bind(blocks, config)
    return frontier


def sequential(blocks, shared=True):
    """Return the conventional frontier over `blocks`."""
    return bound(SequentialFrontier, blocks, FtlConfig(active_blocks="shared" if shared else "separate"))


def write(frontier, purpose=HOST_DATA, lpa=0, page_type=0):
    """Return a write of the host's data, or of moved data, among its own kind or what it shares blocks with."""
    made = POOL.take(GC if purpose else HOST, None, lpa)
    made.kind = min(purpose, frontier.kinds - 1)
    made.page_type = page_type
    return made


def given_page(frontier, plane, purpose, lpa, page_type=0):
    """Return the page of `plane` that such a write is given."""
    made = write(frontier, purpose, lpa, page_type)
    ppa = frontier.allocate(plane, made)
    POOL.give_back(made)
    return ppa
