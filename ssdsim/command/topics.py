"""What `--help` says of one key, section, group or preset: made of their declarations, and of the files of presets."""

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import nearest
from ssdsim.config.keys import NOTHING, Key, keys
from ssdsim.config.registry import AXES, STATIC_ORDERS
from ssdsim.errors import ConfigError

from .diagnosis import COMMAND_LINE_DEFAULTS, COMMAND_LINE_KEYS, CONF, choices, flatten, groups
from .help import comments, describe, shortened, shown, told_of
from .presets import content


def topic(words: str) -> str:
    """Return the text on a key, section, group or `group=choice`; raise ConfigError if it is none."""
    name, _, value = words.removeprefix("+").partition("=")
    name = re.sub(r"^workloads\.\w+\.", "workload.", name)  # of whatever stream, the keys are the same
    every = list(keys())
    known = [*groups(), *(each.name for each in every), *COMMAND_LINE_KEYS]
    declared = [each for each in every if each.name == name]
    if value and name in groups():
        return _preset(name, value)
    if declared:
        return _key(declared, value)
    if name in COMMAND_LINE_KEYS:
        default = shown(COMMAND_LINE_DEFAULTS[name])
        return "\n".join([name, *_filled([COMMAND_LINE_KEYS[name]]), *_filled([default], "default")])
    below = [each for each in every if each.name.startswith(f"{name.replace('/', '.')}.")]
    if name in groups():
        return "\n".join([f"{name}=", *_choices(name), *(["", *_section(name, below)] if below else [])])
    if below:
        return "\n".join(_section(name, below))
    raise ConfigError(f"--help {words}: no such key, group or preset{nearest(name, known)}; --help lists all.")


def width() -> int:
    """Return the width that lines may have, in characters."""
    return min(shutil.get_terminal_size().columns, 120)


def _key(declared: list[Key], value: str) -> str:
    """Return the page of a key, which may be declared by several kinds of workload; of a policy `value`, its own."""
    first = declared[0]
    axis = AXES.get(first.name)
    if axis is not None and value:
        axis.check(first.name, value)
        cls = CLASSES[first.name].get(value)
        said = inspect.getdoc(cls) if cls else ""
        return f"{first.name}={value}\n{textwrap.indent(said, '  ')}" if said else _key(declared, "")
    lines = [first.name, *_filled(each.meaning for each in {each.meaning: each for each in declared}.values())]
    facts = {"unit": first.unit, "default": default_of(declared), "must be": "" if axis else first.must_be}
    lines += [line for title, fact in facts.items() if fact for line in _filled([fact], title)]
    if axis is not None:
        lines += ["  must be    one of", *_policies(first.name)]
    setting = [f"{preset} ({shown(given)})" for preset, given in setters(first.name)]
    return "\n".join([*lines, *(_filled([", ".join(setting)], "set by") if setting else [])])


def _filled(paragraphs: Any, title: str = "") -> Iterator[str]:
    """Yield lines that are no longer than the terminal is wide, behind a title if there is one."""
    indent = f"  {title:11}" if title else "  "
    for text in paragraphs:
        yield textwrap.fill(text, width(), initial_indent=indent, subsequent_indent=" " * len(indent))


def default_of(declared: list[Key]) -> str:
    """Return the default of a key, for each owner if they differ."""
    values = {each.owner.__name__: each.default for each in declared if each.default is not NOTHING}
    told = {shown(value) for value in values.values()}
    return ", ".join(told) if len(told) < 2 else ", ".join(f"{shown(value)} ({of})" for of, value in values.items())


def _policies(key: str) -> Iterator[str]:
    """Yield the names that an axis knows with the first line of what each is; static orders, which are many, once."""
    axis = AXES[key]
    for name in [name for name in axis.named if name not in STATIC_ORDERS]:
        said = (inspect.getdoc(CLASSES[key][name]) or "").partition("\n\n")[0] if name in CLASSES[key] else "none"
        yield f"    {name:16} {shortened(said, width() - 22)}"
    if any(name in STATIC_ORDERS for name in axis.named):
        yield f"    {'CWDP':16} or another static order of channel, way, die and plane, the fastest first"
    if axis.own:
        yield f"    {'module.Class':16} a class of your own, derived from {BASES[key].__module__}.{BASES[key].__name__}"


def _section(name: str, below: list[Key]) -> Iterator[str]:
    yield f"{name.replace('/', '.')}."
    for each in {each.name: each for each in below}.values():
        yield told_of(each.name, None if each.default is NOTHING else each.default, each.meaning, "  ", width())


def _choices(group: str) -> Iterator[str]:
    for choice in choices(group):
        yield f"  {choice:16} {shortened(describe(group, choice), width() - 20)}"


def _preset(group: str, choice: str) -> str:
    """Return the comments and the settings in the file of a preset, and what it builds on."""
    if choice not in choices(group):
        allowed = choices(group)
        raise ConfigError(f"{group}={choice}: must be one of {', '.join(allowed)}{nearest(choice, allowed)}.")
    lines = [f"{group}={choice}", *(f"  {line}".rstrip() for line in comments(group, choice))]
    defaults = content(f"{group}/{choice}").get("defaults", ())
    brought = [item for each in defaults for item in ({group: each} if isinstance(each, str) else each).items()]
    builds_on = [f"{of.removeprefix('override ').removeprefix('/')}={name}" for of, name in brought if name[0] != "_"]
    if builds_on:
        lines += ["", f"  builds on {', '.join(builds_on)}"]
    return "\n".join([*lines, "", *(f"  {key}={shown(value)}" for key, value in _settings(group, choice))])


def setters(key: str) -> Iterator[tuple[str, Any]]:
    """Yield the presets that set `key`, each as `group=choice`, with the value; those that build on them do, too."""
    return ((preset, value) for name, preset, value in settings() if name == key)


def settings() -> Iterator[tuple[str, str, Any]]:
    """Yield each key that a preset sets, with the preset as `group=choice` and the value."""
    for group in groups():
        for choice in choices(group):
            yield from ((key, f"{group}={choice}", value) for key, value in _settings(group, choice))


def _settings(group: str, choice: str) -> Iterator[tuple[str, Any]]:
    """Yield the dotted keys that the file of a preset sets, with the values."""
    text = Path(CONF, group, f"{choice}.yaml").read_text(encoding="utf-8")
    package = next(iter(re.findall(r"^# *@package (\S+)", text, re.MULTILINE)), group.replace("/", "."))
    tree = content(f"{group}/{choice}")
    tree.pop("defaults", None)
    return flatten(tree, "" if package == "_global_" else f"{package}.")
