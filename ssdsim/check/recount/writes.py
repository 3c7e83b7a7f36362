"""The figures of a summary that tell what pages were written and read for: the host, collection, mapping, backups."""

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from ssdsim.check.recount.claims import Between, Claim, bounded, claims, how_many, share
from ssdsim.check.recount.tables import READ, Circumstances, Columns, takes_no_time


def count(mask: np.ndarray, more: float = 0) -> Any:
    """Return how many `mask` has; `more` of them, at most, are in no table."""
    return bounded(how_many(mask), more)


def of_writes(r: Columns, c: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield claims about purposes from all commands that were handed to the flash, done or not."""
    in_reboot = 0 if run.loss is None else inf  # what the reboot does takes no command
    new, programs = c["is_new"], c["is_new"] & c["is_program"]
    copied = new & c["is_copyback"]
    of_host, of_mapping, of_backup = (c[source] for source in ("of_host", "of_mapping", "of_backup"))
    data = programs & of_host & (c["is_data"] | c["is_asked"])
    yield Claim(("host_page_writes",), count(data))
    if run.config.ftl.slc_cache.wanted:
        sent = programs & of_host & ~c["is_asked"]  # what collection asks for completes a row of moved pages
        yield Claim(("slc_cache.written_pages",), count(sent & c["is_slc"], in_reboot))
        yield Claim(("slc_cache.bypassed_pages",), count(sent & ~c["is_slc"], in_reboot))
    yield Claim(("filled_pages",), count(programs & of_host & c["is_fill"]))
    padding = programs & c["is_padding"]
    yield Claim(("padded_pages",), count(padding & ~of_mapping, in_reboot))
    collects = c["of_gc"] | c["of_merge"] | c["of_refresh"]
    yield Claim(("gc.page_moves",), count(collects & (copied | programs & c["is_data"]), in_reboot))
    yield Claim(("mapping.reads",), count(new & of_mapping & c["is_read"], in_reboot))
    yield Claim(("mapping.writes",), count(programs & of_mapping & c["is_data"], in_reboot))
    copies = of_backup & c["is_read"]  # each is of a page that has been given a place, which is programmed then
    to_come = how_many(copies & ~c["is_over"]) - how_many(copies & ~new)
    yield Claim(("backup.pages",), bounded(how_many(programs & of_backup) + to_come, in_reboot))
    yield Claim(("backup.reads",), count(copies & c["is_over"], in_reboot))
    yield Claim(("backup.erases",), count(new & of_backup & c["is_erase"], in_reboot))
    written = how_many(programs | copied) + to_come
    yield from of_amplification(r, run, written, how_many(data))
    yield from of_page_types(r, c, run, data)
    yield from of_reads(r, c, run)
    yield from of_victims(c, run)
    yield from of_collection(c, run, collects)
    yield from of_waiting(c, run, c["is_program"] & of_host)


def of_amplification(r: Columns, run: Circumstances, written: int, host_pages: int) -> Iterator[Claim]:
    """Yield all pages written over those that were requested, and over those of the host."""
    requested = int(r["pages"][r["is_write"]].sum())
    if run.loss is None:
        yield Claim(("write_amplification",), share(written, requested))
        yield Claim(("flash_write_amplification",), share(written, host_pages))
    elif host_pages:
        yield Claim(("flash_write_amplification",), Between(written / host_pages, inf))


def of_page_types(r: Columns, c: Columns, run: Circumstances, data: np.ndarray) -> Iterator[Claim]:
    """Yield of which types the slowest pages of the writes were, and how many pages were of the type specified."""
    specified = data & (c["specified_type"] >= 0)
    as_specified = how_many(specified & (c["specified_type"] == c["page_type"]))
    yield Claim(("page_types.success_rate",), share(as_specified, how_many(specified)))
    slowest = np.full(len(r["id"]), -1)
    if run.config.buffer.replacement == "none":  # else the buffer writes the pages, and no request waits for them
        row, is_known = rows_of_requests(r, c)
        mask = data & is_known
        np.maximum.at(slowest, row[mask], c["page_type"][mask])
    slowest[~r["is_write"]] = -1
    yield from claims("page_types", type_shares(slowest, run))
    if run.round_requests and run.loss is None:
        main = np.flatnonzero(r["stream"] == 0)
        for number in range(len(main) // run.round_requests):
            rows = main[number * run.round_requests : (number + 1) * run.round_requests]
            yield from claims(f"rounds.{number}.page_types", type_shares(slowest[rows], run))


def type_shares(slowest: np.ndarray, run: Circumstances) -> dict[str, Any]:
    """Return the shares of writes whose slowest page was of the first type, the last of several, or between."""
    written = slowest[slowest >= 0]
    last = run.config.hardware.page_types - 1  # with one type all pages are fast
    fast, slow = how_many(written == 0), how_many(written == last) if last else 0
    counts = {"fast": fast, "medium": len(written) - fast - slow, "slow": slow}
    return {name: share(count, len(written)) for name, count in counts.items()}


def rows_of_requests(r: Columns, c: Columns) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each command, the row of its request, and whether there is one."""
    if not len(r["id"]):
        return np.zeros(len(c["request"]), np.int64), np.zeros(len(c["request"]), bool)
    # a command of none has a place too, which the comparison rules out
    row = np.minimum(np.searchsorted(r["id"], c["request"]), len(r["id"]) - 1)
    return row, r["id"][row] == c["request"]


def of_reads(r: Columns, c: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield how many pages were read that neither flash nor write buffer was asked for.

    Of a read cache no table tells what it had, only how many pages were read.
    """
    if run.config.read_cache.size_mib:
        count = int(r["pages"][r["is_read"]].sum())
        yield Claim(("read_cache.hits", "read_cache.misses"), bounded(count, run.pages_aborted(READ)))
        return
    row, is_known = rows_of_requests(r, c)
    of_read = is_known & c["of_host"] & c["is_read"]
    of_read[of_read] = r["is_read"][row[of_read]]
    # pages touched, without those from buffer and flash
    elsewhere = int((r["pages"] - r["buffer_pages"])[r["is_read"]].sum()) - how_many(of_read)
    names = ["memory_reads", "unmapped_reads", "coalesced_reads"]
    if run.config.flash.coalesced_read_us is None:
        yield Claim((names.pop(),), 0)  # the last of them
    yield Claim(tuple(names), bounded(elsewhere, run.pages_aborted(READ)))


def of_victims(c: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield how many blocks were collected, and how much of them was valid when they were chosen."""
    mask = c["is_new"] & (c["valid_pages"] >= 0)
    if run.loss is not None:
        return
    # Victims whose erase is in no table yet come with what the run has of them.
    pages = c["valid_pages"][mask].sum() + sum(run.pending_after) - sum(run.pending_before)
    count = how_many(mask) + len(run.pending_after) - len(run.pending_before)
    block_pages = run.config.hardware.block_pages
    yield Claim(("gc.victim_valid_share",), share(pages, count * block_pages))
    if run.config.ftl.mapping.scheme == "fast" or takes_no_time(c, run):
        return
    unit = c["plane"] // (run.config.hardware.planes // run.collection_units)
    several = run.config.ftl.gc.reserved_blocks > 1  # of a unit at a time, each of blocks at the same offset
    keys = [unit[mask], c["queued_ns"][mask], c["block"][mask] * several]  # else one instant has one's erases
    over = len(np.unique(np.stack(keys), axis=1).T)
    most = run.collection_units * (run.config.ftl.gc.reserved_blocks + several)
    begun, left = (min(len(valid_pages), most) for valid_pages in (run.pending_before, run.pending_after))
    yield Claim(("gc.collections",), Between(over - begun, over + left) if begun or left else over)


def of_collection(c: Columns, run: Circumstances, collects: np.ndarray) -> Iterator[Claim]:
    """Yield claims about the cost of collection: array times of commands with a page of it, and its data on the bus."""
    executed = c["is_sensed"]
    if takes_no_time(c, run):
        return
    # a command once, with any of its pages that collects
    _, first = np.unique(c["command"][collects & executed], return_index=True)
    rows = np.flatnonzero(collects & executed)[first]
    array_ns = c["array_end_ns"] - c["array_start_ns"] - c.get("suspended_ns", 0)
    for name in ("read", "write", "erase"):
        of_kind = rows[c[f"is_{name}"][rows]]
        yield Claim((f"gc.cost_us.{name}",), int(array_ns[of_kind].sum()) / 1000)
    carried = c["bytes"][collects & executed & (c["is_read"] | c["is_program"])]
    # to whole ns, a half up, as the bus takes them
    transfer_ns = np.floor(carried * run.config.hardware.bus_ns_per_byte + 0.5).sum()
    yield Claim(("gc.cost_us.transfer",), float(transfer_ns) / 1000)


def of_waiting(c: Columns, run: Circumstances, of_host: np.ndarray) -> Iterator[Claim]:
    """Yield the time that page writes of the host took, and the number and time of those that collection held up."""
    waiting = of_host & c["is_over"] & c["is_sensed"] & ~c["is_asked"]
    took_ns = c["end_ns"] - c["queued_ns"] + c["waited_ns"]
    blocked = waiting & (c["gc_ns"] > 0)
    yield Claim(("gc.write_us",), int(took_ns[waiting].sum()) / 1000)
    yield Claim(("gc.blocked_writes",), how_many(blocked))
    yield Claim(("gc.blocked_write_us",), int(took_ns[blocked].sum()) / 1000)
