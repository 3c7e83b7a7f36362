"""The tables of a run as columns of whole numbers, and the figures of a summary as these tell them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

REQUESTS = ("read", "write", "trim", "flush")
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
NAMES = {
    "op": ("read", "program", "erase", "copyback"),
    "source": SOURCES,
    "content": ("none", "data", "asked", "fill", "padding"),
}
READ, WRITE = range(2)
how_many = np.count_nonzero

Columns = dict[str, np.ndarray]
Claims = dict[str, Any]
"""What fields of a summary are, by dotted name, or what several add up to (`a + b`)."""


def share(part: float, whole: float) -> float | None:
    """Return `part` over `whole`, None without any."""
    return float(part / whole) if whole else None


def pages_of(run: Any, op: np.ndarray, offset: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return how many pages each request touches."""
    page_bytes = run.config.hardware.page_bytes
    return (offset + size - 1) // page_bytes - offset // page_bytes + 1


def numbers(table: pa.Table, names: dict[str, tuple[str, ...]]) -> Columns:
    """Return the columns of a table; of words a mask each: `is_read` of an operation, `of_gc` of a source."""
    columns: Columns = {}
    for name in table.schema.names:
        column = table[name].combine_chunks()
        if name in names:
            # by the word, so that nothing here rests on the codes of the tables
            places = pa.array(names[name])
            columns[name] = np.asarray(pa.compute.index_in(column.cast(pa.string()), value_set=places), np.int64)
            prefix = "of" if name == "source" else "is"
            columns |= {f"{prefix}_{word}": columns[name] == place for place, word in enumerate(names[name])}
        else:
            columns[name] = np.array(column, np.int64)
    return columns


def requests_of(table: pa.Table, run: Any) -> Columns:
    """Return the columns of the requests, with their ends and their pages, in the order of admission."""
    columns = numbers(table.sort_by("id"), {"op": REQUESTS})
    columns["end_ns"] = columns["arrival_ns"] + columns["response_ns"]
    columns["pages"] = pages_of(run, columns["op"], columns["offset_bytes"], columns["size_bytes"])
    return columns


def commands_of(table: pa.Table, run: Any) -> Columns:
    """Return the columns of the commands.

    Dies, planes and blocks are numbered through the device, and `command` numbers what began at the same time on the
    same die: one command, if commands take time.
    """
    c, hardware = numbers(table, NAMES), run.config.hardware
    count = len(c["op"])
    c["die"] += (c["channel"] * hardware.chips_per_channel + c["chip"]) * hardware.dies_per_chip
    c["plane"] += c["die"] * hardware.planes_per_die
    c["block"] += c["plane"] * hardware.physical_blocks
    c["is_slc"] = c["page_type"] < 0
    c["page_type"] = np.maximum(c["page_type"], 0)  # pages in SLC mode are as those of the fastest type
    c["is_write"] = c["is_program"] | c["is_copyback"]
    ranks: dict[Any, int] = {}
    keys = zip(*(c[name].tolist() for name in ("die", "bus_start_ns", "array_start_ns", "op")), strict=True)
    c["command"] = np.array([ranks.setdefault(key, len(ranks)) for key in keys], np.int64)
    rows = np.unique(c["command"] * (c["plane"].max(initial=0) + 1) + c["plane"], return_index=True)[1]
    c["begins_plane"], c["begins"] = np.zeros(count, bool), np.zeros(count, bool)  # first of its command, and plane
    c["begins_plane"][rows] = c["begins"][np.unique(c["command"], return_index=True)[1]] = True
    c["planes"] = np.bincount(c["command"][rows])[c["command"]]  # of its command
    c["collects"] = c["of_gc"] | c["of_merge"] | c["of_refresh"]
    # a die may begin several commands in an instant, which cannot be told apart then
    reads_at_once = hardware.lanes_per_die > 1 and round(hardware.read_command_us * 1000) == 0
    run.is_instant = reads_at_once or bool((c["end_ns"] == c["bus_start_ns"]).any())
    return c


PARTS = ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer", "link", "processor")
PER_10000 = {"p50": 5000, "p95": 9500, "p99": 9900, "p99_9": 9990, "p99_99": 9999, "max": 10000}
Told = Iterator[tuple[str, Any]]


def of_requests(r: Columns, run: Any) -> Told:
    """Yield what requests say of the summary."""
    streams = list(run.workloads)
    yield "requests", by_operation(r)
    for number, name in enumerate(streams):
        yield f"streams.{name}", grouped(r, r["stream"] == number)
    yield from of_throughput(r, run)


def by_operation(r: Columns) -> dict[str, Any]:
    """Return `requests` of the summary."""
    found = grouped(r, np.ones(len(r["op"]), bool))
    for op, name in enumerate(REQUESTS):
        rows = np.flatnonzero(r["op"] == op)
        parts = {part: r[f"{part}_ns"][rows] for part in PARTS if f"{part}_ns" in r}
        means = {part: float(ns.sum()) / max(len(rows), 1) / 1000 for part, ns in parts.items()}
        found[name]["response_us"] = {k: v or 0 for k, v in found[name]["response_us"].items()} | means
    del found["flush"]["bytes"]
    return found


def grouped(r: Columns, mask: np.ndarray) -> dict[str, Any]:
    """Return a part of `streams`: mean and percentiles, the smallest value that so many do not exceed."""
    by_name = {}
    for op, name in enumerate(REQUESTS):
        rows = np.flatnonzero(mask & (r["op"] == op))
        ordered, count = np.sort(r["response_ns"][rows]), len(rows)
        times = {part: ordered[-(-count * of // 10000) - 1] / 1000 if count else None for part, of in PER_10000.items()}
        times["mean"] = share(sum(ordered.tolist()) / 1000, count)
        by_name[name] = {"count": count, "bytes": int(r["size_bytes"][rows].sum()), "response_us": times}
    return by_name


def of_throughput(r: Columns, run: Any) -> Told:
    """Yield the rates, what is in the queue, and the pages asked for."""
    carrying = r["is_read"] | r["is_write"]
    yield "simulated_s", run.elapsed_ns / 1e9
    yield "iops", share(1e9 * int(carrying.sum()), run.elapsed_ns)
    yield "bandwidth_mib_s", share(1e9 * int(r["size_bytes"][carrying].sum()) / 2**20, run.elapsed_ns)
    # an integral over time, by the times of the run
    inside_ns = int((r["end_ns"] - r["admitted_ns"]).sum())
    yield "queue_depth.mean", share(inside_ns, run.end_ns - run.start_ns)
    # the pages that were touched, and those that the write buffer served
    touched, served = (
        [int(r[column][r[mask]].sum()) for mask in ("is_read", "is_write")] for column in ("pages", "buffer_pages")
    )
    yield "requested_page_writes", touched[WRITE]
    yield "buffer.read_hits", served[READ]
    yield "buffer.write_hits", served[WRITE]
    if run.config.buffer.replacement == "none":
        yield "buffer.hit_ratio", None
    elif not run.config.read_cache.size_mib:
        yield "buffer.hit_ratio", share(sum(served), sum(touched))


def of_commands(r: Columns, c: Columns, run: Any) -> Told:
    """Yield what commands say of the summary."""
    planes = run.config.hardware.planes
    for op in ("read", "program", "erase", "copyback"):
        counts = np.bincount(c["source"][c[f"is_{op}"]], minlength=len(SOURCES)).tolist()
        yield f"flash.{op}s", dict(zip(SOURCES, counts, strict=True))
    yield "page_writes_per_plane_std", float(np.bincount(c["plane"][c["is_write"]], minlength=planes).std())
    erases = run.erases + np.bincount(c["block"][c["is_erase"]], minlength=len(run.erases))
    yield "wear.mean", float(erases.mean())
    yield "wear.max", int(erases.max())
    yield from of_purposes(r, c, run)
    yield from of_page_types(r, c, run)
    yield from of_victims(c, run)
    waiting = c["is_program"] & c["of_host"] & ~c["is_asked"]
    took_ns = c["end_ns"] - c["queued_ns"] + c["waited_ns"]
    blocked = waiting & (c["gc_ns"] > 0)
    yield "gc.write_us", int(took_ns[waiting].sum()) / 1000
    yield "gc.blocked_writes", how_many(blocked)
    yield "gc.blocked_write_us", int(took_ns[blocked].sum()) / 1000
    if not run.is_instant:
        yield from of_planes(c, run)
        yield from of_use(c, run)
        yield from of_collection(c, run)


def of_purposes(r: Columns, c: Columns, run: Any) -> Told:
    """Yield what pages were written and read for."""
    programs, copied, copies = c["is_program"], c["is_copyback"], c["of_backup"] & c["is_read"]
    data = programs & c["of_host"] & (c["is_data"] | c["is_asked"])
    sent = programs & c["of_host"] & ~c["is_asked"]  # what collection asks for completes a row of moved pages
    counts = {
        "padded_pages": programs & c["is_padding"] & ~c["of_mapping"],
        "gc.page_moves": c["collects"] & (copied | programs & c["is_data"]),
        "mapping.reads": c["of_mapping"] & c["is_read"],
        "mapping.writes": programs & c["of_mapping"] & c["is_data"],
        "backup.reads": copies,
        "backup.erases": c["of_backup"] & c["is_erase"],
        "backup.pages": programs & c["of_backup"],
        "host_page_writes": data,
        "filled_pages": programs & c["of_host"] & c["is_fill"],
    }
    if run.config.ftl.slc_cache.wanted:
        counts |= {"slc_cache.written_pages": sent & c["is_slc"], "slc_cache.bypassed_pages": sent & ~c["is_slc"]}
    yield from ((name, how_many(mask)) for name, mask in counts.items())
    yield "write_amplification", share(how_many(programs | copied), r["pages"][r["is_write"]].sum())
    yield "flash_write_amplification", share(how_many(programs | copied), how_many(data))
    # pages that were read neither from flash nor from the buffer; of a read cache only how many were read
    if run.config.read_cache.size_mib:
        elsewhere, names = int(r["pages"][r["is_read"]].sum()), ["read_cache.hits", "read_cache.misses"]
    else:
        asked = np.isin(c["request"], r["id"][r["is_read"]]) & c["of_host"] & c["is_read"]
        elsewhere = int((r["pages"] - r["buffer_pages"])[r["is_read"]].sum()) - how_many(asked)
        names = ["memory_reads", "unmapped_reads", "coalesced_reads"]
    yield " + ".join(names), elsewhere


def of_page_types(r: Columns, c: Columns, run: Any) -> Told:
    """Yield of which types the slowest pages of the writes were, and how many pages were of the type specified."""
    data = c["is_program"] & c["of_host"] & (c["is_data"] | c["is_asked"])
    specified = data & (c["specified_type"] >= 0)
    as_specified = specified & (c["specified_type"] == c["page_type"])
    yield "page_types.success_rate", share(how_many(as_specified), how_many(specified))
    slowest = np.full(len(r["id"]), -1)
    if run.config.buffer.replacement == "none" and len(slowest):  # else no request waits for its pages
        row = np.minimum(np.searchsorted(r["id"], c["request"]), len(slowest) - 1)
        mask = data & (r["id"][row] == c["request"])
        np.maximum.at(slowest, row[mask], c["page_type"][mask])
    slowest[~r["is_write"]] = -1
    written, last = slowest[slowest >= 0], run.config.hardware.page_types - 1
    fast, slow = how_many(written == 0), how_many(written == last) if last else 0  # with one type all are fast
    counts = {"fast": fast, "medium": len(written) - fast - slow, "slow": slow}
    yield "page_types", {name: share(count, len(written)) for name, count in counts.items()}


def of_victims(c: Columns, run: Any) -> Told:
    """Yield how many blocks were collected, and how much of them was valid when they were chosen."""
    mask, gc = c["valid_pages"] >= 0, run.config.ftl.gc
    yield "gc.victim_valid_share", share(c["valid_pages"][mask].sum(), how_many(mask) * run.config.hardware.block_pages)
    if run.config.ftl.mapping.scheme == "fast" or run.is_instant:
        return
    # several of a unit at a time are each of blocks at the same offset, else one instant has one's erases
    unit, offset = c["plane"] // run.device.collector.width, c["block"] % run.device.blocks.blocks_per_plane
    whole = np.stack([unit[mask], c["queued_ns"][mask], offset[mask] * (gc.reserved_blocks > 1)])
    yield "gc.collections", len(np.unique(whole, axis=1).T)


def of_planes(c: Columns, run: Any) -> Told:
    """Yield which commands took several planes, and so whether the others of a die took part in host programs."""
    several = (c["planes"] > 1) | c["is_read"] & (run.config.flash.read_planes == "all")
    for name, op in (("write", "program"), ("read", "read"), ("erase", "erase")):
        of_op = c[f"is_{op}"]
        yield f"multi_plane.{name}_share", share(how_many(of_op & several), how_many(of_op))
    programs, names = c["is_program"] & c["of_host"], ("single", "mixed", "unaligned")
    joins = run.device.parts.planes_joined > 1 and "program" in run.config.flash.multi_plane
    parallel = share(how_many(programs & several), how_many(programs) * joins)
    yield "multi_plane.cases.parallel", parallel
    # the tables do not tell these apart
    yield " + ".join(f"multi_plane.cases.{name}" for name in names), None if parallel is None else 1 - parallel


def of_use(c: Columns, run: Any) -> Told:
    """Yield for which share of the time each bus, die and plane was at work."""
    hardware = run.config.hardware
    first, moved = np.flatnonzero(c["begins"]), np.flatnonzero(c["is_read"])
    channel = c["die"] // (hardware.chips_per_channel * hardware.dies_per_chip)
    # a bus is held by command and data, then by the data of a read; else the array begins as the bus is left
    left_bus = c["array_start_ns"] - c.get("cached_ns", 0)

    def busy(number: np.ndarray, begins: np.ndarray, ends: np.ndarray, count: int) -> list[float]:
        # of what reaches beyond the run only the part within
        within = np.clip(ends, run.start_ns, run.end_ns) - np.clip(begins, run.start_ns, run.end_ns)
        return (np.bincount(number, within, count) / run.elapsed_ns).tolist() if run.elapsed_ns else []

    begins = np.append(c["bus_start_ns"][first], c["data_start_ns"][moved])
    ends = np.append(left_bus[first], c["end_ns"][moved])
    yield "utilization.channel", busy(channel[np.append(first, moved)], begins, ends, hardware.channels)
    if "suspensions" in c:  # others' commands lie within those that are suspended
        return
    ends = np.zeros(c["command"].max(initial=-1) + 1, np.int64)
    np.maximum.at(ends, c["command"], c["end_ns"])
    if hardware.lanes_per_die == 1:
        units = c["die"][first] // hardware.dies_per_unit
        spans = c["bus_start_ns"][first], ends[c["command"][first]]
        yield "utilization.die", busy(units, *spans, hardware.command_units)
    if run.config.flash.read_planes != "all":
        rows = np.flatnonzero(c["begins_plane"])
        spans = c["array_start_ns"][rows], c["array_end_ns"][rows]
        yield "utilization.plane", busy(c["plane"][rows], *spans, hardware.planes)


def of_collection(c: Columns, run: Any) -> Told:
    """Yield the cost of collection: array times of commands with a page of it, and its data on the bus."""
    rows = np.flatnonzero(c["collects"])
    once = rows[np.unique(c["command"][rows], return_index=True)[1]]
    array_ns = c["array_end_ns"] - c["array_start_ns"] - c.get("suspended_ns", 0)
    for name in ("read", "write", "erase"):
        yield f"gc.cost_us.{name}", int(array_ns[once[c[f"is_{name}"][once]]].sum()) / 1000
    carried = c["bytes"][rows[(c["is_read"] | c["is_program"])[rows]]]
    # to whole ns, a half up, as the bus takes them
    yield "gc.cost_us.transfer", float(np.floor(carried * run.config.hardware.bus_ns_per_byte + 0.5).sum()) / 1000
