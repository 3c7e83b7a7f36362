"""The page of all keys: meaning, default, and what it may be."""

from collections import defaultdict
from collections.abc import Iterator

from ssdsim.assembly.rules import shown
from ssdsim.command.compose import SETTINGS, choices, describe, groups, session
from ssdsim.command.help import default_of
from ssdsim.config.keys import Key
from ssdsim.config.keys import keys as declared_keys
from ssdsim.config.registry import AXES

HEAD = """\
# Keys

Every key of the configuration as its class declares it. `python -m experiments --help KEY` says the same.
A key is set on the command line as `key=value`. A preset is a file that sets several keys, chosen as `group=choice`.
"""


def keys() -> str:
    """Return the page."""
    with session():
        return "\n".join([HEAD, *_presets(), *_command_line(), *_sections()])


def _presets() -> Iterator[str]:
    yield "## Groups of presets\n"
    for group in groups():
        yield f"### `{group}` {{ #group-{group.replace('/', '-')} }}\n"
        yield "| preset | what it is |\n| --- | --- |"
        yield from (f"| `{choice}` | {cell(describe(group, choice))} |" for choice in choices(group))
        yield ""


def _command_line() -> Iterator[str]:
    yield "## Keys of the command line\n"
    for key in SETTINGS.values():
        yield f"### `{key.name}` {{ #{key.name} }}\n\n{key.meaning}\n\n- default: `{shown(key.default)}`\n"


def _sections() -> Iterator[str]:
    sections: dict[str, dict[str, list[Key]]] = defaultdict(lambda: defaultdict(list))
    for key in declared_keys():
        sections[key.name.rpartition(".")[0]][key.name].append(key)
    for section, of in sections.items():
        yield f"## `{section}` {{ #section-{section.replace('.', '-')} }}\n" if section else "## Keys of no section\n"
        for name, declared in of.items():
            yield _key(name, declared)


def _key(name: str, declared: list[Key]) -> str:
    first = declared[0]
    lines = [f"### `{name}` {{ #{name} }}", "", *dict.fromkeys(each.meaning for each in declared), ""]
    axis = f"a [policy](policies.md#{name})" if name in AXES else first.must_be
    default = default_of(declared)
    facts = {"default": f"`{default}`" if default else "", "must be": axis}
    if first.explained:
        facts["must be"] = "one of\n" + "\n".join(f"    - `{word}`: {said}" for word, said in first.explained.items())
    return "\n".join([*lines, *(f"- {title}: {fact}" for title, fact in facts.items() if fact), ""])


def cell(text: str) -> str:
    """Return `text` as it may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")
