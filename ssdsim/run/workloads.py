"""The workloads of a run, by the names of their streams."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, ClassVar

import attrs

from ssdsim.assembly.namespaces import namespaces
from ssdsim.config import FioConfig, SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.run import generators  # noqa: F401  (which registers them)
from ssdsim.workload import Chunk, open_workload
from ssdsim.workload.base import CheckedWorkload


def expanded(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with a stream for each job of a job file, if it names one."""
    if not any(isinstance(load, FioConfig) for load in (config.workload, *config.workloads.values())):
        return config
    from ssdsim.workload.fio import with_jobs  # which few runs need

    return with_jobs(config)


def open_workloads(config: SimulationConfig) -> dict[str, CheckedWorkload]:
    """Open the main workload and the further ones, by stream name."""
    if config.workload is None:
        raise ConfigError("workload: none is given; set it to trace or synthetic.")
    streams = ["main", *config.workloads]
    keys = ("weights", "priorities", "access_latency", "namespace_share", "namespace_mib")
    for key in (*keys, "rates.bandwidth_mib_s", "rates.iops"):
        unknown = set(attrgetter(key)(config.host)) - set(streams)
        if unknown:
            # the first by name, whatever the order of the set
            raise ConfigError(f"host.{key}.{min(unknown)}: there is no such stream; they are {', '.join(streams)}.")
    page_bytes, places = config.hardware.page_bytes, namespaces(config)
    opened = {
        name: CheckedWorkload(
            # a seed of its own: equal streams are not to draw the same requests
            open_workload(load, places[name][1], page_bytes, config.seed + index),
            places[name][1],
            places[name][0],
        )
        for index, (name, load) in enumerate({"main": config.workload, **config.workloads}.items())
    }
    if any(checked.is_endless for checked in opened.values()):
        for key, value, is_wrong in (
            ("timing", config.timing, config.timing == "off"),
            ("precondition.full_buffer", "true", config.precondition.full_buffer),
        ):
            if is_wrong:
                raise ConfigError(f"{key}={value}: does not go with time_based of a job file; give the jobs a size.")
    return opened


def sum_or_none(numbers: list[int | None]) -> int | None:
    """Return the sum, or None if a number is not known."""
    return None if None in numbers else sum(n for n in numbers if n is not None)


@attrs.frozen
class OneChunk:
    """One chunk as a workload: a closed loop, or an open one without a `queue_depth`."""

    chunk: Chunk
    queue_depth: int | None
    rounds: ClassVar[int] = 1

    @property
    def requests(self) -> int:
        """How many requests the chunk holds."""
        return len(self.chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunk."""
        yield self.chunk

    def describe(self) -> dict[str, Any]:
        """Return nothing: this load is not reported."""
        return {}
