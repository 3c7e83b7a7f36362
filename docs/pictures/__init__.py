"""The pictures of the model, each drawn from the simulator's own declarations, rules, runs and stored results."""

from collections.abc import Callable

from .agreement import agreement
from .block_diagram import block_diagram
from .buses import buses
from .claims import claims_of_papers
from .collection import collection
from .command_queue import command_queue
from .command_units import command_units
from .dram import dram
from .fairness import fairness
from .forced_writes import forced_writes
from .hierarchy import hierarchy
from .isolation import isolation
from .link import link
from .multi_plane import multi_plane
from .overlap import overlap
from .paced import paced_collection
from .power_cuts import power_cuts
from .processor import processor
from .program_orders import program_orders
from .queue_pairs import queue_pairs
from .queueing import queueing
from .rates import rates
from .slc_cache import slc_cache
from .superblocks import superblocks
from .suspension import suspension
from .wordlines import wordlines
from .write_amplification import write_amplification

PICTURES: dict[str, Callable[[], str]] = {
    "block_diagram": block_diagram,
    "hierarchy": hierarchy,
    "buses": buses,
    "command_units": command_units,
    "link": link,
    "processor": processor,
    "program_orders": program_orders,
    "multi_plane": multi_plane,
    "suspension": suspension,
    "overlap": overlap,
    "collection": collection,
    "paced": paced_collection,
    "superblocks": superblocks,
    "claims": claims_of_papers,
    "power_cuts": power_cuts,
    "isolation": isolation,
    "rates": rates,
    "fairness": fairness,
    "queueing": queueing,
    "queue_pairs": queue_pairs,
    "command_queue": command_queue,
    "dram": dram,
    "forced_writes": forced_writes,
    "agreement": agreement,
    "write_amplification": write_amplification,
    "slc_cache": slc_cache,
    "wordlines": wordlines,
}
"""The pictures by name; each function returns SVG."""
