"""Preconditioned devices, and runs under way, in files: `checkpoint.save`, `checkpoint.load`, `precondition.keep`.

A file is a line that says what it is, a line of JSON (what its content depends on, facts about it, and
`ssdsim.states.graph`'s nodes), the raw arrays, a SHA-256 of all that, by which damage is found, and the user's
signature of it: compiled code follows what a state holds, so that somebody else's is loaded only with
`checkpoint.trust`. A file is written under another name and renamed, so that nobody reads half of one.
"""

import contextlib
import hashlib
import json
import mmap
import os
import platform
import struct
import sys
import time
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import attrs
import numpy as np

from ssdsim import __version__
from ssdsim._core.table import IndexTable
from ssdsim.assembly.device import Device
from ssdsim.config import FioConfig, SimulationConfig, TraceConfig
from ssdsim.errors import ConfigError, InputError, SimulationError
from ssdsim.flash.views import LINKS
from ssdsim.states.graph import Pouring, StateError, Stored
from ssdsim.states.signature import SIGNATURE_BYTES, is_signed, key_file, signature
from ssdsim.workload.tracefile import file_sha256

FORMAT = b"ssdsim checkpoint "
MAGIC = FORMAT + b"2\n"
SHA_BYTES = 32
DEVICE, RUN = "a preconditioned device", "a run under way"
"""What a file can hold, under `OF` among what it depends on."""

OF = "content"
SHAPING = ("seed", "integrity", "hardware", "flash", "scheduler", "buffer", "ftl")
"""Parts of the configuration that a preconditioned device depends on, whatever the precondition."""

UNREADABLE = (OSError, ValueError, TypeError, LookupError, OverflowError, RecursionError)
"""What comes of reading a file that is not what it says."""

AT_A_TIME = 1 << 20
"""Entries of a table that are looked at at a time."""

SUFFIX = ".checkpoint"
WRITING, GIVEN_UP_S = ".ssdsim-writing-", 3600.0
"""What the name of a file that is being written begins with, and the age from which on it was left by a killed run."""


class CheckpointError(InputError):
    """A checkpoint cannot be read, is damaged, or was made of something else."""


@cache
def sources_sha256() -> str:
    """Return the checksum of ssdsim's sources."""
    root, checksum = Path(__file__).parents[1], hashlib.sha256()
    # Sorted, and with their names: the same files give the same checksum on any file system.
    for path in sorted(path for path in root.rglob("*") if path.suffix in (".py", ".pyx", ".pxd")):
        checksum.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return checksum.hexdigest()


def own_files(named: dict[str, Any]) -> dict[str, Path]:
    """Return the files, by module, of the classes of one's own that values name, and of what those use beside them.

    They have been imported, as the device has been built.
    """
    modules = sorted({value.rpartition(".")[0] for value in _flat(named).values() if isinstance(value, str)})
    files = {name: Path(file) for name in modules if (file := _file_of(name))}
    line = list(files)
    for name in line:  # which grows meanwhile
        for member in list(vars(sys.modules[name]).values()):
            other = member.__name__ if isinstance(member, ModuleType) else getattr(member, "__module__", None)
            # only files beside it: not the whole of an installed package
            file = _file_of(other) if isinstance(other, str) and other not in files else None
            if file and Path(file).parent == files[name].parent:
                files[str(other)] = Path(file)
                line.append(str(other))
    return dict(sorted(files.items()))


def _file_of(module: str) -> str | None:
    return getattr(sys.modules.get(module), "__file__", None) if module else None


def depends_on(config: SimulationConfig, content: str = DEVICE) -> dict[str, Any]:
    """Return, by name, all that a preconditioned device depends on, or a run under way."""
    import ssdsim.flash.dies as module

    whole = attrs.asdict(config)
    wish = {name: value for name, value in whole["precondition"].items() if name != "keep"}
    named = {part: whole[part] for part in SHAPING} | {"precondition": wish}
    named["power_loss.wanted"] = config.power_loss.wanted
    # whether it is kept changes nothing of a device
    looks = config.precondition.full_buffer or (config.precondition.mode == "fill" and config.precondition.valid_reads)
    if content == RUN:
        named = {part: value for part, value in whole.items() if part != "checkpoint"} | {"precondition": wish}
    if content == RUN or looks or config.buffer.footprint_share is not None:
        named |= {"workload": whole["workload"], "workloads": whole["workloads"]}
        loads = [config.workload, *config.workloads.values()]
        named["traces"] = [file_sha256(Path(load.path)) for load in loads if isinstance(load, TraceConfig | FioConfig)]
    compiled = "compiled" if not str(module.__file__).endswith(".py") else "interpreted"
    machine = f"{platform.machine()}, {sys.byteorder}-endian, {struct.calcsize('P') * 8} bits, {compiled}"
    own = {module: hashlib.sha256(path.read_bytes()).hexdigest() for module, path in own_files(named).items()}
    return json.loads(  # as it will be read
        json.dumps(
            {
                OF: content,
                "version": __version__,
                "sources": sources_sha256(),
                "architecture": machine,
                **_flat(named),
                "own policies": own,
            },
            default=str,
        )
    )


def _flat(named: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested values by dotted keys."""
    flat: dict[str, Any] = {}
    for name, value in named.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat


def save(
    path: Path, depends: dict[str, Any], roots: list[Any], facts: dict[str, Any], given: Mapping[str, Any] | None = None
) -> None:
    """Write the state of `roots` to `path`, whole or not at all; raise `StateError` if it is not all data.

    `facts` are plain values for whoever loads it, who gives the like of what is `given`, too.
    """
    check_replaceable(path)
    stored = Stored(roots, depends["own policies"], given)
    header = json.dumps({"depends": depends, "facts": facts, "nodes": stored.nodes}).encode() + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    # of this process alone: two runs may save to one path at a time
    unfinished = path.with_name(f"{WRITING}{uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            checksum = hashlib.sha256()
            arrays: Any = (np.ascontiguousarray(content).reshape(-1).view(np.uint8) for content in stored.arrays)
            for part in (MAGIC, header, *arrays):
                checksum.update(part)
                file.write(part)
            file.write(checksum.digest() + signature(checksum.digest()))
            if depends[OF] == RUN:
                file.flush()
                os.fsync(file.fileno())  # it takes the place of one that was good
        unfinished.replace(path)
    finally:  # on one file system, so that readers see the old file or the new one
        unfinished.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """Raise `StateError` if there is something at `path` that is no checkpoint."""
    if os.path.lexists(path):
        with contextlib.suppress(OSError), path.open("rb") as file:
            if file.read(len(FORMAT)) == FORMAT:
                return
        raise StateError(f"{path} is there and is no checkpoint; move it away, or take another name")


@attrs.frozen
class Checkpoint:
    """What a file holds: what that depends on, `facts` about it, and the state of a graph of objects."""

    path: Path
    is_own: bool
    depends: dict[str, Any]
    facts: dict[str, Any]
    nodes: list[Any]
    arrays: list[np.ndarray]

    @classmethod
    def read(cls, path: Path) -> "Checkpoint":
        """Return the checkpoint in the file at `path`; raise `CheckpointError` if it is damaged."""
        try:
            with path.open("rb") as file:
                memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            is_own = is_signed(checked_digest(path, memory), memory[-SIGNATURE_BYTES:])
            header, arrays = _parsed(memory)
            return cls(path, is_own, {**header["depends"]}, {**header["facts"]}, header["nodes"], arrays)
        except UNREADABLE as error:
            raise CheckpointError(
                f"{path}: cannot be read as a checkpoint ({error}); leave it out, or save it anew."
            ) from None

    def check_same(self, here: dict[str, Any], trust: bool = False) -> None:
        """Raise `CheckpointError` where what this depends on is something else `here`, or it is not `trust`ed."""
        for name in (*here, *self.depends):  # ours first: the message names a key that this version has
            if name not in self.depends or name not in here or self.depends[name] != here[name]:
                raise CheckpointError(
                    f"{self.path}: was made with {name}={self.depends.get(name)}, and here it is {here.get(name)}; a "
                    "checkpoint is of one version, architecture and device, that of a run under way of one experiment: "
                    "run with the same, leave it out, or save it anew."
                )
        if not (self.is_own or trust):
            raise CheckpointError(
                f"{self.path}: was saved by somebody else, as it is not signed with the key in {key_file()}; save it "
                "anew, or set checkpoint.trust=true if you trust whoever made it."
            )

    def pour(self, roots: list[Any], given: Mapping[str, Any] | None = None) -> None:
        """Bring `roots`, freshly built, into the state that this holds; the first of them is a device.

        Its books are gone over, a second for 300 GiB, unless the file is the user's own. Raise `InputError` if the
        state does not fit, by which time some of it may have been written to.
        """
        try:
            pouring = Pouring(roots, self.nodes, self.arrays, self.depends["own policies"], given)
            pouring.pour()
            if not self.is_own:
                check_sound(roots[0], [fresh for fresh in pouring.bound.values() if isinstance(fresh, IndexTable)])
        except Exception as error:  # of any kind, as a class of one's own may raise it
            why = error if isinstance(error, StateError) else f"{type(error).__name__}, {error}"
            raise InputError(f"{self.path}: does not fit this device ({why}); leave it out, or remove it.") from None


def load(path: Path, depends: dict[str, Any], roots: list[Any], trust: bool = False) -> dict[str, Any]:
    """Bring `roots`, freshly built, into the state that `path` holds, and return what the precondition reported.

    Raise `CheckpointError` before anything is changed if the file is damaged, of another device or version, or of
    somebody else who is not `trust`ed, and `InputError` if what it holds does not fit the device all the same, which
    may then be changed in part.
    """
    checkpoint = Checkpoint.read(path)
    checkpoint.check_same(depends, trust)
    checkpoint.pour(roots)
    return checkpoint.facts


def check_sound(device: Device, tables: list[IndexTable]) -> None:
    """Raise `SimulationError` where the books of a device that was loaded, with all its `tables`, do not add up.

    What compiled code takes for a place without another look comes first; it is not all of that.
    """
    blocks = device.blocks
    limits = [(blocks.spare, device.mapping.current().size), *((table, table.limit) for table in tables)]
    for table, limit in limits:
        for first in range(0, table.size, AT_A_TIME):
            if table.to_numpy(first, min(first + AT_A_TIME, table.size)).max() >= limit:  # -1 stands for no page
                raise SimulationError(f"a table of pages goes beyond {limit}")
    if not all(0 <= blocks.free_blocks(unit) <= blocks.blocks_per_plane for unit in range(blocks.units)):
        raise SimulationError(f"a plane has more than {blocks.blocks_per_plane} free blocks")
    transactions, dies = device.transactions, device.dies
    links = [*(getattr(transactions, name) for name in LINKS), dies.queues.head, dies.queues.tail, dies.transaction]
    links.append(dies.suspended)
    for numbers in (*links, [transactions.free]):
        if not 0 <= np.min(numbers) <= np.max(numbers) < len(transactions.op):
            raise SimulationError(f"a transaction goes beyond {len(transactions.op)}")
    device.check()


def checked_digest(path: Path, memory: mmap.mmap) -> bytes:
    """Return the checksum of a file; raise `CheckpointError` if it has another, or does not begin as a checkpoint."""
    if memory[: len(MAGIC)] != MAGIC:
        raise CheckpointError(f"{path}: is no checkpoint of this version of the format; leave it out, or save it anew.")
    digest = memory[-SHA_BYTES - SIGNATURE_BYTES : -SIGNATURE_BYTES]
    if hashlib.sha256(memoryview(memory)[: -SHA_BYTES - SIGNATURE_BYTES]).digest() != digest:
        raise CheckpointError(f"{path}: is damaged (its checksum differs); leave it out, or save it anew.")
    return digest


def _parsed(memory: mmap.mmap) -> tuple[dict[str, Any], list[np.ndarray]]:
    content: Any = np.frombuffer(memory, np.uint8)
    start = memory.find(b"\n", len(MAGIC)) + 1
    header, arrays = json.loads(memory[len(MAGIC) : start]), []
    for node in header["nodes"]:
        if "array" in node:
            kind, shape = np.dtype(node["array"][0]), tuple(node["array"][1])
            if kind.hasobject:  # whose bytes would be taken for pointers
                raise ValueError("an array of objects")
            end = start + kind.itemsize * int(np.prod(shape))
            arrays.append(content[start:end].view(kind).reshape(shape))
            start = end
    return header, arrays


class Kept:
    """The folder in which `precondition.keep` keeps devices, by what they depend on."""

    def __init__(self, config: SimulationConfig):
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = Path(config.checkpoint.folder or Path(home, "ssdsim"))
        self.most_bytes = config.checkpoint.folder_gib * 2**30

    def path(self, depends: dict[str, Any]) -> Path:
        """Return where the device that depends on this lies if it does."""
        # 128 bits of the checksum are enough for a name, and short enough for any file system.
        return self.folder / f"{hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:32]}{SUFFIX}"

    def take(self, depends: dict[str, Any], roots: list[Any]) -> dict[str, Any] | None:
        """Bring `roots` into the state that is kept and return what the precondition reported, or None if none is."""
        path = self.path(depends)
        if not path.exists():
            return None
        try:
            preconditioned = load(path, depends, roots)
        except CheckpointError as error:
            warnings.warn(f"{error} It is made anew.", stacklevel=2)
            return None
        except InputError as error:  # the device has been changed in part
            with contextlib.suppress(OSError):
                path.unlink()
            raise InputError(f"{error} It has been removed; run again.") from None
        with contextlib.suppress(OSError):  # if another run has dropped it, or it may only be read
            os.utime(path)
        return preconditioned

    def drop_oldest(self) -> None:
        """Drop the devices used longest ago until they take no more room than they may, and what was never finished."""
        kept_files = []
        for path in self.folder.iterdir():
            try:
                if path.name.startswith(WRITING) and path.stat().st_mtime < time.time() - GIVEN_UP_S:
                    path.unlink()
                elif path.suffix == SUFFIX and self.is_kept(path):
                    kept_files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
            except FileNotFoundError:
                continue  # which another run has dropped
        total = sum(size for _, size, _ in kept_files)
        # Oldest use first: `take` touches what it has read.
        for _, size, path in sorted(kept_files):
            if total <= self.most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size

    def is_kept(self, path: Path) -> bool:
        """Return whether the file at `path` has the name that `path()` gives to its content."""
        try:
            with path.open("rb") as file:
                # A file that merely lies there is not ours to drop.
                return file.read(len(MAGIC)) == MAGIC and path == self.path(json.loads(file.readline())["depends"])
        except UNREADABLE:
            return False

    def save(self, depends: dict[str, Any], roots: list[Any], preconditioned: dict[str, Any]) -> None:
        """Keep a device; say so if that does not work, as the run does without."""
        try:
            save(self.path(depends), depends, roots, preconditioned)
            self.drop_oldest()
        except (OSError, StateError) as error:
            warnings.warn(f"precondition.keep=true: the device is not kept: {error}.", stacklevel=2)


def check_storable(config: SimulationConfig) -> None:
    """Raise `ConfigError` if the precondition that `config` asks for cannot be in a file."""
    checkpoint, wish = config.checkpoint, config.precondition
    saved = None if checkpoint.saves_run else checkpoint.save
    asked = [key for key, value in (("save", saved), ("load", checkpoint.load)) if value is not None]
    if wish.timed and config.timing == "on" and (asked or wish.keep):
        key = f"checkpoint.{asked[0]}" if asked else "precondition.keep"
        raise ConfigError(
            f"{key}: a precondition that takes simulated time is not stored; set precondition.timed=false."
        )
