"""Policies of the user's own: how they are imported, what they owe, and the watch over what they do.

A base class declares in `owed` what a policy must have: `select(plane) -> a whole number`, alternatives parted by `|`.
`optional` declares likewise what it may have. The declaration of the nearest base that has one counts.
"""

import functools
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from operator import index
from pathlib import Path
from types import FunctionType
from typing import Any

from ssdsim.errors import ConfigError, PolicyError, SsdsimError
from ssdsim.flash.views import Die, Transaction
from ssdsim.host.stream import Stream

RETURNS: dict[str, Callable[[Any], bool]] = {
    "a whole number": lambda value: hasattr(type(value), "__index__") and -(2**63) <= index(value) < 2**63,
    "a truth value": lambda value: isinstance(value, bool),
    "a list": lambda value: isinstance(value, list),
    "a dictionary": lambda value: isinstance(value, dict),
    "a list of whole numbers or None": lambda value: (
        value is None or (isinstance(value, list) and all(map(RETURNS["a whole number"], value)))
    ),
    "a list or tuple": lambda value: isinstance(value, list | tuple),
    "a transaction or None": lambda value: value is None or isinstance(value, Transaction),
    "a die or None": lambda value: value is None or isinstance(value, Die),
    "a ready stream or None": lambda value: value is None or (isinstance(value, Stream) and value.ready()),
}

imported: set[str] = set()
"""Paths of classes of which it has been said where they come from."""


def own_class(key: str, path: str, *bases: type) -> type:
    """Return the user's class at dotted `path`, under watch; raise `ConfigError` unless it has what its base owes."""
    cls = import_class(key, path)
    base = next((base for base in bases if isinstance(cls, type) and issubclass(cls, base)), None)
    if base is None:
        raise ConfigError(f"{key}={path}: is not a subclass of ssdsim.policies.{bases[0].__name__}.")
    lacking: type = next((each for each in cls.__mro__ if "owed" in vars(each)), object)  # the nearest that declares it
    for entry in getattr(cls, "owed", ()):
        names = [each.partition("(")[0] for each in entry.split(" | ")]
        if not any(callable(getattr(cls, each)) and getattr(cls, each) is not getattr(lacking, each) for each in names):
            raise ConfigError(
                f"{key}={path}: {cls.__name__} in {file_of(cls)} lacks a method that it owes: "
                f"{entry.replace(' | ', ', or ')}."
            )
    return watched(f"{key}={path}", cls, base)


def import_class(key: str, path: str) -> Any:
    """Import the class at dotted `path`, and say on standard error, once, which file it comes from."""
    module, _, attribute = path.rpartition(".")
    if not module:
        raise ConfigError(f"{key}={path}: is not the dotted path of a class, as mine.SecondBest for one in mine.py.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{key}={path}: cannot be imported: {error}.") from None
    except Exception as error:  # of the user's module, or of one that it imports
        frames = traceback.extract_tb(error.__traceback__)
        at = f" in {frames[-1].filename}, line {frames[-1].lineno}" if not isinstance(error, SyntaxError) else ""
        raise ConfigError(f"{key}={path}: cannot be imported: {type(error).__name__}: {error}{at}.") from None
    _check_age(key, path, Path(getattr(sys.modules[module], "__file__", None) or module))
    if path not in imported and not path.startswith("ssdsim."):
        imported.add(path)
        print(f"{key}={path}: imported from {getattr(sys.modules[module], '__file__', module)}.", file=sys.stderr)
    return found


def _check_age(key: str, path: str, file: Path) -> None:
    """Raise `ConfigError` if `file` was compiled of a source beside it that has changed since."""
    source = file.with_name(f"{file.name.partition('.')[0]}.py")
    if source.name != file.name and source.is_file() and source.stat().st_mtime > file.stat().st_mtime:
        raise ConfigError(f"{key}={path}: {source} is newer than {file.name}; build it again, or remove that.")


def files() -> Iterator[Path]:
    """Yield the files that classes of the user's were imported from."""
    for path in imported:
        file = getattr(sys.modules.get(path.rpartition(".")[0]), "__file__", None)
        if file and Path(file).is_file():
            yield Path(file)


def results(cls: type) -> dict[str, str]:
    """Return the kind of result, empty if any will do, of each method that `cls` must or may have."""
    entries = (*getattr(cls, "owed", ()), *getattr(cls, "optional", ()))
    declared = [each.partition("(") for entry in entries for each in entry.split(" | ")]
    return {name: rest.partition(")")[2].removeprefix(" -> ") for name, _, rest in declared}


def watched(place: str, cls: type, base: type) -> type:
    """Return a subclass of `cls` whose methods of the user's report their errors, and results of the wrong kind."""
    declared = results(cls)
    methods = {}
    for name in dir(base):
        function = inspect.getattr_static(cls, name, None)
        is_own = isinstance(function, FunctionType) and not function.__module__.startswith("ssdsim.")
        if is_own and not name.startswith("_"):
            methods[name] = _watch(place, cls, function, declared.get(name, ""))
    own = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls.__name__, (cls,), own | methods) if methods else cls


def _watch(place: str, cls: type, function: Any, result: str) -> Any:
    is_right = RETURNS.get(result)

    @functools.wraps(function)
    def call(self: Any, *arguments: Any) -> Any:
        try:
            value = function(self, *arguments)
        except SsdsimError:
            raise
        except Exception as error:
            raise raised(place, cls, function.__name__, error) from error
        if is_right is not None and not is_right(value):
            raise PolicyError(
                f"{place}: {cls.__name__}.{function.__name__} in {file_of(cls)} returned {value!r}, and owes {result}."
            )
        return value

    return call


def raised(place: str, cls: type, method: str, error: Exception) -> PolicyError:
    """Return the error for what a method of the user's raised, with the part of the traceback in the user's files."""
    frames = list(own_frames(error))
    at = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else file_of(cls)
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return PolicyError(
        f"{place}: {cls.__name__}.{method} raised {text.rstrip('.: ')} ({at}).", "".join(traceback.format_list(frames))
    )


def own_frames(error: Exception) -> Iterator[traceback.FrameSummary]:
    """Yield the frames of a traceback that are in files of the user's: not in this package, nor installed."""
    others = [Path(__file__).resolve().parents[1], Path(sys.prefix), Path(sys.base_prefix)]
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename).resolve()
        if file.is_file() and not any(file.is_relative_to(each) for each in others):
            yield frame


def file_of(cls: type) -> str:
    """Return the file that `cls` is defined in, or its module's name."""
    return getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
