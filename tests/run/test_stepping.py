"""A run that is stepped through is the run that goes straight on, and its hooks see what its tables have."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError, Simulation, SimulationError, SyntheticConfig, simulate
from ssdsim.config import MOST_NS
from ssdsim.run.stepping import EVENTS
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
    simulation = Simulation(config())
    simulation.run_until(1000)
    for wrong in (999, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="it is 1000 ns"):
            simulation.run_until(wrong)


def assert_times_are_those_of(run, told, dies=1):
    """Check the times of commands; at the end of a run some may have begun that never end."""
    reads = [row for row in run.commands if row["op"] == "read"]
    for name, column, rows in [
        ("command_started", "bus_start_ns", run.commands),
        ("array_began", "array_start_ns", run.commands),
        ("data_out_began", "data_start_ns", reads),
        ("page_sensed", "array_end_ns", reads),
        ("command_ended", "end_ns", run.commands),
    ]:
        seen = Counter((each.at_ns, each.op, each.source, each.page, each.lpa, each.request) for each in told[name])
        kept = Counter((row[column], *(row[of] for of in ("op", "source", "page", "lpa", "request"))) for row in rows)
        assert kept <= seen and (name != "command_ended" or kept == seen)
        assert all(at_ns <= told["command_ended"][-1].at_ns for at_ns, *_ in seen - kept)
        assert (seen - kept).total() <= 2 * dies


def test_hooks_see_every_command_request_and_collection():
    given, told = config(workload=SyntheticConfig(requests=300, read_share=0.5, queue_depth=4)), {}
    simulation = Simulation(given)
    for name in EVENTS:
        simulation.on(name, told.setdefault(name, []).append)
    simulation.run()
    run = Run(simulation.finish())
    assert run.facts() == Run(simulate(given)).facts()
    assert_times_are_those_of(run, told)
    for name in ("request_admitted", "request_completed"):
        seen = {each.request: each.at_ns for each in told[name]}
        assert sorted(seen) == [row["id"] for row in run.requests] and len(told[name]) == len(seen)
    began = [(each.plane, each.block) for each in told["collection_began"]]
    ended = [(each.plane, each.block) for each in told["collection_ended"]]
    assert len(began) == run.summary["gc"]["collections"] > 10
    assert ended == began[: len(ended)] and len(began) - len(ended) <= 1
    assert ended == [(each.plane, each.block) for each in told["block_erased"]][: len(ended)]


NEVER = """
from ssdsim.policies import SchedulingPolicy

class Never(SchedulingPolicy):
    def select(self, die):
        return None
"""


@pytest.mark.parametrize(("kernel", "cut"), [("compiled", None), ("simpy", 5)])
def test_a_stalled_run_says_the_same(kernel, cut, tmp_path, monkeypatch):
    (tmp_path / "never_policy.py").write_text(NEVER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    given = config(kernel, scheduler={"policy": "never_policy.Never"}, power_loss={"after_programs": cut})
    with pytest.raises(SimulationError, match="no request or flash") as told:
        simulate(given)
    for move in (lambda run: run.run_until("command_ended"), lambda run: run.run_until(MOST_NS - 1), Simulation.run):
        simulation = Simulation(given)
        simulation.step()
        for _ in range(2):
            with pytest.raises(SimulationError) as again:
                move(simulation)
            assert str(again.value) == str(told.value)
        summary = simulation.finish().summary
        assert summary["partial"] and summary["error"] == str(told.value)
