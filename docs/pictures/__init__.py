"""The pictures of the model, each drawn from the simulator's own declarations, rules and runs."""

from collections.abc import Callable

from .block_diagram import block_diagram
from .collection import collection
from .hierarchy import hierarchy
from .multi_plane import multi_plane
from .program_orders import program_orders
from .watch import watch, watch_pages
from .write_amplification import write_amplification

PICTURES: dict[str, Callable[[], str]] = {
    "block_diagram": block_diagram,
    "hierarchy": hierarchy,
    "program_orders": program_orders,
    "multi_plane": multi_plane,
    "collection": collection,
    "write_amplification": write_amplification,
    "watch": watch,
    "watch_pages": watch_pages,
}
"""The pictures by name; each function returns SVG."""
