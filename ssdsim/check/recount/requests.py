"""The figures of a summary that requests tell: counts, response times and their parts, throughput, the queue."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim.check.recount.claims import Between, Claim, bounded, claims, share
from ssdsim.check.recount.tables import FLUSH, READ, REQUESTS, WRITE, Circumstances, Columns

PARTS = ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer", "link", "processor")
PER_10000 = {"p50": 5000, "p95": 9500, "p99": 9900, "p99_9": 9990, "p99_99": 9999, "max": 10000}
SLOWEST = {"slowest_1_percent": 100, "slowest_0_1_percent": 1000}
EXACT, EXACT_BY_GROUP = 1 << 20, 1 << 14
"""Up to how many requests percentiles are exact: of an operation, and of one in a stream or class of sizes."""
LARGEST_KIB = (4, 8, 16, 32, 64, 128)


def of_requests(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield claims from requests."""
    everything = np.ones(len(r["op"]), bool)
    yield from claims("requests", by_operation(r, everything))
    limit = EXACT_BY_GROUP if len(run.streams) > 1 else EXACT
    by_stream = {name: grouped(r, r["stream"] == number, limit) for number, name in enumerate(run.streams)}
    yield from claims("streams", by_stream)
    yield from claims("sizes", {name: grouped(r, every, EXACT_BY_GROUP, REQUESTS[:FLUSH]) for name, every in sizes(r)})
    yield from of_blame(r, run)
    if "queue_pair" in r:
        yield from of_queues(r, run)
    yield from of_throughput(r, run)
    yield from of_rounds(r, run)


def of_queues(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield claims on queue pairs; on commands only where each request is one, and power is not lost."""
    wanted, seconds = run.config.host.nvme, elapsed(r, run) / 1e9
    most = wanted.mdts_kib and wanted.mdts_kib * 1024
    is_split = bool(most) and bool(((r["size_bytes"] > most) & (r["op"] <= WRITE)).any())
    for number in range(len(run.streams) * wanted.queue_pairs):
        name = f"queues.{run.streams[number // wanted.queue_pairs]}/{number % wanted.queue_pairs}"
        mask = r["queue_pair"] == number
        rows = {
            column: r[column][mask] for column in ("arrival_ns", "submitted_ns", "admitted_ns", "posted_ns", "end_ns")
        }
        yield from claims(name, grouped(r, mask, EXACT))
        size = int(r["size_bytes"][mask & (r["op"] <= WRITE)].sum())
        yield Claim((f"{name}.bandwidth_mib_s",), share(size / 2**20, seconds))
        waits = {"fetch": rows["admitted_ns"] - rows["arrival_ns"], "interrupt": rows["end_ns"] - rows["posted_ns"]}
        for what, ns in waits.items():
            yield Claim((f"{name}.{what}_wait_us",), share(float(ns.sum()) / 1000, len(ns)))
        if not is_split and not run.loss:
            outstanding_ns = int((rows["end_ns"] - rows["submitted_ns"]).sum())
            yield Claim((f"{name}.depth.mean",), share(outstanding_ns / 1e9, seconds))
            # one instant may have several interrupts, each of one request at least
            yield Claim((f"{name}.interrupts",), Between(len(set(rows["end_ns"].tolist())), len(rows["end_ns"])))
            depths = (
                [most_at_a_time(rows["submitted_ns"], rows["end_ns"], order) for order in (0, 1)]
                if mask.any()
                else [0, 0]
            )
            yield Claim((f"{name}.depth.max",), Between(*depths))


def sizes(r: Columns) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each class of sizes and which requests are of it."""
    above = np.searchsorted(np.array(LARGEST_KIB) * 1024, r["size_bytes"])  # the classes have their upper bounds within
    for number, kib in enumerate(LARGEST_KIB):
        yield f"up_to_{kib}_kib", above == number
    yield f"above_{LARGEST_KIB[-1]}_kib", above == len(LARGEST_KIB)


def by_operation(r: Columns, mask: np.ndarray) -> dict[str, Any]:
    """Return `requests` of the summary, of the requests in `mask`."""
    operations = {}
    for op, name in enumerate(REQUESTS):
        rows = np.flatnonzero(mask & (r["op"] == op))
        responses = r["response_ns"][rows]
        parts = {part: np.append(r[f"{part}_ns"][rows], 0) for part in PARTS if f"{part}_ns" in r}
        carried = {} if op == FLUSH else {"bytes": int(r["size_bytes"][rows].sum())}
        means = {part: float(ns.sum()) / max(len(rows), 1) / 1000 for part, ns in parts.items()}
        operations[name] = {
            "count": len(rows),
            **carried,
            "response_us": distribution(responses, EXACT) | means,
            "tail": {label: tail(responses, parts, one_in) for label, one_in in SLOWEST.items()},
        }
    return operations


def of_blame(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield claims on the causes of response times, if they were recorded."""
    columns = {name[len("blame_") : -len("_ns")]: ns for name, ns in r.items() if name.startswith("blame_")}
    for op, name in enumerate(REQUESTS) if columns else ():
        is_op = r["op"] == op
        causes = {cause: ns[is_op] for cause, ns in columns.items()}
        yield from claims(f"requests.{name}.blame_us", means_us(causes))
        for label, one_in in SLOWEST.items():
            slowest = tail(r["response_ns"][is_op], causes, one_in)
            yield from claims(f"requests.{name}.tail.{label}.blame_us", {cause: slowest.get(cause) for cause in causes})
        for number, stream in enumerate(run.streams):
            of_stream = {cause: ns[is_op & (r["stream"] == number)] for cause, ns in columns.items()}
            yield from claims(f"streams.{stream}.{name}.blame_us", means_us(of_stream))


def means_us(columns: Columns) -> dict[str, float | None]:
    """Return the mean of each column in microseconds, None of none."""
    return {name: float(ns.sum()) / len(ns) / 1000 if len(ns) else None for name, ns in columns.items()}


def grouped(r: Columns, mask: np.ndarray, limit: int, operations: tuple[str, ...] = REQUESTS) -> dict[str, Any]:
    """Return a part of `streams` or `sizes`, which have nothing where there are no requests."""
    by_name = {}
    for op, name in enumerate(operations):
        rows = np.flatnonzero(mask & (r["op"] == op))
        responses: Any = distribution(r["response_ns"][rows], limit)
        if not len(rows):
            responses = dict.fromkeys(responses)
        by_name[name] = {"count": len(rows), "bytes": int(r["size_bytes"][rows].sum()), "response_us": responses}
    return by_name


def distribution(response_ns: np.ndarray, limit: int) -> dict[str, Any]:
    """Return mean, deviation and percentiles, in us; beyond `limit` values percentiles may be 1/256 too high."""
    count = len(response_ns)
    if not count:
        return dict.fromkeys(("mean", "std", *PER_10000), 0)
    mean = sum(response_ns.tolist()) / count  # of Python's whole numbers: a sum in 64 bits may run over
    ordered = np.sort(response_ns)
    values: dict[str, Any] = {"mean": mean / 1000, "std": deviation(response_ns, mean)}
    for name, per_10000 in PER_10000.items():
        # the smallest value that at least that share does not exceed
        value = int(ordered[-(-count * per_10000 // 10000) - 1])
        exact = count <= limit or name == "max"
        values[name] = value / 1000 if exact else Between(value / 1000, value * (1 + 1 / 256) / 1000)
    return values


def deviation(response_ns: np.ndarray, mean: float) -> Between:
    """Return the standard deviation, as far as the difference of two sums of squares can tell it in 64 bits."""
    variance = float(((response_ns - mean) ** 2).mean())
    slack = 1e-12 * (variance + mean**2) * max(np.log2(len(response_ns)), 1)  # of doubles, rounded by each addition
    low, high = np.sqrt(max(variance - slack, 0)), np.sqrt(variance + slack)
    return Between(float(low) / 1000, float(high) / 1000)


def tail(response_ns: np.ndarray, parts: dict[str, np.ndarray], one_in: int) -> dict[str, Any]:
    """Return the means of the slowest: values in the same 64th of an octave are alike, and count as their mean."""
    count = len(response_ns)
    if not count:
        return {"requests": 0, "response_us": None, **dict.fromkeys(parts)}
    wanted = max(count // one_in, 1)  # at least one
    octave = np.maximum(np.frexp(response_ns.astype(float))[1] - 9, 0)
    cell = (octave << 7) + (response_ns >> (octave + 2))
    order = np.argsort(-cell, kind="stable")
    boundary = cell[order[wanted - 1]]
    above, within = np.flatnonzero(cell > boundary), np.flatnonzero(cell == boundary)
    fraction = (wanted - len(above)) / len(within)  # of a cell that the boundary cuts, each value counts in part

    def mean_us(ns: np.ndarray) -> float:
        return (float(ns[above].sum()) + fraction * float(ns[within].sum())) / wanted / 1000

    return {
        "requests": wanted,
        "response_us": mean_us(response_ns),
        **{part: mean_us(ns) for part, ns in parts.items()},
    }


def of_throughput(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield the rates, what is in the queue, and the page accesses of the host."""
    elapsed_ns = elapsed(r, run)
    carrying = r["is_read"] | r["is_write"]
    size = int(r["size_bytes"][carrying].sum())
    yield Claim(("simulated_s",), elapsed_ns / 1e9)
    yield Claim(("iops",), share(1e9 * int(carrying.sum()), elapsed_ns))
    yield Claim(("bandwidth_mib_s",), share(1e9 * size / 2**20, elapsed_ns))
    aborted = run.aborted
    in_device_ns = int((r["posted_ns"] - r["admitted_ns"]).sum()) + sum(went - came for *_, came, went in aborted)
    # an integral over time, by the times of the run
    yield Claim(("queue_depth.mean",), share(in_device_ns, run.end_ns - run.start_ns))
    if len(r["op"]) + len(aborted):
        came = np.append(r["admitted_ns"], [request[4] for request in aborted])
        went = np.append(r["posted_ns"], [request[5] for request in aborted])
        # In one instant the tables do not tell what came before what went.
        depth = Between(most_at_a_time(came, went, 0), most_at_a_time(came, went, 1))
        yield Claim(("queue_depth.max",), depth)
    yield from of_pages(r, run)


def of_pages(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield the pages that the host's writes touched, and those that the write buffer served."""
    touched = [int(r["pages"][r[mask]].sum()) for mask in ("is_read", "is_write")]
    served = [int(r["buffer_pages"][r[mask]].sum()) for mask in ("is_read", "is_write")]
    more = [run.pages_aborted(op) for op in (READ, WRITE)]
    yield Claim(("requested_page_writes",), bounded(touched[WRITE], more[WRITE]))
    cache = run.config.read_cache
    if not (cache.size_mib and cache.pages_ahead):  # of reads ahead there is no table
        yield Claim(("buffer.read_hits",), bounded(served[READ], more[READ]))
    yield Claim(("buffer.write_hits",), bounded(served[WRITE], more[WRITE]))
    if run.config.buffer.replacement == "none":
        yield Claim(("buffer.hit_ratio",), None)
    elif not sum(more) and not cache.size_mib:
        yield Claim(("buffer.hit_ratio",), share(sum(served), sum(touched)))


def elapsed(r: Columns, run: Circumstances) -> int:
    """Return the time from the start of the run to the last completion."""
    return max(int(r["end_ns"].max()) - run.start_ns, 0) if len(r["end_ns"]) else 0


def most_at_a_time(came: np.ndarray, went: np.ndarray, order: int) -> int:
    """Return the most that were there at a time; in an instant, with `order` 1, all come before any goes."""
    instants = np.concatenate([came, went])
    changes = np.repeat([1, -1], [len(came), len(went)])
    after = np.concatenate([np.full(len(came), 1 - order), np.full(len(went), order)])
    before_any = changes[np.lexsort([after, instants])].cumsum().max()
    return max(int(before_any), 1)


def of_rounds(r: Columns, run: Circumstances) -> Iterator[Claim]:
    """Yield the requests of each round of the main stream."""
    if not run.round_requests:
        yield Claim(("rounds",), [])
        return
    if any(
        request[0] == 0 for request in run.aborted
    ):  # their numbers, and so the round of each that came later, are not in the tables
        return
    main = np.flatnonzero(r["stream"] == 0)
    number = np.full(len(r["op"]), -1)
    number[main] = np.arange(len(main)) // run.round_requests
    for round_number in range(len(main) // run.round_requests):  # whole rounds: the last may be cut
        yield from claims(f"rounds.{round_number}.requests", by_operation(r, number == round_number))
