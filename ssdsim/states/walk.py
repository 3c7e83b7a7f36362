"""The state of the objects below a device as plain data, by paths, and the way back into a device built alike.

Fields are looked through in a fixed order, and an object is named by the path at which it is met first, such as
`device.collector.tasks.3`. Functions and the configuration are compared, and stay those of the fresh device; no object
is made but containers and those of `MADE`. A class whose fields do not show what it holds has `snapshot()`, plain data,
and `restore(snapshot)`.
"""

import json
import random
import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from ssdsim.errors import SsdsimError
from ssdsim.ftl.backup.base import Backup

Arrays = dict[str, np.ndarray]
Nodes = dict[str, list[Any]]


class StateError(SsdsimError):
    """Something cannot be stored, or what is stored does not fit the device that it is for."""


def name_of(value: Any) -> str:
    """Return the place at which a class or a function is found."""
    return f"{value.__module__}:{value.__qualname__}"


CONTAINERS: dict[str, type] = {kind.__name__: kind for kind in (list, set, deque, dict, OrderedDict, Counter)}
MADE: dict[str, Any] = {name_of(Backup): Backup}


class Walk:
    """Goes through all that is below `roots`: `nodes` are plain data by path, and refer to `objects` by theirs.

    `arrays` are apart. Classes are ssdsim's, or from one of `folders`; raise `StateError` where something else is no
    plain data.
    """

    def __init__(self, roots: dict[str, Any], folders: set[Path]):
        self.roots = {name for name, root in roots.items() if root is not None}
        self.folders = folders
        self.nodes: Nodes = {}
        self.arrays: Arrays = {}
        self.objects: dict[str, Any] = {}
        self.wiring: dict[str, Any] = {}
        self._paths: dict[Any, str] = {}
        self._line: list[str] = []
        for name, root in roots.items():
            self._encoded(root, name)
        for path in self._line:  # which grows meanwhile
            self.nodes[path] = self._node(self.objects[path], path)

    def _encoded(self, value: Any, path: str) -> Any:
        """Return `value` as JSON, a reference if it has an identity of its own."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):  # exact classes: a subclass may hold more
            return value
        if kind in (tuple, frozenset):  # which have no identity worth keeping
            return [kind.__name__, [self._encoded(item, f"{path}.{place}") for place, item in enumerate(value)]]
        if isinstance(value, np.generic):
            return ["scalar", value.dtype.str, value.item()]
        wired = self._wired(value, path)
        if wired is not None:
            self.wiring.setdefault(json.dumps(wired), value)
            return wired
        memory = as_array(value)
        identity: Any = id(value)
        if memory is not None and memory.nbytes:  # views of the same memory are one array
            identity = memory.ctypes.data, memory.dtype.str, memory.shape
        if identity not in self._paths:
            self._paths[identity] = path
            self.objects[path] = value
            self._line.append(path)
        return ["@", self._paths[identity]]

    def _wired(self, value: Any, path: str) -> list[Any] | None:
        """Return a description of `value` if it is part of how a device is made, None if it has a state."""
        if isinstance(value, range | bytes):
            return ["=", repr(value)]
        if type(value).__module__.startswith("ssdsim.config"):
            return ["=", name_of(type(value))]
        if not hasattr(value, "__qualname__"):
            return None
        if not isinstance(value, type) and (hasattr(value, "__next__") or getattr(value, "__closure__", None)):
            raise StateError(f"{path}: {value.__qualname__} of {value.__module__} holds more than can be seen")
        owner = getattr(value, "__self__", None)
        has_owner = owner is not None and not isinstance(owner, ModuleType)
        return ["=", name_of(value), *([self._encoded(owner, f"{path}.__self__")] if has_owner else [])]

    def _node(self, value: Any, path: str) -> list[Any]:
        kind, memory = type(value), as_array(value)
        if memory is not None:
            if memory.dtype.hasobject:
                raise StateError(f"{path}: an array of objects is no plain data")
            self.arrays[path] = memory
            return ["array", memory.dtype.str, list(memory.shape)]
        if isinstance(value, dict) and kind in (*CONTAINERS.values(), defaultdict):
            items = []
            for place, (key, item) in enumerate(value.items()):
                step = key if type(key) is int or (type(key) is str and key.isidentifier()) else place
                items.append([self._encoded(key, f"{path}.key{place}"), self._encoded(item, f"{path}.{step}")])
            return [kind.__name__, items]
        if kind in (list, set, deque):
            items = [self._encoded(item, f"{path}.{place}") for place, item in enumerate(value)]
            return [kind.__name__, items, *([value.maxlen] if kind is deque else [])]
        if isinstance(value, random.Random):
            return [name_of(kind), "snapshot", self._encoded(value.getstate(), f"{path}.state")]
        if isinstance(value, np.random.Generator):
            return [name_of(kind), "snapshot", self._encoded(value.bit_generator.state, f"{path}.state")]
        file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
        if not kind.__module__.startswith("ssdsim.") and not (
            file.endswith(".py") and Path(file).parent in self.folders
        ):
            raise StateError(f"{path}: a {kind.__qualname__} of {kind.__module__} is no plain data")
        if hasattr(kind, "snapshot") and hasattr(kind, "restore"):
            return [name_of(kind), "snapshot", self._encoded(value.snapshot(), f"{path}.state")]
        return [name_of(kind), {name: self._encoded(item, f"{path}.{name}") for name, item in fields(value)}]


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object by name, in a fixed order: of a compiled one, those that can be set."""
    contents = dict(getattr(value, "__dict__", {}))
    for owner in type(value).__mro__:
        for name, member in vars(owner).items():
            if isinstance(member, GetSetDescriptorType | MemberDescriptorType) and not name.startswith("__"):
                try:  # a property cannot be set, and a column that was never set cannot be had
                    contents[name] = getattr(value, name)
                    object.__setattr__(value, name, contents[name])
                except (AttributeError, TypeError):
                    contents.pop(name, None)
    return iter(sorted(contents.items()))


def as_array(value: Any) -> np.ndarray | None:
    """Return the memory of an array, a memory view or a byte array, or None if `value` is none."""
    if isinstance(value, np.ndarray):
        return value
    is_memory = isinstance(value, array | bytearray | memoryview)
    is_memory |= type(value).__name__ in ("_memoryviewslice", "memoryview")  # of Cython
    return np.asarray(memoryview(value)) if is_memory else None


def bind(nodes: Nodes, arrays: Arrays, fresh: Walk) -> dict[str, Any]:
    """Return by path the objects that `nodes` stand for: those of the `fresh` device, or containers and arrays made."""

    def outline(node: list[Any]) -> Any:
        is_container = isinstance(node[1], list)
        return node if node[0] == "array" else [node[0], *node[2:]] if is_container else node[0]

    bound: dict[str, Any] = {}
    if missing := fresh.roots - nodes.keys():
        raise StateError(f"there is no {missing.pop()} in it")
    for path, node in nodes.items():
        kind, mine = node[0], fresh.nodes.get(path)
        if mine is not None and outline(mine) == outline(node):
            bound[path] = fresh.objects[path]
        elif kind == "array" and (path not in fresh.arrays or isinstance(fresh.objects[path], np.ndarray)):
            bound[path] = arrays[path].copy()  # of other memory compiled code takes the length for granted
        elif kind in CONTAINERS:
            bound[path] = deque(maxlen=node[2]) if kind == "deque" else CONTAINERS[kind]()
        elif kind in MADE:
            bound[path] = MADE[kind].__new__(MADE[kind])
        else:
            raise StateError(f"{path}: there is no {kind} in a device that was just built")
    return bound


def pour(nodes: Nodes, arrays: Arrays, fresh: Walk, bound: dict[str, Any]) -> None:
    """Bring the `fresh` device into the state of `nodes`, which stand for the objects of `bound`.

    Raise `StateError` if they do not fit, maybe half-way.
    """

    def decoded(stored: Any) -> Any:
        if not isinstance(stored, list):
            return stored
        kind, *content = stored
        if kind == "@":
            return bound[content[0]]
        if kind == "=":
            if json.dumps(stored) not in fresh.wiring:
                raise StateError(f"there is no {content[0]} in a device that was just built")
            return fresh.wiring[json.dumps(stored)]
        if kind == "scalar":
            return np.dtype(content[0]).type(content[1])
        return {"tuple": tuple, "frozenset": frozenset}[kind](map(decoded, content[0]))

    # Objects last, when arrays and containers hold what they are to.
    for path, node in sorted(nodes.items(), key=lambda item: item[1][0] != "array" and item[1][0] not in CONTAINERS):
        target = bound[path]
        if node[0] == "array":
            np.copyto(as_array(target), arrays[path])  # type: ignore[arg-type]
        elif isinstance(node[1], list):
            target.clear()
            if isinstance(target, dict):
                dict.update(target, [(decoded(key), decoded(item)) for key, item in node[1]])  # a Counter's counts
            else:
                (target.update if isinstance(target, set) else target.extend)(map(decoded, node[1]))
        elif node[1] == "snapshot":
            state = decoded(node[2])
            if isinstance(target, np.random.Generator):
                target.bit_generator.state = state
            else:
                (target.setstate if isinstance(target, random.Random) else target.restore)(state)
        else:
            for name, item in node[1].items():
                object.__setattr__(target, name, decoded(item))
