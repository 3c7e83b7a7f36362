"""Compositions that are kept: to compose an experiment takes Hydra longer than a short run does.

An entry is the experiment of a command line, or what Hydra composes of some presets for all command lines that choose
them, in values, no code. It holds for these words, these presets and this version of what composes them, all by their
content; otherwise, and where it cannot be read, the experiment is composed anew. It is checked as one that was
composed. Words of which something else is read than `conf/` have no entry.
"""

import hashlib
import os
import re
from ast import literal_eval
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from pickle import Unpickler, UnpicklingError
from typing import Any

from attrs import asdict, frozen

from ssdsim.config import SimulationConfig
from ssdsim.config.saved import made

from . import PROJECT
from .point import Point, check, located, own_classes

PLACES = 256
"""Entries at most: a later one takes the place of an earlier one."""

SOURCES = {"hydra": "__init__.py", "omegaconf": "version.py"}
"""The files that have the versions of the packages that compose."""

PACKAGES = ("hydra", "omegaconf", "ssdsim", "typing")
PLAIN = (
    *("_operator.getitem", "collections.defaultdict"),
    *("builtins.bool", "builtins.dict", "builtins.float", "builtins.int", "builtins.list", "builtins.str"),
)
"""What the values of a composition are made by, besides the classes of these packages."""

RESOLVER = re.compile(rb"\$\{(?!unless:)\w[\w.]*:")
"""What reads something else than keys: an environment variable, the time."""


@frozen
class Command:
    """The experiment that a command line asks for, the overrides that it is known by, and how results are left."""

    overrides: list[str]
    point: Point
    overwrite: bool = False
    plot: bool | None = None


def find(words: Sequence[str]) -> Command | None:
    """Return the kept command of these `words`, or None if there is none, or it is not fine now."""
    with suppress(Exception):  # whatever is wrong with an entry, to compose anew tells better
        key = _key(words)
        entry = literal_eval(_file("compositions", key).read_text(encoding="utf-8"))
        config = made(SimulationConfig, entry["config"], "")
        if entry["key"] == key and not any(own_classes(config)):
            experiment = located(config)
            check(experiment)
            point = Point(experiment, entry["folder"], config)
            return Command(entry["overrides"], point, entry["overwrite"], entry["plot"])
    return None


def keep(words: Sequence[str], command: Command) -> None:
    """Keep the `command` of these `words`, where something can be written."""
    point, key = command.point, _key(words)
    config = asdict(point.composed)
    if not key or any(own_classes(point.composed)) or made(SimulationConfig, config, "") != point.composed:
        return
    told = {"overrides": command.overrides, "overwrite": command.overwrite, "plot": command.plot}
    entry = {"key": key, **told, "folder": point.folder, "config": config}
    _write("compositions", key, repr(entry).encode())


def find_presets(words: Sequence[str]) -> bytes | None:
    """Return the kept composition, pickled, of the presets that these `words` choose, or None."""
    with suppress(Exception):
        key = _key(words)
        first, _, composition = _file("presets", key).read_bytes().partition(b"\n")
        if first == key.encode():
            _Values(BytesIO(composition)).load()
            return composition
    return None


def keep_presets(words: Sequence[str], composition: bytes) -> None:
    """Keep the composition of the presets that these `words` choose, where something can be written."""
    if key := _key(words):
        _write("presets", key, key.encode() + b"\n" + composition)


class _Values(Unpickler):
    """Reads a composition, and nothing that is no value."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] in PACKAGES or f"{module}.{name}" in PLAIN:
            member = super().find_class(module, name)
            if isinstance(member, type) or module in ("_operator", "typing"):
                return member
        raise UnpicklingError(f"{module}.{name}")


def _write(kind: str, key: str, content: bytes) -> None:
    with suppress(OSError, RuntimeError):  # a user without a home
        file = _file(kind, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"{file.name}.{os.getpid()}")
        part.write_bytes(content)
        part.replace(file)


def _file(kind: str, key: str) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "ssdsim", kind, str(int(key, 16) % PLACES))


def _key(words: Sequence[str]) -> str:
    """Return the checksum of all that an entry depends on, empty where that is more than can be looked at."""
    if any("${" in word or re.match(r"\W*hydra(?!\.run\.dir=)", word) for word in words):
        return ""
    content = b"\0".join(file.read_bytes() for file in _files())
    return "" if RESOLVER.search(content) else hashlib.sha256(repr([*words]).encode() + content).hexdigest()


def _files() -> Iterator[Path]:
    """Yield the files of presets and of the code that composes, in an order of their own."""
    yield from sorted((PROJECT / "conf").rglob("*.yaml"))
    for folder in (Path(__file__).parent, Path(__file__).parents[1] / "config"):
        yield from sorted(file for file in folder.iterdir() if file.suffix in (".py", ".tsv"))
    for package, name in SOURCES.items():
        spec = find_spec(package)
        assert spec is not None and spec.origin is not None
        yield Path(spec.origin).with_name(name)
