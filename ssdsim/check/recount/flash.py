"""The figures of a summary that flash commands tell: operations, use of dies, channels and planes, wear."""

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from ssdsim.check.recount.claims import Between, Claim, claims, how_many, share
from ssdsim.check.recount.tables import SOURCES, Circumstances, Columns, takes_no_time

COUNTED = {"reads": "is_read", "programs": "is_program", "erases": "is_erase", "copybacks": "is_copyback"}
ALONE = ("single", "mixed", "unaligned")
JOINED = {"write_share": "is_program", "read_share": "is_read", "erase_share": "is_erase"}


def of_flash(c: Columns, run: Circumstances, elapsed_ns: int) -> Iterator[Claim]:
    """Yield claims from commands, whatever their purpose."""
    executed = c["is_sensed"]
    for name, mask in COUNTED.items():
        of_op = executed & c[mask]
        counts = np.bincount(c["source"][of_op], minlength=len(SOURCES)).tolist()
        yield from claims(f"flash.{name}", dict(zip(SOURCES, counts, strict=True)))
    yield from of_blocks(c, run, executed)
    if takes_no_time(c, run):
        return
    pages = planes_of_commands(c)[c["command"]]
    if run.config.flash.read_planes == "all":
        pages = np.where(c["is_read"], 2, pages)  # any number over 1: all planes are open
    for name, mask in JOINED.items():
        of_op = executed & c[mask]
        yield Claim((f"multi_plane.{name}",), share(how_many(of_op & (pages > 1)), how_many(of_op)))
    yield from of_cases(c, run, pages)
    yield from of_use(c, run, elapsed_ns)
    yield from of_planes_at_work(c, run)


def of_cases(c: Columns, run: Circumstances, pages: np.ndarray) -> Iterator[Claim]:
    """Yield the cases of host programs by their die's other planes: the tables tell whether these took part."""
    programs = c["is_program"] & c["of_host"] & c["is_started"]
    if run.planes_joined < 2 or "program" not in run.config.flash.multi_plane or not programs.any():
        yield from claims("multi_plane.cases", dict.fromkeys(("parallel", *ALONE)))
        return
    parallel = share(how_many(programs & (pages > 1)), how_many(programs))
    assert parallel is not None
    yield Claim(("multi_plane.cases.parallel",), parallel)
    # The tables do not tell these apart, only their sum.
    yield Claim(tuple(f"multi_plane.cases.{name}" for name in ALONE), 1 - parallel)


def of_use(c: Columns, run: Circumstances, elapsed_ns: int) -> Iterator[Claim]:
    """Yield for which share of the time each bus, die and plane was at work: of what began or ended beyond, a part."""
    hardware = run.config.hardware
    dies_per_channel = hardware.chips_per_channel * hardware.dies_per_chip
    _, first = np.unique(c["command"], return_index=True)  # a command once, whatever number of pages it has
    first = first[c["begun"][first]]
    ends = command_ends(c)[c["command"][first]]
    # a bus is held by command and data, then by the data of a read
    left_bus = np.where(c["array_start_ns"] >= 0, c["array_start_ns"], c["until_ns"])
    if "cached_ns" in c:  # else the array begins as the bus is left
        left_bus = np.where(c["cached_ns"] < 0, -c["cached_ns"], left_bus - c["cached_ns"])
    moved = np.flatnonzero(c["is_read"] & (c["data_start_ns"] >= 0))
    sensing = np.flatnonzero((c["array_start_ns"] >= 0) & first_of_planes(c))
    array_ends = np.where(c["array_end_ns"] >= 0, c["array_end_ns"], c["until_ns"])

    def busy(number: np.ndarray, begins: np.ndarray, ends: np.ndarray, count: int) -> np.ndarray:
        # of what reaches beyond the run only the part within
        within = np.clip(ends, run.start_ns, run.end_ns) - np.clip(begins, run.start_ns, run.end_ns)
        return np.bincount(number, within, count)

    commands = busy(c["die"][first] // dies_per_channel, c["bus_start_ns"][first], left_bus[first], hardware.channels)
    channels = busy(
        c["die"][moved] // dies_per_channel, c["data_start_ns"][moved], c["until_ns"][moved], hardware.channels
    )
    opening = sensing[:0]
    if run.config.flash.read_planes == "all":
        is_read = c["is_read"][sensing]
        opening, sensing = sensing[is_read], sensing[~is_read]
        # one row a command: it opens all planes of its die
        opening = opening[np.unique(c["command"][opening], return_index=True)[1]]
    planes = busy(c["plane"][sensing], c["array_start_ns"][sensing], array_ends[sensing], hardware.planes)
    opened = busy(c["die"][opening], c["array_start_ns"][opening], array_ends[opening], hardware.dies)
    planes += np.repeat(opened, hardware.planes_per_die)
    begins, units = c["bus_start_ns"][first], c["die"][first] // hardware.dies_per_unit
    if "suspensions" in c or hardware.lanes_per_die > 1:  # others' commands lie within those that are suspended
        begins = begun_alone(units, begins, ends)
    dies = busy(units, begins, ends, hardware.command_units)
    for name, ns in (("channel", commands + channels), ("die", dies), ("plane", planes)):
        use: list[Any] = (ns / elapsed_ns).tolist() if elapsed_ns else []
        if name == "plane" and "suspensions" in c:  # the tables do not tell when an array was suspended
            in_all = np.where(c["is_over"], c["suspended_ns"], array_ends - c["array_start_ns"])[sensing]
            stopped = np.bincount(c["plane"][sensing], in_all, hardware.planes)
            use = [
                Between(part - lost / elapsed_ns, part) for part, lost in zip(use, stopped.tolist(), strict=bool(use))
            ]
        yield Claim((f"utilization.{name}",), use)


def first_of_planes(c: Columns) -> np.ndarray:
    """Return whether each row is the first of its plane and command: of a wordline that is programmed at once."""
    of_plane = c["command"].astype(np.int64) * (c["plane"].max(initial=0) + 1) + c["plane"]
    first = np.zeros(len(of_plane), bool)
    first[np.unique(of_plane, return_index=True)[1]] = True
    return first


def planes_of_commands(c: Columns) -> np.ndarray:
    """Return how many planes take part in each command."""
    return np.bincount(c["command"][first_of_planes(c)])


def begun_alone(dies: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return from when on each command was the only one of its die; that is its end, if it never was."""
    alone = begins.copy()
    order = np.lexsort((begins, dies))
    for rows in np.split(order, np.flatnonzero(np.diff(dies[order])) + 1):
        before = np.maximum.accumulate(ends[rows])[:-1]
        alone[rows[1:]] = np.minimum(np.maximum(begins[rows[1:]], before), ends[rows[1:]])
    return alone


def command_ends(c: Columns) -> np.ndarray:
    """Return when each command was over, or was left as it was."""
    ends = np.zeros(c["command"].max(initial=-1) + 1, np.int64)
    np.maximum.at(ends, c["command"], c["until_ns"])
    return ends


def of_planes_at_work(c: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield how many planes were at work just before what had left the write buffer together was in flash."""
    programs = c["is_over"] & c["is_program"] & c["of_host"] & c["is_sensed"]
    if run.config.buffer.replacement != "none":
        if run.config.flash.write_complete == "transfer_end":
            return  # it is over in the midst of a command then
        programs &= c["ends_eviction"] == 1
    moments = c["end_ns"][programs]
    if not len(moments):
        yield from claims("planes_at_work", {"mean": None, "max": None})
        return
    begun = np.unique(c["command"][c["begun"]], return_index=True)[1]
    rows = np.flatnonzero(c["begun"])[begun]
    widths = planes_of_commands(c)[c["command"][rows]]
    if run.config.flash.read_planes == "all":
        widths[c["is_read"][rows]] = run.config.hardware.planes_per_die
    at_work = before(moments, c["bus_start_ns"][rows], widths) - before(  # those begun less those ended are at work
        moments, command_ends(c)[c["command"][rows]], widths
    )
    yield from claims("planes_at_work", {"mean": float(at_work.mean()), "max": int(at_work.max())})


def before(moments: np.ndarray, times: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return for each moment the sum of the weights of earlier times."""
    order = np.argsort(times, kind="stable")
    sums = np.append(0, weights[order].cumsum())
    return sums[np.searchsorted(times[order], moments, side="left")]


def of_blocks(c: Columns, run: Circumstances, executed: np.ndarray) -> Iterator[Claim]:
    """Yield the wear of blocks, and the spread of page writes over the planes."""
    written = executed & c["is_write"]
    by_plane = np.bincount(c["plane"][written], minlength=run.config.hardware.planes)
    yield Claim(("page_writes_per_plane_std",), float(by_plane.std()))
    erased = c["block"][executed & c["is_erase"]]
    erases = run.erases + np.bincount(erased, minlength=len(run.erases))
    if run.loss is None:
        yield from claims("wear", {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())})
    else:  # what is erased when power is back is in no table
        yield Claim(("wear.mean",), Between(float(erases.mean()), inf))
        yield Claim(("wear.max",), Between(int(erases.max()), inf))
