"""Make Cython's declarations of the compiled modules from the types in their source.

A module outside `_core` is compiled if its first line begins with `# cython:`. It is plain typed Python, which runs as
it is. The build writes a copy of the package with a `.pxd` beside each such module, in which

- `int`, `bool` and `float` are C's `int64_t`, `bint` and `double`, a column (`ssdsim._core.columns`) is a view of
  memory, and a class of a compiled module is an extension type, with or without `| None`; all else is an object;
- a field is one that is annotated in the body of its class, or set in `__init__` to a value whose type can be seen; one
  whose name begins with an underscore is not to be had from Python;
- a method or function whose parameters are all annotated can be called from C and from Python, with
  `@cython.cfunc` from C alone; what an overridden method declares is not repeated;
- a constant is an int whose type is `Final`.
"""

import ast
import re
from pathlib import Path

MARK = "# cython:"
NUMBERS = {"int": "int64_t", "bool": "bint", "float": "double"}
COLUMNS = {
    "Int64s": "int64_t[::1]",
    "Int32s": "int32_t[::1]",
    "Int8s": "signed char[::1]",
    "Uint16s": "uint16_t[::1]",
    "Doubles": "double[::1]",
}
COLUMNS |= {"FrozenInt64s": "const int64_t[::1]", "FrozenBytes": "const unsigned char[::1]"}
CONTAINERS = {name: name for name in ("str", "bytes", "list", "dict", "set", "tuple")}
MAKERS = {name.lower(): name for name in COLUMNS}
FAILED = {"int64_t": "except? -2147483647", "double": "except? -2147483647", "bint": "except -1"}
"""What a function returns, by type, that has raised an error or, of a number, may have: a value that is hardly used."""


class Module:
    """One compiled module: its source, and where the names come from that it imports."""

    def __init__(self, name: str, path: Path):
        self.name = name
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.compiled = self.text.startswith(MARK)
        self.imports: dict[str, tuple[str, str]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, int] = {}
        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.ImportFrom) and statement.module:
                self.imports |= {
                    alias.asname or alias.name: (statement.module, alias.name) for alias in statement.names
                }
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = statement
            elif isinstance(statement, ast.FunctionDef) and is_declared(statement):
                self.functions[statement.name] = statement
            elif is_constant(statement):
                self.constants[statement.target.id] = statement.value.value


def is_constant(statement: ast.stmt) -> bool:
    """Return whether a statement is of the form `NAME: Final = 1`."""
    match statement:
        case ast.AnnAssign(target=ast.Name(), annotation=ast.Name(id="Final"), value=ast.Constant(value=int())):
            return True
    return False


def has_decorator(definition: ast.ClassDef | ast.FunctionDef, name: str) -> bool:
    """Return whether `definition` has the decorator `name`."""
    return any(ast.unparse(decorator) == name for decorator in definition.decorator_list)


def is_declared(function: ast.FunctionDef) -> bool:
    """Return whether C can call `function`: Cython has no closures, generators or lists of arguments there."""
    arguments = function.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs)
    typed = function.returns is not None and all(each.annotation or each.arg == "self" for each in arguments.args)
    own = all(ast.unparse(each) == "cython.cfunc" for each in function.decorator_list)
    closures = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.GeneratorExp, ast.FunctionDef)
    inner = any(isinstance(node, closures) for statement in function.body for node in ast.walk(statement))
    return plain and typed and own and not inner and not function.name.startswith("__")


class Package:
    """All modules of a package, and what those that are compiled declare."""

    def __init__(self, root: Path):
        self.root = root
        self.modules = {}
        self.handwritten = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = Module(name, path)
        for path in sorted(root.rglob("*.pxd")):
            name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
            self.handwritten[name] = path.read_text(encoding="utf-8")

    def origin(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module that declares to C what is called `name` in `module`, and its name there, or None."""
        if module in self.handwritten:
            found = re.search(rf"^(cdef|cpdef) [^#\n]*\b{name}\b|^    {name}( = \d+)?$", self.handwritten[module], re.M)
            return (module, name) if found else None
        source = self.modules.get(module)
        if source is None:
            return None
        if source.compiled and (name in source.classes or name in source.functions or name in source.constants):
            return module, name
        return self.origin(*source.imports[name]) if name in source.imports else None

    def bases(self, module: str, name: str) -> list[tuple[str, str]]:
        """Return the bases of a compiled class that are compiled, nearest first, each as its module and name."""
        if module in self.handwritten:
            found = re.search(rf"^cdef class {name}\((\w+)\)", self.handwritten[module], re.M)
            names = [found[1]] if found else []
        else:
            names = [base.id for base in self.modules[module].classes[name].bases if isinstance(base, ast.Name)]
        found = [self.origin(module, base) for base in names]
        return [each for base in found if base for each in (base, *self.bases(*base))]

    def inherits(self, module: str, name: str, member: str) -> bool:
        """Return whether a base of class `name` declares `member`, a field or a method."""
        for base_module, base in self.bases(module, name):
            if base_module in self.handwritten:
                body = re.search(rf"^cdef class {base}\b.*\n((?:    .*\n|\n)*)", self.handwritten[base_module], re.M)
                if body and re.search(rf"\b{member}\b", re.sub("#.*", "", body[1])):
                    return True
            else:
                source = self.modules[base_module]
                members = {
                    each.name
                    for each in source.classes[base].body
                    if isinstance(each, ast.FunctionDef) and is_declared(each)
                }
                if member in members | self.fields(source, source.classes[base]).keys():
                    return True
        return False

    def c_type(self, module: Module, annotation: ast.expr | None) -> str:
        """Return what a type that is annotated in `module` is in C."""
        match annotation:
            case ast.BinOp(left, ast.BitOr(), right):
                kinds = [side for side in (left, right) if not (isinstance(side, ast.Constant) and side.value is None)]
                kind = self.c_type(module, kinds[0]) if len(kinds) == 1 else "object"
                return "object" if kind in NUMBERS.values() else kind
            case ast.Subscript(value):
                return self.c_type(module, value)
            case ast.Constant(value=str(quoted)):
                return self.c_type(module, ast.parse(quoted, mode="eval").body)
            case ast.Name(name):
                known = NUMBERS | COLUMNS | CONTAINERS
                if name in known:
                    return known[name]
                if name in module.classes or self.origin(module.name, name):
                    return name
        return "object"

    def fields(self, module: Module, definition: ast.ClassDef) -> dict[str, str]:
        """Return the type in C of each field of a class, those of its bases aside."""
        kept = definition.__dict__.get("c_fields")
        if kept is not None:
            return kept
        fields = {}
        for statement in definition.body:
            if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.annotation).startswith("ClassVar"):
                fields[statement.target.id] = self.c_type(module, statement.annotation)
        start = next((each for each in definition.body if getattr(each, "name", "") == "__init__"), None)
        parameters = {each.arg: each.annotation for each in start.args.args} if start else {}
        for statement in ast.walk(start) if start else ():
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            for target in targets if isinstance(statement, (ast.Assign, ast.AnnAssign)) else ():
                match target:
                    case ast.Attribute(ast.Name("self"), name):
                        if name in fields or self.inherits(module.name, definition.name, name):
                            continue
                        if isinstance(statement, ast.AnnAssign):
                            fields[name] = self.c_type(module, statement.annotation)
                        else:
                            fields[name] = self.type_of(module, statement.value, parameters)
                        if not fields[name]:
                            raise SystemExit(f"{module.path}:{statement.lineno}: `{name}` has no type: annotate it")
        definition.c_fields = fields
        return fields

    def type_of(self, module: Module, value: ast.expr, parameters: dict[str, ast.expr | None]) -> str:
        """Return the type in C of a value, or an empty string where it cannot be seen."""
        match value:
            case ast.Constant(value=bool()):
                return "bint"
            case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
                return "int64_t"
            case ast.Constant(value=float()):
                return "double"
            case ast.Name(name) if parameters.get(name) is not None:
                return self.c_type(module, parameters[name])
            case ast.Call(ast.Name(name)):
                kind = self.c_type(module, ast.Name(MAKERS.get(name, name)))
                return (
                    "int64_t" if name in ("len", "int") else kind if kind not in ("object", *NUMBERS.values()) else ""
                )
        return ""

    def signature(self, module: Module, function: ast.FunctionDef, of_class: bool) -> str:
        """Return the declaration of a method or function."""
        inner = has_decorator(function, "cython.cfunc")
        returned = self.c_type(module, function.returns)
        nothing = isinstance(function.returns, ast.Constant) and function.returns.value is None
        failed = FAILED.get(returned, "")
        if nothing and inner:
            returned, failed = "int", "except -1"
        defaults = len(function.args.args) - len(function.args.defaults)
        arguments = [
            "self"
            if of_class and not number
            else f"{self.c_type(module, each.annotation)} {each.arg}{'=*' * (number >= defaults)}"
            for number, each in enumerate(function.args.args)
        ]
        kind = "" if returned == "object" else returned + " "
        return f"{'cdef' if inner else 'cpdef'} {kind}{function.name}({', '.join(arguments)}) {failed}".rstrip()

    def declarations(self, module: Module) -> str:
        """Return the `.pxd` of a compiled module."""
        lines = []
        if module.constants:
            lines += ["cpdef enum:", *(f"    {name} = {value}" for name, value in module.constants.items()), ""]
        for definition in module.classes.values():
            known = [
                base.id for base in definition.bases if isinstance(base, ast.Name) and self.origin(module.name, base.id)
            ]
            lines += ["@cython.final"] * has_decorator(definition, "final")
            lines += [f"cdef class {definition.name}{f'({known[0]})' if known else ''}:"]
            body = [
                f"    cdef {'' if name.startswith('_') else 'public '}{kind} {name}"
                for name, kind in self.fields(module, definition).items()
            ]
            body += [
                f"    {self.signature(module, each, True)}"
                for each in definition.body
                if isinstance(each, ast.FunctionDef)
                and is_declared(each)
                and not self.inherits(module.name, definition.name, each.name)
            ]
            lines += [*(body or ["    pass"]), ""]
        lines += [self.signature(module, function, False) for function in module.functions.values()]
        text = "\n".join(lines) + "\n"
        wanted: dict[str, list[str]] = {}
        for name in module.imports:
            origin = self.origin(module.name, name)
            if origin and re.search(rf"\b{name}\b", text):
                wanted.setdefault(origin[0], []).append(name)
        heads = [f"from {place} cimport {', '.join(sorted(names))}" for place, names in sorted(wanted.items())]
        return "\n".join(["cimport cython", "from libc.stdint cimport int32_t, int64_t, uint16_t", *heads, "", text])

    def source(self, module: Module) -> str:
        """Return the source of a compiled module as Cython takes it: types in C, imports as cimports; lines stay."""
        lines = module.text.encode().splitlines()
        edits: list[tuple[int, int, int, str]] = []

        def blank(node: ast.AST, text: str = "") -> None:
            for line in range(node.lineno, node.end_lineno + 1):
                start = node.col_offset if line == node.lineno else 0
                end = node.end_col_offset if line == node.end_lineno else len(lines[line - 1])
                edits.append((line, start, end, text if line == node.lineno else ""))

        def drop(node: ast.FunctionDef | ast.ClassDef) -> None:
            """Blank the decorators, which are in the `.pxd`."""
            for line in range(node.decorator_list[0].lineno, node.lineno):
                edits.append((line, 0, len(lines[line - 1]), ""))

        def after(line: int, start: int, node: ast.expr) -> None:
            edits.append((line, start, node.end_col_offset, ""))
            if node.end_lineno != line:
                raise SystemExit(f"{module.path}:{line}: an annotation ends on another line")

        unseen = {
            inner
            for node in module.tree.body
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
            if inner is not node
        }
        for node in ast.walk(module.tree):
            match node:
                case _ if node in unseen:
                    continue
                case ast.ImportFrom(module=str(place)) if place.startswith("ssdsim"):
                    parts = []
                    for alias in node.names:
                        name = alias.asname or alias.name
                        origin = self.origin(place, alias.name)
                        where = f"cython.cimports.{origin[0]}" if origin else place
                        parts.append(f"from {where} import {alias.name}" + (f" as {name}" if alias.asname else ""))
                    blank(node, "; ".join(parts))
                case ast.If(test=ast.Name("TYPE_CHECKING")):
                    blank(node, "pass")
                case ast.FunctionDef():
                    for argument in node.args.args:
                        if argument.annotation:
                            after(
                                argument.lineno, argument.col_offset + len(argument.arg.encode()), argument.annotation
                            )
                    if node.returns:
                        line = lines[node.returns.lineno - 1]
                        after(node.returns.lineno, line.rindex(b")", 0, node.returns.col_offset) + 1, node.returns)
                    if has_decorator(node, "cython.cfunc"):
                        drop(node)
                        for inner in ast.walk(node):
                            if (
                                isinstance(inner, ast.Return)
                                and inner.value is None
                                and ast.unparse(node.returns) == "None"
                            ):
                                blank(inner, "return 0")
                    for inner in ast.walk(node):
                        match inner:
                            case ast.AnnAssign(target=ast.Name()):
                                blank(inner.annotation, self.c_type(module, inner.annotation))
                            case ast.AnnAssign(target=ast.Attribute() as target):
                                after(inner.lineno, target.end_col_offset, inner.annotation)
                case ast.ClassDef():
                    if has_decorator(node, "final"):
                        drop(node)
                    for statement in node.body:
                        if isinstance(statement, ast.AnnAssign) and statement.value is None:
                            blank(statement, "pass")
                        elif isinstance(statement, ast.AnnAssign):
                            after(statement.lineno, statement.target.end_col_offset, statement.annotation)
        for statement in module.tree.body:
            if is_constant(statement):
                blank(statement)
            elif isinstance(statement, ast.AnnAssign):
                after(statement.lineno, statement.target.end_col_offset, statement.annotation)
        for line, start, end, text in sorted(set(edits), reverse=True):
            lines[line - 1] = lines[line - 1][:start] + text.encode() + lines[line - 1][end:]
        return b"\n".join(lines).decode() + "\n"

    def sources(self) -> list[Path]:
        """Return the sources that are to be compiled."""
        typed = [module.path for module in self.modules.values() if module.compiled]
        return [*typed, *self.root.glob("_core/*.pyx")]

    def write(self, target: Path) -> None:
        """Write what Cython is to compile to the folder `target`, where that has changed."""
        for module in self.modules.values():
            if module.compiled:
                update(target / module.path, self.source(module))
                update(target / module.path.with_suffix(".pxd"), self.declarations(module))
            elif module.path.name == "__init__.py":
                update(target / module.path, "")
        for path in self.root.glob("_core/*.p[xy][xd]"):
            update(target / path, path.read_text(encoding="utf-8"))


def update(path: Path, text: str) -> None:
    """Write a file whose text is to be `text`, unless it is that already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
