"""Build the compiled modules, and say which packages there are; everything else is declared in pyproject.toml.

`experiments`, `conf` and `traces`, which lie beside `ssdsim` in the clone, are installed within it, and what lies in
`ssdsim/beside` beside it. `pip install -e .` puts the clone on Python's path, where editors and type checkers find it.

`ssdsim/_core/*.pyx` are the event kernel and what needs types of C. All else that is compiled comes from the same `.py`
file that Python would run, by the types that stand in it (`ssdsim/_core/declarations.py`), many in one extension module
(`ssdsim/_core/homes.py`). What Cython would write into each, such as the code of memory views, they share in
`ssdsim._core.utility`.

Set `SSDSIM_QUICK_BUILD=1` to build sooner, without optimisation, `SSDSIM_CYTHON_DEBUG=1` to build with bounds
checks, and `SSDSIM_SANITIZE=1` to build with those and the address sanitizer
(`tests/sanitized.py`). Each kind of build keeps its C and its modules in a folder of its own under `build`, so that
only what changed is ever built again.
"""

import contextlib
import gc
import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import _StaticPth, editable_wheel
from setuptools.modified import newer

sys.path.append(str(Path(__file__).parent))  # the package is not installed yet
from ssdsim._core import joining
from ssdsim._core.declarations import Package
from ssdsim._core.homes import MARK, home_of

# gcc's -O1 takes 0.6 of the time of -O3, and its code 9 percent more instructions; with these passes, 0.7 and 1.
GCC = [
    *["-O1", "-finline-functions", "-finline-small-functions", "-findirect-inlining", "-fpartial-inlining"],
    *["-foptimize-sibling-calls", "-fipa-ra", "-fcaller-saves", "-fthread-jumps", "-fpeephole2"],
    *["-fstrict-aliasing", "-freorder-blocks-algorithm=stc"],
]
FLAGS = {
    "release": [
        *(GCC if sys.platform == "linux" else ["-O2"]),
        # Python 3.12 has no versions of dictionaries, and without a use of them a method compiles a tenth faster.
        *["-g0", "-w", "-DCYTHON_USE_DICT_VERSIONS=0", "-include", "ssdsim/_core/cold.h"],
    ],
    "quick": ["-O0", "-g0"],
    "debug": ["-O1"],
    "sanitized": ["-O0", "-g0", "-fsanitize=address"],
}
SWITCHES = {"sanitized": "SSDSIM_SANITIZE", "debug": "SSDSIM_CYTHON_DEBUG", "quick": "SSDSIM_QUICK_BUILD"}
KIND = next((kind for kind, switch in SWITCHES.items() if os.environ.get(switch)), "release")
CHECKED = KIND in ("debug", "sanitized")
KEPT = Path("build", KIND)
STAGED = KEPT / "source"
SHARED = "ssdsim._core.utility"
RARE = re.compile(r"^static (?=(?:PyObject \*|int )__pyx_(?:pw|pf|[gs]etprop)_)", re.M)
"""Beginning, in C, of what only Python calls: what takes a method's arguments, and the functions of a property.

Not optimised it takes gcc a fifth less. That of `*.pyx`, as the kernel, runs often."""


class IncrementalBuild(build_ext):
    """`build_ext` on every core that translates and compiles what changed, though pip builds in a new folder."""

    def finalize_options(self):
        """Default the number of compiler processes to the number of cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self):
        """Build in the folder that is kept, then copy to where the modules are wanted."""
        from Cython.Build import cythonize

        compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
        if not shutil.which(os.environ.get("CC", compiler).split()[0]):
            raise SystemExit("ssdsim is compiled when it is installed: install a C compiler, as gcc, or name it in CC.")
        from Cython.Build.Dependencies import DependencyTree

        # pip unpacks Cython anew for each build: that its declarations are new does not make ours old.
        own = str(STAGED.resolve()) + os.sep
        DependencyTree.extract_timestamp = lambda tree, file: (
            tree.timestamp(file) if os.path.realpath(file).startswith(own) else 0,
            file,
        )
        gc.set_threshold(200_000)  # a translation leaves little garbage, and took a third of its time to look for it
        force = self.force or newer("setup.py", str(KEPT / "c" / modules[SHARED]))
        package = Package(Path("ssdsim"))
        homes = joining.homes(package)
        joining.write(package, STAGED)
        with contextlib.chdir(STAGED):  # so that a traceback names a module by its path in the project
            translated = cythonize(
                self.extensions,
                nthreads=os.cpu_count() or 1,
                force=force,
                build_dir="../c",
                shared_utility_qualified_name=SHARED,
                compiler_directives={
                    "language_level": 3,
                    "annotation_typing": False,
                    "auto_pickle": False,  # which is a seventh of the build
                    "always_allow_keywords": False,  # for methods of one argument
                    "binding": False,
                    "boundscheck": CHECKED,
                    "wraparound": False,
                    "initializedcheck": CHECKED,
                    "nonecheck": CHECKED,
                    "cdivision": True,
                    "emit_code_comments": False,
                },
            )
        in_c = {extension.name: extension.sources for extension in translated}
        for extension in self.extensions:
            extension.sources = [os.path.normpath(STAGED / source) for source in in_c[extension.name]]
            if extension.name in homes:
                file = Path(extension.sources[0])
                joining.relocated(file, extension.name, homes[extension.name])
                unoptimised = RARE.sub("__attribute__((cold, optimize(0))) static ", file.read_text(encoding="utf-8"))
                joining.update(file, unoptimised)
            extension.depends = ["setup.py", "ssdsim/_core/cold.h"]
        wanted, self.build_lib, self.build_temp = self.build_lib, str(KEPT / "lib"), str(KEPT / "temp")
        in_place, self.inplace = self.inplace, False
        super().run()
        self.force = True  # to copy: a module of another kind of build may be newer
        built, self.build_lib, self.inplace = self.build_lib, wanted, in_place
        for extension in self.extensions:
            name = self.get_ext_filename(extension.name)
            self.mkpath(str(Path(wanted, name).parent))
            self.copy_file(str(Path(built, name)), str(Path(wanted, name)))
        if in_place:
            Path("ssdsim", "_compiled").mkdir(exist_ok=True)
            self.copy_extensions_to_source()
            made = {Path(self.get_ext_filename(extension.name)) for extension in self.extensions}
            for path in set(Path("ssdsim").rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}")) - made:
                path.unlink()  # of a source that is no more compiled: Python would take it in place of that

    def get_source_files(self):
        """Return the sources that somebody writes, for the distribution, without those that the build makes."""
        return [str(source) for of_module in sources.values() for source in of_module]


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


class PathInstall(editable_wheel):
    """`editable_wheel` by folders on Python's path: of the hook that setuptools would install mypy knows nothing."""

    def _select_strategy(self, name, tag, build_lib):
        folders = [Path.cwd(), Path.cwd() / "ssdsim" / "beside"]
        return _StaticPth(self.distribution, name, folders)


def described() -> str:
    """Return the README with paths in place of the links and the picture that lead to files beside it.

    Where only the package is, as on a package index, these files are not, and the project has no address to link to.
    """
    text = Path("README.md").read_text(encoding="utf-8")
    return re.sub(r"!?\[([^]]*)]\((?![a-z]+:|#)([^)]*)\)", r"\1 (`\2` in the source distribution)", text)


sources: dict[str, list[Path]] = {}
for path in Path("ssdsim").rglob("*.py*"):
    name = ".".join(path.with_suffix("").parts)
    if path.suffix == ".pyx":
        sources[name] = [path]
    elif path.suffix == ".py" and path.read_text(encoding="utf-8").startswith(MARK):
        sources.setdefault(home_of(name), []).append(path)
# on several cores the longest is to be begun first
longest = sorted(sources, key=lambda name: -sum(source.stat().st_size for source in sources[name]))
modules = {name: Path(*name.split(".")).with_suffix(sources[name][0].suffix) for name in longest}
modules[SHARED] = Path(*SHARED.split(".")).with_suffix(".c")  # which Cython writes
placed = {f"ssdsim.{folder}": folder for folder in ("experiments", "conf", "traces")}
placed |= dict.fromkeys(("experiment", "experiments"), "ssdsim/beside/experiment")
setup(
    long_description=described(),
    long_description_content_type="text/markdown",
    packages=[
        *find_packages(include=["ssdsim*"]),
        *placed,
        *map("ssdsim.{}".format, find_packages(include=["experiments.*"], exclude=["experiments.validation"])),
    ],
    package_dir=placed,
    cmdclass={"build": CleanBuild, "build_ext": IncrementalBuild, "editable_wheel": PathInstall},
    ext_modules=[
        Extension(
            name,
            [str(source)],
            extra_compile_args=FLAGS[KIND],
            extra_link_args=[flag for flag in FLAGS[KIND] if flag.startswith("-fsanitize")],
        )
        for name, source in modules.items()
    ],
)
