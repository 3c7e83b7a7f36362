"""The command line: reads the arguments, runs one experiment or a sweep, turns what goes wrong into a sentence."""

import sys
from collections.abc import Sequence

from ssdsim import __version__
from ssdsim.config import nearest
from ssdsim.config.saved import load_config
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.estimate import estimate
from ssdsim.run.rehearsal import rehearse

from . import combinations, failures, fields, folders, sweep
from .compose import Point, expand, parse, prepared, session
from .help import help_text
from .origin import own_classes
from .run import report, run
from .topics import topic

OPTIONS = {
    "-h": "help",
    "--help": "help",
    "-m": "multirun",
    "--multirun": "multirun",
    "--combinations": "combinations",
    "--fields": "fields",
    "--version": "version",
}
CONFIG = "--config"


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for and return the exit status: 0, 1 (failed), 2 (wrong input), 128 + a signal."""
    return failures.guarded(lambda: _main(list(sys.argv[1:] if argv is None else argv)))


def _main(argv: list[str]) -> int:
    argv, base = _base(argv)
    options = {_option(argument) for argument in argv if argument.startswith("-")}
    topics = [word for word in argv[_place_of_help(argv) + 1 :] if not word.startswith("-")]
    overrides = [argument for argument in argv if not argument.startswith("-")]
    if "version" in options:
        print(f"ssdsim {__version__}")
        return 0
    if "fields" in options:
        fields.show(overrides)
        return 0
    with session():
        if "help" in options:
            print("\n\n".join(map(topic, topics)) if topics else help_text())
            return 0
        if "combinations" in options:
            for line in combinations.matrix(overrides):
                print(line)
            return 0
        return _experiment(overrides, "multirun" in options, base)


def _base(argv: list[str]) -> tuple[list[str], str | None]:
    """Split `--config PLACE` from the other arguments; raise ConfigError if there is no place, or are several."""
    rest, places = [], []
    for argument in (words := iter(argv)):
        name, equals, place = argument.partition("=")
        if name == CONFIG:
            places.append(place if equals else next(words, ""))
        else:
            rest.append(argument)
    if places and (len(places) > 1 or not places[0] or places[0].startswith("-")):
        raise ConfigError(f"{CONFIG} {' '.join(places)}: must be followed by one folder of a run, or YAML file.")
    return rest, places[0] if places else None


def _place_of_help(argv: list[str]) -> int:
    """Return where help is asked for, the end if it is not."""
    return next((place for place, word in enumerate(argv) if OPTIONS.get(word) == "help"), len(argv))


def _option(argument: str) -> str:
    if argument not in OPTIONS:
        names = [*OPTIONS, CONFIG]
        raise ConfigError(f"{argument}: no such option; there are {', '.join(names)}{nearest(argument, names)}.")
    return OPTIONS[argument]


def _experiment(overrides: list[str], multirun: bool, place: str | None) -> int:
    """Check every point, then the folder, and only then run; what is in the folder stays until the new is whole."""
    overwrite, overrides = _overwrite(overrides)
    base = None if place is None else load_config(place)
    if base is not None and multirun:
        raise ConfigError(f"{CONFIG} {place}: goes with one run, and not with --multirun.")
    points, refused = _prepared(expand(overrides), multirun) if multirun else ([prepared(overrides, base=base)], {})
    path = folders.choose(points[0].folder, overrides)
    try:
        with ResultFolder(path, overwrite, "sweep" if multirun else "run") as folder:
            if multirun:
                return sweep.launch(overrides, folder, len(points), refused)
            if any(not key.startswith("workload") for key, _ in own_classes(points[0].config)):
                rehearse(points[0].config)
            try:
                run(points[0].config, folder, f"Running into {path}: {estimate(points[0].config)}")
            finally:
                if folder.written:
                    report(folder)
    finally:
        folders.discard_if_empty(path)
    return 0


def _prepared(overrides: list[list[str]], multirun: bool) -> tuple[list[Point], dict[int, sweep.Refusal]]:
    """Return the points of a sweep that can be run, and by their place the others; raise the error if all are wrong."""
    points, refused = [], {}
    for place, point in enumerate(overrides):
        try:
            points.append(prepared(point, multirun))
        except SsdsimError as error:
            refused[place] = sweep.Refusal(point, error)
    if not points:
        sentences = dict.fromkeys(str(each.error) for each in refused.values())
        raise ConfigError("\n".join(sentences)) from next(iter(refused.values())).error
    return points, refused


def _overwrite(overrides: list[str]) -> tuple[bool, list[str]]:
    """Split `overwrite=...`, which is a matter of this command line and no part of an experiment, from the rest."""
    parsed = [parse(text) for text in overrides]
    own = [override for override in parsed if override.key_or_group == "overwrite"]
    for override in own:
        if not isinstance(override.value(), bool):
            raise ConfigError(f"{override.input_line}: must be true or false.")
    return any(override.value() for override in own[-1:]), [str(each.input_line) for each in parsed if each not in own]
