"""A tiny device whose every time can be added up by hand, and the running of requests on it."""

import json
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import attrs

import ssdsim.config
import ssdsim.run.simulation
from ssdsim.testing import RequestList
from support.recount import recounted

PAGE = TRANSFER = 4096
"""Bytes of a page of the tiny device, and ns that they take on its bus."""

READ_COMMAND, PROGRAM_COMMAND, ERASE_COMMAND, COPYBACK_COMMAND = 100, 200, 300, 400
READ, PROGRAM, ERASE = 10_000, 100_000, 1_000_000
READ_PAGE = READ_COMMAND + READ + TRANSFER
WRITE_PAGE = PROGRAM_COMMAND + TRANSFER + PROGRAM
COPY_PAGE = COPYBACK_COMMAND + READ + PROGRAM
ERASE_BLOCK = ERASE_COMMAND + ERASE
"""What it does and how long that takes, in ns."""

TINY: dict[str, Any] = {
    "hardware": {
        "channels": 1,
        "chips_per_channel": 1,
        "dies_per_chip": 1,
        "planes_per_die": 1,
        "blocks_per_plane": 8,
        "pages_per_block": 4,
        "page_kib": 4,
        "bits_per_cell": 1,
        "read_us": [10.0],
        "program_us": [100.0],
        "erase_us": 1000.0,
        "bus_ns_per_byte": 1.0,
        "read_command_us": 0.1,
        "program_command_us": 0.2,
        "erase_command_us": 0.3,
        "copyback_command_us": 0.4,
        "over_provisioning": 0.5,
    },
    "ftl": {"gc": {"soft_threshold": 2, "hard_threshold": 2}},
    "buffer": {"access_ns": 0.0, "transfer_ns_per_byte": 0.0},
    "precondition": {"mode": "none"},
    "check": "always",
    "integrity": "on",
}
"""One plane of 8 blocks of 4 SLC pages, 16 of them logical, whose times share no digits."""


def merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes` put in, section by section."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return merged


def buffered(pages: int, replacement: str = "lru", **buffer: Any) -> dict[str, Any]:
    """Return changes that give the tiny device a write buffer of so many pages, and other keys of that."""
    return {"buffer": {"replacement": replacement, "size_mib": pages * PAGE / 2**20, **buffer}}


def section(cls: Any, given: dict[str, Any]) -> Any:
    """Return the config object that nested keywords describe."""
    types = {attribute.name: attribute.type for attribute in attrs.fields(cls)}
    nested = {key for key, value in given.items() if isinstance(value, dict) and attrs.has(types[key])}
    return cls(**{key: section(types[key], value) if key in nested else value for key, value in given.items()})


def tiny_config(changes: dict[str, Any] | None = None, config: ModuleType = ssdsim.config) -> Any:
    """Return the tiny device's `SimulationConfig` with `changes`, in the classes of the module `config`."""
    return section(config.SimulationConfig, merge(TINY, changes or {}))


@attrs.frozen
class Run:
    """What a run measured, with its tables as lists of dictionaries."""

    result: Any

    @property
    def summary(self) -> dict[str, Any]:
        """The summary."""
        return self.result.summary

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests, in order of admission."""
        return self.result.requests.to_pylist()

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The flash commands, in order of their ends."""
        return self.result.commands.to_pylist()

    def done_at(self) -> list[int]:
        """Return when each request was complete, in order of admission."""
        return [row["arrival_ns"] + row["response_ns"] for row in self.requests]

    def ends(self, op: str, source: str = "gc") -> list[int]:
        """Return when the commands of one operation and source ended."""
        return [row["end_ns"] for row in self.commands if (row["op"], row["source"]) == (op, source)]

    def facts(self) -> dict[str, Any]:
        """Return everything that must not depend on kernel or compilation: all but the clock on the wall."""
        varying = {"kernel", "config_hash", "simulator"}
        summary = {key: value for key, value in self.summary.items() if key not in varying}
        tables = {name: table.to_pydict() for name, table in self.result._tables.items()}
        return {"summary": json.dumps(summary), "tables": tables}


def run_streams(
    streams: list[dict[str, Any]],
    changes: dict[str, Any] | None = None,
    kernel: str = "compiled",
    modules: Mapping[str, ModuleType] = sys.modules,
) -> Run:
    """Run streams, the keywords of a `RequestList` each, on the tiny device with `changes`; record everything.

    With `check` as `recount`, which is none of the product, the summary is held against the tables as well.
    """
    main, *others = (RequestList(**stream) for stream in streams)
    given = {"kernel": kernel, "record": ["requests", "commands"], "workload": main}
    given["workloads"] = dict(zip(("second", "third"), others, strict=False))
    given = merge(given, changes or {})
    recounts = given.get("check") == "recount"
    config = tiny_config(given | {"check": "end"} if recounts else given, modules["ssdsim.config"])
    return Run(recounted(config, modules) if recounts else modules["ssdsim.run.simulation"].simulate(config))
