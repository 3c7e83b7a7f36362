"""Run the modules outside `_core` from their Python source, to step through them or to hold them against each other.

Set `SSDSIM_INTERPRETED=1` before Python starts, or import the package a second time with `interpreted_package`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

CIMPORTS = "cython.cimports.ssdsim"
importlib.import_module("cython.cimports").__spec__ = ModuleSpec("cython.cimports", None)  # it has none of its own


class SourceFinder(MetaPathFinder):
    """Finds the `.py` file of a module of ssdsim where an extension module of the same name stands beside it.

    To the source, `cython.cimports.ssdsim.x` has the names of `ssdsim.x`; a compiler takes them from `x.pxd`.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the source file or of a cimport, or None for `_core`, packages and everything else."""
        if fullname.startswith(CIMPORTS):
            return ModuleSpec(fullname, Cimports(), is_package=True)
        if not fullname.startswith("ssdsim.") or fullname.startswith("ssdsim._core"):
            return None
        name = fullname.rpartition(".")[2] + ".py"
        for folder in path or ():
            if (Path(folder) / name).is_file():
                return spec_from_file_location(fullname, Path(folder) / name)
        return None


class Cimports(Loader):
    """Loads modules of `cython.cimports.ssdsim`."""

    def exec_module(self, module: ModuleType) -> None:
        """Copy the names of the module of ssdsim; those to be inlined are the kernel's."""
        name = module.__name__.removeprefix("cython.cimports.").replace("_core.inlined", "_core.kernel")
        names = vars(importlib.import_module(name))
        vars(module).update({name: value for name, value in names.items() if not name.startswith("__")})


def install() -> None:
    """Make imports from here on prefer the source."""
    sys.meta_path.insert(0, SourceFinder())


def interpreted_package() -> dict[str, ModuleType]:
    """Import ssdsim anew from source, beside the one that is loaded, and return its modules by name."""
    loaded = {name: module for name, module in sys.modules.items() if _replaced(name)}
    for name in loaded:
        del sys.modules[name]
    finder = SourceFinder()
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module("ssdsim.run.simulation")
        return {name: module for name, module in sys.modules.items() if _replaced(name)}
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _replaced(name)]:
            del sys.modules[name]
        sys.modules.update(loaded)


def _replaced(name: str) -> bool:
    return name == "ssdsim" or (name.startswith(("ssdsim.", CIMPORTS)) and not name.startswith("ssdsim._core"))
