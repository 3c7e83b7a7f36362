"""Compile a policy of your own, so that a call of it costs what one of a policy of ssdsim's own costs.

FILE is typed Python whose first line is `# cython: infer_types=True`, as `new --compiled` writes it. The compiled
module is put beside it, and is what a run imports from then on; without it, the same file runs as Python, with the
same results. Cython, setuptools and a compiler of C are needed.
"""

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy

from ssdsim._core.declarations import MARK, Copy, Module, Package
from ssdsim.errors import ConfigError

from . import PACKAGE, parser


def main(arguments: Sequence[str]) -> int:
    """Compile the files and return 0, or 2 if one cannot be."""
    made = parser("build", __doc__)
    made.add_argument("file", metavar="FILE", type=Path, nargs="+", help="of Python, with one policy or more")
    for file in made.parse_args(arguments).file:
        print(f"Written: {build(file)}")
    return 0


def build(file: Path) -> Path:
    """Compile `file` and return the module beside it; raise `ConfigError` if that cannot be done."""
    try:
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError
        from setuptools import Distribution, Extension
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as error:
        raise ConfigError(f"ssdsim build: {error.name} is not installed; pip install cython setuptools.") from None
    if not file.is_file() or file.suffix != ".py" or not file.stem.isidentifier():
        raise ConfigError(f"{file}: is no file of Python that can be imported, as mine.py.")
    if not file.read_text(encoding="utf-8").startswith(MARK):
        raise ConfigError(f"{file}: its first line must be `{MARK} infer_types=True`.")
    file = file.resolve()
    with TemporaryDirectory() as folder, contextlib.chdir(PACKAGE.parent):
        try:
            module, package = Module(file.stem, file), Package(Path(PACKAGE.name))
            package.write(Path(folder))  # the declarations that ssdsim's own modules were compiled with
            package.modules[file.stem] = module
            Path(folder, file.name).write_text(Copy(package, module).text(), encoding="utf-8")
            Path(folder, f"{file.stem}.pxd").write_text(package.declarations(module), encoding="utf-8")
            os.chdir(folder)
            extension = Extension(file.stem, [file.name], [numpy.get_include()], extra_compile_args=["-g0"])
            # `nonecheck`: what is None is an error, as in Python
            directives = {"language_level": 3, "nonecheck": True}
            translated = cythonize([extension], quiet=True, compiler_directives=directives)
            command = Distribution({"ext_modules": translated}).get_command_obj("build_ext")
            command.build_lib, command.build_temp = "lib", "temp"
            command.ensure_finalized()
            command.run()
        except (CompileError, CCompilerError, BaseError, SyntaxError, SystemExit) as error:
            raise ConfigError(f"{file}: cannot be compiled: {str(error) or 'see the lines above'}.") from None
        return Path(shutil.copy(Path("lib", command.get_ext_filename(file.stem)), file.parent))
