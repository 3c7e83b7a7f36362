"""A search finds what it should, of points that are worked out by hand, and takes what is said of them into account."""

import pytest

pytest.importorskip("optuna")

from optuna.distributions import IntDistribution

from ssdsim.command.compose import parse, session
from ssdsim.command.presets import compose
from ssdsim.command.search.report import best, dominant, told
from ssdsim.command.search.settings import Settings, SweeperConfig, take
from ssdsim.command.search.space import space_of
from ssdsim.command.search.study import Outcome, judged, search
from ssdsim.errors import ConfigError

FIELDS = ["iops", "write_amplification"]


def settings(*words, **keys):
    """Return the settings of a search for write amplification, or for what `words` say."""
    with session():
        given, _ = take([parse(each) for each in words or ["objective=write_amplification"]])
    return Settings.from_words(given, SweeperConfig(**keys))


def space(*overrides):
    with session():
        return space_of([parse(each) for each in overrides], compose())


class Machine:
    """Runs points by a function of their values, and remembers which."""

    def __init__(self, of):
        self.of = of
        self.jobs = []

    def __call__(self, points, first):
        assert first == len(self.jobs)
        self.jobs += points
        return [self.of(*(each.partition("=")[2] for each in point)) for point in points]


def parabola(x, kind):
    """The least value is 1, at 5 and "b"."""
    return Outcome("complete", ((int(x) - 5) ** 2 + {"a": 2.0, "b": 1.0}[kind],))


SPACE = ("host.queue_depth=interval(1,9)", "ftl.gc.victim=choice(a,b)")


@pytest.mark.parametrize("keys", [{"sampler": "tpe"}, {"sampler": "nsga2"}, {"sampler": "tpe", "n_jobs": 4}])
def test_a_search_finds_the_optimum(keys):
    machine = Machine(parabola)
    study = search(settings(n_trials=60, **keys), space(*SPACE), machine)
    assert study.best_params == {"host.queue_depth": 5, "ftl.gc.victim": "b"} and study.best_value == 1
    assert len(study.trials) == 60 and len(machine.jobs) == len(set(map(tuple, machine.jobs))) <= 18


def test_a_grid_tries_each_point_once():
    machine = Machine(parabola)
    found = space("host.queue_depth=range(1,10,2)", "seed=7", "ftl.gc.victim=a,b")
    study = search(settings(sampler="grid"), found, Machine(lambda x, seed, kind: parabola(x, kind)))
    assert len(study.trials) == 10 and study.best_params == {"host.queue_depth": 5, "ftl.gc.victim": "b"}
    search(settings(sampler="grid", n_trials=3, n_jobs=2), space("host.queue_depth=1,2", "ftl.gc.victim=a,b"), machine)
    assert machine.jobs == [[f"host.queue_depth={x}", f"ftl.gc.victim={kind}"] for x, kind in ("1a", "1b", "2a")]


def test_the_same_search_asks_for_the_same_points():
    one, other, another = Machine(parabola), Machine(parabola), Machine(parabola)
    for machine, seed in ((one, 1), (other, 1), (another, 2)):
        search(settings(n_trials=15, seed=seed), space(*SPACE), machine)
    assert one.jobs == other.jobs != another.jobs


def test_points_that_are_pruned_or_fail_do_not_count_and_the_search_goes_on():
    """Without them the least value is that of 3."""
    outcomes = {"5": Outcome("pruned", (0.0,), "backlog"), "4": Outcome("failed", None, "refused: no room")}
    machine = Machine(lambda x: outcomes.get(x, Outcome("complete", (abs(int(x) - 5.1),))))
    study = search(settings(sampler="grid"), space("host.queue_depth=range(1,7)"), machine)
    assert study.best_params == {"host.queue_depth": 6}
    states = [(trial.state.name, trial.user_attrs.get("reason")) for trial in study.trials]
    complete = ("COMPLETE", None)
    assert states == [*[complete] * 3, ("FAIL", "refused: no room"), ("PRUNED", "backlog"), complete]


@pytest.mark.parametrize(
    ("status", "codes", "values", "outcome"),
    [
        ({"status": "completed"}, [], (1.0, 2.0), Outcome("complete", (1.0, 2.0))),
        ({"status": "completed"}, ["tail", "backlog"], (1.0, 2.0), Outcome("pruned", (1.0, 2.0), "backlog")),
        ({"status": "completed"}, ["transient"], (1.0, 2.0), Outcome("complete", (1.0, 2.0))),
        ({"status": "completed"}, [], (1.0, None), Outcome("failed", None, "has no write_amplification")),
        ({"status": "refused", "message": "no room"}, [], (None, None), Outcome("failed", None, "refused: no room")),
        ({"status": "crashed"}, ["partial"], (1.0, 2.0), Outcome("failed", None, "crashed")),
    ],
)
def test_an_outcome_follows_from_status_validity_and_values(status, codes, values, outcome):
    assert judged(settings("objective=[iops,write_amplification]"), status, codes, values) == outcome


def test_the_front_is_of_points_that_none_is_better_than():
    points = [(1, 5), (2, 2), (3, 3), (5, 1), (2, 2), (1, 6)]
    assert dominant(points, [False, False]) == {0, 1, 3, 4}
    assert dominant(points, [True, False]) == {3}
    assert dominant(points, [False, True]) == {5}
    found = [*(Outcome("complete", point) for point in points), Outcome("pruned", (0, 0), "backlog")]
    two = settings("objective=[iops,write_amplification]")
    assert best(found, two) == [0, 1, 4, 3]
    assert best(found, settings("objective=iops", "directions=maximize")) == [3, 2, 1, 4, 0]


def test_points_that_do_not_count_are_told_with_their_jobs_and_reasons():
    found = [Outcome("pruned", (0,), "backlog"), Outcome("complete", (1,)), Outcome("pruned", None, "backlog")]
    found.append(Outcome("failed", None, "refused: no room"))
    assert told(found, [0, 1, 2, 4]).splitlines() == [
        "4 points were tried: 1 complete, 2 pruned, 1 failed.",
        "Failed (job 4): refused: no room",
        "Pruned (job 0, 2): backlog",
    ]


@pytest.mark.parametrize(
    ("override", "ends", "whole"),
    [
        ("host.queue_depth=interval(0.5,2)", (1, 2), True),
        ("ftl.gc.soft_threshold=interval(3,8)", (3, 8), True),
        ("ftl.gc.soft_threshold=interval(3.0,8)", (3.0, 8.0), False),
        ("hardware.over_provisioning=interval(0,1)", (0.0, 1.0), False),
        ("hardware.over_provisioning=range(0.1,0.35,0.1)", (0.1, 0.3), False),
        ("hardware.blocks_per_plane=tag(log,interval(32,512))", (32, 512), True),
        ("ftl/gc=glob(*)", ("cost_benefit", "rga"), False),
        ("+workloads.b.queue_depth=interval(1,4)", (1, 4), True),
    ],
)
def test_intervals_are_of_whole_numbers_where_the_key_is(override, ends, whole):
    (dimension,) = space(override).dimensions.values()
    drawn = dimension.distribution
    assert (dimension.ends, isinstance(drawn, IntDistribution)) == (ends, whole)
    assert getattr(drawn, "log", False) == ("log" in override)


@pytest.mark.parametrize(
    ("words", "keys", "message"),
    [
        ((), {}, r"needs an objective"),
        (("objective=write_amplificatoin",), {}, r"no field is called so \(did you mean 'write_amplification'\?\)"),
        (("objective=utilization.die",), {}, r"is no single number: Of each die"),
        (("objective=[iops,iops]",), {}, r"iops is there twice"),
        (("objective=[iops,simulated_s]", "directions=maximize"), {}, r"has 1 for 2 objectives"),
        (("objective=iops", "directions=up"), {}, r"must be minimize or maximize"),
        (("objective=iops", "prune=backlogs"), {}, r"prune=backlogs: must be one of .*did you mean 'backlog'"),
        (("objective=iops",), {"sampler": "gird"}, r"did you mean 'grid'"),
        (("objective=iops",), {"n_jobs": 0}, r"hydra.sweeper.n_jobs=0: must be at least 1"),
    ],
)
def test_settings_that_are_wrong_are_told_with_the_remedy(words, keys, message):
    with session():
        given, rest = take([parse(each) for each in words])
    assert rest == []
    with pytest.raises(ConfigError, match=message):
        Settings.from_words(given, SweeperConfig(**keys))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("host.queue_depth=4", "needs something to choose"),
        ("seed=1,2", "one seed for all points"),
        ("host.queue_depth=interval(8,3)", "must not end before it begins"),
        ("hardware.over_provisioning=tag(log,interval(0,1))", "must begin above 0"),
        ("ftl/gc=glob(nothing*)", "stands for nothing"),
    ],
)
def test_what_cannot_be_searched_is_told(override, message):
    with pytest.raises(ConfigError, match=message):
        space(override)


def test_an_interval_has_no_grid():
    with pytest.raises(ConfigError, match="has no grid"):
        search(settings(sampler="grid"), space("host.queue_depth=interval(1,4)"), Machine(parabola))
