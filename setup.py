"""Build the compiled modules, and say which packages there are; everything else is declared in pyproject.toml.

`experiments`, `conf` and `traces`, which lie beside `ssdsim` in the clone, are installed within it.

`ssdsim/_core/*.pyx` are the data structures and the event kernel. A module outside `_core` is compiled in place,
from the same `.py` file that Python would run, exactly where a `.pxd` of the same name stands beside it.
Set `SSDSIM_CYTHON_DEBUG=1` to build with bounds checks, and `SSDSIM_SANITIZE=1` with the address sanitizer, too
(`tests/sanitized.py`).
"""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build import build
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


class CleanBuild(build):
    """`build` that leaves nothing of an earlier one in its folder, which a wheel would take along."""

    def run(self):
        """Build, and remove what this build has not made."""
        super().run()
        made = {
            Path(path) for name in self.get_sub_commands() for path in self.get_finalized_command(name).get_outputs()
        }
        for path in Path(self.build_lib).rglob("*"):
            if path.is_file() and path not in made:
                path.unlink()


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
within = {f"ssdsim.{folder}": folder for folder in ("experiments", "conf", "traces")}
setup(
    packages=[
        *find_packages(include=["ssdsim*"]),
        *within,
        *map("ssdsim.{}".format, find_packages(include=["experiments.*"])),
    ],
    package_dir=within,
    cmdclass={"build": CleanBuild, "build_ext": ParallelBuild},
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
