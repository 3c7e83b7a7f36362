"""Write the type stubs of compiled modules that a user's policies derive from, and of what these are given.

The types are those of the `.pxd` beside each module, so that mypy and editors know them: `python tests/stubs.py` writes
the `.pyi`, and a test holds them against what it would write.
"""

import ast
import re
from pathlib import Path

PROJECT = Path(__file__).parents[1]
MODULES = (
    "buffer.entry",
    "buffer.replacement",
    "flash.bus",
    "flash.die",
    "flash.scheduler.policy",
    "flash.transaction",
    "ftl.backup.base",
    "ftl.frontier.interface",
    "ftl.frontier.separation",
    "ftl.hotness",
    "ftl.page_type.interface",
    "ftl.plane_allocation.interface",
    "ftl.reclaim.victims",
    "host.arbitration",
    "host.request",
    "host.stream",
)
PLAIN = {"bint": "bool", "double": "float", "float": "float", "str": "str", "bytes": "bytes", "dict": "dict[Any, Any]"}
PLAIN |= {"list": "list[Any]", "tuple": "tuple[Any, ...]", "set": "set[Any]", "object": "Any", "void": "None"}
PLAIN |= dict.fromkeys(("int", "long", "Py_ssize_t", "size_t", "char", "short"), "int")
"""What C's and Python's types are in a stub; integers of fixed width are `int`, too."""

FIELD = re.compile(r"cdef (?:public|readonly) ([^()]+)$")
METHOD = re.compile(r"cpdef (?:inline )?(.*?)(\w+)\((.*)\)")
IMPORT = re.compile(r"from (ssdsim[\w.]*) cimport (.+)$")


def typed(name: str, known: set[str]) -> str:
    """Return what type `name` of a `.pxd` is in a stub."""
    if re.fullmatch(r"u?int\d+_t|unsigned .*", name):
        return "int"
    return PLAIN.get(name) or (name if name in known else "Any")


def declared(pxd: str) -> tuple[dict[str, str], dict[str, dict[str, str]], dict[str, dict[str, tuple[str, list[str]]]]]:
    """Return the modules of imported names, and by class the types of its fields, and those of its methods."""
    imports: dict[str, str] = {}
    fields: dict[str, dict[str, str]] = {}
    methods: dict[str, dict[str, tuple[str, list[str]]]] = {}
    current = ""
    for line in (each.partition("#")[0].strip() for each in pxd.splitlines()):
        if found := IMPORT.match(line):
            imports |= {name.strip(): found[1] for name in found[2].strip("()").split(",")}
        elif found := re.match(r"cdef class (\w+)", line):
            current = found[1]
            fields[current], methods[current] = {}, {}
        elif (found := FIELD.match(line)) and current:
            kind, _, names = found[1].strip().partition(" ")
            if kind == "unsigned":
                names = names.partition(" ")[2]
            fields[current] |= {name.strip(): kind for name in names.split(",")}
        elif (found := METHOD.match(line)) and current:
            arguments = [each.strip().rpartition(" ")[0] for each in found[3].split(",")[1:]]
            methods[current][found[2]] = (found[1].strip(), arguments)
    return imports, fields, methods


def stub(module: str) -> str:
    """Return the stub of a module below `ssdsim`."""
    path = PROJECT / "ssdsim" / Path(*module.split(".")).with_suffix(".py")
    imports, fields, methods = declared(path.with_suffix(".pxd").read_text(encoding="utf-8"))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines: list[str] = []
    inherited: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            known = {*imports, *fields}
            lines += [*_class(node, fields.get(node.name, {}), methods.get(node.name, {}), known, inherited), ""]
            inherited |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - {"__init__"}
        elif isinstance(node, ast.FunctionDef):
            lines += [f"def {node.name}({', '.join(_untyped(node))}) -> Any: ...", ""]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lines += [f"{node.targets[0].id}: Any", ""]
        elif isinstance(node, ast.AnnAssign):
            lines += [f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}", ""]
    text = "\n".join(lines)
    used = {name: home for name, home in imports.items() if re.search(rf"\b{name}\b", text)}
    head = ["from typing import Any, ClassVar", ""] + [f"from {home} import {name}" for name, home in used.items()]
    return "\n".join([*head, "", text])


def _class(
    node: ast.ClassDef,
    fields: dict[str, str],
    methods: dict[str, tuple[str, list[str]]],
    known: set[str],
    inherited: set[str],
) -> list[str]:
    """Return the lines of a class; of methods that another one of the module has, too, those that the `.pxd` names."""
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = [f"class {node.name}{bases}:"]
    unset = {name for name in fields if re.search(rf"self\.{name} = None\b", ast.unparse(node))}
    for name, kind in fields.items():
        lines.append(f"    {name}: {typed(kind, known)}{' | None' * (name in unset and kind in known)}")
    for each in node.body:
        if isinstance(each, ast.Assign):
            lines += [f"    {ast.unparse(name)}: ClassVar[Any]" for name in each.targets]
        elif isinstance(each, ast.AnnAssign):
            lines.append(f"    {ast.unparse(each.target)}: ClassVar[Any]")
        elif isinstance(each, ast.FunctionDef) and (each.name in methods or each.name not in inherited):
            lines += _method(each, *methods.get(each.name, ("", [])), known)
    return lines if len(lines) > 1 else [f"{lines[0]} ..."]


def _method(node: ast.FunctionDef, result: str, kinds: list[str], known: set[str]) -> list[str]:
    names = _untyped(node)
    arguments = [names[0]]
    for name, kind in zip(names[1:], [*kinds, *[""] * len(names)], strict=False):
        plain, equals, _ = name.partition("=")
        arguments.append(f"{plain}: {typed(kind, known)}{' = ...' if equals else ''}")
    returned = "None" if node.name == "__init__" else typed(result, known)
    if returned in known and "None" in (ast.get_docstring(node) or ""):
        returned += " | None"
    decorators = [f"    @{ast.unparse(each)}" for each in node.decorator_list if ast.unparse(each) == "property"]
    return [*decorators, f"    def {node.name}({', '.join(arguments)}) -> {returned}: ..."]


def _untyped(node: ast.FunctionDef) -> list[str]:
    names = [each.arg for each in node.args.args]
    first = len(names) - len(node.args.defaults)
    return [name if place < first else f"{name}=..." for place, name in enumerate(names)]


if __name__ == "__main__":
    for each in MODULES:
        place = PROJECT / "ssdsim" / Path(*each.split(".")).with_suffix(".pyi")
        place.write_text(stub(each), encoding="utf-8")
