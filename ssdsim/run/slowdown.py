"""How much slower the requests of each stream are beside the others than alone, and how fair that is."""

from collections.abc import Callable, Mapping
from math import fsum
from typing import Any

import attrs

from ssdsim.config import SimulationConfig


def mean_us(operations: Mapping[str, Any]) -> float | None:
    """Return the mean response time of a stream over all its requests, in microseconds; None without any."""
    served = [of_op for of_op in operations.values() if of_op["count"]]
    count = sum(of_op["count"] for of_op in served)
    return fsum(of_op["count"] * of_op["response_us"]["mean"] for of_op in served) / count if count else None


def alone_us(config: SimulationConfig, run: Callable[[SimulationConfig], Any]) -> dict[str, float | None]:
    """Return the mean response time of each stream where it alone sends requests, each in a `run` of its own.

    The device, its preparation and its namespaces are those of `config`.
    """
    means = {}
    for name in ("main", *config.workloads):
        changed = attrs.evolve(
            config,
            host=attrs.evolve(config.host, only_stream=name),
            metrics=attrs.evolve(config.metrics, slowdown=False, blame=False),
            record=[],
        )
        means[name] = mean_us(run(changed).summary["streams"][name])
    return means


def slowdowns(streams: Mapping[str, Any], alone: Mapping[str, float | None]) -> dict[str, Any]:
    """Return the part `slowdown` of a summary, whose part `streams` is given.

    The slowdown of a stream is its mean response time over that which it has alone; the fairness is the smallest over
    the largest slowdown; the weighted speedup is the sum of what slowdowns are the inverse of (FLIN: Tavakkol et al.,
    ISCA 2018, section 3).
    """
    shared = {name: mean_us(operations) for name, operations in streams.items()}
    ratios = {name: mean / its_own for name, mean in shared.items() if mean and (its_own := alone[name])}
    known = ratios.values()
    return {
        "fairness": min(known) / max(known) if known else None,
        "weighted_speedup": fsum(1 / ratio for ratio in known) if known else None,
        "streams": {
            name: {"slowdown": ratios.get(name), "shared_us": shared[name], "alone_us": alone[name]} for name in streams
        },
    }
