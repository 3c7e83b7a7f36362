"""Checkpoints of which something is changed under the right checksum, each taken by a process of its own."""

import hashlib
import json
import os
import random
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

from ssdsim import simulate
from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError, SsdsimError
from ssdsim.states.checkpoint import SHA_BYTES
from ssdsim.states.signature import SIGNATURE_BYTES
from support.tiny_stacks import chosen, configured

SMALL = (
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=60", "workload.queue_depth=8"),
)
STACKS = {
    **{name: ["precondition=fill"] for name in ("baseline", "pa_ssd", "spd", "tbm", "pcftl", "dftl", "fast")},
    "flex_ftl": ["precondition=fill"],
}
TAIL_BYTES = SHA_BYTES + SIGNATURE_BYTES
NUMBERS = (-1, 0, 1, 2, 255, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, -(1 << 63), 1 << 64)
MOST_S = 20
"""Processor time of one load and run."""


def saved(stack: str, folder: Path) -> tuple[SimulationConfig, bytes]:
    """Return the configuration of a small device of `stack`, and what is in its checkpoint."""
    config, file = configured(*chosen(stack), *SMALL, *STACKS[stack]), folder / f"{stack}.checkpoint"
    simulate(attrs.evolve(config, checkpoint=attrs.evolve(config.checkpoint, save=str(file))))
    return config, file.read_bytes()


def sealed(content: bytes) -> bytes:
    """Return `content` with its checksum behind it, as somebody else may write it."""
    return content + hashlib.sha256(content).digest() + bytes(SIGNATURE_BYTES)


def changed(content: bytes, draw: random.Random) -> tuple[bytes, str]:
    """Return a checkpoint with something changed, and what."""
    magic, header, rest = content.split(b"\n", 2)
    whole = json.loads(header)
    arrays = bytearray(rest[:-TAIL_BYTES])
    if draw.random() < 0.4 and arrays:
        what = change_array(whole["nodes"], arrays, draw)
    else:
        what = change_value(whole["nodes"], draw)
    made = magic + b"\n" + json.dumps(whole).encode() + b"\n" + bytes(arrays)
    return sealed(made), what


def change_array(nodes: list, arrays: bytearray, draw: random.Random) -> str:
    """Change a number of an array."""
    known = [(n, node["array"]) for n, node in enumerate(nodes) if "array" in node and np.prod(node["array"][1])]
    place, at = draw.randrange(len(known)), 0
    for _, (kind, shape) in known[:place]:
        at += np.dtype(kind).itemsize * int(np.prod(shape))
    n, (kind, shape) = known[place]
    values = np.frombuffer(arrays, kind, int(np.prod(shape)), at)
    index = draw.randrange(len(values))
    was = values[index]
    info = np.iinfo(kind) if values.dtype.kind in "iu" else None
    new = draw.choice([*NUMBERS, int(was) + 1, int(was) - 1, draw.randrange(64)])
    values[index] = new if info is None else min(max(new, info.min), info.max)
    return f"array {n} {kind}{shape}[{index}]: {was} -> {values[index]}"


def places(part: object, path: str) -> Iterator[tuple[object, object, str]]:
    """Yield where the values below `part` stand: what holds each, and its key or place."""
    pairs = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, each in pairs:
        yield part, key, f"{path}.{key}"
        yield from places(each, f"{path}.{key}")


def change_value(nodes: list, draw: random.Random) -> str:
    """Change, drop or double something in the state of an object."""
    n = draw.randrange(len(nodes))
    found = list(places(nodes[n], str(n)))
    owner, key, path = draw.choice(found)
    name = f"{nodes[n].get('object', nodes[n].get('in', 'array'))} {path}"
    value = owner[key]
    if isinstance(value, bool):
        owner[key] = not value
    elif isinstance(value, int):
        owner[key] = draw.choice([*NUMBERS, value + 1, value - 1, draw.randrange(len(nodes))])
    elif isinstance(value, float):
        owner[key] = draw.choice([0.0, -1.0, 1e308, float("nan"), float("inf")])
    elif isinstance(value, list) and len(value) > 2 and draw.random() < 0.5:
        del value[draw.randrange(len(value))]
        return f"{name}: shortened"
    elif isinstance(value, list) and value and draw.random() < 0.3:
        value.append(value[-1])
        return f"{name}: lengthened"
    else:
        owner[key] = draw.choice([None, 0, -1, "x", [], {}, ["@", draw.randrange(len(nodes))], True, 1.5])
    return f"{name}: {value!r:.50} -> {owner[key]!r:.50}"


def outcome(config: SimulationConfig, content: bytes, path: Path) -> str:
    """Return what comes of a run that takes the checkpoint `content`: served, refused, failed, or what is worse."""
    path.write_bytes(content)
    told = path.with_suffix(".told")
    told.unlink(missing_ok=True)
    process = os.fork()
    if not process:
        signal.setitimer(signal.ITIMER_PROF, MOST_S)
        end = "served"
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            simulate(attrs.evolve(config, checkpoint=attrs.evolve(config.checkpoint, load=str(path), trust=True)))
        except InputError as error:
            end = "refused"
            told.write_text(str(error))
        except SsdsimError as error:
            end = "failed"
            told.write_text(str(error))
        except BaseException:
            end = "raised"
            told.write_text(traceback.format_exc())
        finally:
            os._exit(("served", "refused", "failed", "raised").index(end))
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hung" if number == signal.SIGPROF else f"crashed by {signal.Signals(number).name}"
    return ("served", "refused", "failed", "raised")[os.WEXITSTATUS(status)]
