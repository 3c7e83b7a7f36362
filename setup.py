"""Build the compiled modules; everything else is declared in pyproject.toml.

`ssdsim/_core/*.pyx` are the data structures and the event kernel. A module outside `_core` is compiled in place,
from the same `.py` file that Python would run, exactly where a `.pxd` of the same name stands beside it.
Set `SSDSIM_CYTHON_DEBUG=1` to build with bounds checks, and `SSDSIM_SANITIZE=1` with the address sanitizer, too
(`tests/sanitized.py`).
"""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SANITIZE = bool(os.environ.get("SSDSIM_SANITIZE"))
DEBUG = SANITIZE or bool(os.environ.get("SSDSIM_CYTHON_DEBUG"))
ADDRESS = ["-fsanitize=address"] if SANITIZE else []


class ParallelBuild(build_ext):
    """`build_ext` that compiles on every core unless told otherwise."""

    def finalize_options(self):
        """Default the number of compiler processes to the number of cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()


root = Path("ssdsim")
typed = [pxd.with_suffix(".py") for pxd in root.rglob("*.pxd") if pxd.stem != "__init__" and "_core" not in pxd.parts]
sources = sorted([*root.glob("_core/*.pyx"), *typed])
extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        include_dirs=[numpy.get_include()],
        extra_compile_args=["-O0", "-g1", *ADDRESS] if SANITIZE else ["-O1"] if DEBUG else ["-O3", "-g0"],
        extra_link_args=ADDRESS,
    )
    for source in sources
]
setup(
    cmdclass={"build_ext": ParallelBuild},
    ext_modules=cythonize(
        extensions,
        nthreads=os.cpu_count() or 1,
        force=DEBUG,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "nonecheck": DEBUG,
            "cdivision": True,
        },
    ),
)
