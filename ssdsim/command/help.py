"""Explain what can be set, and what the results have: groups, presets, policies, keys, and fields."""

import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from attrs import NOTHING

from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.assembly.rules import shown
from ssdsim.config import nearest
from ssdsim.config.keys import Key, keys
from ssdsim.config.registry import AXES
from ssdsim.errors import ConfigError
from ssdsim.metrics.fields import PLACEHOLDERS, SUMMARY, TABLES
from ssdsim.report.text import TextTable, filled

from . import parser
from .compose import SETTINGS, choices, compose, describe, groups, session, text_of, wrong_choice

FILES = {"summary.json": SUMMARY} | {f"{name}.parquet": columns for name, columns in TABLES.items()}


def presets(arguments: Sequence[str]) -> int:
    """Explain groups, presets, policies and keys.

    Each TOPIC is a key (ftl.gc.victim), a value of it (ftl.gc.victim=rga), a section (ftl.gc), a group (ftl/gc) or a
    preset (hardware=tlc_4g). Without any, all are listed, with * at the default. `--help TOPIC` is the same.
    """
    options = parser("presets", presets.__doc__)
    options.add_argument("topics", nargs="*", metavar="TOPIC", help="a key, section, group or GROUP=CHOICE")
    if topics := options.parse_args(arguments).topics:
        print("\n\n".join(map(topic, topics)))
        return 0
    with session():
        chosen = compose().hydra.runtime.choices
    print("".join([*(_choices(group, chosen.get(group)) for group in groups()), _keys([*keys(), *SETTINGS.values()])]))
    return 0


def topic(words: str) -> str:
    """Return the text on a key, section, group or `group=choice`; raise ConfigError if it is none."""
    name, _, value = words.removeprefix("+").partition("=")
    name = re.sub(r"^workloads\.\w+\.", "workload.", name)  # the keys of every stream are the same
    every = [*keys(), *SETTINGS.values()]
    declared = [key for key in every if key.name == name]
    below = [key for key in every if key.name.startswith(f"{name.replace('/', '.')}.")]
    if value and name in groups():
        if value not in choices(name):
            raise wrong_choice(name, value, choices(name))
        return f"{name}={value}\n{textwrap.indent(text_of(name, value), '  ')}"
    if declared:
        return _key(declared, value)
    if name not in groups() and not below:
        near = nearest(name, [*groups(), *(key.name for key in every)])
        raise ConfigError(f"--help {words}: no such key, group or preset{near}; presets lists all.")
    return _choices(name) + _keys(below)


def _choices(group: str, default: str = "") -> str:
    rows = [[choice + " *" * (choice == default), describe(group, choice)] for choice in choices(group)]
    return str(TextTable(f"{group}=", "", rows=rows)) if rows else ""


def _keys(declared: Sequence[Key]) -> str:
    rows = dict.fromkeys((f"{key.name}={default_of([key])}", key.meaning) for key in declared)
    return str(TextTable("key and default", "meaning", rows=rows)) if rows else ""


def _key(declared: list[Key], value: str) -> str:
    """Return the page of a key, which several kinds of workload may declare, or of its policy `value`."""
    first = declared[0]
    if value and first.name in AXES:
        AXES[first.name].check(first.name, value)
        if said := inspect.getdoc(CLASSES[first.name].get(value)):
            return f"{first.name}={value}\n{textwrap.indent(said, '  ')}"
    words = _policies(first.name) if first.name in AXES else first.explained
    facts = {"default": default_of(declared), "must be": "" if words else first.must_be}
    lines = [first.name, *dict.fromkeys(f"  {key.meaning}" for key in declared)]
    lines += [f"  {title:10} {fact}" for title, fact in facts.items() if fact]
    table = str(TextTable("one of", "", rows=words.items())).rstrip("\n") if words else ""
    return "\n".join(map(filled, lines)) + table


def _policies(key: str) -> dict[str, str]:
    """Return the names that an axis knows with the first line on each class, and of several names the first."""
    told: dict[str, str] = {}
    for name in AXES[key].named:
        said = (inspect.getdoc(CLASSES[key].get(name)) or "").partition("\n\n")[0].replace("\n", " ")
        if said not in told.values() or not said:
            told[name] = said
    own = {"module.Class": f"A class of your own, derived from {BASES[key][0].__module__}.{BASES[key][0].__name__}."}
    return told | own if AXES[key].own else told


def default_of(declared: list[Key]) -> str:
    """Return the default of a key, for each owner if they differ."""
    values = {key.owner.__name__: shown(key.default) for key in declared if key.default is not NOTHING}
    if len({*values.values()}) > 1:
        return ", ".join(f"{value} ({owner})" for owner, value in values.items())
    return next(iter(values.values()), "")


def fields(arguments: Sequence[str]) -> int:
    """Explain the fields of the results that have all of the words in their names or meanings; without words, all."""
    options = parser("fields", fields.__doc__)
    options.add_argument("words", nargs="*", metavar="WORD", help="of a name, as gc.collections, or of a meaning")
    words, tables = options.parse_args(arguments).words, list[Any]()
    for file, of_file in FILES.items():
        rows = []
        for field in of_file:
            said = " ".join([field.name, *field.spelled, field.meaning, field.null]).lower()
            if field.covers(" ".join(words)) or all(word.lower() in said for word in words):
                rows.append([field.name, field.unit, field.meaning + f" Null: {field.null}." * bool(field.null)])
        tables += [TextTable(file, "unit", "meaning", rows=rows)] * bool(rows)
        marks = [mark for mark in PLACEHOLDERS if any(mark in name for name, *_ in rows)]
        tables += [filled(f"{mark}: {', '.join(PLACEHOLDERS[mark])}") for mark in marks]
    if not tables:
        names = {part for field in SUMMARY for part in (field.name, *field.name.split("."))}
        raise ConfigError(f"fields {' '.join(words)}: no field is called so{nearest(' '.join(words), sorted(names))}.")
    print(*tables, sep="\n")
    return 0
