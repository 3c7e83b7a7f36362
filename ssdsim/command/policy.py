"""Policies of your own: begun as a copy of one of ssdsim's, and compiled."""

import ast
import contextlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from ssdsim import policies
from ssdsim._core import joining
from ssdsim._core.declarations import MARK, Copy, Module, Package
from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import STATIC_ORDERS, nearest
from ssdsim.errors import ConfigError

from . import PACKAGE, parser
from .compose import composed

SMALL = ("hardware.blocks_per_plane=24", "hardware.pages_per_block=24", "hardware.over_provisioning=0.6")
LOAD = ("workload=synthetic", "workload.requests=1000", "workload.read_share=0.3", "workload.queue_depth=8")
TYPED = (*LOAD, "ftl.page_order=page_type", "flash.program_order=relaxed")

KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "victim": ("ftl.gc.victim", "rga", LOAD),
    "plane_allocation": ("ftl.plane_allocation", "CWDP", LOAD),
    "page_order": ("ftl.page_order", "sequential", LOAD),
    "active_blocks": ("ftl.active_blocks", "hot_cold", LOAD),
    "page_type": ("ftl.page_type", "utilization", TYPED),
    "backup": ("ftl.backup", "page_copy", (*LOAD, "hardware/cells=mlc", "ftl.active_blocks=shared")),
    "replacement": ("buffer.replacement", "epo", (*LOAD, "buffer.footprint_share=null", "buffer.size_mib=1")),
    "mapping": ("ftl.mapping.scheme", "page", LOAD),
    "arbitration": ("host.arbitration", "round_robin", ("workload=two_tenants", "workload.requests=1000")),
    "scheduler": ("scheduler.policy", "host_reads_first", LOAD),
    "bus": ("flash.bus", "starts_first", LOAD),
}
"""The kinds: key, the policy that is copied if none is named, and what a run needs to ask it."""

COMPILED_ALONE = {"f", "d", "f2", "chip", "by_stream", "by_stream_static", "scheduler.policy", "flash.bus"}
"""Policies, and keys of those, that call what only compiled code can."""

TEST = Template('''\
"""Tests of $Name: `python -m pytest test_$name.py`."""

from ssdsim import preset, simulate

RUN = [
$run
    "precondition=fill",
    "integrity=on",  # every read returns what was written last
    "check=always",  # every table agrees with the others
]


def test_it_does_what_the_original_does():  # until it is changed
    own, original = (simulate(preset("baseline", *RUN, choice)).summary for choice in ("$own", "$original"))
    assert all(own[part] == original[part] for part in ("requests", "flash", "gc"))
''')


def new(arguments: Sequence[str]) -> int:
    """Begin a policy of your own: a copy of one of ssdsim's, NAME.py, and its test, test_NAME.py.

    Until it is changed, the copy does what the original does. No file that is there is overwritten. What else a run
    needs for such a policy is given as KEY=VALUE. With --compiled the copy is one that `build NAME.py` compiles.
    """
    made = parser("new", new.__doc__)
    made.add_argument("kind", choices=KINDS, metavar="KIND", help=f"what the policy decides: {', '.join(KINDS)}")
    made.add_argument("name", metavar="NAME", help="of the module, as my_policy, whose class is MyPolicy")
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="what a run needs to ask such a policy")
    made.add_argument("--like", metavar="POLICY", help="the policy that is copied (default: a simple one)")
    made.add_argument("--compiled", action="store_true", help="begin the policy as what `build` compiles")
    given = made.parse_intermixed_args(arguments)
    name, class_name, (key, usual, needs) = given.name, given.name.title().replace("_", ""), KINDS[given.kind]
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or iskeyword(name) or iskeyword(class_name) or find_spec(name):
        raise ConfigError(f"new {name}: must be a new name of letters, digits and _, as my_policy, and of no module.")
    like = given.like or usual
    known = {one: cls for one, cls in CLASSES[key].items() if issubclass(cls, BASES[key])}
    known = {one: cls for one, cls in known.items() if one not in STATIC_ORDERS[1:]}
    if like not in known:
        raise ConfigError(f"--like {like}: must be one of {', '.join(known)}{nearest(like, known)}.")
    if {key, like} & COMPILED_ALONE and not given.compiled:
        raise ConfigError(f"new {given.kind}: a copy of {like} works only as compiled code; add --compiled.")
    chosen = f"{key}=[%s]" if key == "ftl.page_type" else f"{key}=%s"  # whose schemes are a list
    own, original = chosen % f"{name}.{class_name}", chosen % like
    words = [*SMALL, *needs, *given.overrides]
    composed([*words, original])  # refuses what the original could not run with
    head = f"{MARK} infer_types=True\n" * given.compiled + f'"""A copy of {like}; {own} chooses it."""\n\n'
    run = "\n".join(f"    {word!r}," for word in words)
    texts = {
        f"{name}.py": head + copy_of(known[like], class_name, given.compiled),
        f"test_{name}.py": TEST.substitute(name=name, Name=class_name, run=run, own=own, original=original),
    }
    if there := [path for path in texts if Path(path).exists()]:
        raise ConfigError(f"{', '.join(there)}: is there already, and is not overwritten; take another name.")
    for path, text in texts.items():
        Path(path).write_text(text, encoding="utf-8")
    print(f"Written: {', '.join(texts)}\nNext:")
    systems = ("--system", f"{like}: {original}", "--system", f"{name}: {own}")
    print(f"  ssdsim build {name}.py\n" * given.compiled, f"  python -m pytest test_{name}.py", sep="")
    print(f"  ssdsim {shlex.join([*words, own])}\n  ssdsim compare {shlex.join([*words, *systems])}")
    return 0


def copy_of(cls: type, name: str, compiled: bool = False) -> str:
    """Return the source of a class under another `name`, with what it uses of its module."""
    source = PACKAGE.parent.joinpath(*cls.__module__.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    module = sys.modules[cls.__module__]
    public = {word for word in policies.__all__ if getattr(module, word, None) is getattr(policies, word)}
    body, used = ast.parse(source).body, {cls.__name__}
    # compiled code works with the very classes of its module, but for those that know this one
    apart = (node for node in body if isinstance(node, ast.ClassDef) and cls.__name__ not in ast.unparse(node))
    others = {node.name for node in apart if compiled} - public
    definitions = {word: node for node in body for word in _defined(node) if word not in public | others}
    while more := {
        part.id
        for word in used & definitions.keys()
        for part in ast.walk(definitions[word])
        if isinstance(part, ast.Name) and part.id not in used
    }:
        used |= more
    homes = {"ssdsim.policies": used & public, cls.__module__: used & others}
    imports = [f"from {home} import {', '.join(sorted(words))}" for home, words in homes.items() if words]
    for node in [*body, *(inner for outer in body if isinstance(outer, ast.If) for inner in outer.body)]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in used - public]
            imports += [ast.unparse(node)] if node.names else []
    imports.sort(key=lambda line: (" ssdsim" in line, line))
    parts = ["\n".join(["from __future__ import annotations\n", *imports])]
    for node in (node for defined, node in definitions.items() if defined in used):
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        parts.append("\n".join(source.splitlines()[first - 1 : node.end_lineno]))
    return re.sub(rf"\b{cls.__name__}\b", name, "\n\n\n".join(parts)) + "\n"


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


def build(arguments: Sequence[str]) -> int:
    """Compile a policy of your own, so that a call of it costs what one of a policy of ssdsim's own costs.

    FILE is typed Python whose first line is `# cython: infer_types=True`, as `new --compiled` writes it. The compiled
    module is put beside it, and is what a run imports from then on; without it, the same file runs as Python, with the
    same results. Cython, setuptools and a compiler of C are needed.
    """
    made = parser("build", build.__doc__)
    made.add_argument("file", metavar="FILE", type=Path, nargs="+", help="of Python, with one policy or more")
    for file in made.parse_args(arguments).file:
        if not file.is_file() or file.suffix != ".py" or not file.read_text(encoding="utf-8").startswith(MARK):
            raise ConfigError(f"{file}: must be a file of Python whose first line is `{MARK} infer_types=True`.")
        print(f"Written: {compiled(file.resolve())}")
    return 0


def compiled(file: Path) -> Path:
    """Compile `file` and return the module beside it; raise `ConfigError` if that cannot be done."""
    if not all(map(find_spec, ("Cython", "setuptools"))):
        raise ConfigError("build: needs Cython and setuptools; pip install cython setuptools.")
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    with TemporaryDirectory() as folder, contextlib.chdir(PACKAGE.parent):
        try:
            module, package = Module(file.stem, file), Package(Path(PACKAGE.name))
            joining.write(package, Path(folder))  # the declarations that ssdsim's own modules were compiled with
            package.modules[file.stem] = module
            copy = Copy(package, module).text().split("\n")
            copy[0] = "import cython"  # in place of the line that says that it is compiled
            Path(folder, file.name).write_text("\n".join(copy), encoding="utf-8")
            Path(folder, f"{file.stem}.pxd").write_text(package.declarations(module), encoding="utf-8")
            os.chdir(folder)
            extension = Extension(file.stem, [file.name], extra_compile_args=["-g0"])
            # `nonecheck`: what is None is an error, as in Python
            directives = {"language_level": 3, "nonecheck": True, "infer_types": True, "annotation_typing": True}
            translated = cythonize([extension], quiet=True, compiler_directives=directives)
            command = Distribution({"ext_modules": translated}).get_command_obj("build_ext")
            command.build_lib, command.build_temp = "lib", "temp"
            command.ensure_finalized()
            command.run()
        except (Exception, SystemExit) as error:  # of Cython, of setuptools, or of the compiler of C
            raise ConfigError(f"{file}: cannot be compiled: {str(error) or 'see the lines above'}.") from None
        return Path(shutil.copy(Path("lib", command.get_ext_filename(file.stem)), file.parent))
