"""Make Cython's declarations of compiled modules from the types in their source.

A module is compiled if its first line begins with `# cython:`. It is plain typed Python, which runs as
it is. The build makes a copy of it for Cython (`ssdsim._core.joining`), and the declarations, a `.pxd`:

- `int`, `bool` and `float` are `int64_t`, `bint` and `double`, a column (`ssdsim._core.columns`) is a view of memory, a
  class of a compiled module is an extension type, with or without `| None`; anything else is an object.
- A field is annotated in the body of its class, or set in `__init__` to a value whose type can be seen. One whose name
  begins with an underscore cannot be had from Python.
- A method with types can be called from C and from Python; with `@cfunc` it can from C alone, as can a function. A
  method that overrides another has the types of that one.
- What returns nothing, and no class of Python's can override, is an `int` for C: Python's callers get 0.
- A constant is an int that is annotated as `Final`.
- `typing.cast` takes a value for one of a class without a look, in C as for mypy.
- Where the first line is `# cython: noexcept`, functions that raise nothing themselves are not asked whether they did.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from symtable import symtable

from ssdsim._core.homes import MARK, home_of

DIRECTIVES = "# cython: infer_types=True, annotation_typing=True"
NUMBERS = {"int": "int64_t", "bool": "cython.bint", "float": "cython.double"}
COLUMNS = {
    "Int64s": "int64_t[::1]",
    "Int32s": "int32_t[::1]",
    "Int8s": "signed char[::1]",
    "Uint64s": "uint64_t[::1]",
    "Uint32s": "uint32_t[::1]",
    "Uint16s": "uint16_t[::1]",
    "Uint8s": "unsigned char[::1]",
    "FrozenInt64s": "const int64_t[::1]",
    "FrozenBytes": "const unsigned char[::1]",
}
CONTAINERS = {name: name for name in ("str", "bytes", "list", "dict", "set", "tuple")}
FAILED = {"int64_t": "except? -2147483647", "cython.double": "except? -2147483647", "cython.bint": "except -1"}
"""Values that a function returns which has raised an error; numbers that are hardly used, as some are asked after."""
DECORATOR = re.compile(rb" *@(final|cfunc)")
NOT_IN_C = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.GeneratorExp, ast.FunctionDef)
"""Parts of a function that Cython leaves to Python."""


def is_constant(statement: ast.stmt) -> bool:
    """Return whether a statement is of the form `NAME: Final = 1`."""
    is_annotated = isinstance(statement, ast.AnnAssign)
    return is_annotated and re.fullmatch(r"\w+: Final = -?\d+", ast.unparse(statement)) is not None


def has_decorator(definition: ast.ClassDef | ast.FunctionDef, name: str) -> bool:
    """Return whether a class or function has a decorator."""
    return name in map(ast.unparse, definition.decorator_list)


def is_typed(function: ast.FunctionDef) -> bool:
    """Return whether C can call a function: all of its types are known, and Cython can do without Python's calls."""
    arguments = function.args
    others = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs
    typed = function.returns is not None and all(each.annotation or each.arg == "self" for each in arguments.args)
    decorated = {ast.unparse(each) for each in function.decorator_list} - {"cfunc"}
    left = any(isinstance(node, NOT_IN_C) for statement in function.body for node in ast.walk(statement))
    return typed and not (others or decorated or left or function.name.startswith("__"))


class Module:
    """One module: its source, and where the names come from that it imports."""

    def __init__(self, name: str, path: Path):
        self.name = name
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.compiled = self.text.startswith(MARK)
        self.trusted = self.text.startswith(f"{MARK} noexcept")
        self.imports: dict[str, tuple[str, str]] = {}
        self.classes = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}
        functions = [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]
        self.functions = {node.name: node for node in functions if is_typed(node) and has_decorator(node, "cfunc")}
        self.constants = {ast.unparse(node).partition(":")[0]: node for node in self.tree.body if is_constant(node)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imports |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Import):
                self.imports |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}

    def names(self) -> dict[str, tuple[str, str]]:
        """Return the names at the top of the module, each with the module that it is of and its name there."""
        symbols = symtable(self.text, str(self.path), "exec").get_symbols()
        names = [symbol.get_name() for symbol in symbols if symbol.is_assigned()]
        return {name: self.imports.get(name, (self.name, name)) for name in names}


class Package:
    """All modules of a package, and the declarations of those that are compiled."""

    def __init__(self, root: Path):
        self.root = root
        self.modules: dict[str, Module] = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = Module(name, path)
        self.handwritten = {
            ".".join(path.relative_to(root.parent).with_suffix("").parts): path.read_text(encoding="utf-8")
            for path in root.glob("_core/*.pxd")
        }

    def home(self, module: str) -> str | None:
        """Return the extension module that a compiled source is joined into, None where it is one by itself."""
        return home_of(module) if module in self.modules and self.modules[module].compiled else None

    def origin(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module that declares `name` of `module` to C, and the name there, or None if none does."""
        if module in self.handwritten:
            declared = rf"^c?p?def [^#\n]*\b{name}\b|^    (\w+, )*{name}\b[-=, \w]*(#.*)?$"
            return (module, name) if re.search(declared, self.handwritten[module], re.M) else None
        source = self.modules.get(module)
        if source is None:
            return None
        if source.compiled and any(name in those for those in (source.classes, source.functions, source.constants)):
            return module, name
        return self.origin(*source.imports[name]) if name in source.imports else None

    @cache  # noqa: B019
    def inherited(self, module: Module, definition: ast.ClassDef) -> set[str]:
        """Return the names of the fields and methods that the bases of a class declare to C."""
        names = [base.id for base in definition.bases if isinstance(base, ast.Name)]
        known = [origin for base in names if (origin := self.origin(module.name, base))]
        return {member for base in known for member in self.members(*base)}

    def members(self, module: str, name: str) -> set[str]:
        """Return the names of the fields and methods of a class; of a handwritten one at least those."""
        if module in self.handwritten:
            body = re.search(rf"^cdef class {name}\b.*\n((?:    .*\n|\n)*)", self.handwritten[module], re.M)
            return set(re.findall(r"\w+", re.sub("#.*", "", body[1]))) if body else set()
        source = self.modules[module]
        definition = source.classes[name]
        own = {each.name for each in typed_methods(definition)} | self.fields(source, definition).keys()
        return own | self.inherited(source, definition)

    def c_type(self, module: Module, annotation: ast.expr | None) -> str:
        """Return the type in C of an annotation in a module."""
        match annotation:
            case ast.BinOp(left, ast.BitOr(), ast.Constant(None)):
                kind = self.c_type(module, left)
                return "object" if kind in NUMBERS.values() else kind  # a number in C cannot be None
            case ast.Subscript(value):
                return self.c_type(module, value)
            case ast.Name(name):
                known = (NUMBERS | COLUMNS | CONTAINERS).get(name)
                return known or (name if name in module.classes or self.origin(module.name, name) else "object")
        return "object"

    @cache  # noqa: B019
    def fields(self, module: Module, definition: ast.ClassDef) -> dict[str, str]:
        """Return the type in C of each field of a class, but for those of its bases."""
        fields = {
            ast.unparse(node.target): self.c_type(module, node.annotation)
            for node in definition.body
            if isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("ClassVar")
        }
        start = next((node for node in definition.body if isinstance(node, ast.FunctionDef)), None)
        if start is None or start.name != "__init__":
            return fields
        parameters = {each.arg: each.annotation for each in start.args.args}
        for node in ast.walk(start):
            if isinstance(node, ast.Assign):
                kind, targets = self.type_of(module, node.value, parameters), node.targets
            elif isinstance(node, ast.AnnAssign):
                kind, targets = self.c_type(module, node.annotation), [node.target]
            else:
                continue
            for target in targets:
                match target:
                    case ast.Attribute(ast.Name("self"), name) if name not in fields:
                        if name in self.inherited(module, definition):
                            continue
                        if kind is None:
                            raise SystemExit(f"{module.path}:{node.lineno}: `{name}` has no type; annotate it.")
                        fields[name] = kind
        return fields

    def type_of(self, module: Module, value: ast.expr, parameters: dict[str, ast.expr | None]) -> str | None:
        """Return the type in C of a value, or None if it cannot be seen."""
        match value:
            case ast.Constant(value=bool()):
                return "cython.bint"
            case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
                return "int64_t"
            case ast.Constant(value=float()):
                return "cython.double"
            case ast.Name(name) if parameters.get(name):
                return self.c_type(module, parameters[name])
            case ast.Call(ast.Name("len" | "int")):
                return "int64_t"
            case ast.Call(ast.Name(name)) if name in module.classes or self.origin(module.name, name):
                return name
        return None

    @cache  # noqa: B019
    def without_result(self, module: Module) -> set[ast.FunctionDef]:
        """Return the functions of a module that return nothing, and an int to C: no class of Python overrides them."""
        functions = {*module.functions.values()}
        for definition in module.classes.values():
            sealed = has_decorator(definition, "final")
            functions |= {
                each
                for each in typed_methods(definition)
                if has_decorator(each, "cfunc") or (sealed and each.name not in self.inherited(module, definition))
            }
        return {each for each in functions if isinstance(each.returns, ast.Constant) and each.returns.value is None}

    def signature(self, module: Module, function: ast.FunctionDef) -> str:
        """Return the declaration of a method or function."""
        returned = self.c_type(module, function.returns)
        failed = FAILED.get(returned, "")
        if function in self.without_result(module):
            returned, failed = "int", "except -1"
        if failed and module.trusted and not any(isinstance(node, ast.Raise) for node in ast.walk(function)):
            failed = "noexcept"
        arguments = function.args.args
        required = len(arguments) - len(function.args.defaults)
        declared = [
            each.arg
            if each.arg == "self"
            else f"{self.c_type(module, each.annotation)} {each.arg}{'=*' * (at >= required)}"
            for at, each in enumerate(arguments)
        ]
        keyword = "cdef" if has_decorator(function, "cfunc") else "cpdef"
        head = f"{keyword} {'' if returned == 'object' else returned + ' '}{function.name}"
        return f"{head}({', '.join(declared)}) {failed}".rstrip()

    def declarations(self, *modules: Module) -> str:
        """Return the `.pxd` of compiled sources that are joined, in which a class may have any other as a field."""
        texts = [self.declared(module) for module in modules]
        own = {self.home(module.name) for module in modules} | {module.name for module in modules}
        places = {
            name: self.place(origin[0])
            for module, text in zip(modules, texts, strict=True)
            for name in sorted(module.imports)
            if re.search(rf"\b{name}\b", text) and (origin := self.origin(module.name, name))
        }
        integers = "from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t"
        heads = [DIRECTIVES, "cimport cython", integers]
        heads += [f"from {place} cimport {name}" for name, place in places.items() if place not in own]
        forward = [self.head(module, definition) for module in modules for definition in module.classes.values()]
        return "\n".join([*heads, "", *forward, "", *texts, ""])

    def place(self, module: str) -> str:
        """Return the extension module that has what a compiled source or a handwritten declaration declares."""
        return self.home(module) or module

    def head(self, module: Module, definition: ast.ClassDef) -> str:
        """Return the first line of the declaration of a class, which by itself says that there is one."""
        base = next((each.id for each in definition.bases if isinstance(each, ast.Name)), None)
        known = base and self.origin(module.name, base)
        return f"cdef class {definition.name}{f'({base})' * bool(known)}"

    def declared(self, module: Module) -> str:
        """Return the declarations of a compiled source."""
        lines = []
        if module.constants:
            values = [ast.unparse(node).replace(": Final", "") for node in module.constants.values()]
            lines += ["cpdef enum:", *(f"    {value}" for value in values), ""]
        for definition in module.classes.values():
            lines += [*self.class_declaration(module, definition), ""]
        return "\n".join([*lines, *(self.signature(module, each) for each in module.functions.values())])

    def class_declaration(self, module: Module, definition: ast.ClassDef) -> Iterator[str]:
        """Yield the lines that declare a class."""
        if has_decorator(definition, "final"):
            yield "@cython.final"
        yield f"{self.head(module, definition)}:"
        for name, kind in self.fields(module, definition).items():
            yield f"    cdef {'' if name.startswith('_') else 'public '}{kind} {name}"
        for function in typed_methods(definition):
            if function.name not in self.inherited(module, definition):
                yield f"    {self.signature(module, function)}"
        yield "    pass"


class Copy:
    """The source of a compiled module as Cython takes it: types in C, imports as cimports, every line where it was."""

    def __init__(self, package: Package, module: Module):
        self.package = package
        self.module = module
        self.lines = module.text.encode().splitlines()  # the positions of `ast` are in bytes
        self.edits: set[tuple[int, int, int, str]] = set()
        self.again: list[str] = []  # imports that Cython's search for what a source depends on would miss

    def text(self) -> str:
        """Return the copy; decorators go, for which the `.pxd` stands."""
        self.lines = [b"" if DECORATOR.fullmatch(line) else line for line in self.lines]
        for statement in self.module.tree.body:
            if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
                self.replace(statement, "")
            else:
                for node in ast.walk(statement):
                    self.edit(node)
            if is_constant(statement):
                self.replace(statement, "")
        for line, start, end, text in sorted(self.edits, reverse=True):
            whole = self.lines[line - 1]
            self.lines[line - 1] = whole[:start] + text.encode() + whole[end:]
        self.lines[0] = f"# {self.module.path.as_posix()}".encode()
        return b"\n".join(self.lines).decode()

    def edit(self, node: ast.AST) -> None:
        """Note the changes that a node needs."""
        match node:
            case ast.ImportFrom(module="__future__" | "ssdsim._core.calls"):
                self.replace(node, "pass")
            case ast.ImportFrom(module=str(place)) if place.startswith("ssdsim"):
                imports = [line for alias in node.names if (line := self.imported(place, alias))]
                self.replace(node, "; ".join(imports) or "pass")
                self.again += [line for line in imports[1:] if "cimports" in line]  # it looks at beginnings of lines
            case ast.Call(func=ast.Name("cast")) if self.module.imports.get("cast") == ("typing", "cast"):
                self.replace(node.func, "cython.cast")
            case ast.ClassDef():
                for field in node.body:
                    if isinstance(field, ast.AnnAssign):
                        value = f"{ast.unparse(field.target)} = {ast.unparse(field.value)}" if field.value else "pass"
                        self.replace(field, value)
            case ast.FunctionDef():
                for each in node.args.args:
                    self.replace(each, each.arg)
                if node.returns:
                    arrow = self.lines[node.returns.lineno - 1].rindex(b" ->", 0, node.returns.col_offset)
                    self.replace(node.returns, "", arrow)
                for inner in ast.walk(node):
                    match inner:
                        case ast.Return(value=None) if node in self.package.without_result(self.module):
                            self.replace(inner, "return 0")
                        case ast.AnnAssign(target=ast.Name()):
                            self.replace(inner.annotation, self.package.c_type(self.module, inner.annotation))
                        case ast.AnnAssign(target=ast.Attribute(end_col_offset=int(end))):
                            self.replace(inner.annotation, "", end)

    def imported(self, place: str, alias: ast.alias) -> str:
        """Return an import of one name, from C where that has it, and none where it is in the same extension module."""
        origin, home = self.package.origin(place, alias.name), self.package.home(self.module.name)
        if home and home in (self.package.home(place), origin and self.package.home(origin[0])):
            return f"{alias.asname} = {alias.name}" if alias.asname else ""
        where = f"cython.cimports.{self.package.place(origin[0])}" if origin else place
        return f"from {where} import {ast.unparse(alias)}"

    def replace(self, node: ast.stmt | ast.expr | ast.arg, text: str, start: int | None = None) -> None:
        """Put `text` on the first line of a node in place of it, and of all from `start` on; nothing on the others."""
        last = node.end_lineno or node.lineno
        for line in range(node.lineno, last + 1):
            first = 0 if line > node.lineno else node.col_offset if start is None else start
            end = node.end_col_offset if line == last else None
            self.edits.add((line, first, end or len(self.lines[line - 1]), text if line == node.lineno else ""))


def typed_methods(definition: ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the methods of a class that C can call."""
    return [node for node in definition.body if isinstance(node, ast.FunctionDef) and is_typed(node)]
