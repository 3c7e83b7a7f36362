from ssdsim._core.kernel import Environment
from ssdsim.command.from_python import preset
from ssdsim.config import (
    BufferConfig,
    ControllerConfig,
    DramConfig,
    FlashConfig,
    FtlConfig,
    GarbageCollectionConfig,
    GeneratorConfig,
    HardwareConfig,
    HostConfig,
    IsolationConfig,
    LinkConfig,
    MappingConfig,
    MetricsConfig,
    NvmeConfig,
    PowerLossConfig,
    PreconditionConfig,
    RatesConfig,
    ReadCacheConfig,
    SchedulerConfig,
    SimulationConfig,
    SlcCacheConfig,
    SuspensionConfig,
    SyntheticConfig,
    TraceConfig,
    WearLevelingConfig,
)
from ssdsim.config.saved import load_config
from ssdsim.drive import Drive
from ssdsim.errors import ConfigError, FlashError, InputError, PowerLostError, SimulationError, SsdsimError, TraceError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import Sweep
from ssdsim.run.simulation import Simulation, simulate

__all__ = [
    "BufferConfig",
    "ConfigError",
    "ControllerConfig",
    "DramConfig",
    "Drive",
    "Environment",
    "FlashConfig",
    "FlashError",
    "FtlConfig",
    "GarbageCollectionConfig",
    "GeneratorConfig",
    "HardwareConfig",
    "HostConfig",
    "InputError",
    "IsolationConfig",
    "LinkConfig",
    "MappingConfig",
    "MetricsConfig",
    "NvmeConfig",
    "PowerLossConfig",
    "PowerLostError",
    "PreconditionConfig",
    "RatesConfig",
    "ReadCacheConfig",
    "Result",
    "ResultFolder",
    "SchedulerConfig",
    "Simulation",
    "SimulationConfig",
    "SimulationError",
    "SlcCacheConfig",
    "SsdsimError",
    "SuspensionConfig",
    "Sweep",
    "SyntheticConfig",
    "TraceConfig",
    "TraceError",
    "WearLevelingConfig",
    "__version__",
    "load_config",
    "preset",
    "simulate",
]

__version__: str
