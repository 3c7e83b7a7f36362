"""Summaries of runs that a test makes up."""

from typing import Any

from ssdsim.metrics.result import SCHEMA

TIMES = ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", "queue", "bus", "array", "gc")


def summary_of(read: dict[str, Any], write: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the summary of a run with these reads and writes, and with other `fields`."""
    return {
        "schema": SCHEMA,
        "requests": {"read": read, "write": write, "trim": {"count": 0}, "flush": {"count": 0}},
        "bandwidth_mib_s": 33.7,
        "write_amplification": 1.25,
        "flash": {name: {"host": 700, "gc": 77} for name in ("reads", "programs", "erases", "copybacks")},
        "gc": {"collections": 11, "page_moves": 625},
        "utilization": {"channel": [0.25], "die": [0.5], "plane": [0.5]},
        "wear": {"mean": 0.25, "std": 0.5, "max": 2},
        "simulated_s": 4.0,
        "simulator": {"wall_s": 1.5, "transactions_per_s": 654321.0},
        "partial": False,
        "validity": [],
        **fields,
    }
