"""The state of the objects below a device as plain data, by paths, and the way back into a device built alike.

Fields of objects are looked through in a fixed order; an object is named by the path at which it is met first, such as
`device.collector.tasks.3`. Wiring (functions, configuration) is compared, and stays that of the fresh device, which no
object is made for, but for containers and those of `MADE`. What a class keeps where fields do not show it is its
`snapshot()`, plain data, which another of the class takes by `restore(snapshot)`.
"""

import json
import random
import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from functools import partial
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
    """Return where a class or a function is known."""
    return f"{value.__module__}:{value.__qualname__}"


CONTAINERS: dict[str, type] = {kind.__name__: kind for kind in (list, set, deque, dict, OrderedDict, Counter)}
MADE: dict[str, Any] = {name_of(kind): kind for kind in (Backup,)}


class Walk:
    """What is below `roots`: `nodes` are plain data by path, and refer to `objects` by theirs; `arrays` are apart.

    Classes are ssdsim's, or from one of `folders`; raise `StateError` where something else is no plain data.
    """

    def __init__(self, roots: dict[str, Any], folders: set[Path]):
        self.folders = folders
        self.nodes: Nodes = {}
        self.arrays: Arrays = {}
        self.objects: dict[str, Any] = {}
        self.wiring: dict[str, Any] = {}
        self._paths: dict[Any, str] = {}
        self._line: list[str] = []
        self.roots = {name for name, root in roots.items() if root is not None}
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
        if kind is bytes:
            return ["bytes", value.hex()]
        if isinstance(value, np.generic):
            return ["scalar", value.dtype.str, value.item()]
        wired = self._wired(value, path)
        if wired is not None:
            self.wiring.setdefault(json.dumps(wired), value)
            return wired
        memory = as_array(value)
        identity: Any = id(value)
        if memory is not None and memory.nbytes:
            identity = memory.ctypes.data, memory.dtype.str, memory.shape  # views of the same memory are one array
        if identity not in self._paths:
            self._paths[identity] = path
            self.objects[path] = value
            self._line.append(path)
        return ["@", self._paths[identity]]

    def _wired(self, value: Any, path: str) -> list[Any] | None:
        """Return a description of `value` if it is part of how a device is made, None if it has a state."""
        if isinstance(value, ModuleType | range) or type(value).__module__.startswith("ssdsim.config"):
            return ["=", repr(value) if isinstance(value, range) else name_of(type(value))]
        if isinstance(value, partial):
            parts = value.func, value.args, tuple(value.keywords.items())
            return ["=", "partial", *(self._encoded(part, f"{path}.{place}") for place, part in enumerate(parts))]
        if not hasattr(value, "__qualname__"):
            return None
        if not isinstance(value, type) and (hasattr(value, "__next__") or getattr(value, "__closure__", None)):
            raise StateError(f"{path}: {value.__qualname__} of {value.__module__} holds more than can be seen")
        owner = getattr(value, "__self__", None)
        has_owner = owner is not None and not isinstance(owner, ModuleType)
        return ["=", name_of(value), *([self._encoded(owner, f"{path}.__self__")] if has_owner else [])]

    def _node(self, value: Any, path: str) -> list[Any]:
        memory = as_array(value)
        if memory is not None:
            if memory.dtype.hasobject:
                raise StateError(f"{path}: an array of objects is no plain data")
            self.arrays[path] = memory
            return ["array", memory.dtype.str, list(memory.shape)]
        kind = type(value)
        if isinstance(value, dict) and kind in (*CONTAINERS.values(), defaultdict):
            pairs = enumerate(value.items())
            return [
                kind.__name__,
                [
                    [self._encoded(k, f"{path}.key{place}"), self._encoded(v, f"{path}.{named(k, place)}")]
                    for place, (k, v) in pairs
                ],
            ]
        if kind in (list, set, deque):
            items = [self._encoded(item, f"{path}.{place}") for place, item in enumerate(value)]
            return [kind.__name__, items, *([value.maxlen] if kind is deque else [])]
        if isinstance(value, random.Random):
            return [name_of(kind), "snapshot", self._encoded(value.getstate(), path)]
        if isinstance(value, np.random.Generator):
            return [name_of(kind), "snapshot", self._encoded(value.bit_generator.state, f"{path}.state")]
        if not self._is_known(kind):
            raise StateError(f"{path}: a {kind.__qualname__} of {kind.__module__} is no plain data")
        if hasattr(kind, "snapshot") and hasattr(kind, "restore"):
            return [name_of(kind), "snapshot", self._encoded(value.snapshot(), f"{path}.snapshot")]
        return [name_of(kind), {name: self._encoded(item, f"{path}.{name}") for name, item in fields(value)}]

    def _is_known(self, kind: type) -> bool:
        if kind.__module__.partition(".")[0] == "ssdsim":
            return True
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return file is not None and file.endswith(".py") and Path(file).parent in self.folders


def named(key: Any, place: int) -> Any:
    """Return the part of a path that stands for a key of a dictionary."""
    return key if isinstance(key, int) or (isinstance(key, str) and key.isidentifier()) else place


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object by name, in a fixed order: of a compiled one, those that can be set."""
    known = dict(getattr(value, "__dict__", {}))
    for owner in type(value).__mro__:
        for name, member in vars(owner).items():
            if isinstance(member, GetSetDescriptorType | MemberDescriptorType) and not name.startswith("__"):
                try:  # a property cannot be set, and a column that was never set cannot be had
                    known[name] = getattr(value, name)
                    object.__setattr__(value, name, known[name])
                except (AttributeError, TypeError):
                    known.pop(name, None)
    return iter(sorted(known.items()))


def as_array(value: Any) -> np.ndarray | None:
    """Return the memory of an array, a memory view or a byte array, or None if `value` is none."""
    if isinstance(value, np.ndarray):
        return value
    is_memory = isinstance(value, array | bytearray | memoryview)
    is_memory |= type(value).__name__ in ("_memoryviewslice", "memoryview")  # of Cython
    return np.asarray(memoryview(value)) if is_memory else None


def bind(nodes: Nodes, arrays: Arrays, fresh: Walk) -> dict[str, Any]:
    """Return by path the objects that `nodes` stand for: those of the `fresh` device, or containers and arrays made."""
    bound: dict[str, Any] = {}
    if missing := fresh.roots - nodes.keys():
        raise StateError(f"there is no {missing.pop()} in it")
    for path, node in nodes.items():
        kind, mine = node[0], fresh.nodes.get(path)
        if mine is not None and _shape(mine) == _shape(node):
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


def _shape(node: list[Any]) -> Any:
    """Return the kind and the size of a node: an object takes the state of another of the same shape."""
    is_container = isinstance(node[1], list)
    return node if node[0] == "array" else [node[0], *node[2:]] if is_container else node[0]


def pour(nodes: Nodes, arrays: Arrays, fresh: Walk) -> None:
    """Bring the `fresh` device into the state of `nodes`; raise `StateError` if they do not fit, maybe half-way."""
    bound = bind(nodes, arrays, fresh)
    made = {path for path, value in bound.items() if fresh.objects.get(path) is not value}

    def is_there(stored: Any, mine: Any) -> bool:
        return bool(stored == mine) and not (isinstance(stored, list) and made and refers(stored))

    def refers(stored: list[Any]) -> bool:
        if stored and stored[0] == "@":
            return stored[1] in made
        return any(refers(item) for item in stored if isinstance(item, list))

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
        if kind == "bytes":
            return bytes.fromhex(content[0])
        if kind == "scalar":
            return np.dtype(content[0]).type(content[1])
        return {"tuple": tuple, "frozenset": frozenset}[kind](map(decoded, content[0]))

    for path, node in nodes.items():
        target, mine = bound[path], fresh.nodes.get(path, [None, {}])
        if node[0] == "array":
            np.copyto(as_array(target), arrays[path])  # type: ignore[arg-type]
        elif isinstance(target, dict) and not is_there(node, mine):
            pairs = [(decoded(key), decoded(item)) for key, item in node[1]]
            target.clear()
            for key, item in pairs:
                target[key] = item
        elif isinstance(target, list | set | deque) and not is_there(node, mine):
            items = list(map(decoded, node[1]))
            target.clear()
            target.update(items) if isinstance(target, set) else target.extend(items)
    # Objects last, when arrays and containers hold what they are to.
    for path, node in nodes.items():
        target, mine = bound[path], fresh.nodes.get(path, [None, {}])
        if node[1] == "snapshot":
            state = decoded(node[2])
            if isinstance(target, random.Random):
                target.setstate(state)
            elif isinstance(target, np.random.Generator):
                target.bit_generator.state = state
            else:
                target.restore(state)
        elif isinstance(node[1], dict):
            before = mine[1] if path not in made else {}
            for name, item in node[1].items():
                if name not in before or not is_there(item, before[name]):
                    object.__setattr__(target, name, decoded(item))
