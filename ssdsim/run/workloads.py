"""The workloads of a run, by the names of their streams, and those that a class of the user's makes, under watch."""

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

import attrs

from ssdsim.assembly.namespaces import namespaces
from ssdsim.assembly.own_policies import own_class, raised
from ssdsim.assembly.parts import built
from ssdsim.config import FioConfig, GeneratorConfig, SimulationConfig
from ssdsim.config.validators import check_option, is_count
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.workload import Chunk, open_workload
from ssdsim.workload.base import CheckedWorkload, Generator


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
    keys = ("weights", "priorities", "access_latency", "namespace_share")
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
        settings = {
            "timing=off": config.timing == "off",
            "precondition.full_buffer=true": config.precondition.full_buffer,
        }
        if wrong := [name for name, is_set in settings.items() if is_set]:
            raise ConfigError(f"{wrong[0]}: does not go with time_based of a job file; give the jobs a size.")
    return opened


class Unreported:
    """Base of loads that come before the run, which the summary does not describe."""

    __slots__ = ()
    requests: ClassVar[int | None] = None

    def describe(self) -> dict[str, Any]:
        """Return nothing."""
        return {}


@attrs.frozen
class OneChunk(Unreported):
    """One chunk as a workload: a closed loop, or an open one without a `queue_depth`."""

    chunk: Chunk
    queue_depth: int | None

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunk."""
        yield self.chunk


def make_generator(config: GeneratorConfig) -> Generator:
    """Return an instance of the class that `config` names; raise `ConfigError` unless it is a `Generator`."""
    cls = own_class("workload.generator", config.generator, Generator)
    return built(cls, f"workload.generator={config.generator}", config.options)


@open_workload.register(GeneratorConfig)
class GeneratedWorkload:
    """The requests of a generator, whose errors are told with its class and its lines."""

    def __init__(self, config: GeneratorConfig, capacity_bytes: int, page_bytes: int, seed: int):
        self.config, self.generator = config, make_generator(config)
        self.place = f"workload.generator={config.generator}"
        self.generator.bind(capacity_bytes, page_bytes, seed)
        # only now the generator knows the device, and its numbers may be asked for
        self.requests, self.queue_depth = self.generator.requests, self.generator.queue_depth
        for name, value in (("requests", self.requests), ("queue_depth", self.queue_depth)):
            if value is not None:
                # 2**53: as far as a float counts them without gaps
                is_one = partial(is_count, maximum=2**53)
                check_option(f"{self.place}: {name}", value, is_one, "None, or a whole number of at least 1")

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of the generator."""
        try:
            yield from self.generator.chunks()
        except SsdsimError:  # it says by itself what is wrong
            raise
        except Exception as error:
            raise raised(self.place, type(self.generator), "chunks", error) from error

    def describe(self) -> dict[str, Any]:
        """Return the name of the class, the options, and what the generator says."""
        return {"kind": "generator", **attrs.asdict(self.config), **self.generator.describe()}
