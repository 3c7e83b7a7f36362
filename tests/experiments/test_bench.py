"""The benchmark's parts run; how fast is not for a test."""

import ssdsim.config
import ssdsim.run.simulation
from experiments import bench
from ssdsim._core.floor import event_floor, page_write_floor


def test_a_replay_counts_transactions_and_collects():
    modules = {"ssdsim.run.simulation": ssdsim.run.simulation, "ssdsim.config": ssdsim.config}
    assert bench.replay(modules, 3000, "compiled") > 0


def test_untimed_writes_are_counted():
    assert bench.untimed(3000) > 0


def test_the_floors_do_work_that_depends_on_what_is_asked():
    assert event_floor(100, 16, 1000) != event_floor(200, 16, 1000)
    assert page_write_floor(2000, 1000, 1200) != page_write_floor(1000, 1000, 1200)
