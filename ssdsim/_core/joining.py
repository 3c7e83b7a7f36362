"""Join compiled sources, for Cython, into those of a few extension modules, their homes (`ssdsim._core.homes`).

A joined source has its members behind one another, each line of one as far behind the line before as it was, so that
the C which Cython makes of it can be told where they stand.
"""

import re
from bisect import bisect_left
from pathlib import Path

from ssdsim._core.declarations import DIRECTIVES, Copy, Module, Package

HEAD = [DIRECTIVES, "from __future__ import annotations; import cython"]
"""The lines before those of the first member."""


def write(package: Package, target: Path) -> None:
    """Write joined sources, and all declarations, to the folder `target` where they have changed."""
    for home, members in homes(package).items():
        check_names(package, home, members)
        file = target.joinpath(*home.split("."))
        update(file.with_suffix(".py"), joined(package, members))
        update(file.with_suffix(".pxd"), package.declarations(*members))
        for folder in (file.parent, file.parent.parent):
            update(folder / "__init__.py", "")
    cimports = re.compile(r"(?<=^from )ssdsim[\w.]+(?= cimport)", re.M)
    for path in package.root.glob("_core/*.p[xy][xd]"):
        text = path.read_text(encoding="utf-8")
        update(target / path, cimports.sub(lambda match: package.place(match[0]), text))


def homes(package: Package) -> dict[str, list[Module]]:
    """Return the sources of each home, each behind those that it imports from."""
    found: dict[str, list[Module]] = {}

    def add(name: str) -> None:
        home, module = package.home(name), package.modules.get(name)
        if home is None or module is None or module in found.setdefault(home, []):
            return
        for place, _ in module.imports.values():
            if place != name and package.home(place) == home:
                add(place)
        found[home].append(module)

    for name in package.modules:
        add(name)
    return found


def check_names(package: Package, home: str, members: list[Module]) -> None:
    """Refuse members of a home that have different things of one name at their top."""
    owners: dict[str, set[tuple[str, str]]] = {}
    for member in members:
        for name, (place, own) in member.names().items():
            while place in package.modules and own in package.modules[place].imports:
                place, own = package.modules[place].imports[own]
            owners.setdefault(name, set()).add((place, own))
    for places in owners.values():
        if len(places) > 1:
            told = " and ".join(sorted(f"{place}.{own}" for place, own in places))
            raise SystemExit(f"{home}: {told} stand in one extension module; give one of them another name.")


def joined(package: Package, members: list[Module]) -> str:
    """Return the copies of `members` as one source."""
    copies = [Copy(package, member) for member in members]
    lines = [line for copy in copies for line in copy.text().split("\n")]
    again = dict.fromkeys(line for copy in copies for line in copy.again)
    return "\n".join([*HEAD, *lines, *again, ""])


def relocated(file: Path, home: str, members: list[Module]) -> None:
    """Write the members of a joined source into the C that Cython made of it, as places of errors and homes of classes.

    That C has a table of the names of files, places of errors as numbers of a file and a line, and names of types.
    """
    text = file.read_text(encoding="utf-8")
    table = re.search(r"__pyx_f\[\] = {\n((?:  .*\n)*)", text)
    own = [f'  "{member.path.as_posix()}",\n' for member in members]
    if table is None or own[0] in table[1]:
        return
    first, line, starts = table[1].count("\n"), len(HEAD), list[int]()
    for member in members:
        starts.append(line)
        line += len(member.text.encode().splitlines())

    def placed(match: re.Match[str]) -> str:
        number = bisect_left(starts, int(match[2])) - 1
        return f"{match[1]}({first + number}, {int(match[2]) - starts[number]}"

    text = text[: table.end()] + "".join(own) + text[table.end() :]
    text = re.sub(r"(__PYX_(?:MARK_ERR_POS|ERR))\(0, (\d+)", placed, text)
    owners = {name: member.name for member in members for name in member.classes}
    named = rf'"{re.escape(home)}\.""(\w+)", /\*tp_name\*/'
    text = re.sub(named, lambda match: f'"{owners.get(match[1], home)}.""{match[1]}", /*tp_name*/', text)
    file.write_text(text, encoding="utf-8")


def update(path: Path, text: str) -> None:
    """Write a file, unless it has that text already: its time says when it changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
