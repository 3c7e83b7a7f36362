"""The pictures of the model, each drawn by a function from the simulator's own declarations and rules."""

from collections.abc import Callable

from .block_diagram import block_diagram
from .collection import collection
from .hierarchy import hierarchy
from .multi_plane import multi_plane
from .program_orders import program_orders

PICTURES: dict[str, Callable[[], str]] = {
    "block_diagram": block_diagram,
    "hierarchy": hierarchy,
    "program_orders": program_orders,
    "multi_plane": multi_plane,
    "collection": collection,
}
"""The pictures by name; each function returns SVG."""
