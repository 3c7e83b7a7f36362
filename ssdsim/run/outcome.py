"""What a run says when it is over: its summary and the judgement of it, its tables, and the files that hold them."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from math import fsum
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.config import SimulationConfig
from ssdsim.config.saved import written_config
from ssdsim.config.usual import unusual
from ssdsim.host.sata import TAGS
from ssdsim.metrics import blame, confidence, timeseries, validity
from ssdsim.metrics import summary as summarize
from ssdsim.metrics.course import Course, waiting
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import with_blame
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.recorder import SUMS, Windows
from ssdsim.metrics.requests import PERCENTILES, breakdown, of_queues
from ssdsim.metrics.result import SCHEMA
from ssdsim.metrics.summary import SAMPLED, Sample
from ssdsim.run.context import Context, queue_names
from ssdsim.run.measurement import Measurement

Tables = dict[str, pa.Table]


def outcome(run: Context, partial: bool, error: str | None) -> tuple[dict[str, Any], Tables]:
    """Close the logs of `run`, and return its summary and its tables by name.

    It is `partial` if it was stopped, or broken off by an `error`.
    """
    records, reports, timed = run.records, run.reports, run.config.timing == "on"
    assert records.measurement is not None
    measurement, recorder = records.measurement, records.recorder
    logs = {"requests": records.request_log, "commands": records.command_log}
    tables: Tables = {name: log.close() for name, log in logs.items() if log}
    if recorder.done or recorder.windows.samples.count:
        recorder.windows.close(run.now_ns())  # the last window ends with the run, and may be shorter
    # as wide without windows as with some
    rows = recorder.windows.rows.reshape(-1, SUMS + len(measurement.first))
    course = _course(run, measurement, rows)
    measured = measurement.summary(recorder if timed else None)
    by_group = breakdown(recorder if timed else None, list(run.workloads))
    if timed and recorder.queues is not None:
        by_group["queues"] = of_queues(recorder.queues, queue_names(run), measured["simulated_s"])
    if timed and reports.alone_us is not None:
        by_group["slowdown"] = slowdowns(by_group["streams"], reports.alone_us)
    tables |= _series(run, recorder.windows, rows, measurement.first)
    tables |= {"latency": summarize.latency_table(recorder, list(run.workloads)), "planes": measurement.planes()}
    if timed and run.config.metrics.blame:
        tables["requests"] = with_blame(tables["requests"], tables["commands"])
        blame.summarize(tables["requests"], measured["requests"], by_group["streams"])
        tables = {name: table for name, table in tables.items() if name not in {*logs} - {*run.config.record}}
    measured |= _intervals(run, measured, course) | by_group
    summary = {
        "schema": SCHEMA,
        "validity": validity.judge(_evidence(run, measurement, measured, course, rows, partial)),
        **measured,
        "power_loss": reports.power_loss,
        "write_complete": run.config.flash.write_complete,
        "timing": run.config.timing,
        "kernel": run.config.kernel,
        "precondition": reports.preconditioned,
        "workload": run.workloads["main"].describe(),
        "workloads": {name: load.describe() for name, load in run.workloads.items() if name != "main"},
        "simulator": {
            "wall_s": time.perf_counter() - reports.started,
            "precondition_loaded": reports.precondition_loaded,
            "transactions_per_s": measurement.transactions_per_s(),
            "peak_rss_mib": summarize.peak_rss_mib(),
        },
        "partial": partial,
        "error": error,
        **summarize.provenance(run.config),
    }
    return summary, {name: table for name, table in tables.items() if table is not None}


def write(folder: ResultFolder, config: SimulationConfig, summary: dict[str, Any], tables: Tables) -> None:
    """Write the folder's files, with the logs that have grown there."""
    folder.part("config.yaml").write_text(written_config(config), encoding="utf-8")
    for name, table in tables.items():
        write_table(table, folder.part(f"{name}.parquet"))
    # NaN is no JSON: better an error here than in a reader
    text = json.dumps(summary, indent=2, sort_keys=False, allow_nan=False)
    folder.part("summary.json").write_text(text + "\n", encoding="utf-8")
    folder.commit()  # all files of the result get their names at once


def _course(run: Context, measurement: Measurement, rows: np.ndarray) -> Course:
    """Return the course of the measured run."""
    if run.records.samples is not None:
        return Course.of_samples(run.records.samples.taken, measurement.first)
    return Course.of_windows(rows, measurement.first)


def _intervals(run: Context, measured: dict[str, Any], course: Course) -> dict[str, Any]:
    """Return the confidence intervals within the run, and its requests with theirs."""
    of_responses = confidence.of_requests(run.records.recorder if run.config.timing == "on" else None, PERCENTILES)
    served = {op: measured["requests"][op] | {"response_us_ci95": intervals} for op, intervals in of_responses.items()}
    per_ns = confidence.of_ratio(course.completed, course.length_ns)
    return {
        "requests": measured["requests"] | served,
        "iops_ci95": None if per_ns is None else [1e9 * bound for bound in per_ns],
        "write_amplification_ci95": confidence.of_ratio(course.written, course.requested),
    }


def _evidence(
    run: Context, measurement: Measurement, measured: dict[str, Any], course: Course, rows: np.ndarray, partial: bool
) -> validity.Evidence:
    """Return the evidence that the run is judged by, given the summary `measured`."""
    hardware, is_timed = run.config.hardware, run.env is not None
    recorder, power_loss = run.records.recorder, run.reports.power_loss
    arrivals = [stream.last_arrival_ns() for stream in run.streams]
    all_arrived = arrivals and min(arrivals) >= 0  # -1 stands for requests that are yet to arrive
    return validity.Evidence(
        partial=partial,
        settled=run.reports.preconditioned.get("settled"),
        stationary=all(
            # a job of fio changes nothing by itself, but a later stage does
            told.get("kind") in ("synthetic", "fio") and not told.get("stage")
            for told in (load.describe() for load in run.workloads.values())
        ),
        logical_pages=hardware.logical_pages,
        total=sum(measured["requests"][op]["count"] for op in measured["requests"]),
        **measurement.page_writes(),
        is_cut=None if power_loss is None else power_loss["at_s"] is not None,
        unusual=unusual(run.config),
        cut_gaps=sum(load.describe().get("clock_jumps", 0) for load in run.workloads.values()),
        course=course,
        requests={op: measured["requests"][op]["count"] for op in ("read", "write")} if is_timed else {},
        responses=confidence.batch_means(recorder) if is_timed else {},
        estimates=_estimates(measured),
        half_width=run.config.metrics.half_width,
        backlog=waiting(rows, measurement.start_ns),
        last_arrival_ns=max(arrivals) - measurement.start_ns if all_arrived else None,
        percentiles=PERCENTILES,
        rounds=measured["rounds"],
        streams=measured["streams"] or {},
        **_depths(run),
        **_page_reads(measured),
        longest_turn_us=run.config.host.queue_depth * (max(hardware.array_program_us) + hardware.erase_us),
    )


def _estimates(measured: dict[str, Any]) -> dict[str, tuple[float, float | None]]:
    """Return write amplification and mean response times of `measured`, with half of their intervals."""
    known = {"write amplification": (measured["write_amplification"], measured["write_amplification_ci95"])}
    for op in ("read", "write"):
        served = measured["requests"][op]
        if served["count"] >= validity.FEWEST_REQUESTS and "response_us" in served:
            known[f"mean {op} response"] = served["response_us"]["mean"], served["response_us_ci95"]["mean"]
    # the upper half: the lower ends at 0
    return {name: (value, interval and interval[1] - value) for name, (value, interval) in known.items() if value}


def _depths(run: Context) -> dict[str, int]:
    """Return how many requests closed loops keep outstanding together, and how many the host's queues hold."""
    host = run.config.host
    if host.interface == "nvme":  # pairs are a stream's own
        held = host.nvme.queue_pairs * host.nvme.queue_depth
        asked = max((stream.queue_depth for stream in run.streams), default=0)
    else:
        held = min(host.queue_depth, TAGS) if host.interface == "sata" else host.queue_depth
        by_stage = Counter[int]()
        for stream in run.streams:
            by_stage[stream.stage] += stream.queue_depth
        asked = max(by_stage.values(), default=0)
    return {"asked_depth": asked, "held_depth": held}


def _page_reads(measured: dict[str, Any]) -> dict[str, int]:
    """Return the pages that the host read, and those of them that had never been written."""
    unwritten = measured["unmapped_reads"]
    elsewhere = measured["memory_reads"] + measured["coalesced_reads"] + measured["buffer"]["read_hits"]
    elsewhere += measured.get("read_cache", {}).get("hits", 0)
    return {
        "page_reads": measured["flash"]["reads"]["host"] + elsewhere + unwritten,
        "unwritten_page_reads": unwritten,
    }


def _series(run: Context, windows: Windows, rows: np.ndarray, first: Sample) -> Tables:
    """Return the time series, and those by stream and by channel."""
    width_ns = windows.width_ns
    pages = 0 if run.device.buffer is None else run.device.buffer.pages.capacity
    numbers = rows[:, 0]
    served = timeseries.Served(len(rows), windows.keys, windows.counts)
    now_ns = SAMPLED.index("now_ns")
    elapsed = np.diff(rows[:, SUMS + now_ns], prepend=first[now_ns])
    return {
        "timeseries": timeseries.timeseries(rows, width_ns, first, pages, served),
        "timeseries_by_stream": timeseries.by_stream(numbers, width_ns, served, list(run.workloads)),
        "timeseries_by_channel": timeseries.by_channel(numbers, width_ns, elapsed, windows),
    }


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
