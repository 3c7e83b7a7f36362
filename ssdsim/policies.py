"""What policies of your own derive from and work with: the base class of each kind, and what these are given.

The docstrings of the base classes say what a policy owes; the rest are the device's blocks and the rule in which pages
of a block are programmed, views of transactions, dies and queues, the indices of full blocks that victims are chosen
from, and the numbers of operations and of the sources that they come from.
"""

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, GC, HOST, MAPPING, MERGE, PROGRAM, READ, REFRESH
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.victim_index import FullBlocks, VictimIndex
from ssdsim.buffer.replacement import Replacement
from ssdsim.device_view import DeviceView
from ssdsim.flash.own import BusArbiter, SchedulingPolicy
from ssdsim.flash.views import Die, Queue, Transaction
from ssdsim.ftl.backup.policies import PairedPageBackup
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.separation import Separation
from ssdsim.ftl.mapping.page import Mapping
from ssdsim.ftl.page_type import PageTypeScheme
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reclaim.victims import VictimPolicy
from ssdsim.host.arbitration import Arbitration
from ssdsim.workload import Chunk, Generator
from ssdsim.workload.chunk import FLUSH, TRIM, WRITE

__all__ = ["BACKUP", "COPYBACK", "ERASE", "FLUSH", "GC", "HOST", "MAPPING", "MERGE", "PROGRAM", "READ", "REFRESH"]
__all__ += ["TRIM", "WRITE"]
__all__ += ["Arbitration", "Blocks", "BusArbiter", "Chunk", "DeviceView", "Die", "FullBlocks", "Generator", "Mapping"]
__all__ += ["PageTypeScheme", "PairedPageBackup", "PlaneAllocation", "ProgramOrder", "Queue", "Replacement"]
__all__ += ["SchedulingPolicy", "Separation", "Transaction", "VictimIndex", "VictimPolicy", "WriteFrontier"]
