"""Make the stubs of `_core/*.pyx`, from which mypy and editors know their types, of the types in these sources.

A type in C stands for that of Python. Where there is none, a `def` has annotations, which Cython leaves alone
(`annotation_typing` in setup.py), or else takes anything and returns None. In annotations `Any`, `np`, `npt` and the
names of `collections.abc` need no import. What begins with one underscore is private.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from Cython.Compiler import ExprNodes, Nodes
from Cython.Compiler.Main import Context
from Cython.Compiler.Options import CompilationOptions, default_options
from Cython.Compiler.Scanning import FileSourceDescriptor

HEAD = """\
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
"""
TYPES = {"object": "Any", "bint": "bool", "double": "float", "void": "None", "Py_ssize_t": "int"}
"""Types of Python by their names in C; others, but for `int64_t` and the like, have the same name."""


OF_SIMPY = ("Environment", "Event", "Process", "Timeout")
"""Classes that do what those of SimPy do, which they are to a type checker: its users' processes yield them."""


def stub(source: Path) -> str:
    """Return the stub of a `.pyx`, beside which there may be a `.pxd`."""
    declared = source.with_suffix(".pxd")
    found = [*(parsed(declared) if declared.exists() else ()), *parsed(source)]
    classes = [each for each in found if isinstance(each, Nodes.CClassDefNode)]
    fields = {each.class_name: statements(each.body) for each in classes if each.in_pxd}
    text = "\n".join(line for each in found for line in declarations(each, fields))
    cimports = [each for each in found if isinstance(each, Nodes.FromCImportStatNode)]
    places = {name: each.module_name for each in cimports for _, name, _ in each.imported_names}
    used = [f"from {place} import {name}" for name, place in places.items() if re.search(rf"\b{name}\b", text)]
    return "\n".join([HEAD, *used, text, ""])


def parsed(path: Path) -> list[Nodes.StatNode]:
    """Return the statements of a `.pyx` or `.pxd`."""
    context = Context.from_options(CompilationOptions(default_options, language_level=3))
    scope = context.find_module(path.stem, need_pxd=False)
    tree = context.parse(FileSourceDescriptor(str(path)), scope, path.suffix == ".pxd", path.stem)
    return statements(tree.body)


def statements(body: Nodes.StatNode) -> list[Nodes.StatNode]:
    """Return the statements of a module or a class, one after the other."""
    return [inner for each in body.stats for inner in statements(each)] if hasattr(body, "stats") else [body]


def declarations(node: Nodes.StatNode, fields: dict[str, list[Nodes.StatNode]]) -> Iterator[str]:
    """Yield the lines of a stub that declare what a statement of a module or a class does."""
    match node:
        case Nodes.FromImportStatNode():
            place = node.module.module_name.value
            yield from (f"from {place} import {name} as {target.name}" for name, target in node.items)
        case Nodes.CEnumDefNode(create_wrapper=True):
            yield from (f"{item.name}: int" for item in node.items)
        case Nodes.SingleAssignmentNode(lhs=ExprNodes.NameNode(), rhs=value):
            if not isinstance(value, ExprNodes.ImportNode):
                yield line_of(node)
        case Nodes.CVarDefNode(visibility="public" | "readonly", base_type=kind, declarators=names):
            public = [each.name for each in names if not each.name.startswith("_")]
            if node.visibility == "public":
                yield from (f"{name}: {python_type(kind)}" for name in public)
            else:
                yield from (f"@property\ndef {name}(self) -> {python_type(kind)}: ..." for name in public)
        case Nodes.CFuncDefNode(overridable=True, base_type=kind, declarator=declarator):
            returned = python_type(kind) if kind.name else "None"
            yield signature(declarator.declared_name(), declarator.args, returned)
        case Nodes.DefNode(name=name) if not re.match("_(?!_(init|and|or)__)", name):
            yield from (line_of(decorator) for decorator in node.decorators or ())
            yield signature(name, node.args, annotation(node.return_type_annotation) or "None")
        case Nodes.DefNode(name="__cinit__", args=[_, _, *_]):
            yield signature("__init__", node.args, "None")
        case Nodes.CClassDefNode(in_pxd=False, class_name=name) if name in OF_SIMPY:
            yield f"from simpy import {name} as {name}"
        case Nodes.CClassDefNode(in_pxd=False, class_name=name):
            yield f"class {name}({', '.join(base.name for base in node.bases.args)}):"
            for each in [*fields.get(name, ()), *statements(node.body)]:
                yield from (indent(lines, "    ") for lines in declarations(each, {}))
            yield "    ..."


def signature(name: str, arguments: list[Nodes.CArgDeclNode], returned: str) -> str:
    """Return the line that declares a function or a method."""
    return f"def {name}({', '.join(map(parameter, arguments))}) -> {returned}: ..."


def parameter(argument: Nodes.CArgDeclNode) -> str:
    """Return the declaration of an argument; of one without a type in a `cpdef`, that is parsed as its name."""
    typed = argument.base_type.name and argument.declarator.declared_name()
    name = argument.declarator.declared_name() or argument.base_type.name
    if name == "self":
        return name
    kind = python_type(argument.base_type) if typed else annotation(argument.annotation) or "Any"
    if typed and isinstance(argument.default, ExprNodes.NoneNode):
        kind += " | None"
    return f"{name}: {kind}{' = ...' * bool(argument.default)}"


def python_type(kind: Nodes.CBaseTypeNode) -> str:
    """Return the type in Python for one in C."""
    if isinstance(kind, Nodes.MemoryViewSliceTypeNode):
        return "Any"  # whatever has such memory: an array of NumPy's or of Python's
    return "int" if re.fullmatch(r"u?int\d+_t", kind.name) else TYPES.get(kind.name, kind.name)


def annotation(node: ExprNodes.AnnotationNode | None) -> str:
    """Return the text of an annotation, or nothing."""
    return str(node.string.value) if node else ""


def line_of(node: Nodes.Node) -> str:
    """Return the line of the source on which a statement or a decorator stands."""
    file, line, _ = node.pos
    return file.get_lines()[line - 1].strip()
