"""Find modules of the package where they are compiled, or in their Python source.

Set `SSDSIM_INTERPRETED=1` before Python starts, to step through the source or to hold it against what was compiled of
it.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType

from ssdsim._core.homes import HOMES, MARK, home_of

PACKAGE = Path(__file__).parent


class NotBuiltError(ImportError):
    """There are no extension modules, of which those of `_core` are needed to run the source, too."""


class CompiledModules(MetaPathFinder, Loader):
    """Finds the modules whose source is compiled, by its first line; with `core_only` those of `_core` alone.

    Such a module is loaded as the extension module that its source was joined into, which goes by the names of all.
    """

    def __init__(self, core_only: bool):
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
        if not source.is_file():
            return None
        with source.open("rb") as file:
            if file.read(len(MARK)) != MARK.encode():
                return None
        return ModuleSpec(fullname, self, origin=str(source), loader_state=home_of(fullname))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the extension module."""
        return importlib.import_module(spec.loader_state)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the extension module as it is."""


def install() -> None:
    """Install the finder of compiled modules, of those of `_core` alone where the others are to be interpreted."""
    one = PACKAGE / "_compiled" / "base"  # which tells of all whether they are compiled
    is_built = any(map(Path.is_file, map(one.with_suffix, EXTENSION_SUFFIXES)))
    if not any(hasattr(finder, "core_only") for finder in sys.meta_path):  # another import of the package had its own
        sys.meta_path.insert(0, CompiledModules(bool(os.environ.get("SSDSIM_INTERPRETED")) or not is_built))
