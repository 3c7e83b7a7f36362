"""Begin a policy of your own: a copy of one of ssdsim's, NAME.py, and its test, test_NAME.py.

Until it is changed, the copy does what the original does. No file that is there is overwritten. What else a run needs
for such a policy is given as KEY=VALUE. With --compiled the copy is one that `build NAME.py` compiles.
"""

import ast
import re
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import NamedTuple

from ssdsim import policies
from ssdsim._core.declarations import MARK
from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import STATIC_ORDERS, nearest
from ssdsim.errors import ConfigError

from . import examples, parser
from .compose import prepared, session

SMALL = ("hardware.blocks_per_plane=24", "hardware.pages_per_block=24", "hardware.over_provisioning=0.6")
"""A device of which collection begins early."""

LOAD = ("workload=synthetic", "workload.requests=1000", "workload.read_share=0.3", "workload.queue_depth=8")

FOR_C = {"by_stream", "by_stream_static", "chip", "d", "f", "f2"} | {*STATIC_ORDERS[1:]}
"""Plane allocations that call what only compiled code can, and the orders that one class stands for."""


class Kind(NamedTuple):
    """A kind of policy: its key, the policy that is copied if none is named, and what a run needs to ask it.

    Where ssdsim's own policies cannot be copied, `example` does the same.
    """

    key: str
    like: str
    needs: tuple[str, ...] = LOAD
    example: type | None = None

    def choice(self, policy: str) -> str:
        """Return the override that chooses a policy."""
        return f"{self.key}=[{policy}]" if self.key == "ftl.page_type" else f"{self.key}={policy}"


KINDS = {
    "victim": Kind("ftl.gc.victim", "rga"),
    "scheduler": Kind("scheduler.policy", "read_priority", LOAD, examples.ReadsFirst),
    "bus": Kind("flash.bus", "fcfs", LOAD, examples.FirstAskedFirst),
    "plane_allocation": Kind("ftl.plane_allocation", "CWDP"),
    "page_order": Kind("ftl.page_order", "sequential"),
    "active_blocks": Kind("ftl.active_blocks", "hot_cold"),
    "page_type": Kind(
        "ftl.page_type", "utilization", (*LOAD, "ftl.page_order=page_type", "flash.program_order=relaxed")
    ),
    "backup": Kind("ftl.backup", "page_copy", (*LOAD, "hardware/cells=mlc", "ftl.active_blocks=shared")),
    "replacement": Kind("buffer.replacement", "epo", (*LOAD, "buffer.footprint_share=null", "buffer.size_mib=1")),
    "arbitration": Kind("host.arbitration", "round_robin", ("workload=two_tenants", "workload.requests=1000")),
    "generator": Kind(
        "workload.generator",
        f"{examples.__name__}.WritesAndReads",
        ("workload=generator", "workload.options={count:1000}"),
        examples.WritesAndReads,
    ),
}
"""The kinds by the word that stands for each on the command line; the key does, too."""

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


def main(arguments: Sequence[str]) -> int:
    """Write the files of a new policy and return 0."""
    made = parser("new", __doc__)
    made.add_argument("kind", metavar="KIND", help=f"what the policy decides: {', '.join(KINDS)}; or the key")
    made.add_argument("name", metavar="NAME", help="of the module, as my_policy, whose class is MyPolicy")
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="what a run needs to ask such a policy")
    made.add_argument("--like", metavar="POLICY", help="the policy that is copied (default: a simple one)")
    made.add_argument("--compiled", action="store_true", help="begin the policy as what `build` compiles")
    given = made.parse_intermixed_args(arguments)
    kinds = KINDS | {kind.key: kind for kind in KINDS.values()}
    if given.kind not in kinds:
        near = nearest(given.kind, kinds)
        raise ConfigError(f"new {given.kind}: no such kind of policy; there are {', '.join(KINDS)}{near}.")
    if kinds[given.kind].example and given.compiled:
        raise ConfigError(f"new {given.kind} --compiled: what is begun by this word is not compiled; leave it out.")
    _begin(kinds[given.kind], given.name, given.like or kinds[given.kind].like, given.overrides, given.compiled)
    return 0


def _begin(kind: Kind, name: str, like: str, overrides: Sequence[str], compiled: bool) -> None:
    """Write a copy of the policy `like` to a module `name`, and its test, and print what to do with them."""
    class_name = class_of(name)
    copied = copy_of(_original(kind, like), class_name)
    own, original = kind.choice(f"{name}.{class_name}"), kind.choice(like)
    words = [*SMALL, *kind.needs, *overrides]
    with session():
        prepared([*words, original])
    mark = f"{MARK} infer_types=True\n" if compiled else ""
    run = "\n".join(f"    {word!r}," for word in words)
    texts = {
        Path(f"{name}.py"): f'{mark}"""A copy of {like}, to be changed; {own} chooses it."""\n\n{copied}',
        Path(f"test_{name}.py"): TEST.substitute(name=name, Name=class_name, run=run, own=own, original=original),
    }
    if there := [str(path) for path in texts if path.exists()]:
        raise ConfigError(f"{', '.join(there)}: is there already, and is not overwritten; take another name.")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    print(f"Written: {', '.join(map(str, texts))}\nNext:")
    systems = ("--system", f"{like}: {original}", "--system", f"{name}: {own}")
    print(f"  ssdsim build {name}.py\n" * compiled, f"  python -m pytest test_{name}.py", sep="")
    print(f"  ssdsim {shlex.join([*words, own])}\n  ssdsim compare {shlex.join([*words, *systems])}")


def class_of(name: str) -> str:
    """Return the name of the class in a module of this name, MyPolicy for my_policy; raise ConfigError for no name."""
    class_name = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or iskeyword(name) or iskeyword(class_name):
        raise ConfigError(f"new {name}: must be a Python identifier, of letters, digits and _, as in my_policy.")
    if find_spec(name):
        raise ConfigError(f"new {name}: a module of that name is there already; take another name.")
    return class_name


def _original(kind: Kind, like: str) -> type:
    """Return the class to copy; raise ConfigError if there is none."""
    named = CLASSES.get(kind.key, {}).items()
    known = {name: cls for name, cls in named if issubclass(cls, BASES[kind.key]) and name not in FOR_C}
    known |= {kind.like: kind.example} if kind.example else {}
    if like not in known:
        raise ConfigError(f"--like {like}: must be one of {', '.join(known)}{nearest(like, known)}.")
    return known[like]


def copy_of(cls: type, name: str) -> str:
    """Return the source of a class under another `name`, with what it uses of its module."""
    module = sys.modules[cls.__module__]
    source = Path(str(module.__file__)).with_name(f"{cls.__module__.rpartition('.')[2]}.py")  # beside a compiled one
    lines = source.read_text(encoding="utf-8").splitlines()
    body = ast.parse("\n".join(lines)).body
    public = {*policies.__all__}
    definitions = {defined: node for node in body if (defined := _defined(node)) and defined not in public}
    used, left = set[str](), {cls.__name__}
    while left:
        used |= left
        nodes = [definitions[defined] for defined in left if defined in definitions]
        left = {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)} - used
    imports = [f"from ssdsim.policies import {', '.join(sorted(used & public))}"]
    for node in [*body, *(inner for outer in body if isinstance(outer, ast.If) for inner in outer.body)]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in used - public]
            imports += [ast.unparse(node)] if node.names else []
    imports.sort(key=lambda line: (" ssdsim" in line, line))
    parts = ["\n".join(["from __future__ import annotations\n", *imports])]
    for node in (node for defined, node in definitions.items() if defined in used):
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        parts.append("\n".join(lines[first - 1 : node.end_lineno]))
    return re.sub(rf"\b{cls.__name__}\b", name, "\n\n\n".join(parts)) + "\n"


def _defined(node: ast.stmt) -> str:
    """Return the name that a statement of a module defines, or nothing."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return ast.unparse(targets[0]) if targets else ""
