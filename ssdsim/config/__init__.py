"""Every parameter of an experiment: declared, defaulted and validated here and nowhere else.

The classes are ordinary attrs classes; a notebook builds them directly, the command line composes them from `conf/`.
A key carries its unit. A value that is not allowed raises `ConfigError` with one sentence that names key and remedy.
"""

from ssdsim.config.buffer import BufferConfig, DramConfig, ReadCacheConfig
from ssdsim.config.controller import ControllerConfig, LinkConfig
from ssdsim.config.experiment import MetricsConfig, PowerLossConfig, PreconditionConfig, SimulationConfig
from ssdsim.config.flash import FlashConfig, SchedulerConfig, SuspensionConfig
from ssdsim.config.ftl import (
    FtlConfig,
    GarbageCollectionConfig,
    IsolationConfig,
    MappingConfig,
    SlcCacheConfig,
    WearLevelingConfig,
)
from ssdsim.config.hardware import HardwareConfig
from ssdsim.config.host import ACCESS_LATENCIES, PRIORITIES, HostConfig, NvmeConfig, RatesConfig
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.config.validators import MOST_NS
from ssdsim.config.workload import FioConfig, GeneratorConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import nearest

__all__ = [
    "ACCESS_LATENCIES",
    "MOST_NS",
    "PRIORITIES",
    "STATIC_ORDERS",
    "BufferConfig",
    "ControllerConfig",
    "DramConfig",
    "FioConfig",
    "FlashConfig",
    "FtlConfig",
    "GarbageCollectionConfig",
    "GeneratorConfig",
    "HardwareConfig",
    "HostConfig",
    "IsolationConfig",
    "LinkConfig",
    "MappingConfig",
    "MetricsConfig",
    "NvmeConfig",
    "PowerLossConfig",
    "PreconditionConfig",
    "RatesConfig",
    "ReadCacheConfig",
    "SchedulerConfig",
    "SimulationConfig",
    "SlcCacheConfig",
    "SuspensionConfig",
    "SyntheticConfig",
    "TraceConfig",
    "WearLevelingConfig",
    "nearest",
]
