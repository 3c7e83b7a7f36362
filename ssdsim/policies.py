"""From a name in the configuration to the policy it stands for."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ssdsim.config import nearest
from ssdsim.errors import ConfigError


def make_policy(key: str, name: str, base: type, home: ModuleType, options: dict[str, Any] | None = None) -> Any:
    """Return an instance of the policy `name`, configured at `key`, built with `options`.

    `name` is the `name` of a subclass of `base` in the module `home`, or the dotted path of a class of the user's own,
    which may lie in the current folder.
    """
    known = {cls.name: cls for cls in vars(home).values() if is_policy(cls, base)}
    cls = import_class(key, name) if "." in name else known.get(name)
    if cls is None:
        raise ConfigError(f"{key}={name}: must be one of {', '.join(known)}{nearest(name, known)}.")
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise ConfigError(f"{key}={name}: is not a subclass of {base.__module__}.{base.__name__}.")
    try:
        return cls(**(options or {}))
    except TypeError as error:
        raise ConfigError(f"{key}={name}: its options {options or {}} do not fit: {error}.") from None


def is_policy(cls: Any, base: type) -> bool:
    """Return whether `cls` is a policy that can be named."""
    return isinstance(cls, type) and issubclass(cls, base) and hasattr(cls, "name")


def import_class(key: str, path: str) -> Any:
    """Import the class at dotted `path`."""
    module, _, attribute = path.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{key}={path}: cannot be imported: {error}.") from None
