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
from ssdsim.metrics.result import Result, Sweep
from ssdsim.run.simulation import Simulation, simulate

__all__ = ["BufferConfig", "ConfigError", "ControllerConfig", "DramConfig", "Drive", "Environment", "FlashConfig"]
__all__ += ["FlashError", "FtlConfig", "GarbageCollectionConfig", "GeneratorConfig", "HardwareConfig", "HostConfig"]
__all__ += ["InputError", "IsolationConfig", "LinkConfig", "MappingConfig", "MetricsConfig", "NvmeConfig"]
__all__ += ["PowerLossConfig", "PowerLostError", "PreconditionConfig", "RatesConfig", "ReadCacheConfig", "Result"]
__all__ += ["ResultFolder", "SchedulerConfig", "Simulation", "SimulationConfig", "SimulationError", "SlcCacheConfig"]
__all__ += ["SsdsimError", "SuspensionConfig", "Sweep", "SyntheticConfig", "TraceConfig", "TraceError"]
__all__ += ["WearLevelingConfig", "__version__", "load_config", "preset", "simulate"]

__version__: str
