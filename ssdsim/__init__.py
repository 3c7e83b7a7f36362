"""ssdsim: a simulator of NAND-flash SSDs. `simulate(config)` runs an experiment and returns its `Result`."""

import os

if os.environ.get("SSDSIM_INTERPRETED"):
    from ssdsim import interpreted

    interpreted.install()

from ssdsim.config import (
    BufferConfig,
    FlashConfig,
    FtlConfig,
    GarbageCollectionConfig,
    HardwareConfig,
    HostConfig,
    PageTypeSwitch,
    PreconditionConfig,
    SchedulerConfig,
    SimulationConfig,
    SyntheticConfig,
    TraceConfig,
    WearLevelingConfig,
)
from ssdsim.errors import ConfigError, FlashError, InputError, SimulationError, SsdsimError, TraceError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.run.simulation import simulate

__all__ = [
    "BufferConfig",
    "ConfigError",
    "FlashConfig",
    "FlashError",
    "FtlConfig",
    "GarbageCollectionConfig",
    "HardwareConfig",
    "HostConfig",
    "InputError",
    "PageTypeSwitch",
    "PreconditionConfig",
    "Result",
    "ResultFolder",
    "SchedulerConfig",
    "SimulationConfig",
    "SimulationError",
    "SsdsimError",
    "SyntheticConfig",
    "TraceConfig",
    "TraceError",
    "WearLevelingConfig",
    "simulate",
]
