"""Explain groups, presets, policies and keys.

Each TOPIC is a key (ftl.gc.victim), a value of it (ftl.gc.victim=rga), a section (ftl.gc), a group (ftl/gc) or a preset
(hardware=tlc_4g). Without any, all are listed. `--help TOPIC` is the same.
"""

import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import hydra
from attrs import NOTHING

from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.config import nearest
from ssdsim.config.experiment import CommandConfig
from ssdsim.config.keys import Key, keys
from ssdsim.config.registry import AXES, STATIC_ORDERS
from ssdsim.errors import ConfigError
from ssdsim.report.text import TextTable, filled

from . import parser
from .compose import session
from .diagnosis import COMMAND_LINE_FIELDS, wrong_choice
from .groups import CONF, choices, groups


def main(arguments: Sequence[str]) -> int:
    """Print the page of each topic, or of all, and return 0, or 2 if there is no such topic."""
    options = parser("presets", __doc__)
    options.add_argument("topics", nargs="*", metavar="TOPIC", help="a key, section, group or GROUP=CHOICE")
    topics = options.parse_args(arguments).topics
    with session():
        print("\n\n".join(map(topic, topics)) if topics else help_text())
    return 0


def help_text() -> str:
    """Return the page of all: groups with their choices, of which * is the default, and keys with their defaults."""
    chosen = hydra.compose("config", return_hydra_config=True).hydra.runtime.choices
    return "".join([*(_choices(group, chosen.get(group)) for group in groups()), _keys(every_key())])


def topic(words: str) -> str:
    """Return the text on a key, section, group or `group=choice`; raise ConfigError if it is none."""
    name, _, value = words.removeprefix("+").partition("=")
    name = re.sub(r"^workloads\.\w+\.", "workload.", name)  # the keys of every stream are the same
    declared = [key for key in every_key() if key.name == name]
    below = [key for key in every_key() if key.name.startswith(f"{name.replace('/', '.')}.")]
    if value and name in groups():
        return _preset(name, value)
    if declared:
        return _key(declared, value)
    if name not in groups() and not below:
        known = [*groups(), *(key.name for key in every_key())]
        raise ConfigError(f"--help {words}: no such key, group or preset{nearest(name, known)}; presets lists all.")
    return "".join([_choices(name)] * (name in groups()) + [_keys(below)] * bool(below))


def every_key() -> list[Key]:
    """Return the keys of an experiment, and those of the command line."""
    return [*keys(), *command_line_keys()]


def command_line_keys() -> list[Key]:
    """Return the keys that are no part of an experiment."""
    return [Key(field.name, CommandConfig, field) for field in COMMAND_LINE_FIELDS]


def _choices(group: str, default: str = "") -> str:
    rows = [[choice + " *" * (choice == default), describe(group, choice)] for choice in choices(group)]
    return str(TextTable(f"{group}=", "", rows=rows))


def _keys(declared: Sequence[Key]) -> str:
    rows = dict.fromkeys((f"{key.name}={default_of([key])}", key.meaning) for key in declared)
    return str(TextTable("key and default", "meaning", rows=rows))


def _key(declared: list[Key], value: str) -> str:
    """Return the page of a key, which several kinds of workload may declare, or of its policy `value`."""
    first = declared[0]
    axis = AXES.get(first.name)
    if axis is not None and value:
        axis.check(first.name, value)
        if said := inspect.getdoc(CLASSES[first.name].get(value)):
            return f"{first.name}={value}\n{textwrap.indent(said, '  ')}"
    words = first.explained if axis is None else dict(_policies(first.name))
    facts = {"default": default_of(declared), "must be": "" if words else first.must_be}
    lines = [first.name, *dict.fromkeys(f"  {key.meaning}" for key in declared)]
    lines += [f"  {title:10} {fact}" for title, fact in facts.items() if fact]
    table = str(TextTable("one of", "", rows=words.items())) if words else ""
    return "\n".join(map(filled, lines)) + table.rstrip("\n") * bool(words)


def _policies(key: str) -> Iterator[tuple[str, str]]:
    """Yield the names that an axis knows with the first line on each; static orders, which are many, once."""
    for name in AXES[key].named:
        if name == STATIC_ORDERS[0]:
            yield name, "Or another static order of channel, way, die and plane, the fastest first."
        elif name not in STATIC_ORDERS:
            yield name, (inspect.getdoc(CLASSES[key].get(name)) or "").partition("\n\n")[0].replace("\n", " ")
    if AXES[key].own:
        yield "module.Class", f"A class of your own, derived from {BASES[key].__module__}.{BASES[key].__name__}."


def default_of(declared: list[Key]) -> str:
    """Return the default of a key, for each owner if they differ."""
    values = {key.owner.__name__: shown(key.default) for key in declared if key.default is not NOTHING}
    if len({*values.values()}) > 1:
        return ", ".join(f"{value} ({owner})" for owner, value in values.items())
    return next(iter(values.values()), "")


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, float):
        return f"{value:.12g}"  # 12 digits: 0.1 + 0.2 is 0.3
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def describe(group: str, choice: str) -> str:
    """Return the first comment line of a preset."""
    comments = re.findall(r"^# *([^@\n]+)$", _text(group, choice), re.MULTILINE)  # "# @package" is meant for Hydra
    return comments[0] if comments else ""


def _text(group: str, choice: str) -> str:
    return (CONF / group / f"{choice}.yaml").read_text(encoding="utf-8")


def _preset(group: str, choice: str) -> str:
    """Return the file of a preset, with the presets that it builds on in its `defaults`."""
    if choice not in choices(group):
        raise wrong_choice(group, choice, choices(group))
    return f"{group}={choice}\n{textwrap.indent(_text(group, choice), '  ')}"
