"""Print the script by which a shell completes verbs, options, groups, keys and their values.

In ~/.bashrc or ~/.zshrc stands `eval "$(ssdsim completion bash)"`, with the shell's name; in ~/.config/fish/config.fish
`ssdsim completion fish | source`.
"""

import os
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.lexers import split_line

from ssdsim.config.keys import keys
from ssdsim.metrics.fields import SUMMARY

from . import failures, parser
from .cli import VERBS
from .groups import choices, groups
from .new import KINDS, STACK

SHELLS = ("bash", "zsh", "fish")
WITHOUT_VERB = "1"
"""How many words argcomplete is to leave out before the arguments: the command alone, or its verb, too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the script of a shell and return 0."""
    options = parser("completion", __doc__)
    options.add_argument("shell", choices=SHELLS, help="which it is for")
    given = options.parse_args(arguments)

    def show() -> int:
        print(argcomplete.shellcode(["ssdsim"], shell=given.shell))
        return 0

    return failures.guarded(show)


def verb_of_line(verbs: Collection[str]) -> list[str]:
    """Return the verb of the line that a shell wants completed, as the arguments of a command; none if it has none."""
    *_, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))
    if not {*words[1:2]} & {*verbs}:
        return []
    os.environ["_ARGCOMPLETE"] = str(int(WITHOUT_VERB) + 1)
    return words[1:2]


def answer(options: ArgumentParser) -> None:
    """Tell the shell the completions of a word among the arguments of `options`, and end."""
    completer: Any = _words
    argcomplete.autocomplete(options, always_complete_options=False, default_completer=completer)


def _words(prefix: str, action: Action, parsed_args: Namespace, **others: Any) -> list[str]:
    """Return the completions of an argument by the names of what it is, or else by those of files."""
    if action.dest == "kind":
        return [*KINDS, STACK]
    if action.dest in ("fields", "words", "y"):
        return [name for field in SUMMARY for name in field.spelled()]
    if action.dest == "topics":
        return [name.removesuffix("=") for name in overrides(prefix)]
    if action.dest != "overrides":
        return [*FilesCompleter()(prefix)]
    may_be_verb = os.environ["_ARGCOMPLETE"] == WITHOUT_VERB and not getattr(parsed_args, action.dest, None)
    return [*(VERBS if may_be_verb else ()), *overrides(prefix)]


def overrides(prefix: str) -> Iterator[str]:
    """Yield the overrides that `prefix` may go on as: the names up to its =, then the values.

    Of a list, it is the last value. Without any beginning there are the groups and plain keys.
    """
    name, equals, value = prefix.partition("=")
    plus, name = name[: len(name) - len(name.lstrip("+"))], name.lstrip("+")
    declared = {key.name: key for key in keys()}
    if not equals:
        yield from (f"{plus}{known}=" for known in (*groups(), *declared) if name or "." not in known)
        return
    begun = value[: max(map(value.rfind, ",[")) + 1]
    key = declared.get(name)
    words = choices(name) or (() if key is None else key.choices or ("true", "false") * (key.declared.type is bool))
    yield from (f"{plus}{name}={begun}{word}" for word in words)
