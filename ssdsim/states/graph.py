"""The state of a graph of objects as data: JSON and raw arrays, poured into another graph that was built alike.

What an object holds is asked in the way of `copy` and `pickle` (`__reduce_ex__`), which Python and Cython derive from
its fields, so that a policy of one's own is stored without a line for it; what it is for the event kernel's objects
says `ssdsim._core.kernel_state`. Nothing is unpickled: wiring, configuration
and code are those of the fresh graph, and only objects of classes of ssdsim and of one's own `modules` are made.
"""

import copyreg
import random
import sys
import types
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Mapping
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np

from ssdsim._core import kernel_state
from ssdsim.errors import SsdsimError
from ssdsim.flash.views import Die, Queue, Transaction

VIEWS = (Die, Queue, Transaction)
MAPPINGS = (dict, OrderedDict, defaultdict, Counter)
CONTAINERS: dict[str, type] = {kind.__name__: kind for kind in (list, set, deque, *MAPPINGS)}
SIMULATED = (
    *(
        "ssdsim._core",
        "ssdsim.buffer",
        "ssdsim.check",
        "ssdsim.controller",
        "ssdsim.flash",
        "ssdsim.ftl",
        "ssdsim.host",
        "ssdsim.stage",
    ),
    *("ssdsim.metrics.recorder", "ssdsim.metrics.tally", "ssdsim.run.watch", "simpy"),
)
"""Modules whose classes and functions a file may name: they touch no file, and import nothing."""

Names = Collection[str]
Given = Mapping[str, Any] | None

MISSING = object()
"""Stands in the place of what the fresh graph has nothing for."""


class StateError(SsdsimError):
    """Something cannot be stored, or what is stored does not fit the graph that it is to be poured into."""


class Stored:
    """The graph below `root`: `nodes`, which are plain data and refer to each other by number, and their `arrays`.

    What is `given`, by name, is part of no graph: whoever pours one gives the like.

    Raise `StateError` if something in it is no data, such as an open file or a lambda, or is of a class that is neither
    ssdsim's nor of one of `modules`.
    """

    def __init__(self, root: Any, modules: Names = (), given: Given = None):
        self.modules = modules
        self.given = {id(value): name for name, value in (given or {}).items()}
        self.nodes: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self._numbers: dict[Any, int] = {}
        self._alive: list[Any] = []
        self._states: list[Any] = []  # kept, too, so that no two things have the same identity
        self._encoded(root)
        for owner in self._alive:  # which grows meanwhile
            self.nodes.append(self._node(owner))

    def _encoded(self, value: Any) -> Any:
        """Return `value` as JSON, a reference if it has an identity of its own."""
        kind = type(value)
        if value is None or kind in (bool, int, str, float):  # exact classes: a subclass may hold more
            return value
        if kind in (tuple, frozenset):
            # A tuple has no identity worth keeping, as nothing can be written to it.
            return [kind.__name__, [self._encoded(item) for item in value]]
        if kind is range:
            return ["range", [value.start, value.stop, value.step]]
        if kind is bytes:
            return ["bytes", value.hex()]
        if isinstance(value, np.generic):
            return ["scalar", value.dtype.str, value.item()]
        if is_configuration(value):
            return ["config", name_of(kind)]
        if id(value) in self.given:
            return ["given", self.given[id(value)]]
        if kind in VIEWS:  # no object beside what it shows, as it has its hash before objects have their states
            return ["view", VIEWS.index(kind), {name: self._encoded(getattr(value, name)) for name in kind.__slots__}]
        if kind is partial:
            return ["partial", [self._encoded(part) for part in (value.func, value.args, value.keywords)]]
        owner = getattr(value, "__self__", None)
        if isinstance(value, types.MethodType | types.BuiltinMethodType) and not (
            owner is None or isinstance(owner, types.ModuleType)
        ):
            return ["method", self._encoded(owner), value.__name__]
        is_function = isinstance(value, type | types.FunctionType | types.BuiltinFunctionType)
        if is_function or kind.__name__ == "cython_function_or_method":
            if "<" in value.__qualname__:  # a lambda, or a function within another
                raise StateError(f"{value.__qualname__} of {value.__module__} cannot be found by a name")
            return ["named", name_of(value)]
        key = identity(value)
        if key not in self._numbers:
            self._numbers[key] = len(self._alive)
            self._alive.append(value)
        return ["@", self._numbers[key]]

    def _node(self, value: Any) -> Any:
        content = as_array(value)
        if content is not None:
            if content.dtype.hasobject:
                raise StateError("an array of objects is no plain data")
            self.arrays.append(content)
            typecode = value.typecode if isinstance(value, array) else ""
            # what `array` needs beside the memory to be made again
            return {"array": [content.dtype.str, list(content.shape)], "of": typecode}
        kind = type(value)
        if kind in MAPPINGS:
            items = [[self._encoded(key), self._encoded(item)] for key, item in value.items()]
            return {"items": items, "in": kind.__name__}
        if kind in (list, set, deque):
            node = {"values": [self._encoded(item) for item in value], "in": kind.__name__}
            return node | ({"maxlen": value.maxlen} if kind is deque else {})
        if not is_known(kind.__module__, self.modules) and kind not in (random.Random, np.random.Generator):
            raise StateError(f"a {kind.__qualname__} of {kind.__module__} is no plain data")
        state = state_of(value)
        self._states.append(state)
        own = getattr(value, "__dict__", state)

        def of_fields(part: Any) -> Any:
            # The dictionary of an object's fields is part of it, no object beside it: each field has a place by name.
            if type(part) is dict and (part is state or part is own):
                return ["fields", {name: self._encoded(item) for name, item in part.items()}]
            return self._encoded(part)

        is_tuple = type(state) is tuple
        encoded = ["tuple", [of_fields(part) for part in state]] if is_tuple else of_fields(state)
        return {"object": name_of(kind), "state": encoded}


def name_of(value: Any) -> str:
    """Return where a class or a function is found."""
    return f"{value.__module__}:{value.__qualname__}"


def is_known(module: str, modules: Names) -> bool:
    """Return whether objects of the classes of `module` are stored."""
    return module.partition(".")[0] in ("ssdsim", "simpy") or module in modules


def is_configuration(value: Any) -> bool:
    """Return whether `value` is a section of the configuration, which a graph is built from."""
    return type(value).__module__.startswith("ssdsim.config")


def as_array(value: Any) -> np.ndarray | None:
    """Return the memory of an array, a memory view or a byte array, or None if `value` is none."""
    if isinstance(value, np.ndarray):
        return value
    is_memory = isinstance(value, array | bytearray | memoryview)
    is_memory |= type(value).__name__ in ("_memoryviewslice", "memoryview")  # of Cython
    return np.asarray(memoryview(value)) if is_memory else None


def identity(value: Any) -> Any:
    """Return an identity that tells `value` from every other one that is alive: of an array, where its memory is."""
    content = as_array(value)
    if content is None or not content.nbytes:
        return id(value)
    return content.ctypes.data, content.dtype.str, content.shape  # views of the same memory are one array


def state_of(value: Any) -> Any:
    """Return the state that `value` holds."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if kernel_state.is_event(value) or kernel_state.is_environment(value):
        return kernel_state.state_of(value)
    try:
        make, given, *state = value.__reduce_ex__(2)
    except (TypeError, ValueError) as error:
        raise StateError(f"a {type(value).__qualname__} is no plain data ({error})") from None
    # These are the items of a list or a dictionary that has a class of its own.
    if any(part is not None for part in state[1:]):
        raise StateError(f"a {type(value).__qualname__} is a container of its own kind")
    if getattr(make, "__name__", "").startswith("__pyx_unpickle_"):
        # Cython gives fields along with the call, or apart for `__setstate__`
        return given[2] if given[2] is not None else state[0]
    is_ours = is_known(type(value).__module__, ())
    if make is copyreg.__newobj__ or is_ours or isinstance(value, random.Random):  # type: ignore[attr-defined]
        return state[0] if state else None
    raise StateError(f"a {type(value).__qualname__} of {type(value).__module__} is no plain data")


def set_state(value: Any, state: Any) -> None:
    """Have `value` hold what another of its class did."""
    if isinstance(value, np.random.Generator):
        value.bit_generator.state = state
    elif kernel_state.is_event(value) or kernel_state.is_environment(value):
        kernel_state.set_state(value, state)
    elif hasattr(value, "__setstate__"):
        value.__setstate__(state)
    else:
        fields, slots = state if isinstance(state, tuple) else (state, None)
        if hasattr(value, "__dict__"):
            value.__dict__.clear()
            value.__dict__.update(fields or {})
        for name, item in (slots or {}).items():
            object.__setattr__(value, name, item)


def named(name: str, modules: Names) -> Any:
    """Return the class or function of this `name`, which a file may name, and which is loaded."""
    module, _, path = name.partition(":")
    may_be_named = module in (*SIMULATED, *modules) or module.startswith(tuple(f"{part}." for part in SIMULATED))
    member: Any = sys.modules.get(module) if may_be_named else None
    for part in path.split("."):
        member = getattr(member, part, None)
    if member is None or name_of(member) != name:  # a name that leads elsewhere than it says is not to be trusted
        raise StateError(f"there is no {path} of {module} to use")
    return member


class Pouring:
    """Brings a graph that was built alike, from its `root` on, into the state that `nodes` and `arrays` describe.

    An object of the fresh graph is the one of the stored graph that stands in the same place; what has no such place,
    and each event, is made, of a class that is ssdsim's or SimPy's or of one of `modules`. Raise `StateError` if it
    does not fit, by which time some of the graph may have been written to.
    """

    def __init__(self, root: Any, nodes: list[Any], arrays: list[np.ndarray], modules: Names = (), given: Given = None):
        self.nodes, self.root, self.modules = nodes, root, modules
        self.given = given or {}
        self.names = {id(value): name for name, value in self.given.items()}
        in_order = iter(arrays)
        # Arrays are in the file in the order of their nodes.
        self.arrays = {number: next(in_order) for number, node in enumerate(nodes) if "array" in node}
        self.bound: dict[int, Any] = {}
        self.before: dict[int, Any] = {}  # by number: what the fresh object held
        self.taken: set[Any] = set()

    def pour(self) -> None:
        """Do it."""
        self.line: list[int] = []  # the numbers of nodes that are bound, and to be looked into
        # The order matters: all are bound before any is made, and all exist before what they hold is put into them.
        self._pair(["@", 0], self.root)
        for number in self.line:  # which grows meanwhile
            if number in self.bound:
                self._pair_within(number)
        for number in range(len(self.nodes)):
            if number not in self.bound:
                self.bound[number] = self._made(number)
        for number, node in enumerate(self.nodes):
            self._fill(number, node)
        # States last, when arrays and containers hold what they are to.
        for number, node in enumerate(self.nodes):
            if "object" in node:
                set_state(self.bound[number], self._decoded(node["state"], self.before.get(number, MISSING)))

    def _fits(self, number: int, fresh: Any) -> bool:
        node, content = self.nodes[number], as_array(fresh)
        if "array" in node:
            stored = self.arrays[number]
            if content is None or not content.flags.writeable:
                return False
            return (content.dtype, content.shape) == (stored.dtype, stored.shape)
        if "in" in node:
            return type(fresh) is CONTAINERS[node["in"]] and getattr(fresh, "maxlen", None) == node.get("maxlen")
        return content is None and not kernel_state.is_event(fresh) and name_of(type(fresh)) == node["object"]

    def _is_built(self, fresh: Any) -> bool:
        """Return whether `fresh` is memory of compiled code, or an object of a class that is stored."""
        if as_array(fresh) is not None:
            return not isinstance(fresh, np.ndarray)  # which may have grown
        return is_known(type(fresh).__module__, self.modules) and not (
            is_configuration(fresh) or isinstance(fresh, (type, *VIEWS)) or kernel_state.is_event(fresh)
        )

    def _shown(self, stored: Any) -> str:
        """Return a description of `stored`, for a message."""
        if not isinstance(stored, list) or stored[0] != "@":
            return f"{stored!r:.40}"
        node = self.nodes[stored[1]]
        return f"an array {node['array']}" if "array" in node else f"a {node.get('object', node.get('in'))}"

    def _pair(self, stored: Any, fresh: Any) -> None:
        """Bind the nodes that `stored` refers to, and refers to through tuples, to the objects in their place.

        Compiled code takes for granted what an object was built with: there may be no other kind of thing in its place.
        """
        if fresh is MISSING:
            return
        refers = isinstance(stored, list) and stored[0] == "@"
        name = self.names.get(id(fresh))
        is_wrong = self._is_built(fresh) and not (refers and self._fits(stored[1], fresh))
        if stored != ["given", name] if name is not None else is_wrong:
            raise StateError(f"{self._shown(stored)} stands in the place of a {name_of(type(fresh))}")
        if name is not None:
            return
        if not isinstance(stored, list):
            return
        if refers:
            number = stored[1]
            # The first place at which an object is met is its place; one fresh object stands for one stored object.
            if number not in self.bound and self._fits(number, fresh) and identity(fresh) not in self.taken:
                self.bound[number] = fresh
                self.taken.add(identity(fresh))
                self.line.append(number)
        elif stored[0] == "tuple" and type(fresh) is tuple and len(fresh) == len(stored[1]):
            for item, fresh_item in zip(stored[1], fresh, strict=True):
                self._pair(item, fresh_item)
        elif stored[0] == "fields":
            for name, item in stored[1].items():
                self._pair(item, fresh.get(name, MISSING))
        elif stored[0] == "method" and hasattr(fresh, "__self__"):
            self._pair(stored[1], fresh.__self__)

    def _pair_within(self, number: int) -> None:
        node, fresh = self.nodes[number], self.bound[number]
        if "object" in node:
            before = self.before[number] = state_of(fresh)
            if type(before) is tuple and (node["state"][0] != "tuple" or len(node["state"][1]) != len(before)):
                # compiled code takes the length for granted
                raise StateError(f"the state of a {node['object']} is not as long as it was")
            self._pair(node["state"], self.before[number])
        elif "items" in node:
            self.before[number] = dict(fresh)
            for key, item in node["items"]:
                if not isinstance(key, list):  # as encoded, which is not the key that `fresh` has
                    self._pair(item, fresh.get(key, MISSING))
        elif "values" in node and node["in"] != "set":  # the items of a set have no order, and so no places
            self.before[number] = list(fresh)
            for item, fresh_item in zip(node["values"], fresh, strict=False):
                self._pair(item, fresh_item)

    def _made(self, number: int) -> Any:
        """Return a new object for what has no place in the fresh graph."""
        node = self.nodes[number]
        if "array" in node:
            content = self.arrays[number]
            return array(node["of"], content.tobytes()) if node["of"] else content.copy()
        if "in" in node:
            return deque(maxlen=node["maxlen"]) if node["in"] == "deque" else CONTAINERS[node["in"]]()
        kind = named(node["object"], self.modules)
        try:
            return kind.__new__(kind)
        except TypeError as error:
            raise StateError(f"a {node['object']} cannot be made ({error})") from None

    def _fill(self, number: int, node: Any) -> None:
        """Write to the memory of an array, and put what a container holds into it."""
        target, before = self.bound[number], self.before.get(number)
        if "array" in node:
            np.copyto(as_array(target), self.arrays[number])  # type: ignore[arg-type]
        elif "items" in node:
            items = []
            for key, item in node["items"]:
                fresh = MISSING if before is None or isinstance(key, list) else before.get(key, MISSING)
                items.append((self._decoded(key, MISSING), self._decoded(item, fresh)))
            target.clear()
            for key, item in items:
                target[key] = item
        elif "values" in node:
            places = chain(before or (), repeat(MISSING))
            values = [self._decoded(item, fresh) for item, fresh in zip(node["values"], places, strict=False)]
            target.clear()
            target.update(values) if node["in"] == "set" else target.extend(values)

    def _decoded(self, stored: Any, fresh: Any) -> Any:
        """Return the value that `stored` describes, where the fresh graph has `fresh`."""
        if not isinstance(stored, list):
            return stored
        kind = stored[0]
        if kind == "@":
            return self.bound[stored[1]]
        if kind == "fields":
            places = {} if fresh is MISSING else fresh
            return {name: self._decoded(item, places.get(name, MISSING)) for name, item in stored[1].items()}
        if kind in ("tuple", "frozenset"):
            is_alike = kind == "tuple" and type(fresh) is tuple and len(fresh) == len(stored[1])
            places = fresh if is_alike else [MISSING] * len(stored[1])
            values = [self._decoded(item, fresh_item) for item, fresh_item in zip(stored[1], places, strict=True)]
            return tuple(values) if kind == "tuple" else frozenset(values)
        if kind == "scalar":
            return np.dtype(stored[1]).type(stored[2])
        if kind == "range":
            return range(*stored[1])
        if kind == "bytes":
            return bytes.fromhex(stored[1])
        if kind == "given":
            return self.given[stored[1]]
        if kind == "view":
            return VIEWS[stored[1]](**{name: self._decoded(part, MISSING) for name, part in stored[2].items()})
        if kind == "partial":
            function, arguments, keywords = (self._decoded(part, MISSING) for part in stored[1])
            return partial(function, *arguments, **keywords)
        if kind == "named":
            is_same = hasattr(fresh, "__qualname__") and name_of(fresh) == stored[1]
            return fresh if is_same else named(stored[1], self.modules)
        if kind == "method":
            owner = self._decoded(stored[1], MISSING)
            if not callable(getattr(type(owner), stored[2], None)):
                raise StateError(f"there is no method {stored[2]} of a {type(owner).__qualname__}")
            return getattr(owner, stored[2])
        if fresh is MISSING or not is_configuration(fresh):
            raise StateError(f"there is no {stored[1]} in its place")
        return fresh
