"""What a command line runs that says nothing of the experiment."""

from ssdsim.command.compose import prepared, session
from ssdsim.command.experiment import FIRST
from ssdsim.run.simulation import simulate


def test_the_first_experiment_is_in_a_steady_state_and_nothing_speaks_against_its_means():
    """Of percentiles there are as many as its requests allow."""
    with session():
        summary = simulate(prepared([*FIRST]).config).summary
    assert {finding["code"] for finding in summary["validity"]} <= {"tail"}
    assert summary["requests"]["write"]["count"] > 0.5 * 100_000


def test_only_a_command_line_that_says_nothing_of_the_experiment_runs_it(cli, simulator):
    for overrides, is_first in (([], True), (["plot=false", "hydra.run.dir=here"], True), (["seed=2"], False)):
        ended = cli(*overrides)
        assert ended.status == 0
        assert (" ".join(FIRST) in ended.err) == is_first
        assert (simulator.configs[-1].precondition.mode == "writes") == is_first
