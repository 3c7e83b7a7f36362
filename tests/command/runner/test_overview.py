"""What is told of all jobs, on a terminal, without one, with few words and with many."""

import io

import pytest

from ssdsim.command.runner.orders import Job, Orders
from ssdsim.command.runner.overview import HEARTBEAT_S, Overview, Words
from ssdsim.config import SimulationConfig

JOBS = [Job(str(seed), seed, [f"seed={seed}"], SimulationConfig(seed=seed)) for seed in range(4)]
FINE = {"status": "completed", "exit_status": 0, "wall_s": 10.0}
BROKEN = {"status": "failed", "exit_status": 1, "message": "it broke."}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """The time, which passes when it is told to."""
    now = [0.0]
    monkeypatch.setattr("ssdsim.command.runner.overview.time.monotonic", lambda: now[0])
    return now


def told(clock, words, stream):
    """Return what is told of four jobs, of which one is finished, one runs, one fails and one takes for ever."""
    overview = Overview(lambda job: job.overrides[0], words, len(JOBS), stream)
    overview.left_out([FINE], len(JOBS))
    overview.open()
    clock[0] = 10
    overview.ended(JOBS[1], FINE)
    clock[0] = 20
    overview.ended(JOBS[2], BROKEN)
    overview.beat()
    clock[0] += HEARTBEAT_S
    overview.beat()
    overview.beat()
    overview.close()
    return stream.getvalue()


def test_without_a_terminal_each_end_is_a_line_and_so_is_a_long_silence(clock):
    assert told(clock, Words(), io.StringIO()).splitlines() == [
        "1 of 4 runs are finished already.",
        "job 2 of 4, 20 s left: seed=1 took 10.0 s",
        "Job 2 (seed=2) failed: it broke.",
        "job 3 of 4, 1 failed, 25 s left",
    ]


def test_a_terminal_sees_a_bar_with_the_same_and_failures_above_it(clock):
    shown = told(clock, Words(), Terminal())
    assert "Job 2 (seed=2) failed: it broke.\n" in shown and "took" not in shown
    assert " 75%|" in shown and "| job 3 of 4, 1 failed, 10 s left" in shown


def test_the_quiet_hear_of_failures_alone(clock):
    assert told(clock, Words(quiet=True), Terminal()) == "Job 2 (seed=2) failed: it broke.\n"


def test_there_is_one_bar_if_jobs_have_their_own(clock):
    assert "%|" not in told(clock, Words(verbose=True), Terminal())


def test_jobs_that_end_while_they_are_watched_are_told_of(tmp_path):
    stream = io.StringIO()
    overview = Overview(lambda job: job.overrides[0], total=2, stream=stream)
    with Orders(tmp_path) as orders, overview.watch(JOBS[:2], orders):
        orders.end(JOBS[0], BROKEN)
        orders.end(JOBS[1], FINE)
    assert (overview.done, overview.failed) == (2, 1)
    assert stream.getvalue() == "Job 0 (seed=0) failed: it broke.\njob 2 of 2, 1 failed: seed=1 took 10.0 s\n"
