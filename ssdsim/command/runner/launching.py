"""Hydra's part: which launcher there is, and what it needs to know to start our task for a job."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict

from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from ..compose import parse
from ..presets import compose
from .task import task

GROUP = "hydra/launcher"
EXTRAS = {"joblib": "joblib", "ray": "ray", "submitit_local": "submitit", "submitit_slurm": "submitit"}
"""The extra of this package that brings a launcher."""


class JobCallbacks:
    """Those of `hydra.callbacks`, which launchers tell of each job."""

    def __init__(self, config: DictConfig) -> None:
        wanted = (config.hydra.callbacks or {}).values()
        self._callbacks = [instantiate(callback) for callback in wanted if callback is not None]

    def on_job_start(self, **told: Any) -> None:
        """Tell them of a job that begins."""
        for callback in self._callbacks:
            callback.on_job_start(**told)

    def on_job_end(self, **told: Any) -> None:
        """Tell them of a job that has ended."""
        for callback in self._callbacks:
            callback.on_job_end(**told)


class JobLoader:
    """What launchers use of Hydra's configuration loader: here a job adds nothing but keys to what there is."""

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: Sequence[str]) -> DictConfig:
        """Return a copy of the configuration with `key=value`s set."""
        config = deepcopy(master_config)
        with open_dict(config):  # `order` is a new key
            for key, _, value in (override.partition("=") for override in sweep_overrides):
                OmegaConf.update(config, key, value)
        return config


def hydras_own(overrides: Sequence[str]) -> DictConfig:
    """Return Hydra's part of the configuration; raise ConfigError for what is wrong with it."""
    parsed = [parse(override) for override in overrides]
    # before composing, whose error would not name what to install
    known = GlobalHydra.instance().config_loader().get_group_options(GROUP, ObjectType.CONFIG)
    for name in (str(override.value()) for override in parsed if override.key_or_group == GROUP):
        if name in EXTRAS and name not in known:
            raise ConfigError(f"{GROUP}={name}: is not installed; install ssdsim[{EXTRAS[name]}].")
        names = sorted({*known, *EXTRAS})
        if name not in names:
            raise ConfigError(f"{GROUP}={name}: no such launcher{nearest(name, names)}; there are {', '.join(names)}.")
    node = compose(*parsed)
    OmegaConf.set_readonly(node.hydra, False)  # Hydra has locked it
    with open_dict(node):
        node.hydra.job.name = "ssdsim"
        node.hydra.job.chdir = False  # `task` goes to the folder that its order says
        node.hydra.job.env_set.update({key: os.environ[key] for key in node.hydra.job.env_copy if key in os.environ})
    return cast(DictConfig, OmegaConf.masked_copy(node, ["hydra"]))


def make_launcher(config: DictConfig, folder: Path) -> Launcher:
    """Return the launcher that `config`, Hydra's part, names; it runs `task` for each job, below `folder`."""
    here = deepcopy(config)
    here.hydra.sweep.dir = str(folder.resolve())  # absolute, as jobs may start elsewhere
    if (init := OmegaConf.select(here, "hydra.launcher.ray.init")) is not None:
        _complete(init)
    context = HydraContext(config_loader=cast(ConfigLoader, JobLoader()), callbacks=cast(Any, JobCallbacks(here)))
    return Plugins.instance().instantiate_launcher(context, task, here)


def _complete(ray_init: DictConfig) -> None:
    """Add the settings that Ray needs beside the user's."""
    with open_dict(ray_init):
        if "address" in ray_init or "RAY_ADDRESS" in os.environ:
            ray_init.setdefault("object_store_memory", None)  # the plugin gives a size, which Ray refuses for a cluster
        ray_init.setdefault("runtime_env", {"env_vars": {"PYTHONPATH": _import_path()}})


@contextmanager
def importable() -> Iterator[None]:
    """Within it processes that are started find the modules that this one does."""
    with patch.dict(os.environ, PYTHONPATH=_import_path()):
        yield


def _import_path() -> str:
    return os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path if not folder.endswith(".zip"))
