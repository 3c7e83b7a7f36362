"""The pictures of the model, each drawn from the simulator's own declarations, rules, runs and stored results."""

from collections.abc import Callable

from .agreement import agreement
from .block_diagram import block_diagram
from .claims import claims_of_papers
from .collection import collection
from .hierarchy import hierarchy
from .link import link
from .multi_plane import multi_plane
from .power_cuts import power_cuts
from .program_orders import program_orders
from .queueing import queueing
from .read_ahead import read_ahead
from .watch import watch, watch_pages
from .write_amplification import write_amplification

PICTURES: dict[str, Callable[[], str]] = {
    "block_diagram": block_diagram,
    "hierarchy": hierarchy,
    "link": link,
    "program_orders": program_orders,
    "multi_plane": multi_plane,
    "collection": collection,
    "claims": claims_of_papers,
    "power_cuts": power_cuts,
    "queueing": queueing,
    "read_ahead": read_ahead,
    "agreement": agreement,
    "write_amplification": write_amplification,
    "watch": watch,
    "watch_pages": watch_pages,
}
"""The pictures by name; each function returns SVG."""
