"""What the slowest requests waited for."""

from typing import Any

from ssdsim.metrics.tally import PARTS, Tally

TAILS = {"slowest_1_percent": 0.01, "slowest_0_1_percent": 0.001}
"""The shares of the requests of an operation, by name."""


def tail(tally: Tally, op: int) -> dict[str, dict[str, Any]]:
    """Return, for each of `TAILS`, how many requests of `op` that is and the means of their response times and parts.

    In microseconds, None without requests. There is at least one request, and else as many as the share is rounded
    down: those beyond the percentile.
    """
    count, by_share = tally.count(op), {}
    for name, share in TAILS.items():
        slowest = max(int(share * count + 1e-9), 1) if count else 0  # 1e-9: 0.01 of 100 is 1, for all its binary digits
        mean, parts = tally.slowest(op, slowest)
        means = {"response_us": mean, **parts}
        by_share[name] = {
            "requests": slowest,
            **{part: value / 1000 if slowest else None for part, value in means.items()},
        }
    return by_share


def untimed_tail() -> dict[str, dict[str, None]]:
    """Return the same for a run without response times."""
    return {name: dict.fromkeys(("requests", "response_us", *PARTS)) for name in TAILS}
