"""Every parameter of an experiment: declared, defaulted and validated here and nowhere else.

The classes are ordinary attrs classes; a notebook builds them directly, the command line composes them from `conf/`.
A key carries its unit. A value that is not allowed raises `ConfigError` with one sentence that names key and remedy.
"""

from ssdsim.config.controller import ControllerConfig, LinkConfig
from ssdsim.config.dram import DramConfig
from ssdsim.config.experiment import (
    MetricsConfig,
    PowerLossConfig,
    PreconditionConfig,
    SimulationConfig,
    flatten,
    register,
    register_resolver,
)
from ssdsim.config.flash import FlashConfig, SchedulerConfig
from ssdsim.config.ftl import FtlConfig, GarbageCollectionConfig, MappingConfig, PageTypeSwitch, WearLevelingConfig
from ssdsim.config.hardware import HardwareConfig
from ssdsim.config.host import ACCESS_LATENCIES, PRIORITIES, BufferConfig, HostConfig
from ssdsim.config.isolation import IsolationConfig
from ssdsim.config.nvme import NvmeConfig
from ssdsim.config.rates import RatesConfig
from ssdsim.config.read_cache import ReadCacheConfig
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.config.slc_cache import SlcCacheConfig
from ssdsim.config.suspension import SuspensionConfig
from ssdsim.config.validators import MOST_NS, check_option, is_count, is_number, refuse
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
    "PageTypeSwitch",
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
    "check_option",
    "flatten",
    "is_count",
    "is_number",
    "nearest",
    "refuse",
    "register",
    "register_resolver",
]
