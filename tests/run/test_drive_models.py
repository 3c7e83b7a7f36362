"""What models with drives rely on; those of the pages are run with them."""

import attrs
import pytest
import simpy

from ssdsim import Drive, Environment, HardwareConfig, SimulationConfig

MS = 1_000_000
CONFIG = SimulationConfig(hardware=HardwareConfig(channels=2, dies_per_chip=1, blocks_per_plane=64, pages_per_block=24))


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
@pytest.mark.parametrize("environment", [Environment, simpy.Environment])
def test_time_after_the_last_completion_is_not_measured(kernel, environment):
    """Collection goes on after the writes, for longer than they took, and is no part of the shares of their time."""
    summaries = []
    for idle_ns in 0, 100 * MS:
        env = environment()
        drive = Drive(env, attrs.evolve(CONFIG, kernel=kernel))
        for number in range(150):
            drive.write(number * 7919 % (drive.size_bytes // 4096) * 4096, 4096)
        env.run()
        env.run(until=env.now + idle_ns + 1)
        summaries.append(drive.finish().summary)
    plain, idle = ({name: summary[name] for name in ("utilization", "gc", "simulated_s")} for summary in summaries)
    assert plain == idle
    assert max(idle["utilization"]["die"]) <= 1
    assert min(idle["utilization"]["die"]) > 0.5
