"""Configurations read back from YAML: the `config.yaml` of a run, or a file written by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, fields_dict, has

from ssdsim.config.experiment import SimulationConfig
from ssdsim.config.workload import FioConfig, GeneratorConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import ConfigError, InputError, SsdsimError, nearest

WORKLOADS: dict[str, type] = {
    "path": TraceConfig,
    "requests": SyntheticConfig,
    "generator": GeneratorConfig,
    "job": FioConfig,
}
"""The kinds of workload, each by a key that a mapping of it must hold; a job file has a path, too."""


def load_config(place: str | Path) -> SimulationConfig:
    """Return the configuration of the run whose folder is `place`, or that stands in the YAML file `place`.

    Keys that are left out have their defaults. A loaded configuration has the hash of the run that wrote it, and paths
    of traces are as they were given there. Raise `InputError` if nothing can be read there, `ConfigError` for a key or
    a value.
    """
    import yaml
    from omegaconf import OmegaConf  # which reads 1e6 as a number, as the command line does
    from omegaconf.errors import OmegaConfBaseException

    path = Path(place)
    file = path / "config.yaml" if path.is_dir() else path
    try:
        given: Any = OmegaConf.to_container(OmegaConf.load(file))
    except OSError as error:
        raise InputError(f"{file}: no configuration can be read there: {error.strerror}.") from None
    except (ValueError, yaml.YAMLError, OmegaConfBaseException, RecursionError) as error:
        raise InputError(f"{file}: is not YAML: {' '.join(str(error).split())}.") from None
    try:
        return made(SimulationConfig, given, "")
    except SsdsimError as error:
        error.add_note(f"It stands in {file}.")
        raise


def written_config(config: SimulationConfig) -> str:
    """Return the YAML of a configuration, which `load_config` reads."""
    import yaml

    return yaml.dump(asdict(config), Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False)


def made(cls: type, given: Any, key: str) -> Any:
    """Return the section of class `cls`, which stands at `key`, of the keys `given`."""
    if not isinstance(given, Mapping):
        raise ConfigError(f"{key.rstrip('.') or 'the whole'}={given}: must be a mapping of keys to values.")
    known = fields_dict(cls)
    for name, value in given.items():
        if name not in known:
            raise ConfigError(f"{key}{name}={value}: no such key{nearest(name, known)}.")
    return cls(**{name: _value(cls, name, value, f"{key}{name}") for name, value in given.items()})


def _value(cls: type, name: str, value: Any, key: str) -> Any:
    kind = fields_dict(cls)[name].type
    if cls is SimulationConfig and name == "workload":
        return _workload(value, key)
    if cls is SimulationConfig and name == "workloads" and isinstance(value, Mapping):
        return {stream: _workload(load, f"{key}.{stream}") for stream, load in value.items()}
    return made(kind, value, f"{key}.") if kind is not None and has(kind) else value


def _workload(given: Any, key: str) -> Any:
    """Return the workload of the keys `given`, of the kind that has them."""
    if given is None:
        return None
    # by the key that only one kind has
    kinds = [kind for name, kind in WORKLOADS.items() if isinstance(given, Mapping) and name in given]
    kinds = [FioConfig] if kinds == [TraceConfig, FioConfig] else kinds
    if len(kinds) != 1:
        named = " or ".join(f"{name} ({kind.__name__})" for name, kind in WORKLOADS.items())
        raise ConfigError(f"{key}: must be a mapping that has one of the keys {named}.")
    return made(kinds[0], given, f"{key}.")
