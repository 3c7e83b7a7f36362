"""Begin a policy of your own: a copy of one of ssdsim's, NAME.py, and its test, test_NAME.py.

Until it is changed, the copy does what the original does. No file that is there is overwritten. What else a run needs
for such a policy is given as KEY=VALUE. With --compiled the copy is one that `build NAME.py` compiles.
"""

import argparse
import ast
import re
import shlex
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from keyword import iskeyword
from pathlib import Path
from string import Template

from attrs import frozen

from ssdsim import policies
from ssdsim._core.declarations import MARK
from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import nearest
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.errors import ConfigError

from . import COMMAND, examples, failures, parser

SYNTHETIC = ("workload=synthetic", "workload.requests=1000", "workload.read_share=0.3", "workload.queue_depth=8")
SMALL = ("hardware.blocks_per_plane=24", "hardware.pages_per_block=24", "hardware.over_provisioning=0.6")
"""A device of which collection begins early."""

FOR_C = {"by_stream", "by_stream_static", "chip", "d", "f", "f2"} | set(STATIC_ORDERS[1:])
"""Plane allocations that call what only compiled code can, and the orders that one class stands for."""


@frozen
class Kind:
    """A kind of policy: its `key`, the policy `like` which one begins, and what a run `needs` to ask it.

    An `example` is copied instead of the policy that it is like.
    """

    key: str
    like: str
    needs: tuple[str, ...] = SYNTHETIC
    example: type | None = None

    def choice(self, policy: str) -> str:
        """Return the override that chooses a policy."""
        return f"{self.key}=[{policy}]" if self.key == "ftl.page_type" else f"{self.key}={policy}"

    def original(self, kind: str, like: str) -> type:
        """Return the class to copy; raise ConfigError if there is none."""
        classes = CLASSES.get(self.key, {})
        known = {name: cls for name, cls in classes.items() if issubclass(cls, BASES[self.key]) and name not in FOR_C}
        if self.example is not None:
            known[self.like] = self.example
        if like not in known:
            raise ConfigError(f"new {kind} --like {like}: must be one of {', '.join(known)}{nearest(like, known)}.")
        return known[like]


KINDS = {
    "victim": Kind("ftl.gc.victim", "rga"),
    "scheduler": Kind("scheduler.policy", "read_priority", example=examples.ReadsFirst),
    "suspension": Kind("flash.suspension.policy", "always", example=examples.ForEveryRead),
    "bus": Kind("flash.bus", "fcfs", example=examples.FirstAskedFirst),
    "plane_allocation": Kind("ftl.plane_allocation", "CWDP"),
    "page_order": Kind("ftl.page_order", "sequential"),
    "active_blocks": Kind("ftl.active_blocks", "hot_cold"),
    "page_type": Kind(
        "ftl.page_type", "utilization", (*SYNTHETIC, "ftl.page_order=page_type", "flash.program_order=relaxed")
    ),
    "backup": Kind("ftl.backup", "page_copy", (*SYNTHETIC, "hardware/cells=mlc", "ftl.active_blocks=shared")),
    "replacement": Kind(
        "buffer.replacement",
        "lru",
        (*SYNTHETIC, "buffer.footprint_share=null", "buffer.size_mib=1"),
        examples.OldestFirst,
    ),
    "arbitration": Kind(
        "host.arbitration",
        "round_robin",
        (*SYNTHETIC, "host.queue_depth=8", "+workload@workloads.other=synthetic", "workloads.other.requests=1000"),
    ),
    "generator": Kind(
        "workload.generator",
        f"{examples.__name__}.WritesAndReads",
        ("workload=generator", "workload.options={count:1000}"),
        examples.WritesAndReads,
    ),
}
"""The kinds by the word that stands for each on the command line; the key does, too."""

INTERPRETED = ("scheduler", "suspension", "bus", "generator")
"""Kinds whose base is Python, or that make their requests by NumPy."""

TEST = Template('''\
"""Tests of $Name: `python -m pytest test_$name.py`."""

from ssdsim import preset, simulate

RUN = [
$run
    "precondition=fill",
    "integrity=on",  # every read returns what was written last
    "check=always",  # every table agrees with the others
]


def summary_with(choice):
    """Return the summary of a short run."""
    return simulate(preset("baseline", *RUN, choice)).summary


def test_it_does_what_the_original_does():
    """Change this with the policy."""
    own, original = (summary_with(choice) for choice in ("$own", "$original"))
    assert all(own[part] == original[part] for part in ("requests", "flash", "gc"))


def test_it_serves_every_request():
    assert summary_with("$own")["requests"]["write"]["count"] > 0
''')


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files of a new policy and return 0, or 2 if something given cannot be used."""
    made = parser("new", __doc__)
    made.add_argument("kind", metavar="KIND", help=f"what the policy decides: {', '.join(KINDS)}; or the key")
    made.add_argument("name", metavar="NAME", help="of the module, as my_policy, whose class is MyPolicy")
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="what a run needs to ask such a policy")
    made.add_argument("--like", metavar="POLICY", help="the policy that is copied (default: a simple one)")
    made.add_argument("--compiled", action="store_true", help="begin the policy as what `build` compiles")
    made.add_argument("--folder", type=Path, default=Path(), help="where to write (default: the current folder)")
    given = made.parse_intermixed_args(arguments)
    return failures.guarded(lambda: _new(given))


def _new(given: argparse.Namespace) -> int:
    from .compose import prepared, session

    word, name = kind_of(given.kind), str(given.name)
    kind, class_name = KINDS[word], "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    _check_name(word, name, class_name, given.folder)
    if given.compiled and word in INTERPRETED:
        raise ConfigError(f"new {word} --compiled: what is begun by this word is not compiled; leave it out.")
    like = given.like or kind.like
    copied = copy_of(kind.original(word, like), class_name)
    own, original = kind.choice(f"{name}.{class_name}"), kind.choice(like)
    needs = [*SMALL, *kind.needs, *given.overrides]
    with session():
        prepared([*needs, original])
    mark = f"{MARK} infer_types=True\n" if given.compiled else ""
    told = f'"""A policy that begins as a copy of {like}; {own} chooses it."""'
    run = "\n".join(f'    "{word}",' for word in needs)
    texts = {
        given.folder / f"{name}.py": f"{mark}{told}\n\n{copied}",
        given.folder / f"test_{name}.py": TEST.substitute(
            name=name, Name=class_name, run=run, own=own, original=original
        ),
    }
    if there := [str(path) for path in (*texts, given.folder / name) if path.exists() or path.is_symlink()]:
        raise ConfigError(f"{', '.join(there)}: is there already, and is not overwritten; take another name or folder.")
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    except (FileExistsError, NotADirectoryError) as error:
        raise ConfigError(f"--folder {given.folder}: {error.filename} is there already; take another folder.") from None
    print(f"Written: {', '.join(map(str, texts))}\nIn {given.folder.resolve()}, next:")
    if given.compiled:
        print(f"  {COMMAND} build {name}.py")
    print(f"  python -m pytest test_{name}.py")
    print(f"  {COMMAND} {shlex.join([*needs, own])}")
    systems = ("--system", f"{like}: {original}", "--system", f"{name}: {own}")
    print(f"  {COMMAND} compare {shlex.join([*needs, *systems])}")
    return 0


def kind_of(word: str) -> str:
    """Return the kind that `word`, its name or its key, stands for; raise ConfigError if there is none."""
    kinds = {kind.key: name for name, kind in KINDS.items()} | {name: name for name in KINDS}
    if word not in kinds:
        raise ConfigError(f"new {word}: no such kind of policy; there are {', '.join(KINDS)}{nearest(word, kinds)}.")
    return kinds[word]


def _check_name(kind: str, name: str, class_name: str, folder: Path) -> None:
    """Raise ConfigError if no module or class can be called so, or if another module would be imported instead."""
    names = (name, class_name)
    if not (name.isascii() and all(map(str.isidentifier, names))) or any(map(iskeyword, names)):
        raise ConfigError(
            f"new {kind} {name}: NAME must be a Python identifier, of letters, digits and _, as in my_policy."
        )
    elsewhere = [place for place in sys.path if Path(place).resolve() not in (Path.cwd(), folder.resolve())]
    if name in (*sys.stdlib_module_names, "ssdsim") or PathFinder.find_spec(name, elsewhere) is not None:
        raise ConfigError(f"new {name}: a module of that name is there already; take another name.")


def copy_of(cls: type, name: str) -> str:
    """Return the source of a class under another `name`, with what it uses of its module."""
    module = sys.modules[cls.__module__]
    source = Path(str(module.__file__)).with_name(f"{cls.__module__.rpartition('.')[2]}.py")  # beside a compiled one
    lines = source.read_text(encoding="utf-8").splitlines()
    body = ast.parse("\n".join(lines)).body
    definitions = {
        node.name if isinstance(node, ast.ClassDef | ast.FunctionDef) else ast.unparse(targets_of(node)[0]): node
        for node in body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) or targets_of(node)
    }
    used: set[str] = set()
    left = {cls.__name__}
    while left:
        used |= left
        nodes = [definitions[each] for each in left - {*policies.__all__} if each in definitions]
        left = {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)} - used
    public = sorted(used & {*policies.__all__})
    used -= {*public}
    imports = [f"from ssdsim.policies import {', '.join(public)}"]
    for node in [*body, *(inner for outer in body if isinstance(outer, ast.If) for inner in outer.body)]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in used]
            imports += [ast.unparse(node)] if node.names else []
    imports.sort(key=lambda line: (" ssdsim" in line, line))
    first = next(number for number, line in enumerate(imports) if " ssdsim" in line)
    groups = [["from __future__ import annotations"], imports[:first], imports[first:]]
    parts = ["\n\n".join("\n".join(group) for group in groups if group)]
    for node in (node for each, node in definitions.items() if each in used):
        begin = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        parts.append("\n".join(lines[begin - 1 : node.end_lineno]))
    return re.sub(rf"\b{cls.__name__}\b", name, "\n\n\n".join(parts)) + "\n"


def targets_of(node: ast.stmt) -> list[ast.expr]:
    """Return the names that a statement gives values to."""
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
