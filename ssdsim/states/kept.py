"""Devices that are preconditioned once and kept in files for later runs (`precondition.keep`).

A file is NumPy's `.npz`: each array by its path from the device, such as `device.blocks.blocks`, and in `about` a text
of JSON: what the precondition reported, and what else objects hold (`ssdsim.states.walk`). Its name is a checksum of
all that the device depends on. It runs no code, but one made to do harm can end the process.
"""

import hashlib
import json
import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import attrs
import numpy as np

from ssdsim import __version__
from ssdsim.config import FioConfig, SimulationConfig, TraceConfig
from ssdsim.errors import InputError
from ssdsim.states.walk import StateError, Walk, bind, pour
from ssdsim.workload.tracefile import file_sha256

FORMAT = "ssdsim kept device 4"
SHAPING = ("seed", "integrity", "hardware", "flash", "scheduler", "buffer", "ftl")
"""Parts of the configuration that a preconditioned device depends on, whatever the precondition."""

AFTERWARDS = ("keep", "full_buffer")
"""Keys of the precondition that change nothing of the device that is kept."""

SUFFIX = ".kept.npz"

MOST_BYTES = 4 * 2**30
"""What all kept devices take at most, of about 8 bytes a page."""


def depends_on(config: SimulationConfig) -> dict[str, Any]:
    """Return, by name, all that a preconditioned device depends on."""
    whole, wish = attrs.asdict(config), config.precondition
    named = {part: whole[part] for part in SHAPING} | {"power_loss.wanted": config.power_loss.wanted}
    named["precondition"] = {key: value for key, value in whole["precondition"].items() if key not in AFTERWARDS}
    loads = [config.workload, *config.workloads.values()]
    is_trimmed = any(getattr(load, "trim_share", 1.0) for load in loads)  # as far as is known without reading a load
    looks = wish.valid_reads if wish.mode == "fill" else wish.mode == "writes" and wish.run_in and is_trimmed
    if looks or config.buffer.footprint_share is not None:  # it looks at the load
        named |= {"workload": whole["workload"], "workloads": whole["workloads"]}
        named["traces"] = [file_sha256(Path(load.path)) for load in loads if isinstance(load, TraceConfig | FioConfig)]
    own = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in own_files(config)}
    return {"format": FORMAT, "version": __version__, "byte order": sys.byteorder, **named, "own policies": own}


def own_files(config: SimulationConfig) -> list[Path]:
    """Return the files of the policies of one's own, which have been imported, as the device was built."""

    def words(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set().union(*map(words, value.values()))
        return {value.rpartition(".")[0]} if isinstance(value, str) else set()

    modules = (sys.modules.get(name) for name in sorted(words(attrs.asdict(config)) - {""}))
    return [Path(file) for module in modules if (file := getattr(module, "__file__", None))]


class Kept:
    """The file of the device that `config` describes, in the folder of those that are kept."""

    def __init__(self, config: SimulationConfig):
        self.config = config
        self.folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ssdsim")
        text = json.dumps(depends_on(config), default=str)
        # 128 bits of the checksum are enough for a name, and short enough for any file system
        self.path = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}{SUFFIX}"

    def take(self, roots: dict[str, Any]) -> dict[str, Any] | None:
        """Bring `roots`, freshly built, into the state that is kept; return what the precondition reported.

        Without a file, or with a damaged one, that is None. Raise `InputError` if the device may be changed in part.
        """
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as content:
                about = json.loads(content["about"].tobytes())
                arrays = {name: content[name] for name in content.files if name != "about"}
            fresh = self.walk(roots)
            bound = bind(about["nodes"], arrays, fresh)
        except FileNotFoundError:
            return None
        except Exception as error:  # what the readers of NumPy, zip and JSON raise, and a state of other objects
            warnings.warn(f"{self.path}: cannot be used ({error}); the device is made anew.", stacklevel=2)
            return None
        try:
            pour(about["nodes"], arrays, fresh, bound)
            report = {**about["report"]}
        except Exception as error:  # of any kind, as a class of one's own may raise it
            why = error if isinstance(error, StateError) else f"{type(error).__name__}, {error}"
            with suppress(OSError):
                self.path.unlink()
            raise InputError(f"{self.path}: does not fit this device ({why}); it is removed: run again.") from None
        with suppress(OSError):  # if another run has dropped it, or it may only be read
            os.utime(self.path)
        return report

    def save(self, roots: dict[str, Any], report: dict[str, Any]) -> None:
        """Keep a device; warn if that does not work, as the run does without."""
        # of this process alone: two runs may keep one device at a time
        unfinished = self.path.with_name(f"{uuid4().hex}.unfinished{SUFFIX}")
        try:
            stored = self.walk(roots)
            about = json.dumps({"report": report, "nodes": stored.nodes})
            self.folder.mkdir(parents=True, exist_ok=True)
            with unfinished.open("xb") as file:
                arrays: Any = {"about": np.frombuffer(about.encode(), np.uint8), **stored.arrays}
                np.savez(file, allow_pickle=False, **arrays)
            unfinished.replace(self.path)
            self.drop_oldest()
        except (OSError, StateError) as error:
            warnings.warn(f"precondition.keep=true: the device is not kept: {error}.", stacklevel=2)
        finally:
            unfinished.unlink(missing_ok=True)

    def drop_oldest(self) -> None:
        """Drop the devices used longest ago until all take no more than `MOST_BYTES`."""
        left = MOST_BYTES
        files = [(path.stat(), path) for path in self.folder.glob(f"*{SUFFIX}")]
        for status, path in sorted(files, key=lambda file: -file[0].st_mtime_ns):  # `take` touches what it has read
            left -= status.st_size
            if left < 0:
                path.unlink(missing_ok=True)

    def walk(self, roots: dict[str, Any]) -> Walk:
        """Return a walk over `roots`, with classes of ssdsim, and those of one's own and beside them."""
        return Walk(roots, {file.parent for file in own_files(self.config)})
