"""Find modules of the package where they are compiled, or in their Python source.

Set `SSDSIM_INTERPRETED=1` before Python starts, to step through the source or to hold it against what was compiled of
it, or import the package a second time with `interpreted_package`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from ssdsim._core.homes import HOMES, MARK, home_of

PACKAGE = Path(__file__).parent


class NotBuiltError(ImportError):
    """There are no extension modules, of which those of `_core` are needed to run the source, too."""


class HomeLoader(Loader):
    """Loads a module as the extension module that its source was joined into, which goes by the names of all."""

    def __init__(self, home: str):
        self.home = home

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the extension module."""
        return importlib.import_module(self.home)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the extension module as it is."""


class CompiledFinder(MetaPathFinder):
    """Finds the modules whose source is compiled, by its first line; with `core_only` those of `_core` alone."""

    def __init__(self, core_only: bool = False):
        self.core_only = core_only

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that is compiled, None for everything else."""
        if not fullname.startswith("ssdsim._core." if self.core_only else "ssdsim."):
            return None
        source = PACKAGE.joinpath(*fullname.split(".")[1:]).with_suffix(".py")
        if fullname in HOMES.values() or source.with_suffix(".pyx").is_file():
            if not any(map(Path.is_file, map(source.with_suffix, EXTENSION_SUFFIXES))):
                raise NotBuiltError("ssdsim is not built: run `pip install -e .`, which needs a C compiler, as gcc.")
            return None
        home = home_of(fullname)
        if home is None or not source.is_file():
            return None
        with source.open("rb") as file:
            if file.read(len(MARK)) != MARK.encode():
                return None
        return ModuleSpec(fullname, HomeLoader(home), origin=str(source))


class OwnSourceFinder(MetaPathFinder):
    """Finds the `.py` file of a module in the current folder beside what was compiled of it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the source file, None for everything else."""
        source = Path.cwd() / f"{fullname}.py"
        if "." in fullname or not any(Path(fullname + suffix).is_file() for suffix in EXTENSION_SUFFIXES):
            return None
        return spec_from_file_location(fullname, source) if source.is_file() else None


def install(interpreted: bool) -> None:
    """Install the finders of compiled modules, or, outside `_core`, of sources, unless there are finders already."""
    if not any(hasattr(finder, "core_only") for finder in sys.meta_path):  # by `interpreted_package`
        sys.meta_path[:0] = [CompiledFinder(interpreted), *([OwnSourceFinder()] if interpreted else [])]


def interpreted_package() -> dict[str, ModuleType]:
    """Import ssdsim anew from source, beside the one that is loaded, and return its modules by name."""
    loaded = {name: module for name, module in sys.modules.items() if _replaced(name)}
    for name in loaded:
        del sys.modules[name]
    finders = sys.meta_path[:]
    sys.meta_path[:] = [finder for finder in finders if not isinstance(finder, CompiledFinder)]
    install(interpreted=True)
    try:
        importlib.import_module("ssdsim.run.simulation")
        return {name: module for name, module in sys.modules.items() if _replaced(name)}
    finally:
        sys.meta_path[:] = finders
        for name in [name for name in sys.modules if _replaced(name)]:
            del sys.modules[name]
        sys.modules.update(loaded)


def _replaced(name: str) -> bool:
    return name == "ssdsim" or (
        name.startswith("ssdsim.") and not name.startswith(("ssdsim._core", "ssdsim._compiled"))
    )
