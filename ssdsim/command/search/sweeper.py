"""The search in the place of a list of points: it has them run by the launcher of sweeps, and reads their results."""

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hydra.core.override_parser.types import Override

from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import value

from ..diagnosis import COMMAND_LINE_KEYS
from ..presets import compose
from ..runner.launching import hydras_own
from ..runner.sweeping import SweepLauncher, is_hydras
from .settings import GROUP, NAME, Settings, take

if TYPE_CHECKING:
    from .space import Space


class Search:
    """Has the points of `space` run that Optuna chooses."""

    def __init__(self, settings: Settings, space: "Space") -> None:
        from .study import max_trials

        self.settings = settings
        self.space = space
        self.max_trials = max_trials(settings, space)
        """How many points it tries at most."""

    def samples(self) -> list[list[str]]:
        """Return points at both ends of all dimensions, to be checked before anything is run."""
        ends = [{key: dimension.ends[end] for key, dimension in self.space.dimensions.items()} for end in (0, 1)]
        return [self.space.overrides(point) for point in ends]

    def report(self, folder: ResultFolder, quiet: bool) -> None:
        """Print the outcome of the search into `folder`, or where its results are alone."""
        from .report import report

        if not quiet:
            report(folder, self.settings)
        print(f"Results are in {folder.path}")

    def sweep(self, launcher: SweepLauncher) -> None:
        """Have `launcher` run the points of the search, batch by batch."""
        from .study import search

        def run(points: list[list[str]], first: int) -> list[Any]:
            launcher.launch(points, first)
            return [self._outcome(launcher, number) for number in range(first, first + len(points))]

        search(self.settings, self.space, run)

    def _outcome(self, launcher: SweepLauncher, number: int) -> Any:
        from .study import judged

        status, summary = launcher.statuses[number], {}
        if status["results"]:  # a job that has failed may have none
            summary = Result.load(launcher.folder(number)).summary
        codes = [finding["code"] for finding in summary.get("validity", ())]
        values = []
        for name in self.settings.objective:
            try:
                values.append(value(summary, name))
            except KeyError:
                values.append(None)
        return judged(self.settings, status, codes, values)


def search_of(parsed: Sequence[Override]) -> tuple[Search, list[Override]]:
    """Return the search that overrides ask for, and the overrides that are left for its points.

    Raise ConfigError for what is wrong with it.
    """
    words, rest = take(parsed)
    left = [str(override.input_line) for override in rest]
    if importlib.util.find_spec("optuna") is None:
        raise ConfigError(f"{GROUP}={NAME}: is not installed; install ssdsim[search].")
    from .space import space_of  # imports Optuna

    own = hydras_own([override for override in left if is_hydras(override)])
    settings = Settings.from_words(words, own.hydra.sweeper)
    others = ("hydra", *COMMAND_LINE_KEYS)
    of_points = [override for override in rest if not override.key_or_group.startswith(others)]
    return Search(settings, space_of(of_points, _composed(of_points))), rest


def _composed(parsed: Sequence[Override]) -> Any:
    """Return the configuration of a point, but for intervals, which are left as they are."""
    firsts = []
    for override in parsed:
        if not override.is_sweep_override():
            firsts.append(str(override.input_line))
        elif override.is_discrete_sweep() and (values := list(override.sweep_string_iterator())):
            firsts.append(f"{override.get_key_element()}={values[0]}")  # any value serves: only types of keys matter
    return compose(*firsts)
