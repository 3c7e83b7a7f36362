"""The extension modules that compiled sources are joined into: one by itself costs what thousands of lines do.

A source stays a module of its own to Python, mypy and a debugger. Only for Cython the build puts those of one home
behind one another, so that names at the top of them have to differ.
"""

MARK = "# cython:"
"""Beginning of the first line of a source that is compiled."""

HOMES = {
    "ssdsim._core": "ssdsim._core.typed",
    "ssdsim._core.codes": "ssdsim._core.codes",  # of which the configuration has need, too, and of no other
    "ssdsim.stage": "ssdsim._compiled.base",
    "ssdsim.device_view": "ssdsim._compiled.base",
    "ssdsim.host.request": "ssdsim._compiled.base",
    "ssdsim.host.gate": "ssdsim._compiled.base",
    "ssdsim.metrics.recorder": "ssdsim._compiled.base",
    "ssdsim.controller": "ssdsim._compiled.base",
    "ssdsim.flash": "ssdsim._compiled.flash",
    "ssdsim.ftl": "ssdsim._compiled.ftl",
    "ssdsim": "ssdsim._compiled.device",
}
"""The home of each source, and of those of each package: that of the longest name counts. Sources of a home import
from their own and from those above it, the last one from all."""


def home_of(module: str) -> str | None:
    """Return the extension module that a compiled source becomes a part of, None for a source outside the package."""
    while module and module not in HOMES:
        module = module.rpartition(".")[0]
    return HOMES.get(module)
