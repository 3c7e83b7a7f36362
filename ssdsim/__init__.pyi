from ssdsim._core.kernel import Environment
from ssdsim.command.from_python import preset
from ssdsim.config import (
    BufferConfig,
    FlashConfig,
    FtlConfig,
    GarbageCollectionConfig,
    GeneratorConfig,
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
from ssdsim.config.saved import load_config
from ssdsim.drive import Drive
from ssdsim.errors import ConfigError, FlashError, InputError, PowerLostError, SimulationError, SsdsimError, TraceError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import Sweep
from ssdsim.run.estimate import Estimate, estimate
from ssdsim.run.simulation import Simulation, simulate

__all__ = [
    "BufferConfig",
    "ConfigError",
    "Drive",
    "Environment",
    "Estimate",
    "FlashConfig",
    "FlashError",
    "FtlConfig",
    "GarbageCollectionConfig",
    "GeneratorConfig",
    "HardwareConfig",
    "HostConfig",
    "InputError",
    "PageTypeSwitch",
    "PowerLostError",
    "PreconditionConfig",
    "Result",
    "ResultFolder",
    "SchedulerConfig",
    "Simulation",
    "SimulationConfig",
    "SimulationError",
    "SsdsimError",
    "Sweep",
    "SyntheticConfig",
    "TraceConfig",
    "TraceError",
    "WearLevelingConfig",
    "__version__",
    "estimate",
    "load_config",
    "preset",
    "simulate",
]

__version__: str
