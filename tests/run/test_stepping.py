"""A run that is stepped through is the run that goes straight on, and its hooks see what its tables have."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import ConfigError, Simulation, SyntheticConfig, simulate
from support.tiny_device import Run, tiny_config

MOVES = st.lists(
    st.one_of(
        st.just("step"), st.just("state"), st.integers(0, 300_000), st.sampled_from(["block_erased", "page_sensed"])
    ),
    max_size=12,
)


def config(kernel="compiled", **changes):
    load = SyntheticConfig(requests=40, queue_depth=4)
    return tiny_config({"workload": load, "kernel": kernel, "record": ["requests", "commands"]} | changes)


@settings(max_examples=15)
@given(moves=MOVES, kernel=st.sampled_from(["compiled", "simpy"]), cut=st.sampled_from([None, 20]))
def test_a_stepped_run_equals_a_straight_one(moves, kernel, cut):
    given = config(kernel, power_loss={"after_programs": cut})
    simulation, ended, completed = Simulation(given), [], []
    simulation.on("command_ended", ended.append)
    simulation.on("request_completed", completed.append)
    for move in moves:
        if move == "step":
            simulation.step()
        elif move == "state":
            assert simulation.state == simulation.state
        else:
            simulation.run_until(simulation.now + move if isinstance(move, int) else move)
    simulation.run()
    run = Run(simulation.finish())
    assert run.facts() == Run(simulate(given)).facts()
    assert [(each.op, each.lpa, each.at_ns) for each in ended] == [
        (row["op"], row["lpa"], row["end_ns"]) for row in run.commands
    ]
    assert sorted(each.request for each in completed) == [row["id"] for row in run.requests]
    assert not simulation.step()


def test_what_cannot_be_stepped_through_is_refused():
    with pytest.raises(ConfigError, match="timing=off"):
        Simulation(config(timing="off", record=[])).step()
    with pytest.raises(ValueError, match="choose one of request_admitted"):
        Simulation(config()).run_until("block_erase")


@pytest.mark.parametrize("name", ["block_erased", "command_ended", "request_completed"])
def test_a_hook_is_told_once_of_each_whatever_was_hooked_before(name):
    told, again = [], []
    simulation = Simulation(config(workload=SyntheticConfig(requests=200, read_share=0.5, queue_depth=4)))
    assert simulation.run_until(name) and simulation.run_until(name)
    simulation.on(name, told.append)
    simulation.on(name, again.append)()
    assert simulation.run_until(name)
    simulation.run()
    assert len(told) > 2 and len(set(told)) == len(told) and not again
