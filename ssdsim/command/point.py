"""An experiment that a command line describes, and what has to hold of it before it is run."""

from pathlib import Path

from attrs import evolve, frozen

from ssdsim.assembly.capacity import check_limits
from ssdsim.assembly.memory import check_memory
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import check_rules
from ssdsim.config import FioConfig, GeneratorConfig, SimulationConfig, TraceConfig, nearest
from ssdsim.errors import TraceError
from ssdsim.run.workloads import expanded, make_generator

from . import PROJECT

TRACE_FOLDERS = (Path(), PROJECT, PROJECT / "traces")


@frozen
class Point:
    """A composed experiment; in `composed` paths of traces are as they were given."""

    config: SimulationConfig
    composed: SimulationConfig


def check(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a configuration whose parts do not go together, or for which there is no room."""
    check_memory(config)  # before a list of all planes, as some parts make
    parts = Parts(config)
    check_rules(parts)
    parts.make_all()
    for workload in (config.workload, *config.workloads.values()):
        if isinstance(workload, GeneratorConfig):
            make_generator(workload)
    check_limits(config)


def located(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with the paths of its traces found, and jobs as streams; raise TraceError for one not there."""
    workloads = {name: _located(workload) for name, workload in config.workloads.items()}
    return expanded(evolve(config, workload=_located(config.workload), workloads=workloads))


def _located(workload: object) -> object:
    if not isinstance(workload, TraceConfig | FioConfig):
        return workload
    for folder in TRACE_FOLDERS:
        if (folder / workload.path).is_file():
            return evolve(workload, path=str(folder / workload.path))
    near = nearest(Path(workload.path).name, [file.name for folder in TRACE_FOLDERS for file in folder.glob("*.*")])
    raise TraceError(f"workload.path={workload.path}: no such file, here or in the project's traces/{near}.")
