"""Explain groups, presets, policies and keys.

Each TOPIC is a key (ftl.gc.victim), a value of it (ftl.gc.victim=rga), a section (ftl.gc), a group (ftl/gc) or a preset
(hardware=tlc_4g). Without any, all are listed. `--help TOPIC` is the same.
"""

import inspect
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import hydra
from omegaconf import OmegaConf

from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import flatten, nearest
from ssdsim.config.keys import NOTHING, Key, keys
from ssdsim.config.registry import AXES, STATIC_ORDERS
from ssdsim.errors import ConfigError
from ssdsim.report.text import terminal_width

from . import failures, parser
from .compose import compose, session
from .diagnosis import COMMAND_LINE_DEFAULTS, wrong_choice

COMMAND_LINE_KEYS = {k: "x" for k in COMMAND_LINE_DEFAULTS}
from .groups import CONF, choices, groups

MEANINGS = 44
CHOICES = 21
"""The columns that the meanings of keys, and of their values, begin in, if there is room before them."""

FEWEST = 20
"""Characters in a line that still say something."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page of each topic, or of all, and return 0, or 2 if there is no such topic."""
    options = parser("presets", __doc__)
    options.add_argument("topics", nargs="*", metavar="TOPIC", help="a key, section, group or GROUP=CHOICE")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _show(given.topics))


def _show(topics: Sequence[str]) -> int:
    with session():
        print("\n\n".join(map(topic, topics)) if topics else help_text())
    return 0


def help_text() -> str:
    """Return the page of all: groups with their choices, policies, keys with their defaults."""
    chosen = hydra.compose("config", return_hydra_config=True).hydra.runtime.choices
    parts = ["Groups (* is the default)"]
    for group in groups():
        marks = ((choice, "*" if chosen.get(group) == choice else " ") for choice in choices(group))
        lines = [f"  {mark} {choice:<13} {describe(group, choice)}" for choice, mark in marks]
        parts.append("\n".join([f"  {group}", *lines]))
    parts += ["Policies, by key", "\n".join(_axes()), "Keys and their defaults", *_sections()]
    return "\n\n".join(parts)


def topic(words: str) -> str:
    """Return the text on a key, section, group or `group=choice`; raise ConfigError if it is none."""
    name, _, value = words.removeprefix("+").partition("=")
    name = re.sub(r"^workloads\.\w+\.", "workload.", name)  # of whatever stream, the keys are the same
    every = list(keys())
    below = {key.name: key for key in every if key.name.startswith(f"{name.replace('/', '.')}.")}
    section = [f"{name.replace('/', '.')}."] + [
        _line(key.name, None if key.default is NOTHING else key.default, key.meaning, "  ") for key in below.values()
    ]
    if value and name in groups():
        return _preset(name, value)
    if declared := [key for key in every if key.name == name]:
        return _key(declared, value)
    if name in COMMAND_LINE_KEYS:
        default = shown(COMMAND_LINE_DEFAULTS[name])
        return "\n".join([name, *_filled([COMMAND_LINE_KEYS[name]]), *_filled([default], "default")])
    if name in groups():
        lines = [_entry(f"  {choice}", describe(name, choice), 19) for choice in choices(name)]
        return "\n".join([f"{name}=", *lines, *(["", *section] if below else [])])
    if below:
        return "\n".join(section)
    known = [*groups(), *(key.name for key in every), *COMMAND_LINE_KEYS]
    raise ConfigError(f"--help {words}: no such key, group or preset{nearest(name, known)}; presets lists all.")


def width() -> int:
    """Return the width that lines may have, in characters."""
    return min(terminal_width() or 120, 120)


def describe(group: str, choice: str) -> str:
    """Return the first comment line of a preset."""
    return next(iter(_comments(group, choice)), "")


def _comments(group: str, choice: str) -> list[str]:
    """Return the comment that a preset begins with, line by line."""
    path = CONF / group / f"{choice}.yaml"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    # "# @package" is meant for Hydra
    return [line.removeprefix("#").strip() for line in lines if line.startswith("#") and not line.startswith("# @")]


def _axes() -> Iterator[str]:
    """Yield a paragraph an axis: its key, and the names that it takes."""
    for key, axis in AXES.items():
        names = [name for name in axis.named if name not in STATIC_ORDERS]  # one line stands for all orders
        orders = ["CWDP (or another order of channel, way, die and plane)"] if len(names) < len(axis.named) else []
        named = " | ".join([*orders, *names, *(["module.Class"] if axis.own else [])])
        yield textwrap.fill(f"  {key}={named}", width(), subsequent_indent="    ")


def _sections() -> Iterator[str]:
    """Yield a paragraph a section: the plain keys first, then those of each group, then those of each workload.

    Of a workload there is what has not been told of the ones before.
    """
    sections: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for key, value in _leaves():
        sections[key.partition(".")[0] if "." in key else ""].append((key, value))
    sections[""] += COMMAND_LINE_DEFAULTS.items()
    del sections["workload"]  # each kind of workload has a section of its own below
    for choice in choices("workload"):
        of_choice = _leaves(f"workload={choice}")
        sections[f"workload={choice}"] = [(key, value) for key, value in of_choice if key.startswith("workload.")]
    said = {key.name: key.meaning for key in keys()} | COMMAND_LINE_KEYS
    told: set[tuple[str, str]] = set()
    for name, leaves in sections.items():
        # with its value: a default that differs is told again
        new = [(key, value) for key, value in leaves if (key, shown(value)) not in told]
        lines = [_line(key, value, said.get(key, ""), "    " if name else "  ") for key, value in new]
        told |= {(key, shown(value)) for key, value in new}
        yield "\n".join([f"  {name}", *lines] if name else lines)


def _leaves(*overrides: str) -> Iterator[tuple[str, Any]]:
    tree: Any = OmegaConf.to_container(compose(*overrides), resolve=True)
    return ((key, value) for key, value in flatten(tree) if key not in COMMAND_LINE_KEYS)


def _line(key: str, value: Any, meaning: str, indent: str) -> str:
    """Return key, default and meaning, on as many lines as they take."""
    return _entry(f"{indent}{key}={shown(value)}", meaning, MEANINGS)


def _entry(name: str, said: str, column: int) -> str:
    """Return a name and what is said of it, from a column on if there is room before it."""
    first = f"{name + ' ':{column}}"
    if width() - column < FEWEST:
        return first.rstrip()
    return textwrap.fill(said, width(), initial_indent=first, subsequent_indent=" " * column).rstrip() or first.rstrip()


def _filled(paragraphs: Iterable[str], title: str = "") -> Iterator[str]:
    """Yield lines that are no longer than the terminal is wide, behind a title if there is one."""
    indent = f"  {title:11}" if title else "  "
    for text in paragraphs:
        yield textwrap.fill(text, width(), initial_indent=indent, subsequent_indent=" " * len(indent))


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, float):
        return f"{value:.12g}"  # 12 digits: 0.1 + 0.2 is 0.3
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _key(declared: list[Key], value: str) -> str:
    """Return the page of a key, which several kinds of workload may declare, or of its policy `value`."""
    first = declared[0]
    axis = AXES.get(first.name)
    if axis is not None and value:
        axis.check(first.name, value)
        if said := inspect.getdoc(CLASSES[first.name].get(value)):
            return f"{first.name}={value}\n{textwrap.indent(said, '  ')}"
    lines = [first.name, *_filled(dict.fromkeys(key.meaning for key in declared))]
    facts = {"unit": first.unit, "default": default_of(declared), "must be": "" if axis else first.must_be}
    if first.explained:
        facts["must be"] = "one of"
    lines += [line for title, fact in facts.items() if fact for line in _filled([fact], title)]
    if axis is not None:
        lines += ["  must be    one of", *_policies(first.name)]
    lines += [_entry(f"    {word}", sentence, CHOICES) for word, sentence in first.explained.items()]
    setting = ", ".join(f"{preset} ({shown(given)})" for preset, given in setters(first.name))
    return "\n".join([*lines, *(_filled([setting], "set by") if setting else [])])


def default_of(declared: list[Key]) -> str:
    """Return the default of a key, for each owner if they differ."""
    values = {key.owner.__name__: shown(key.default) for key in declared if key.default is not NOTHING}
    if len({*values.values()}) > 1:
        return ", ".join(f"{value} ({owner})" for owner, value in values.items())
    return next(iter(values.values()), "")


def _policies(key: str) -> Iterator[str]:
    """Yield the names that an axis knows with the first line on each; static orders, which are many, once."""
    axis = AXES[key]
    for name in [name for name in axis.named if name not in STATIC_ORDERS]:
        said = (inspect.getdoc(CLASSES[key][name]) or "").partition("\n\n")[0] if name in CLASSES[key] else "none"
        yield _entry(f"    {name}", said, CHOICES)
    if any(name in STATIC_ORDERS for name in axis.named):
        yield f"    {'CWDP':16} or another static order of channel, way, die and plane, the fastest first"
    if axis.own:
        yield f"    {'module.Class':16} a class of your own, derived from {BASES[key].__module__}.{BASES[key].__name__}"


def _preset(group: str, choice: str) -> str:
    """Return the comments and the settings in the file of a preset, and the presets that it builds on."""
    if choice not in (allowed := choices(group)):
        raise wrong_choice(group, choice, allowed)
    lines = [f"{group}={choice}", *(f"  {line}".rstrip() for line in _comments(group, choice))]
    defaults = content(f"{group}/{choice}").get("defaults", ())
    brought = [({group: entry} if isinstance(entry, str) else entry).items() for entry in defaults]
    named = [(key.removeprefix("override ").removeprefix("/"), name) for items in brought for key, name in items]
    builds_on = [f"{key}={name}" for key, name in named if name[0] != "_"]
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


@cache
def _settings(group: str, choice: str) -> list[tuple[str, Any]]:
    """Return the dotted keys that the file of a preset sets, with the values."""
    text = (CONF / group / f"{choice}.yaml").read_text(encoding="utf-8")
    package = next(iter(re.findall(r"^# *@package (\S+)", text, re.MULTILINE)), group.replace("/", "."))
    tree = content(f"{group}/{choice}")
    tree.pop("defaults", None)
    return [*flatten(tree, "" if package == "_global_" else f"{package}.")]


def content(path: str) -> dict[str, Any]:
    """Return the content of the file of a preset, such as `ftl/gc/rga`."""
    file = Path(CONF, f"{path}.yaml")
    return cast(dict[str, Any], OmegaConf.to_container(OmegaConf.load(file))) if file.is_file() else {}
