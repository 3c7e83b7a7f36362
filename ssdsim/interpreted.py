"""Run the modules outside `_core` from their Python source, to step through them or to hold them against each other.

Set `SSDSIM_INTERPRETED=1` before Python starts, or import the package a second time with `interpreted_package`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType


class SourceFinder(MetaPathFinder):
    """Finds the `.py` file of a module of ssdsim, or of one in the current folder, beside what was compiled of it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the source file, or None for `_core`, packages and everything else."""
        if "." not in fullname and any(Path(fullname + suffix).is_file() for suffix in EXTENSION_SUFFIXES):
            path = [str(Path.cwd())]
        elif not fullname.startswith("ssdsim.") or fullname.startswith("ssdsim._core"):
            return None
        name = fullname.rpartition(".")[2] + ".py"
        for folder in path or ():
            if (Path(folder) / name).is_file():
                return spec_from_file_location(fullname, Path(folder) / name)
        return None


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
    return name == "ssdsim" or (name.startswith("ssdsim.") and not name.startswith("ssdsim._core"))
