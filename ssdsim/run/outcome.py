"""The outcome of a run: its summary and the judgement of it, its tables, and the files that hold them."""

import json
import time
from typing import Any

import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import written_config
from ssdsim.ftl.fast.merges import MERGES
from ssdsim.metrics import blame, timeseries, validity
from ssdsim.metrics import summary as report
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.logs import with_blame
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.result import SCHEMA
from ssdsim.run.context import Context

Tables = dict[str, pa.Table]


def outcome(run: Context, partial: bool, error: str | None) -> tuple[dict[str, Any], Tables]:
    """Close the logs of `run`, and return its summary and its tables by name.

    It is `partial` if it was stopped, or broken off by an `error`.
    """
    streams, measurement, windows = list(run.workloads), run.measurement, run.recorder.windows
    timed = run.recorder if run.config.timing == "on" else None
    logs = {"requests": run.request_log, "commands": run.command_log}
    tables = {name: log.rows.close() for name, log in logs.items() if log}
    if run.recorder.done or windows.closed:
        windows.close(run.now)  # the last window ends with the run, and may be shorter
    of_host = timeseries.served(windows)
    rows = windows.rows[: windows.closed]
    by_window = timeseries.Course(measurement.first, rows, of_host["reads"] + of_host["writes"])
    course = timeseries.Course(measurement.first, measurement.samples) if measurement.samples else by_window
    growth, ended_s = measurement.growth(), time.perf_counter()
    summary = {
        "schema": SCHEMA,
        "validity": [],
        **_counted(run, growth, timed),
        "streams": None if timed is None else report.streams(timed, streams),
        "power_loss": run.power_loss,
        "write_complete": run.config.flash.write_complete,
        "timing": run.config.timing,
        "kernel": run.config.kernel,
        "precondition": run.preconditioned,
        "workload": run.workloads["main"].describe(),
        "workloads": {name: load.describe() for name, load in run.workloads.items() if name != "main"},
        "simulator": {
            "wall_s": ended_s - run.started,
            "transactions_per_s": report.share(growth["counters.operations"].sum(), ended_s - measurement.started),
        },
        "partial": partial,
        "error": error,
        **report.provenance(run.config),
    }
    if run.config.metrics.blame and tables:  # there are none of a run that broke off before it had a clock
        tables["requests"] = with_blame(tables["requests"], tables["commands"])
        blame.summarize(tables["requests"], summary["requests"], summary["streams"])
        tables = {name: table for name, table in tables.items() if name in run.config.record}
    latencies = {"read": run.recorder.response(READ), "write": run.recorder.response(WRITE)}
    evidence = validity.Evidence(summary, run.config, growth, course, latencies, run.streams)
    summary["validity"] = validity.judge(evidence)
    buffer_pages = 0 if run.device.buffer is None else run.device.buffer.pages.capacity
    tables |= {
        "timeseries": timeseries.timeseries(by_window, of_host, windows.width_ns / 1e9, buffer_pages),
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


def _counted(run: Context, growth: dict[str, Any], timed: Recorder | None) -> dict[str, Any]:
    """Return the part of the summary that was counted; `timed` is None where there were no response times."""
    device, measurement, share, erases = run.device, run.measurement, report.share, run.device.blocks.column("erases")
    free = measurement.sampler.sample()[len(timeseries.SAMPLED) :]
    elapsed_ns, watched_ns = 0, growth["now_ns"]
    counts, sizes, by_type = map(list, (run.untimed.counts, run.untimed.bytes, run.untimed.writes_by_type))
    if timed is not None:
        counts, sizes = ([getattr(times, name) for times in timed.times] for name in ("count", "bytes"))
        by_type = list(timed.by_type)
        elapsed_ns = max(timed.last_ns - measurement.start_ns, 0)
    own = None if device.translation is None else device.translation.own  # a mapping of the user's own
    merges = growth["collector.merges"]  # by kind, if there are any
    buffer = _of_part(growth, "buffer")
    evictions, by_plane = growth["counters.evictions"], growth["counters.writes_by_plane"]
    pages_written, host = timeseries.pages_written(growth), measurement.sampler.host
    return {
        "requests": report.requests(counts, sizes, timed),
        "iops": (counts[READ] + counts[WRITE]) / elapsed_ns * 1e9 if elapsed_ns else None,
        # reads and writes: flushes and trims move no data
        "bandwidth_mib_s": sum(sizes[:2]) / 2**20 / elapsed_ns * 1e9 if elapsed_ns else None,
        "write_amplification": share(pages_written, growth["requested_page_writes"]),
        "write_amplification_by_bytes": share(pages_written * run.config.hardware.page_bytes, sizes[WRITE]),
        "flash_write_amplification": share(pages_written, growth["host_page_writes"]),
        # ns of requests over ns
        "queue_depth": {
            "mean": share(growth["depth_ns"], growth["now_ns"]),
            "max": None if host is None else host.most_in_flight,
        },
        "page_types": {
            **report.type_shares(by_type, len(free)),
            "success_rate": share(growth["layer.writes.as_specified"], growth["layer.writes.specified"]),
            **timeseries.free_pages(free),
        },
        "flash": report.flash_operations(growth["counters.operations"]),
        **({"suspension": report.suspension(growth)} if run.config.flash.suspension.wanted else {}),
        "multi_plane": report.multi_plane(growth),
        "planes_at_work": {
            "mean": share(growth["counters.planes_at_work"], evictions),
            "max": device.counters.most_planes_at_work if evictions else None,
        },
        "buffer": {
            "hit_ratio": share(buffer["read_hits"] + buffer["write_hits"], sum(buffer.values())),
            **{name: buffer[name] for name in ("read_hits", "write_hits")},
        },
        **({} if device.read_cache is None else {"read_cache": _hits(growth, "read_cache")}),
        **{name: growth[name] for name in ("requested_page_writes", "host_page_writes")},
        # SDWPP of PCFTL's paper, 5.1; without timing blocks tell of it, but not those erased before they were full
        "page_writes_per_plane_std": float(by_plane.std()) if timed or by_plane.sum() == pages_written else None,
        "wasted_pages": growth["blocks.wasted_for_parity"],
        "filled_pages": growth["layer.writes.filled_pages"],
        "padded_pages": growth["layer.writes.padded_pages"] + growth["collector.padded_pages"],
        **_of_part(growth, "layer.reads"),
        "gc": {
            **{name: growth[name] for name in ("collections", "page_moves")},
            "unused_pages": growth["blocks.wasted"],
            "victim_valid_share": share(growth["collector.victim_valid"], growth["collector.victim_pages"]),
            **report.collection_times(growth, timed is not None),
        },
        "mapping": {
            **_hits(growth, "translation"),
            **{name: growth[f"translation.{name}"] for name in ("reads", "writes")},
            **({} if isinstance(merges, int) else {"merges": dict(zip(MERGES, merges.tolist(), strict=True))}),
            **({"memory_bytes": own.memory_bytes()} if own else {}),
            **_of_part(growth, "own_mapping"),
        },
        **({} if device.frontier.cache is None else {"slc_cache": _of_part(growth, "frontier.cache")}),
        "backup": {"pages": growth["backup_pages"], **_of_part(growth, "backup")},
        "utilization": {
            name: (busy_ns / watched_ns).tolist() if watched_ns else []
            for name, busy_ns in _of_part(growth, "busy_ns").items()
        },
        "wear": {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())},
        "simulated_s": elapsed_ns / 1e9,
        "started_s": measurement.start_ns / 1e9,
    }


def _of_part(growth: dict[str, Any], part: str) -> dict[str, Any]:
    """Return the counts of a part of the device."""
    return {name.removeprefix(f"{part}."): count for name, count in growth.items() if name.startswith(f"{part}.")}


def _hits(growth: dict[str, Any], cache: str) -> dict[str, Any]:
    """Return the hits and misses of a cache, and the share of hits."""
    hits, misses = growth[f"{cache}.hits"], growth[f"{cache}.misses"]
    return {"hit_ratio": report.share(hits, hits + misses), "hits": hits, "misses": misses}
