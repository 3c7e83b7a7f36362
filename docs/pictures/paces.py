"""What the budget of collections does to reads and writes: simulated as the site is built."""

import attrs
import numpy as np

from ssdsim import preset, simulate
from ssdsim.config import SimulationConfig

from .canvas import Canvas

PACES = {
    "as it is": {},
    "0.5 ms a write": {"budget_us": 500.0},
    "2 ms a write": {"budget_us": 2000.0},
    "10 ms a write": {"budget_us": 10000.0},
}
"""Values of `ftl.gc` by what they are called."""
LEFT = {"read": 0.08, "write": 0.57}
"""Where the panel of an operation begins."""
PERCENTILES = 100 - np.logspace(2, -1.5, 60)


def loaded() -> SimulationConfig:
    """Return half reads, half writes, on the default device."""
    return preset(workload="synthetic", **{"workload.queue_depth": 16, "workload.requests": 40000})


def paces() -> str:
    """Return the picture: response times of reads and writes by how many per cent are shorter."""
    canvas = Canvas(100, 44)
    config = loaded()
    panels = {op: canvas.figure.add_axes((left, 0.14, 0.4, 0.76), facecolor="#ffffff") for op, left in LEFT.items()}
    for name, changes in PACES.items():
        ftl = attrs.evolve(config.ftl, gc=attrs.evolve(config.ftl.gc, **changes))
        result = simulate(attrs.evolve(config, ftl=ftl, record=["requests"]))
        ops, times_ns = (result.requests[column].to_numpy() for column in ("op", "response_ns"))
        for op, axes in panels.items():
            axes.plot(100 - PERCENTILES, np.percentile(times_ns[ops == op], PERCENTILES) / 1e6, label=name)
    for op, axes in panels.items():
        axes.set(title=op, xscale="log", yscale="log", xlabel="Per cent that take longer", ylabel="Response time, ms")
        axes.invert_xaxis()
    panels["read"].legend(fontsize=8)
    return canvas.svg()
