"""The first experiment, which every command line changes by what it says alone."""

import pytest

from ssdsim.command.compose import choices, composed
from ssdsim.config.experiment import flatten
from ssdsim.config.saved import asdict
from ssdsim.run.simulation import simulate


@pytest.mark.parametrize(
    "victim",
    [pytest.param(each, marks=[] if each == "random" else pytest.mark.more) for each in choices("ftl/gc")],
)
def test_nothing_speaks_against_the_first_experiment_with_any_choice_of_victims(victim):
    """Of percentiles there are as many as its requests allow; a usual run takes the best choice and the worst."""
    summary = simulate(composed([f"ftl/gc={victim}"])).summary
    assert {finding["code"] for finding in summary["validity"]} <= {"tail"}
    assert summary["requests"]["write"]["count"] > 0.5 * 100_000


@pytest.mark.parametrize(
    ("override", "changed"),
    [
        ("seed=2", {"seed"}),
        ("ftl/gc=rga", {"ftl.gc.victim", "ftl.gc.options", "ftl.gc.options.choices"}),
        ("host.queue_depth=8", {"host.queue_depth"}),
    ],
)
def test_a_word_changes_what_it_says_and_nothing_else(override, changed):
    first, other = (dict(flatten(asdict(composed(words)))) for words in ([], [override]))
    assert {key for key in first | other if first.get(key) != other.get(key)} == changed
