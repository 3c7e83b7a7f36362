"""ssdsim: a simulator of NAND-flash SSDs. `simulate(config)` runs an experiment and returns its `Result`.

`Simulation(config)` is the same run to step through: `step()`, `run_until(...)`, `state`, hooks `on(...)` events.
`preset` makes a configuration of presets, as the command line does, and `load_config` reads that of an earlier run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import interpreted

if TYPE_CHECKING:
    from ssdsim._core.kernel import Environment as Environment
    from ssdsim.command.from_python import preset as preset
    from ssdsim.config import *  # noqa: F403
    from ssdsim.config.saved import load_config as load_config
    from ssdsim.drive import Drive as Drive
    from ssdsim.errors import *  # noqa: F403
    from ssdsim.metrics.folder import ResultFolder as ResultFolder
    from ssdsim.metrics.result import Result as Result
    from ssdsim.metrics.result import Sweep as Sweep
    from ssdsim.run.simulation import Simulation as Simulation
    from ssdsim.run.simulation import simulate as simulate

interpreted.install()

HOMES = {
    "ssdsim.config": (
        *("BufferConfig", "ControllerConfig", "DramConfig", "FioConfig", "FlashConfig", "FtlConfig"),
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
"""The modules that names come from, each imported at the first use of one; type checkers read the imports above."""

__version__ = "0.1.0"
__all__ = ["__version__", *(name for names in HOMES.values() for name in names)]


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
