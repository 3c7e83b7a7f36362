"""What the paper leaves open, and what else it could mean."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import attrs

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...study.measures import ratio
from ...study.study import Choice, Value
from . import commands, measures, paper
from .commands import Programs, data_programs
from .held import erasures, iops, mean_bandwidths, peaks, rows
from .runs import VOLUME, figure_8, loads_of
from .systems import DATA, Device
from .workloads import Load, load

Changes = Mapping[str, Sequence[str]]
"""Overrides by workload."""

WEBSERVER = {
    "within the buffer": ("workload.burst_requests=500", "workload.idle_ms=142"),
    "within the buffer, 0.8 s of idle": ("workload.burst_requests=500", "workload.idle_ms=800"),
    "8 s of idle": ("workload.idle_ms=8000",),
}
IDLE_MS = {"half": (312, 354, 708), "twice": (1250, 1417, 2833)}
"""Between bursts of Varmail, Fileserver and Webserver."""

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
    return [
        _parity(device, names),
        _copies(device, names),
        _webserver(device, names),
        _idle_times(device, names),
        _bursts(device, names),
        _shares(device, names),
        _time(device, names),
        _windows(hardware),
        _mean_bandwidth(hardware),
        _lsb_rows(),
    ]


def _parity(device: Device, names: Sequence[str]) -> Choice:
    own = figure_8(loads_of(device, names), ["parityFTL"], ["ftl.backup_place=plane"])
    return Choice(
        "Parity of parityFTL",
        "ParityFTL takes the parallelism of channels into account (4.1), and how is not said: its parity can be on the "
        "next channel, or in the plane of its pages.",
        "next channel",
        {"plane of its pages": Value(own)},
    )


def _copies(device: Device, names: Sequence[str]) -> Choice:
    loads = loads_of(device, names)
    others = {
        "moved pages too": ["ftl.backup_moved=true"],
        "to LSB pages": ["ftl.backup_pages=fast"],
        "moved pages too, to LSB pages": ["ftl.backup_moved=true", "ftl.backup_pages=fast"],
    }
    return Choice(
        "Copies of rtfFTL",
        "Nothing is said of how rtfFTL backs up (4.1): copies can go to any page or to LSB pages, to which flexFTL's "
        "parity goes (3.3), and moved pages be copied too. Where an MSB program takes five times an LSB program with "
        "its backup (1), the copy is in an LSB page.",
        "to any page, moved pages not",
        {value: Value(figure_8(loads, ["rtfFTL"], more)) for value, more in others.items()},
    )


def _webserver(device: Device, names: Sequence[str]) -> Choice:
    asked = [name for name in names if name == paper.NOT_ABOVE_PAGE_FTL]
    return Choice(
        "Bursts of Webserver",
        "Webserver has large idle times (4.1); how large, and how much it writes between them, is not said. Ours "
        "writes 16 MiB in a burst, four times the buffer, and is idle for 1.4 s.",
        "over the buffer",
        {value: Value(figure_8(loads_of(device, asked, *changes))) for value, changes in WEBSERVER.items()},
    )


def _varied(device: Device, names: Sequence[str], changes: Changes) -> dict[str, Load]:
    """Return the workloads among `names` that have `changes`, with these."""
    return {name: load(name, device, VOLUME, *changes[name]) for name in names if name in changes}


def _idle(*idle_ms: int) -> Changes:
    """Return the changes that set the idle times of Varmail, Fileserver and, if there is a third, Webserver."""
    names = (*paper.MOST_EFFECTIVE, paper.NOT_ABOVE_PAGE_FTL)
    return {name: [f"workload.idle_ms={value}"] for name, value in zip(names, idle_ms, strict=False)}


def _idle_times(device: Device, names: Sequence[str]) -> Choice:
    former = _varied(device, names, _idle(4000, 4000, 8000))
    others = {value: Value(figure_8(_varied(device, names, _idle(*of)))) for value, of in IDLE_MS.items()}
    others["4 and 8 s"] = Value(figure_8(former))
    others["4 and 8 s, requests under way"] = Value(figure_8(former), iops(partial(busy_iops, former)))
    return Choice(
        "Idle times",
        "Varmail and Fileserver have a fair amount of idle times (4.1). Ours are as long as collection needs to give "
        "back the quota that a burst takes: 625 and 708 ms, and twice the longer for Webserver.",
        "0.6, 0.7 and 1.4 s",
        others,
    )


def busy_iops(loads: Mapping[str, Load], workload: str, found: Result) -> float | None:
    """Return the requests a second of the time in which the host has any under way, of the whole run."""
    idle_s = loads[workload].idle_s if workload in loads else 0
    return ratio(measures.requests(found.summary), found.summary["simulated_s"] - idle_s)


def _bursts(device: Device, names: Sequence[str]) -> Choice:
    return Choice(
        "Bursts of Varmail and Fileserver",
        "How much is written between idle times is not said. Ours write 40 and 44 MiB, ten times the buffer; idle "
        "times go with bursts.",
        "40 and 44 MiB",
        {value: Value(figure_8(_varied(device, names, changes))) for value, changes in BURSTS.items()},
    )


def _shares(device: Device, names: Sequence[str]) -> Choice:
    devices = {value: attrs.evolve(device, data=data) for value, data in SHARES.items()}
    return Choice(
        "Data",
        "How full the 16 GB are is not said. Ours hold data in 64 percent of their pages.",
        "64 percent",
        {value: Value(figure_8(loads_of(of, names))) for value, of in devices.items()},
    )


def _time(device: Device, names: Sequence[str]) -> Choice:
    busy = iops(partial(busy_iops, loads_of(device, names)))
    return Choice(
        "Time of IOPS and erases",
        "Of which time IOPS and erases are is not said. Ours are of the second half of what is written: at first "
        "blocks are collected that the device was filled with.",
        "second half",
        {
            "whole run": Value(held=iops(measures.all_iops) | erasures(measures.all_erases)),
            "whole run, requests under way": Value(held=busy | erasures(measures.all_erases)),
        },
    )


def _windows(hardware: HardwareConfig) -> Choice:
    drain_s = commands.drain_s(hardware)
    widths_s = {value: times * drain_s for value, times in WINDOWS.items()} | {"100 ms": FORMER_WINDOW_S}
    return Choice(
        "Window of Fig. 8(c)",
        f"In what windows bandwidth is measured is not said. Ours is twice the time in which a chip of rtfFTL programs "
        f"the LSB pages of its pool, {1000 * drain_s:.3g} ms.",
        "twice the drain time",
        {value: Value(held=peaks(hardware, s)) for value, s in widths_s.items()},
    )


def _mean_bandwidth(hardware: HardwareConfig) -> Choice:
    window_s = commands.DRAINS * commands.drain_s(hardware)
    widths_s = {f"windows of {1000 * s:.3g} ms with programs": s for s in (window_s, FORMER_WINDOW_S)}
    return Choice(
        "Mean of Fig. 8(c)",
        "The mean bandwidth stands beside a distribution (4.2). Ours is over all of the time, and so the gain of IOPS "
        "under Varmail: as many requests write as many pages. Or it could be of the windows in which "
        "something is programmed.",
        "all of the time",
        {value: Value(held=mean_bandwidths(_by_window(hardware, s))) for value, s in widths_s.items()},
    )


def _by_window(hardware: HardwareConfig, window_s: float) -> Callable[[Programs], float]:
    return partial(Programs.mean, page_bytes=hardware.page_bytes, window_s=window_s)


def _lsb_rows() -> Choice:
    return Choice(
        "LSB pages in a row",
        "RtfFTL programs LSB pages in a row for writes of the host (4.1); whether a page that collection moves ends a "
        "row is not said.",
        "of the host's pages",
        {"of collection's too": Value(held=rows(data_programs))},
    )
