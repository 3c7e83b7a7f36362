"""The package a second time, from its Python source."""

import importlib
import sys
from types import ModuleType

from ssdsim.interpreted import CompiledModules


def interpreted_package() -> dict[str, ModuleType]:
    """Import ssdsim anew from source, beside the one that is loaded, and return its modules by name."""
    loaded = {name: module for name, module in sys.modules.items() if is_replaced(name)}
    for name in loaded:
        del sys.modules[name]
    finders = sys.meta_path[:]
    others = [finder for finder in finders if not isinstance(finder, CompiledModules)]
    sys.meta_path[:] = [CompiledModules(core_only=True), *others]
    try:
        importlib.import_module("ssdsim.run.simulation")
        return {name: module for name, module in sys.modules.items() if is_replaced(name)}
    finally:
        sys.meta_path[:] = finders
        for name in [name for name in sys.modules if is_replaced(name)]:
            del sys.modules[name]
        sys.modules.update(loaded)


def is_replaced(name: str) -> bool:
    """Return whether a module is one of ssdsim's that there are two of."""
    return f"{name}.".startswith("ssdsim.") and not name.startswith(("ssdsim._core", "ssdsim._compiled"))
