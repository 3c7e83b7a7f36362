"""What a run says when it is over: its summary and the judgement of it, its tables, and the files that hold them."""

import json
import time
from collections import Counter
from typing import Any

import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import written_config
from ssdsim.host.interfaces import TAGS
from ssdsim.metrics import blame, confidence, validity
from ssdsim.metrics import summary as report
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import with_blame
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.result import SCHEMA
from ssdsim.metrics.timeseries import Course, served, timeseries
from ssdsim.run.context import Context

Tables = dict[str, pa.Table]


def outcome(run: Context, partial: bool, error: str | None) -> tuple[dict[str, Any], Tables]:
    """Close the logs of `run`, and return its summary and its tables by name.

    It is `partial` if it was stopped, or broken off by an `error`.
    """
    streams = list(run.workloads)
    measurement, windows = run.measurement, run.recorder.windows
    assert measurement is not None
    timed = run.recorder if run.config.timing == "on" else None
    logs = {"requests": run.request_log, "commands": run.command_log}
    written = {name: log.close() for name, log in logs.items() if log}
    if run.recorder.done or windows.closed:
        windows.close(run.now_ns())  # the last window ends with the run, and may be shorter
    of_host = served(windows)
    by_window = Course(measurement.first, windows.rows[: windows.closed], of_host["reads"] + of_host["writes"])
    course = Course(measurement.first, run.samples) if run.samples else by_window
    measured = measurement.summary(timed)
    latencies = {} if timed is None else {"read": timed.response(READ), "write": timed.response(WRITE)}
    for op in ("read", "write"):
        interval = confidence.of_latency(latencies[op]) if latencies else None
        measured["requests"][op]["response_us_ci95"] = {"mean": interval}
    transactions = sum(sum(of_op.values()) for of_op in measured["flash"].values())
    by_stream: dict[str, Any] = {} if timed is None else {"streams": report.streams(timed, streams)}
    if timed is not None and run.config.metrics.blame:
        written["requests"] = with_blame(written["requests"], written["commands"])
        blame.summarize(written["requests"], measured["requests"], by_stream["streams"])
        written = {name: table for name, table in written.items() if name in run.config.record}
    summary = {
        "schema": SCHEMA,
        "validity": [],
        **measured,
        **(by_stream or {"streams": None}),
        "power_loss": run.power_loss,
        "write_complete": run.config.flash.write_complete,
        "timing": run.config.timing,
        "kernel": run.config.kernel,
        "precondition": run.preconditioned,
        "workload": run.workloads["main"].describe(),
        "workloads": {name: load.describe() for name, load in run.workloads.items() if name != "main"},
        "simulator": {
            "wall_s": time.perf_counter() - run.started,
            "transactions_per_s": report.share(transactions, time.perf_counter() - measurement.started),
        },
        "partial": partial,
        "error": error,
        **report.provenance(run.config),
    }
    summary["validity"] = validity.judge(_evidence(run, summary, course, latencies))
    buffer = run.device.buffer
    buffer_pages = 0 if buffer is None else buffer.pages.capacity
    tables = {
        **written,
        "timeseries": timeseries(by_window, of_host, windows.width_ns / 1e9, buffer_pages),
        "latency": report.latency_table(run.recorder, streams),
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


def _evidence(run: Context, summary: dict[str, Any], course: Course, latencies: dict[str, Any]) -> validity.Evidence:
    """Return the evidence that the run is judged by."""
    hardware, measurement = run.config.hardware, run.measurement
    assert measurement is not None
    loads = (summary["workload"], *summary["workloads"].values())
    arrivals = [stream.last_arrival_ns() for stream in run.streams]
    all_arrived = arrivals and min(arrivals) >= 0  # -1 stands for requests that are yet to arrive
    return validity.Evidence(
        summary=summary,
        logical_pages=hardware.logical_pages,
        **measurement.page_writes(),
        # a job of fio changes nothing by itself, but a later stage does
        is_stationary=all(load.get("kind") in ("synthetic", "fio") and not load.get("stage") for load in loads),
        course=course,
        latencies=latencies,
        half_width=run.config.metrics.half_width,
        last_arrival_ns=max(arrivals) - measurement.start_ns if all_arrived else None,
        **_depths(run),
    )


def _depths(run: Context) -> dict[str, int]:
    """Return how many requests closed loops keep outstanding together, and how many the host's queues hold."""
    host = run.config.host
    if host.interface == "nvme":  # a pair is a stream's own
        asked = max((stream.queue_depth for stream in run.streams), default=0)
        return {"asked_depth": asked, "held_depth": host.nvme.queue_depth}
    by_stage = Counter[int]()
    for stream in run.streams:
        by_stage[stream.stage] += stream.queue_depth
    held = min(host.queue_depth, TAGS) if host.interface == "sata" else host.queue_depth
    return {"asked_depth": max(by_stage.values(), default=0), "held_depth": held}
