"""Preconditioned devices in files: `checkpoint.save`, `checkpoint.load`, `precondition.keep`.

A file is NumPy's `.npz`: each array by its path from the device, such as `device.blocks.blocks`, and in `about` a text
of JSON: what the content depends on, what the precondition reported, and what else objects hold (`ssdsim.states.walk`).
"""

import contextlib
import hashlib
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any
from uuid import uuid4

import attrs
import numpy as np

from ssdsim import __version__
from ssdsim.assembly.device import Device
from ssdsim.config import FioConfig, SimulationConfig, TraceConfig
from ssdsim.errors import ConfigError, InputError
from ssdsim.states.walk import Arrays, StateError, Walk, bind, pour
from ssdsim.workload.tracefile import file_sha256

FORMAT = "ssdsim checkpoint 3"
SHAPING = ("seed", "integrity", "hardware", "flash", "scheduler", "buffer", "ftl")
"""Parts of the configuration that a preconditioned device depends on, whatever the precondition."""

SUFFIX = ".checkpoint"
WRITING, GIVEN_UP_S = ".ssdsim-writing-", 3600.0
"""What the name of a file that is being written begins with, and the age from which on it was left by a killed run."""


class CheckpointError(InputError):
    """A checkpoint cannot be read, is damaged, or was made of something else."""


def depends_on(config: SimulationConfig) -> dict[str, Any]:
    """Return, by name, all that a preconditioned device depends on."""
    whole, wish = attrs.asdict(config), config.precondition
    named = {part: whole[part] for part in SHAPING} | {"power_loss.wanted": config.power_loss.wanted}
    # whether it is kept, and what is in its buffer after that, changes nothing of a device that is stored
    named["precondition"] = {
        key: value for key, value in whole["precondition"].items() if key not in ("keep", "full_buffer")
    }
    loads = [config.workload, *config.workloads.values()]
    is_trimmed = any(getattr(load, "trim_share", 1.0) for load in loads)  # as far as is known without reading a load
    looks = wish.valid_reads if wish.mode == "fill" else wish.mode == "writes" and wish.run_in and is_trimmed
    if looks or config.buffer.footprint_share is not None:  # it looks at the load
        named |= {"workload": whole["workload"], "workloads": whole["workloads"]}
        named["traces"] = [file_sha256(Path(load.path)) for load in loads if isinstance(load, TraceConfig | FioConfig)]
    own = {module: hashlib.sha256(file.read_bytes()).hexdigest() for module, file in own_files(config).items()}
    told = {"format": FORMAT, "version": __version__, "byte order": sys.byteorder, **_flat(named), "own policies": own}
    return json.loads(json.dumps(told, default=str))  # as it will be read


def own_files(config: SimulationConfig) -> dict[str, Path]:
    """Return the files, by module, of the classes of one's own: they have been imported, as the device was built."""
    values = _flat({part: attrs.asdict(getattr(config, part)) for part in SHAPING[2:]}).values()
    modules = sorted({value.rpartition(".")[0] for value in values if isinstance(value, str)} - {""})
    return {name: Path(file) for name in modules if (file := getattr(sys.modules.get(name), "__file__", None))}


def _flat(named: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested values by dotted keys."""
    flat: dict[str, Any] = {}
    for name, value in named.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat


def walk(config: SimulationConfig, roots: dict[str, Any]) -> Walk:
    """Return a walk over `roots`, with classes of ssdsim, and those of one's own and beside them."""
    return Walk(roots, {file.parent for file in own_files(config).values()})


def save(path: Path, config: SimulationConfig, roots: dict[str, Any], facts: dict[str, Any]) -> None:
    """Write the state of `roots` to `path`, whole or not at all; raise `StateError` if it could not be loaded again."""
    check_replaceable(path)
    stored = walk(config, roots)
    bind(stored.nodes, stored.arrays, walk(config, roots | {"device": Device(config)}))  # as it will be loaded
    about = json.dumps({"depends": depends_on(config), "facts": facts, "nodes": stored.nodes})
    path.parent.mkdir(parents=True, exist_ok=True)
    # of this process alone: two runs may save to one path at a time
    unfinished = path.with_name(f"{WRITING}{uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            arrays: Any = {"about": np.frombuffer(about.encode(), np.uint8), **stored.arrays}
            np.savez(file, allow_pickle=False, **arrays)
        unfinished.replace(path)
    finally:  # on one file system, so that readers see the old file or the new one
        unfinished.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """Raise `StateError` if there is something at `path` that is no checkpoint."""
    if os.path.lexists(path):
        with contextlib.suppress(CheckpointError):
            read(path, whole=False)
            return
        raise StateError(f"{path} is there and is no checkpoint; move it away, or take another name")


def read(path: Path, whole: bool = True) -> tuple[dict[str, Any], Arrays]:
    """Return the text of a file about its content, and its arrays if the `whole` is wanted.

    Raise `CheckpointError` if it is damaged, or no checkpoint.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            about = json.loads(content["about"].tobytes())
            if not str(about["depends"]["format"]).startswith(FORMAT.rpartition(" ")[0]):
                raise ValueError("of another kind")
            return about, {name: content[name] for name in content.files if name != "about"} if whole else {}
    except Exception as error:  # what NumPy and the readers of zip and JSON raise, which is much
        raise CheckpointError(
            f"{path}: cannot be read as a checkpoint ({error}); leave it out, or save it anew."
        ) from None


def load(path: Path, config: SimulationConfig, roots: dict[str, Any]) -> dict[str, Any]:
    """Bring `roots`, freshly built, into the state that `path` holds, and return what the precondition reported.

    Raise `CheckpointError` before anything is changed if the file is damaged, or of another device or version, and
    `InputError` if what it holds does not fit the device all the same, which may then be changed in part.
    """
    about, arrays = read(path)
    here, saved = depends_on(config), about["depends"]
    for name in (*here, *saved):  # ours first: the message names a key that this version has
        if name not in saved or name not in here or saved[name] != here[name]:
            raise CheckpointError(
                f"{path}: was made with {name}={saved.get(name)}, and here it is {here.get(name)}; a checkpoint is of "
                "one version and device: run with the same, leave it out, or save it anew."
            )
    try:
        pour(about["nodes"], arrays, walk(config, roots))
        return {**about["facts"]}
    except Exception as error:  # of any kind, as a class of one's own may raise it
        why = error if isinstance(error, StateError) else f"{type(error).__name__}, {error}"
        raise InputError(f"{path}: does not fit this device ({why}); leave it out, or remove it.") from None


class Kept:
    """The folder in which `precondition.keep` keeps devices, by what they depend on."""

    def __init__(self, config: SimulationConfig):
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.config = config
        self.folder = Path(config.checkpoint.folder or Path(home, "ssdsim"))
        self.path = self.path_of(depends_on(config))

    def path_of(self, depends: dict[str, Any]) -> Path:
        """Return where the device that depends on this lies if it does."""
        # 128 bits of the checksum are enough for a name, and short enough for any file system.
        return self.folder / f"{hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:32]}{SUFFIX}"

    def take(self, roots: dict[str, Any]) -> dict[str, Any] | None:
        """Bring `roots` into the state that is kept and return what the precondition reported, or None if none is."""
        if not self.path.exists():
            return None
        try:
            preconditioned = load(self.path, self.config, roots)
        except CheckpointError as error:
            warnings.warn(f"{error} It is made anew.", stacklevel=2)
            return None
        except InputError as error:  # the device has been changed in part
            with contextlib.suppress(OSError):
                self.path.unlink()
            raise InputError(f"{error} It has been removed; run again.") from None
        with contextlib.suppress(OSError):  # if another run has dropped it, or it may only be read
            os.utime(self.path)
        return preconditioned

    def save(self, roots: dict[str, Any], preconditioned: dict[str, Any]) -> None:
        """Keep a device; say so if that does not work, as the run does without."""
        try:
            if self.path.exists():  # what could not be read
                self.path.unlink()
            save(self.path, self.config, roots, preconditioned)
            self.drop_oldest()
        except (OSError, StateError) as error:
            warnings.warn(f"precondition.keep=true: the device is not kept: {error}.", stacklevel=2)

    def drop_oldest(self) -> None:
        """Drop the devices used longest ago until they take no more room than they may, and what was never finished."""
        kept_files = []
        for path in self.folder.iterdir():
            try:
                if path.name.startswith(WRITING) and path.stat().st_mtime < time.time() - GIVEN_UP_S:
                    path.unlink()
                elif path.suffix == SUFFIX and path == self.path_of(read(path, whole=False)[0]["depends"]):
                    kept_files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
            except (FileNotFoundError, CheckpointError):
                continue  # which another run has dropped, or which is not ours to drop
        total = sum(size for _, size, _ in kept_files)
        # Oldest use first: `take` touches what it has read.
        for _, size, path in sorted(kept_files):
            if total <= self.config.checkpoint.folder_gib * 2**30:
                break
            path.unlink(missing_ok=True)
            total -= size


def check_storable(config: SimulationConfig) -> None:
    """Raise `ConfigError` if the precondition that `config` asks for cannot be in a file, or not in that one."""
    checkpoint, wish = config.checkpoint, config.precondition
    asked = [key for key in ("save", "load") if getattr(checkpoint, key) is not None]
    if config.prepared_in_time and (asked or wish.keep):
        key = f"checkpoint.{asked[0]}" if asked else "precondition.keep"
        raise ConfigError(
            f"{key}: a precondition that takes simulated time is not stored; set precondition.timed=false."
        )
    try:
        if checkpoint.save is not None:
            check_replaceable(Path(checkpoint.save))
    except StateError as error:
        raise ConfigError(f"checkpoint.save={checkpoint.save}: {error}.") from None
