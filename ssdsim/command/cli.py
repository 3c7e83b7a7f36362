"""The command line: reads the arguments, runs one experiment or a sweep, turns what goes wrong into a sentence."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from ssdsim import __version__
from ssdsim.config import nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.estimate import estimate

from . import failures, folders, kept
from .kept import Command
from .point import own_classes
from .run import report, run

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

COMMANDS = {name: name for name in ("compare", "new", "picture", "player", "report", "timeline")}
COMMANDS["watch"] = "watch.__main__"
"""Further commands, and the module that each is."""

CONFIG = "--config"
FLAG: dict[str, Any] = {"action": "store_true"}
OPTIONS: dict[tuple[str, ...], dict[str, Any]] = {
    ("-h", "--help"): {"nargs": "*"},
    ("-m", "--multirun"): FLAG,
    ("-q", "--quiet"): FLAG,
    ("-v", "--verbose"): FLAG,
    ("--allow-imports",): FLAG,
    ("--combinations",): {"nargs": "*"},
    ("--fields",): {"nargs": "*"},
    ("--version",): FLAG,
    (CONFIG,): {"nargs": "?", "const": "", "action": "append", "default": []},
}
OWN: dict[str, dict[str, bool | None]] = {
    "overwrite": {"true": True, "false": False},
    "plot": {"true": True, "false": False, "auto": None},
}
"""The keys that say how results are left, with what their words stand for."""

FIRST = ("hardware=tlc_2g", "precondition=steady_state")
"""What a command line stands for that says nothing of the experiment: a small device in its steady state."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of the arguments and return the exit status: 0, 1 (failed), 2 (wrong input), 128 + a signal."""
    return failures.guarded(lambda: _main(list(sys.argv[1:] if argv is None else argv)))


def _main(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        further = import_module(f".{COMMANDS[argv[0]]}", __package__)
        return int(further.main(argv[1:]))
    given = _given(argv)
    if given.allow_imports and given.config is None:
        raise ConfigError(f"--allow-imports: goes with {CONFIG}, and imports the classes that are named there.")
    if given.version:
        print(f"ssdsim {__version__}")
        return 0
    if given.fields is not None:
        from . import fields

        fields.show([*given.overrides, *given.fields])
        return 0
    is_one_run = not given.multirun and given.help is None and given.combinations is None
    if is_one_run and given.config is None and all(text.startswith(("hydra.", *OWN)) for text in given.overrides):
        given.overrides = [*FIRST, *given.overrides]
    if is_one_run and given.config is None and (command := kept.find(given.overrides)):
        return _experiment(command, given.quiet, given.verbose)
    from . import presets  # with Hydra, which takes as long to load as a short run
    from .compose import parse, prepared, session

    with session():
        if given.help is not None:
            from .help import help_text, topic

            print("\n\n".join(map(topic, given.help)) if given.help else help_text())
            return 0
        if given.combinations is not None:
            from . import combinations

            for line in combinations.matrix([*given.overrides, *given.combinations]):
                print(line)
            return 0
        from .search.settings import is_search, refuse

        parsed = [parse(text) for text in given.overrides]
        searches = given.multirun and is_search(parsed)
        if not searches:
            refuse(parsed)
        if is_one_run:
            rest, own = own_keys(parsed)
            command = Command(rest, prepared(rest, place=given.config, imports=given.allow_imports), **own)
            if given.config is None:
                kept.keep(given.overrides, command)
                presets.keep([override for override in parsed if override.key_or_group not in OWN])
            return _experiment(command, given.quiet, given.verbose)
        if given.config is not None:
            raise ConfigError(f"{CONFIG} {given.config}: goes with one run, and not with --multirun.")
        from . import sweep
        from .runner.overview import Words
        from .search.sweeper import search_of

        search, parsed = search_of(parsed) if searches else (None, parsed)
        rest, own = own_keys(parsed)
        return sweep.run(rest, Words(given.quiet, given.verbose), search, **own)


class _Options(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}.")


def _given(argv: list[str]) -> Namespace:
    """Return the options and overrides of a command line; raise ConfigError for others."""
    options = _Options(add_help=False, allow_abbrev=False)
    for names, how in OPTIONS.items():
        options.add_argument(*names, **how)
    options.add_argument("overrides", nargs="*")
    given, unknown = options.parse_known_intermixed_args(argv)
    for argument in unknown:
        known = [name for names in OPTIONS for name in names]
        raise ConfigError(f"{argument}: no such option; there are {', '.join(known)}{nearest(argument, known)}.")
    places, given.config = given.config, next(iter(given.config), None)
    if places and (len(places) > 1 or not places[0]):
        raise ConfigError(f"{CONFIG} {' '.join(places)}: must be followed by one folder of a run, or YAML file.")
    return given


def _experiment(command: Command, quiet: bool, verbose: bool) -> int:
    """Check the folder, and only then run; what is in the folder stays until the new is whole."""
    config = command.point.config
    path = folders.choose(command.point.folder, command.overrides)
    try:
        with ResultFolder(path, command.overwrite) as folder:
            if any(not key.startswith("workload") for key, _ in own_classes(config)):
                from ssdsim.run.rehearsal import rehearse

                rehearse(config)
            try:
                first = "".join(f"{override} " for override in command.overrides if override in FIRST)
                title = None if quiet else f"Running {first}into {path}: {estimate(config)}"
                run(config, folder, title, command.plot)
            finally:
                if folder.written:
                    report(folder, quiet, verbose)
    finally:
        folders.discard_if_empty(path)
    return 0


def own_keys(parsed: "list[Override]") -> tuple[list[str], dict[str, Any]]:
    """Split the keys of this command line that are no part of an experiment (`OWN`), with their values, from the rest.

    The rest comes first.
    """
    given: dict[str, Any] = {"overwrite": False, "plot": None}
    for override in parsed:
        if (words := OWN.get(override.key_or_group)) is not None:
            word = str(override.value()).lower()
            if word not in words:
                raise ConfigError(f"{override.input_line}: must be {' or '.join(words)}.")
            given[override.key_or_group] = words[word]
    return [str(override.input_line) for override in parsed if override.key_or_group not in OWN], given
