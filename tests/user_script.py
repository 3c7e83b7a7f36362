"""A run, a process with a drive, and a policy as a user writes them; `.ci/run` has mypy check this strictly."""

from collections.abc import Generator
from typing import Any

import simpy

from ssdsim import (
    Drive,
    Environment,
    GarbageCollectionConfig,
    HardwareConfig,
    PreconditionConfig,
    Result,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)
from ssdsim.config import FtlConfig
from ssdsim.ftl.reclaim.victims import VictimPolicy


class Fullest(VictimPolicy):
    """Collects the block with most valid pages, which no drive would."""

    def select(self, plane: int) -> int:
        """Return the block."""
        full = [self.full.at(plane, index) for index in range(self.full.count(plane))]
        return max(full, key=self.full.valid, default=-1)


def config(victim: str) -> SimulationConfig:
    """Return a small device under random writes."""
    return SimulationConfig(
        hardware=HardwareConfig(channels=1, chips_per_channel=1, blocks_per_plane=32, over_provisioning=0.4),
        ftl=FtlConfig(gc=GarbageCollectionConfig(victim=victim)),
        precondition=PreconditionConfig(mode="fill", valid_share=0.5),
        workload=SyntheticConfig(requests=2_000, read_share=0.0, queue_depth=4),
    )


def application(env: simpy.Environment, drive: Drive) -> Generator[simpy.Event, Any, int]:
    """Write and read a page, with a pause between, and return how long the read took, in ns."""
    yield drive.write(offset=0, size=16384)
    yield env.timeout(5_000) | env.event()
    completion = yield drive.read(offset=0, size=4096)
    return int(completion.response_ns)


def main() -> None:
    """Run each."""
    result: Result = simulate(config("greedy"))
    print(result.summary["write_amplification"], simulate(config(f"{__name__}.Fullest")).summary["iops"])
    env = Environment()
    waiting: simpy.Event = env.process(application(env, Drive(env, config("greedy"))))
    print(env.run(until=waiting))


if __name__ == "__main__":
    main()
