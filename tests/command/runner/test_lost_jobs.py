"""Every job comes to one end, whatever a launcher loses."""

from collections import Counter
from pathlib import Path

import attrs
import pytest
from hydra.plugins.launcher import Launcher
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.command.runner.orders import ORDERS, Job, Order, Orders
from ssdsim.command.runner.rounds import MOST_ATTEMPTS, MOST_IDLE, run_to_the_end
from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError, FolderInUseError
from ssdsim.metrics.folder import ResultFolder

JOBS = [Job(f"load/{seed}", seed, [f"seed={seed}"], SimulationConfig(seed=seed)) for seed in range(3)]


@attrs.define
class Losing(Launcher):
    """Gives each job that it is to run the next of `fates`: it is run, dies on the way, or is never begun."""

    fates: list[str]
    begun: Counter = attrs.field(factory=Counter)
    ended: Counter = attrs.field(factory=Counter)
    batches: list[int] = attrs.field(factory=list)

    def setup(self, **given):
        pass

    def launch(self, job_overrides, initial_job_idx):
        self.batches.append(len(job_overrides))
        for order in [Order.read(Path(order.removeprefix("order="))) for order, _ in job_overrides]:
            fate = self.fates.pop(0) if self.fates else "runs"
            if fate == "never":
                continue
            order.folder.mkdir(parents=True, exist_ok=True)
            begun = order.begin()
            self.begun[order.folder.name] += 1
            if fate == "runs":
                order.end(order.status | begun | {"status": "completed", "exit_status": 0})
                self.ended[order.folder.name] += 1
        raise RuntimeError("a worker was lost")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["runs", "dies", "never"]), max_size=12))
def test_each_job_has_one_end_or_has_died_of_itself(shared, fates):
    launcher, lost = Losing([*fates]), []
    with Orders(shared) as orders:
        try:
            statuses = run_to_the_end(JOBS, orders, launcher, lost.append)
        except ConfigError:
            assert fates.count("never") >= MOST_IDLE
            return
    assert statuses.keys() == {job.name for job in JOBS}
    for job in JOBS:
        status, begun, ended = statuses[job.name], launcher.begun[str(job.number)], launcher.ended[str(job.number)]
        died = ended == 0
        assert (status["job"], status["status"]) == (job.number, "crashed" if died else "completed")
        assert begun == MOST_ATTEMPTS if died else (ended == 1 and begun == status["attempt"] <= MOST_ATTEMPTS)
        assert lost.count(job) == begun - ended
    assert not (shared / ORDERS).exists()


def test_who_died_twice_is_run_alone(tmp_path):
    """So a job that takes the processes of its neighbours with it does so twice at most."""
    launcher = Losing(["dies"] * 6)
    with Orders(tmp_path) as orders:
        statuses = run_to_the_end(JOBS, orders, launcher, lambda job: None)
    assert launcher.batches == [3, 3, 1, 1, 1]
    assert {each["status"] for each in statuses.values()} == {"completed"}


def test_a_launcher_that_begins_nothing_is_told_with_its_reason(tmp_path):
    with Orders(tmp_path) as orders, pytest.raises(ConfigError, match=r"none of 3 jobs \(RuntimeError: a worker was"):
        run_to_the_end(JOBS, orders, Losing(["never"] * 99), lambda job: None)


def test_a_folder_has_one_parent(tmp_path):
    with Orders(tmp_path), pytest.raises(FolderInUseError, match="another command runs its jobs there"):
        Orders(tmp_path).__enter__()


def test_a_job_that_a_killed_command_has_left_running_is_waited_for(tmp_path):
    """Its order is as before, so what it leaves at its end counts."""

    def while_waiting(seconds):
        left.end(left.status | {"status": "completed", "exit_status": 0})
        held.close()

    launcher = Losing([])
    with Orders(tmp_path) as orders:
        orders.put(JOBS[0])
        left = Order.read(orders.place(JOBS[0]))
        held = ResultFolder(left.folder)
        left.begin()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("ssdsim.command.runner.rounds.time.sleep", while_waiting)
            statuses = run_to_the_end(JOBS[:1], orders, launcher, lambda job: None)
    assert statuses[JOBS[0].name]["status"] == "completed" and launcher.batches == []
