"""What the paper leaves open (`choices.tsv`), and what else it could mean."""

from collections.abc import Mapping, Sequence
from functools import partial

import attrs

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...study.measures import ratio, requests
from ...study.study import Choice, Value, left_open
from . import commands, measures
from .claims import erasures, iops, mean_bandwidths, peaks, rows
from .commands import Programs, data_programs
from .runs import VOLUME, figure_8, loads_of
from .systems import DATA, Device
from .workloads import MOST_EFFECTIVE, NOT_ABOVE_PAGE_FTL, Load, load

OPEN = left_open(__file__)

Changes = Mapping[str, Sequence[str]]
"""Overrides by workload."""

COPIES = {
    "moved pages too": ["ftl.backup_moved=true"],
    "to LSB pages": ["ftl.backup_pages=fast"],
    "moved pages too, to LSB pages": ["ftl.backup_moved=true", "ftl.backup_pages=fast"],
}
WEBSERVER = {
    "within the buffer": ("workload.burst_requests=500", "workload.idle_ms=142"),
    "within the buffer, 0.8 s of idle": ("workload.burst_requests=500", "workload.idle_ms=800"),
    "8 s of idle": ("workload.idle_ms=8000",),
}
IDLE_MS = {"half": (312, 354, 708), "twice": (1250, 1417, 2833)}  # between bursts of Varmail, Fileserver and Webserver

FORMER_IDLE_MS = (4000, 4000, 8000)

BURSTS: dict[str, Changes] = {
    "a quarter": {
        "Varmail": ["workload.burst_requests=1250", "workload.idle_ms=156"],
        "Fileserver": ["workload.burst_requests=188", "workload.idle_ms=177"],
    },
    "four times": {
        "Varmail": ["workload.burst_requests=20000", "workload.idle_ms=2500"],
        "Fileserver": ["workload.burst_requests=3000", "workload.idle_ms=2833"],
    },
}

SHARES = {"half": DATA / 2, "75 percent": 0.75}
WINDOWS = {"its drain time": 1, "four times": 4, "eight times": 8}
FORMER_WINDOW_S = 0.1


def choices(device: Device, names: Sequence[str], hardware: HardwareConfig) -> list[Choice]:
    """Return the choices, run under those of the workloads `names` that they are about."""
    loads, drain_s = loads_of(device, names), commands.drain_s(hardware)
    servers = [name for name in names if name == NOT_ABOVE_PAGE_FTL]
    devices = {value: attrs.evolve(device, data=data) for value, data in SHARES.items()}
    busy = iops(partial(busy_iops, loads)) | erasures(measures.all_erases)
    widths_s = {value: times * drain_s for value, times in WINDOWS.items()} | {"100 ms": FORMER_WINDOW_S}
    others = {
        "Parity of parityFTL": {
            "plane of its pages": Value(figure_8(loads, ["parityFTL"], ["ftl.backup_place=plane"]))
        },
        "Copies of rtfFTL": {value: Value(figure_8(loads, ["rtfFTL"], more)) for value, more in COPIES.items()},
        "Bursts of Webserver": {
            value: Value(figure_8(loads_of(device, servers, *changes))) for value, changes in WEBSERVER.items()
        },
        "Idle times": idle_times(device, names),
        # idle times go with bursts: what a burst takes of the quota is given back
        "Bursts of Varmail and Fileserver": {
            value: Value(figure_8(_varied(device, names, changes))) for value, changes in BURSTS.items()
        },
        "Data": {value: Value(figure_8(loads_of(other, names))) for value, other in devices.items()},
        "Time of IOPS and erases": {
            "whole run": Value(held=iops(measures.all_iops) | erasures(measures.all_erases)),
            "whole run, requests under way": Value(held=busy),
        },
        "Window of Fig. 8(c)": {value: Value(held=peaks(hardware, s)) for value, s in widths_s.items()},
        "Mean of Fig. 8(c)": {
            f"windows of {1000 * s:.3g} ms with programs": Value(held=mean_bandwidths(_by_window(hardware, s)))
            for s in (commands.DRAINS * drain_s, FORMER_WINDOW_S)
        },
        "LSB pages in a row": {"of collection's too": Value(held=rows(data_programs))},
    }
    return [OPEN[name].between(values, drain_ms=1000 * drain_s) for name, values in others.items()]


def _by_window(hardware: HardwareConfig, window_s: float) -> partial[float]:
    return partial(Programs.mean, page_bytes=hardware.page_bytes, window_s=window_s)


def _varied(device: Device, names: Sequence[str], changes: Changes) -> dict[str, Load]:
    """Return the workloads among `names` that have `changes`, with these."""
    return {name: load(name, device, VOLUME, *changes[name]) for name in names if name in changes}


def _idle(*idle_ms: int) -> Changes:
    """Return the changes that set the idle times of Varmail, Fileserver and Webserver."""
    names = (*MOST_EFFECTIVE, NOT_ABOVE_PAGE_FTL)
    return {name: [f"workload.idle_ms={value}"] for name, value in zip(names, idle_ms, strict=True)}


def idle_times(device: Device, names: Sequence[str]) -> dict[str, Value]:
    """Return the values of the idle times between bursts."""
    former = _varied(device, names, _idle(*FORMER_IDLE_MS))
    return {
        **{value: Value(figure_8(_varied(device, names, _idle(*idle_ms)))) for value, idle_ms in IDLE_MS.items()},
        "4 and 8 s": Value(figure_8(former)),
        "4 and 8 s, requests under way": Value(figure_8(former), iops(partial(busy_iops, former))),
    }


def busy_iops(loads: Mapping[str, Load], workload: str, result: Result) -> float | None:
    """Return the requests a second of the time in which the host has any under way, of the whole run."""
    idle_s = loads[workload].idle_s if workload in loads else 0
    return ratio(requests(result.summary), result.summary["simulated_s"] - idle_s)
