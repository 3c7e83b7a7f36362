"""Names that pages and README give in inline code, held against what is declared.

Checked are `key=value` and `group=choice`, the values in a table whose first column is a key, dotted names of keys, of
fields of the results and of Python, `Class.method`, names_with_underscores, `--options`, `python -m module`, and paths.
Plain words are not: they may be anything.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from attrs import frozen
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ssdsim.command.cli import VERBS
from ssdsim.command.compose import SETTINGS, choices, groups
from ssdsim.command.help import FILES
from ssdsim.config.keys import Key, keys
from ssdsim.config.registry import AXES
from ssdsim.errors import ConfigError

PROJECT = Path(__file__).parents[1]
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs" / "pages").rglob("*.md"))]

RESULTS = {
    "comparison.parquet",
    "config.yaml",
    "overview.png",
    "manifest.json",
    "status.json",
    "report.html",
    "report.md",
    "results.parquet",
    "timeline.json",
}
"""Files that a command writes, beside those whose fields are declared."""

OF_OTHERS = {
    *("key=value", "module.Class", "streams.py", "mine.Log", "mine/hardware/wide.yaml", "hardware=wide"),
    *("hm_0", "prn_0", "proj_0", "mqsim_ns", "ssdsim_ns", "TWO_PLANES.md"),
    *("pip", "cython", ".", "from", "build_ext", "--inplace", "settings.default.max_examples", "sys.path"),
}
"""Names of the reader's own, of traces and of other programs; a command of another program by its first word."""

ASSIGNMENT = re.compile(r"[+~]*(?P<name>[a-z][\w./@]*)=(?P<value>.*)", re.DOTALL)
DOTTED = re.compile(r"[a-z_]\w*(\.[a-z_]\w*)+")
WORD = re.compile(r"(?:\[[^]]*\]|\{[^}]*\}|\([^)]*\)|\S)+")
METHOD = re.compile(r"[A-Z]\w*\.[a-z_]\w*")
SNAKE = re.compile(r"_*[a-z][a-z0-9]*(_[a-z0-9]+)+")
PATH = re.compile(r"[\w.*-]*/[\w./*-]*|\w+\.(py|pyx|pxd|md|json|yaml|parquet|png|html)")


@frozen
class Named:
    """A piece of inline code, by the line that its paragraph begins at; `key` is that whose value it is in a table."""

    line: int
    code: str
    key: str = ""


def wrong_names(text: str) -> list[str]:
    """Return line and name of each wrong name in the Markdown `text`, and what is wrong; a session must be open."""
    found = ((each, wrong(each)) for each in named(text))
    return [f"{each.line}: `{each.code}`: {said}" for each, said in found if said]


def named(text: str) -> Iterator[Named]:
    """Yield the inline code of a page."""
    line, column, key, in_head = 0, 0, "", False
    for token in MarkdownIt().enable("table").parse(text):
        line = token.map[0] + 1 if token.map else line
        if token.type == "table_open":
            key = ""
        elif token.type in ("thead_open", "thead_close"):
            in_head = token.type == "thead_open"
        elif token.type == "tr_open":
            column = 0
        elif token.type in ("th_open", "td_open"):
            column += 1
        elif token.type == "inline":
            codes = [each.content for each in _codes(token)]
            if in_head and column == 1:
                key = codes[0].rstrip("=") if codes and token.content.strip("`") == codes[0] else ""
            is_value = bool(key) and column == 1 and not in_head
            yield from (Named(line, code, key if is_value else "") for code in codes)
        elif token.type == "table_close":
            key = ""


def _codes(token: Token) -> list[Token]:
    return [each for each in token.children or () if each.type == "code_inline"]


def wrong(name: Named) -> str:
    """Return what is wrong with a name, nothing if it is right or no name of ours."""
    if name.key in _keys() or name.key in groups():
        return _assignment(name.key, name.code)
    words = WORD.findall(name.code)
    if words[0] in OF_OTHERS:
        return ""
    if words[0] == "ssdsim" and words[1:2] and words[1].isidentifier() and words[1] not in VERBS:
        return "no command is called so"
    if words[:2] == ["python", "-m"]:
        if said := _module(words[2]):
            return said
        words = words[3:]
    return next((said for each in words if (said := _word(each))), "")


def _word(word: str) -> str:
    if word in OF_OTHERS:
        return ""
    if match := ASSIGNMENT.fullmatch(word):
        return _assignment(match["name"], match["value"])
    if word.startswith("--"):
        return "" if word in _options() else "no command has this option"
    if word in groups():
        return ""
    if PATH.fullmatch(word):
        return "" if _is_file(word) else "there is no such file"
    name = re.sub(r"\(.*\)$", "", word).removeprefix("self.").lstrip(".")
    if name in _known():
        return ""
    if METHOD.fullmatch(name):
        return "" if name in _methods() else "no class has this method"
    if DOTTED.fullmatch(name):
        return "" if _is_dotted(name) else "no key, field or module is called so"
    if SNAKE.fullmatch(name):
        return "" if name in _identifiers() else "nothing is called so"
    return ""


def _assignment(name: str, value: str) -> str:
    name = re.sub(r"^workloads\.\w+(?=\.|$)", "workload", name.partition("@")[0])
    if name.startswith("hydra") or name in SETTINGS:
        return ""
    if name in groups():
        unknown = {*filter(None, value.split(","))} - {*choices(name)}
        return f"{name} has no preset {', '.join(unknown)}" if unknown else ""
    declared = _keys().get(name)
    if declared is None:
        return f"there is no key {name}"
    return _value(declared, value)


def _value(declared: list[Key], text: str) -> str:
    """Return what every declaration of a key says against a value, nothing if one takes it."""
    try:
        override = OverridesParser.create().parse_override(f"key={text}")
    except HydraException as error:
        return str(error).splitlines()[0]
    if override.is_sweep_override():
        return ""
    value, said = override.value(), ""
    for key in declared:
        try:
            if axis := AXES.get(key.name):
                axis.check(key.name, value)
            elif validate := key.declared.validator:
                convert = key.declared.converter or (lambda given: given)
                validate(object.__new__(key.owner), key.declared, convert(value))
        except ConfigError as error:
            said = str(error)
        else:
            return ""
    return said


def _module(name: str) -> str:
    if name in ("pytest", "mkdocs"):
        return ""
    path = PROJECT / name.removeprefix("ssdsim.").replace(".", "/")
    return "" if path.with_suffix(".py").is_file() or (path / "__main__.py").is_file() else "there is no such module"


def _is_file(name: str) -> bool:
    if name in FILES or Path(name).name in RESULTS or name.startswith("~") or name == "results/":
        return True
    return any(fnmatch(path, f"*/{name.rstrip('/')}") for path in _files())


def _is_dotted(name: str) -> bool:
    """Return whether a name is a key of Hydra's, an option of a policy, a module, or what a module of ours defines."""
    above, _, last = name.rpartition(".")
    path = PROJECT / name.removeprefix("ssdsim.").replace(".", "/")
    places = (path, path.with_suffix(".py"), PROJECT / "ssdsim" / path.relative_to(PROJECT))
    of_ours = above in _keys() or name.startswith("ssdsim.")
    return name.startswith("hydra.") or (of_ours and last in _identifiers()) or any(each.exists() for each in places)


@cache
def _keys() -> dict[str, list[Key]]:
    found: dict[str, list[Key]] = {}
    for key in keys():
        found.setdefault(key.name, []).append(key)
    return found


@cache
def _known() -> set[str]:
    """Return the keys and fields with their sections, and what their last parts are."""
    fields = {name for of in FILES.values() for field in of for name in field.spelled}
    names = {*_keys(), *SETTINGS, *fields}
    parts = [name.split(".") for name in names]
    return {".".join(each[:count]) for each in parts for count in range(1, len(each) + 1)} | {
        each[-1] for each in parts
    }


@cache
def _files() -> list[str]:
    top = (PROJECT / each for each in ("ssdsim", "experiments", "conf", "docs", "tests", "traces", ".ci"))
    found = [each for folder in top for each in (folder, *folder.rglob("*"))] + [
        *PROJECT.glob("*.*"),
        PROJECT / "build",
    ]
    return [f"/{each.relative_to(PROJECT).as_posix()}" for each in found]


@cache
def _source() -> dict[str, str]:
    paths = [
        path for at in ("ssdsim", "experiments") for path in (PROJECT / at).rglob("*.py*") if path.suffix != ".pyc"
    ]
    return {path.as_posix(): path.read_text(encoding="utf-8") for path in paths if path.suffix in (".py", ".pyx")}


@cache
def _options() -> set[str]:
    commands = [*_source().values(), *(path.read_text(encoding="utf-8") for path in (PROJECT / "tests").glob("*.py"))]
    return {name for text in commands for name in re.findall(r"[\"'\[ |](--[a-z-]+)", text)}


@cache
def _identifiers() -> set[str]:
    """Return what is defined: functions, classes, fields and parameters, values of keys, presets, modules.

    Old names, which are still answered, are none.
    """
    pattern = re.compile(r"(?:def|class)\s+(\w+)|^\s+(\w+): |[(,]\s*(\w+): |\bself\.(\w+)|\"(\w+)\"", re.MULTILINE)
    defined = {name for text in _source().values() for found in pattern.findall(text) for name in found if name}
    defined |= {name for axis in AXES.values() for name in axis.named}
    defined |= {Path(path).stem for path in _files()} | {each for group in groups() for each in choices(group)}
    return defined


@cache
def _methods() -> set[str]:
    found = set()
    for text in _source().values():
        for body in re.split(r"^(?=(?:cdef )?class )", text, flags=re.MULTILINE)[1:]:
            cls = re.match(r"(?:cdef )?class (\w+)", body)
            found |= {
                f"{cls[1]}.{name}" for name in re.findall(r"^    (?:cp?def|def)\s+(?:\w+ )?(\w+)\(", body, re.MULTILINE)
            }
    return found
