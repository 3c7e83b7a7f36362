"""Workloads: traces in the formats in use, and synthetic ones, all as chunks of requests in columns."""

from functools import singledispatch
from typing import Any

from ssdsim.config import FioConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import ConfigError
from ssdsim.workload.base import Generator, Workload
from ssdsim.workload.chunk import FLUSH, READ, TRIM, WRITE, Chunk
from ssdsim.workload.synthetic import SyntheticWorkload

__all__ = ["FLUSH", "READ", "TRIM", "WRITE", "Chunk", "Generator", "SyntheticWorkload", "Workload", "open_workload"]


@singledispatch
def open_workload(config: Any, capacity_bytes: int, page_bytes: int, seed: int) -> Workload:
    """Return the workload that `config` describes, for a device of `capacity_bytes` in pages of `page_bytes`.

    A trace is surveyed here, once, before its first chunk. A kind of workload is added by registering its config
    class: `open_workload.register(MyConfig, MyWorkload)`. Raise a `ConfigError` or `TraceError` for what cannot work.
    """
    raise ConfigError(
        f"workload={config!r:.200}: must be a TraceConfig, a SyntheticConfig, a FioConfig or a GeneratorConfig; "
        "the command line makes a stream b by +workload@workloads.b=synthetic, or another preset."
    )


open_workload.register(SyntheticConfig, SyntheticWorkload)


@open_workload.register(TraceConfig)
def _open_trace(config: TraceConfig, capacity_bytes: int, page_bytes: int, seed: int) -> Workload:
    from ssdsim.workload.trace import TraceWorkload  # whose formats take a sixth of the time to import ssdsim

    return TraceWorkload(config, capacity_bytes, page_bytes, seed)


@open_workload.register(FioConfig)
def _open_job(config: FioConfig, capacity_bytes: int, page_bytes: int, seed: int) -> Workload:
    from ssdsim.workload.fio import FioWorkload  # which few runs need

    return FioWorkload(config, capacity_bytes, page_bytes, seed)
