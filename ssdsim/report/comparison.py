"""Systems side by side: what sets their configurations apart, and their results, paired by seed."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import attrs

from ssdsim.config import SimulationConfig, flatten
from ssdsim.metrics.blame import CAUSES
from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result
from ssdsim.report.summary import value_of

FIELDS = {
    "iops": "IOPS",
    **{
        f"requests.{op}.response_us.{figure}": f"{figure} {op}"
        for op in ("read", "write")
        for figure in ("mean", "p99")
    },
    "write_amplification": "write amplification",
    "gc.collections": "collections",
    "wear.mean": "erases a block",
}
"""The fields that are shown and compared, if not told otherwise, with their titles; those of `blame_fields` follow."""

UNFAIR = {
    "hardware": "they run on different devices",
    "buffer": "their write buffers differ",
    "host": "the host's queues differ",
    "link": "their links to the host differ",
    "controller": "their processors differ",
    "precondition": "the device is prepared in different ways",
    "workload": "their loads differ",
    "workloads": "their loads differ",
    "power_loss": "power is lost at different times",
    "timing": "not all of them have flash timing",
}
"""Sections of the configuration that systems under comparison should share, and what it means where they do not."""

Row = dict[str, Any]


@attrs.frozen
class Comparison:
    """A field of one system under one workload, over seeds: its mean, and how it relates to that of the baseline.

    `ratio` is the mean of the ratios seed by seed, which share what chance does to both; intervals are at 95 percent,
    None for a single seed.
    """

    workload: str
    system: str
    field: str
    values: tuple[float, ...]
    ratios: tuple[float, ...]
    validity: tuple[str, ...]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return fmean(self.values)

    @property
    def ratio(self) -> float | None:
        """The mean ratio to the baseline, None where that is next to nothing."""
        return fmean(self.ratios) if self.ratios else None

    def row(self) -> Row:
        """Return it as a row of a table."""
        low, high = across(self.values) or (None, None)  # of one seed there is no interval
        ratio_low, ratio_high = across(self.ratios) or (None, None)
        return {
            "workload": self.workload,
            "system": self.system,
            "field": self.field,
            "seeds": len(self.values),
            "mean": self.mean,
            "low": low,
            "high": high,
            "ratio": self.ratio,
            "ratio_low": ratio_low,
            "ratio_high": ratio_high,
            "validity": " ".join(self.validity),
        }


def flat(config: SimulationConfig) -> dict[str, Any]:
    """Return the keys of a configuration, dotted, with their values."""
    return {key: value for key, value in flatten(attrs.asdict(config)) if value != {}}


def differences(configs: Mapping[str, SimulationConfig]) -> dict[str, dict[str, Any]]:
    """Return the keys whose values differ among `configs`, with the value that each of these has, None without one."""
    keys = {name: flat(config) for name, config in configs.items()}
    differing = {}
    for key in dict.fromkeys(key for config in keys.values() for key in config):
        values = {name: config.get(key) for name, config in keys.items()}
        if len(set(map(repr, values.values()))) > 1:  # by what they look like: values of a key may be lists
            differing[key] = values
    return differing


def unfair(differing: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the differing keys that systems should share, with the meaning of each difference."""
    return {key: UNFAIR[key.partition(".")[0]] for key in differing if key.partition(".")[0] in UNFAIR}


def value(summary: Mapping[str, Any], field: str) -> float | None:
    """Return a number of a summary by its dotted name, None where it has none of that name."""
    number = value_of(summary, field)
    # a truth value is no number to compare
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None


def blame_fields(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the fields of all causes that some run has any of, if each run has recorded its blame."""
    if not all("blame_us" in summary["requests"]["read"] for summary in summaries):
        return []
    fields = [f"requests.{op}.blame_us.{cause}" for op in ("read", "write") for cause in CAUSES]
    return [field for field in fields if any(value(summary, field) for summary in summaries)]


def ratios_of(values: Sequence[float | None], bases: Sequence[float | None]) -> tuple[float, ...]:
    """Return the ratios seed by seed, none of them to a baseline that is next to nothing.

    That is 0 with some seed, or has an interval that holds 0 as that of the ratio does.
    """
    pairs = [(a, b) for a, b in zip(values, bases, strict=True) if a is not None and b is not None]
    if not all(b for _, b in pairs):
        return ()
    ratios = tuple(a / b for a, b in pairs)
    intervals = across([b for _, b in pairs]), across(ratios)
    return () if all(interval and interval[0] <= 0 <= interval[1] for interval in intervals) else ratios


def compared(
    results: Mapping[str, Mapping[str, Sequence[Result]]], fields: Sequence[str], baseline: str
) -> list[Comparison]:
    """Return every field that has a value, of `results` by workload and system, a result a seed, in the same order.

    Ratios are of systems that have the seeds of the baseline.
    """
    comparisons = []
    for workload, systems in results.items():
        paired = {
            system: [run.summary.get("seed") for run in runs] == [run.summary.get("seed") for run in systems[baseline]]
            for system, runs in systems.items()
        }
        for field in fields:
            bases = [value(run.summary, field) for run in systems[baseline]]
            for system, runs in systems.items():
                values = [value(run.summary, field) for run in runs]
                given = tuple(number for number in values if number is not None)
                # in the order in which they are told, each once
                findings = (finding for run in runs for finding in run.summary["validity"])
                codes = tuple(dict.fromkeys(finding["code"] for finding in findings))
                if given:
                    ratios = ratios_of(values, bases) if paired[system] else ()
                    comparisons.append(Comparison(workload, system, field, given, ratios, codes))
    return comparisons
