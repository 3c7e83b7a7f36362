"""The command line: reads the arguments, runs one experiment or a sweep, turns what goes wrong into a sentence."""

import sys
from collections.abc import Sequence

from ssdsim import __version__
from ssdsim.config import nearest
from ssdsim.config.saved import load_config
from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.estimate import estimate
from ssdsim.run.rehearsal import rehearse

from . import combinations, failures, fields, folders, sweep
from .compose import expand, parse, prepared, session
from .help import help_text
from .origin import own_classes
from .run import report, run
from .runner.launching import hydras_own
from .runner.overview import Words
from .runner.sweeping import Points, is_hydras, of_points
from .search.sweeper import Search, search_of
from .topics import topic

OPTIONS = {
    "-h": "help",
    "--help": "help",
    "-m": "multirun",
    "--multirun": "multirun",
    "-q": "quiet",
    "--quiet": "quiet",
    "-v": "verbose",
    "--verbose": "verbose",
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
        words = Words("quiet" in options, "verbose" in options)
        search, overrides = search_of([parse(text) for text in overrides], "multirun" in options)
        if "multirun" not in options:
            return _experiment(overrides, base, words)
        if base is not None:
            raise ConfigError(f"{CONFIG} {base}: goes with one run, and not with --multirun.")
        return _sweep(overrides, words, search)


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


def _experiment(overrides: list[str], place: str | None, words: Words) -> int:
    """Check everything, then the folder, and only then run; what is in the folder stays until the new is whole."""
    overwrite, overrides = _overwrite(overrides)
    point = prepared(overrides, base=None if place is None else load_config(place))
    path = folders.choose(point.folder, overrides)
    try:
        with ResultFolder(path, overwrite) as folder:
            if any(not key.startswith("workload") for key, _ in own_classes(point.config)):
                rehearse(point.config)
            try:
                run(point.config, folder, None if words.quiet else f"Running into {path}: {estimate(point.config)}")
            finally:
                if folder.written:
                    report(folder, words.quiet)
    finally:
        folders.discard_if_empty(path)
    return 0


def _sweep(overrides: list[str], words: Words, search: Search | None) -> int:
    """Do the same for a sweep or search, which goes on in the folder where it was stopped."""
    overwrite, overrides = _overwrite(overrides)
    expanded = expand(overrides) if search is None else search.samples()
    of_hydra = [each for each in overrides if is_hydras(each)]
    config = hydras_own(of_hydra)
    points = Points(of_points(of_hydra))
    points.check([[each for each in point if not is_hydras(each)] for point in expanded])
    given, known = config.hydra.sweep.dir, sweep.known_by(overrides, search)
    stopped = folders.newest(known, lambda folder: sweep.is_stopped(folder, known)) if not given else None
    if stopped is not None and not words.quiet:
        print(f"Going on in {stopped}, where the same sweep was stopped.", file=sys.stderr)
    path = stopped or folders.choose(given, known)
    again = sweep.is_stopped(path, known) or (sweep.is_of(path, known) and not overwrite)
    try:
        with ResultFolder(path, overwrite or again, "sweep") as folder:
            return sweep.launch(config, overrides, folder, points, words, anew=not again, search=search)
    finally:
        folders.discard_if_empty(path)


def _overwrite(overrides: list[str]) -> tuple[bool, list[str]]:
    """Split `overwrite=...`, which is a matter of this command line and no part of an experiment, from the rest."""
    parsed = [parse(text) for text in overrides]
    own = [override for override in parsed if override.key_or_group == "overwrite"]
    for override in own:
        if not isinstance(override.value(), bool):
            raise ConfigError(f"{override.input_line}: must be true or false.")
    return any(override.value() for override in own[-1:]), [str(each.input_line) for each in parsed if each not in own]
