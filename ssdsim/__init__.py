"""ssdsim: a simulator of NAND-flash SSDs. `simulate(config)` runs an experiment and returns its `Result`.

`Simulation(config)` is the same run to step through: `step()`, `run_until(...)`, `state`, hooks `on(...)` events.
`preset` makes a configuration of presets, as the command line does, and `load_config` reads that of an earlier run.
"""

import os
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from . import interpreted

# one extension module tells of all whether they are compiled
_BUILT = any(Path(__path__[0], "_compiled", f"base{suffix}").exists() for suffix in EXTENSION_SUFFIXES)
interpreted.install(bool(os.environ.get("SSDSIM_INTERPRETED")) or not _BUILT)

_HOMES = {
    "ssdsim.config": (
        *("BufferConfig", "ControllerConfig", "DramConfig", "FlashConfig", "FtlConfig"),
        *("GarbageCollectionConfig", "GeneratorConfig", "HardwareConfig", "HostConfig", "IsolationConfig"),
        *("LinkConfig", "MappingConfig", "MetricsConfig", "NvmeConfig", "PowerLossConfig"),
        *("PreconditionConfig", "RatesConfig", "ReadCacheConfig", "SchedulerConfig", "SimulationConfig"),
        *("SlcCacheConfig", "SuspensionConfig", "SyntheticConfig", "TraceConfig", "WearLevelingConfig"),
    ),
    "ssdsim.config.saved": ("load_config",),
    "ssdsim._core.kernel": ("Environment",),
    "ssdsim.drive": ("Drive",),
    "ssdsim.errors": (
        *("ConfigError", "FlashError", "InputError", "PowerLostError", "SimulationError", "SsdsimError"),
        "TraceError",
    ),
    "ssdsim.metrics.folder": ("ResultFolder",),
    "ssdsim.metrics.result": ("Result", "Sweep"),
    "ssdsim.command.from_python": ("preset",),
    "ssdsim.run.simulation": ("Simulation", "simulate"),
}
"""The modules that names come from, each imported at the first use of one; `__init__.pyi` tells their types."""

__version__ = "0.1.0"
__all__ = ["__version__", *(name for names in _HOMES.values() for name in names)]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
