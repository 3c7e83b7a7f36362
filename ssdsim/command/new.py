"""Begin a policy of your own: a commented class that works, a test of it, and a benchmark against the default.

Three files are written, NAME.py, test_NAME.py and bench_NAME.py; of a stack, stack/NAME.yaml and test_NAME.py. None
that is there is ever overwritten. With --compiled, `build NAME.py` makes of a policy what costs about as much as one of
ssdsim's own.
"""

import shlex
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from keyword import iskeyword
from pathlib import Path
from string import Template

from attrs import frozen

from ssdsim._core.declarations import MARK
from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from . import COMMAND, failures, parser
from .groups import choices

PROJECT = "ssdsim"
SKELETONS = Path(__file__).parent / "skeletons"
SYNTHETIC = "workload=synthetic workload.requests={requests} workload.read_share=0.3 workload.queue_depth=8"
BENCH = "hardware.blocks_per_plane=64"  # few blocks, so that collections begin early
TEST_REQUESTS, BENCH_REQUESTS = 1000, 10_000

SERVED = 'summary["flash"]["programs"]["host"] > 0'
SUSPENDED = 'summary["suspension"]["programs"]["count"] > 0'
COLLECTED = 'summary["gc"]["collections"] > 0'
BACKED_UP = 'summary["flash"]["programs"]["backup"] > 0'


@frozen
class Kind:
    """A kind of policy, all overrides as words.

    `key` names it, and has the `default` without it; `own` is how it names a class, `common` what the default has, too;
    `holds` is true of the summary of a short run, in which each of `streams` is as long as that of the default.
    """

    key: str
    default: str
    own: str = "{key}={policy}"
    instead: str = "{key}={default}"
    common: str = SYNTHETIC
    holds: str = SERVED
    streams: int = 1

    def words(self, form: str, policy: str = "", requests: int = 0) -> list[str]:
        """Return the overrides that `form`, one of those above, stands for."""
        return form.format(key=self.key, default=self.default, policy=policy, requests=requests).split()


KINDS = {
    "victim": Kind("ftl.gc.victim", "greedy", holds=COLLECTED),
    "scheduler": Kind("scheduler.policy", "read_priority"),
    "suspension": Kind("flash.suspension.policy", "always", holds=SUSPENDED),
    "bus": Kind("flash.bus", "starts_first"),
    "plane_allocation": Kind("ftl.plane_allocation", "CWDP"),
    "page_order": Kind("ftl.page_order", "sequential", holds=COLLECTED),
    "active_blocks": Kind("ftl.active_blocks", "separate", holds=COLLECTED),
    "page_type": Kind(
        "ftl.page_type",
        "uniform",
        own="{key}=[{policy}]",
        instead="{key}=[{default}]",
        common=f"{SYNTHETIC} ftl.page_order=page_type flash.program_order=relaxed",
    ),
    "backup": Kind(
        "ftl.backup", "none", common=f"{SYNTHETIC} hardware/cells=mlc ftl.active_blocks=shared", holds=BACKED_UP
    ),
    "replacement": Kind(
        "buffer.replacement", "lru", common=f"{SYNTHETIC} buffer.footprint_share=null buffer.size_mib=1"
    ),
    "arbitration": Kind(
        "host.arbitration",
        "round_robin",
        common=f"{SYNTHETIC} +workload@workloads.other=synthetic workloads.other.requests={{requests}} "
        "workloads.other.queue_depth=32 host.queue_depth=8",
        streams=2,
    ),
    "generator": Kind(
        "workload.generator",
        "synthetic",
        own="workload=generator {key}={policy} workload.options={{requests:{requests}}}",
        instead=SYNTHETIC,
        common="",
    ),
}
"""The kinds by the word that stands for each on the command line; the key does, too."""

STACK = "stack"
"""What is begun by this word is no policy, but a choice of them."""

INTERPRETED = ("scheduler", "suspension", "bus", "generator")
"""Kinds whose base is Python, or that make their requests by NumPy."""

FILES = {"{}.py": "{kind}", "test_{}.py": "test_{kind}", "bench_{}.py": "bench"}
"""The files that are written, each with its template."""

FILES_OF_STACK = {"stack/{}.yaml": "stack", "test_{}.py": "test_stack"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files of a new policy and return 0, or 2 if something given cannot be used."""
    made = parser("new", __doc__)
    made.epilog = f"Kinds: {', '.join((*KINDS, STACK))}. {made.epilog}"
    made.add_argument(
        "kind", metavar="KIND", help=f"what the policy decides, as victim, or the key, as ftl.gc.victim; or {STACK}"
    )
    made.add_argument("name", metavar="NAME", help="of the module, as my_policy, whose class is MyPolicy; of the stack")
    made.add_argument("--compiled", action="store_true", help="begin the policy as what `build` compiles")
    made.add_argument("--folder", type=Path, default=Path(), help="where to write (default: the current folder)")
    given = made.parse_args(arguments)
    return failures.guarded(lambda: _new(given.kind, given.name, given.folder, given.compiled))


def _new(word: str, name: str, folder: Path, compiled: bool) -> int:
    kind = word if word == STACK else kind_of(word)
    if compiled and kind in (*INTERPRETED, STACK):
        raise ConfigError(f"new {kind} --compiled: what is begun by this word is not compiled; leave it out.")
    if kind == STACK:
        check_name(STACK, name)
        if name in choices(STACK):
            raise ConfigError(f"new {STACK} {name}: a stack of that name is there already; take another name.")
        files = {file: _template(template).substitute(name=name) for file, template in FILES_OF_STACK.items()}
        load = SYNTHETIC.format(requests=TEST_REQUESTS)
        following = [f"{COMMAND} compare stack=baseline,{name} hydra.searchpath=[file://$PWD] {load}"]
    else:
        files = skeleton(kind, name)
        following = [f"{COMMAND} {shlex.join(command_of(kind, name))}", f"python bench_{name}.py"]
    if compiled:
        files["{}.py"] = f"{MARK} infer_types=True\n{files['{}.py']}"
    texts = {folder / file.format(name): text for file, text in files.items()}
    # a link to nothing is in the way, too
    there = [str(path) for path in (*texts, folder / name) if path.exists() or path.is_symlink()]
    if there:
        raise ConfigError(f"{', '.join(there)}: is there already, and is not overwritten; take another name or folder.")
    check_module(name, folder)
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:  # "x": not over a file that has been made since
                file.write(text)
    except (FileExistsError, NotADirectoryError) as error:
        raise ConfigError(f"--folder {folder}: {error.filename} is there already; take another folder.") from None
    print(f"Written: {', '.join(map(str, texts))}")
    print(f"In {folder.resolve()}, next:")
    if compiled:
        print(f"  {COMMAND} build {name}.py")
    print(f"  python -m pytest test_{name}.py")
    for command in following:
        print(f"  {command}")
    return 0


def kind_of(word: str) -> str:
    """Return the kind that `word`, its name or its key, stands for; raise ConfigError if there is none."""
    kinds = {kind.key: name for name, kind in KINDS.items()} | {name: name for name in KINDS}
    if word not in kinds:
        near = nearest(word, [*kinds, STACK])
        raise ConfigError(f"new {word}: no such kind of policy; there are {', '.join((*KINDS, STACK))}{near}.")
    return kinds[word]


def skeleton(kind: str, name: str) -> dict[str, str]:
    """Return the text of each file for a policy in module `name`, by the file's name, with {} where that goes.

    Raise ConfigError if no module, or no class in it, can be called so.
    """
    check_name(kind, name)
    words = class_of(name)
    templates = {file: _template(template.format(kind=kind)) for file, template in FILES.items()}
    # the class must not be called like anything that a template uses
    used = " ".join(template.template for template in (*templates.values(), _template("short_run")))
    if f" {words}" in used.replace("(", " ").replace(")", " "):
        raise ConfigError(f"new {kind} {name}: the class would be {words}, which is another's name; take another.")
    chosen, policy = KINDS[kind], f"{name}.{words}"
    common, instead, own = (
        chosen.words(form, policy, BENCH_REQUESTS) for form in (chosen.common, chosen.instead, chosen.own)
    )
    given = {
        "package": __package__,
        "name": name,
        "Name": words,
        "option": " ".join(chosen.words(chosen.own, policy, TEST_REQUESTS)),
        "default": chosen.default,
        "common": listed([BENCH, *common]),
        "instead": " ".join(instead),
        "own": " ".join(own),
        "run": listed(command_of(kind, name)),
        "requests": str(chosen.streams * TEST_REQUESTS),
        "holds": chosen.holds,
        "imports": "from ssdsim import preset, simulate",
    }
    given["short_run"] = _template("short_run").substitute(given).rstrip()  # first, as other templates hold it
    return {file: template.substitute(given).rstrip() + "\n" for file, template in templates.items()}


def check_name(kind: str, name: str) -> None:
    """Raise ConfigError if no module, or no class in it, can be called so."""
    words = class_of(name)
    # a keyword is an identifier, too
    if not (name.isascii() and name.isidentifier() and words.isidentifier()) or iskeyword(name) or iskeyword(words):
        raise ConfigError(
            f"new {kind} {name}: NAME must be a Python identifier, of letters, digits and _, as in my_policy."
        )


def class_of(name: str) -> str:
    """Return the name of the class in a module of this name: MyPolicy for my_policy."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def command_of(kind: str, name: str) -> list[str]:
    """Return the overrides of a short run with the policy in module `name`."""
    chosen, policy = KINDS[kind], f"{name}.{class_of(name)}"
    return chosen.words(f"{chosen.common} {chosen.own}", policy, TEST_REQUESTS)


def listed(words: list[str]) -> str:
    """Return a list in Python, a line each."""
    return "\n".join(["[", *(f'    "{word}",' for word in words), "]"])


def check_module(name: str, folder: Path) -> None:
    """Raise ConfigError if a module of this name, of Python or installed, would be imported instead, or no more."""
    own = {Path.cwd(), folder.resolve()}
    elsewhere = [place for place in sys.path if Path(place).resolve() not in own]
    if name in (*sys.stdlib_module_names, PROJECT) or PathFinder.find_spec(name, elsewhere) is not None:
        raise ConfigError(f"new {name}: a module of that name is there already; take another name.")


def _template(name: str) -> Template:
    return Template((SKELETONS / f"{name}.txt").read_text(encoding="utf-8"))
