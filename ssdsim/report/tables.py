"""Tables for the terminal, of one result or of several side by side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Group
from rich.table import Table

from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result

RESPONSE_ROWS = {
    "response mean": "mean",
    "  queue": "queue",
    "  bus": "bus",
    "  array": "array",
    "  GC": "gc",
    "  mapping": "mapping",
    "  buffer": "buffer",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p99_9",
    "p99.99": "p99_99",
    "max": "max",
}

CLEAN = "Nothing speaks against these numbers: enough was written, collected and measured, and nothing drifts."


WORD_WIDTH = 31
"""Of an override in the name of a run in a comparison, up to which it stands in one line."""

TAIL_COLUMNS = {"1 %": "slowest_1_percent", "0.1 %": "slowest_0_1_percent"}
TAIL_ROWS = {
    "mean": "response_us",
    "  queue": "queue",
    "  bus": "bus",
    "  array": "array",
    "  GC": "gc",
    "    urgent": "urgent_gc",
    "  mapping": "mapping",
    "  buffer": "buffer",
}
TAIL_ALWAYS = ("response_us", "queue", "bus", "array", "gc")  # these rows stand even if nothing waited there


def summary_table(result: Result) -> Group:
    """Return response times by operation beside the totals of the run and, below, what the slowest waited for."""
    whole = Columns([_responses(result.summary), _totals(result.summary)], padding=(0, 4))
    return Group(whole, *_tails(result.summary))


def comparison_table(results: Mapping[str, Result | str] | Iterable[Result]) -> Table:
    """Return one row a result, named by its key if `results` is a mapping and by its folder otherwise.

    In a mapping, a word in place of a result says why there is none.
    """
    named: Iterable[tuple[str, Result | str]] = (
        results.items() if isinstance(results, Mapping) else ((_folder_name(result), result) for result in results)
    )
    table = _table("run", "IOPS", "MiB/s", "read us", "read p99", "write us", "write p99", "WA")
    table.add_column("against it", overflow="fold", min_width=11, max_width=11)
    for name, result in named:
        if isinstance(result, str):
            table.add_row(f"{name} ({result})", *("-" for _ in table.columns[1:]))
            continue
        summary = result.summary
        times = [
            _number(summary["requests"][op]["response_us"][key], 1)
            for op in ("read", "write")
            for key in ("mean", "p99")
        ]
        table.add_row(
            name + " (partial)" * summary["partial"],
            _number(summary["iops"], 0),
            _number(summary["bandwidth_mib_s"], 1),
            *times,
            _number(summary["write_amplification"], 3),
            _codes(summary),
        )
    words = (word for name in table.columns[0].cells for word in str(name).split())
    # words are not torn, but for those that no terminal has room for
    table.columns[0].min_width = min(max(map(len, words), default=0), WORD_WIDTH)
    return table


SHOWN_OVER_SEEDS: dict[str, tuple[Callable[[Mapping[str, Any]], float | None], int]] = {
    "IOPS": (lambda summary: summary["iops"], 0),
    "read us": (lambda summary: summary["requests"]["read"]["response_us"]["mean"], 1),
    "read p99": (lambda summary: summary["requests"]["read"]["response_us"]["p99"], 1),
    "write us": (lambda summary: summary["requests"]["write"]["response_us"]["mean"], 1),
    "write p99": (lambda summary: summary["requests"]["write"]["response_us"]["p99"], 1),
    "WA": (lambda summary: summary["write_amplification"], 3),
}


def seeds_table(groups: Mapping[str, Sequence[Result]]) -> Table:
    """Return a row for each group of runs that differ by their seeds alone: means and half of their intervals."""
    table = _table("over seeds", "seeds", *SHOWN_OVER_SEEDS)
    for name, results in groups.items():
        cells = []
        for value, digits in SHOWN_OVER_SEEDS.values():
            values = [number for number in (value(result.summary) for result in results) if number is not None]
            interval = across(values)  # None of a single seed
            middle = sum(values) / len(values) if values else None
            half = f" ± {_number((interval[1] - interval[0]) / 2, digits)}" if interval else ""
            cells.append(_number(middle, digits) + half)
        table.add_row(name, str(len(results)), *cells)
    return table


def validity_lines(summary: Mapping[str, Any]) -> list[str]:
    """Return the findings against the numbers of a run, a line each, or the sentence that there are none."""
    if "validity" not in summary:  # a result that is older than these findings
        return []
    findings = [f"  {finding['code']}: {finding['sentence']}" for finding in summary["validity"]]
    return ["What speaks against these numbers:", *findings] if findings else [CLEAN]


def _codes(summary: Mapping[str, Any]) -> str:
    """Return the codes of all findings, each once."""
    codes = dict.fromkeys(finding["code"] for finding in summary.get("validity", ()))
    return "-" if "validity" not in summary else " ".join(codes) or "none"


def _responses(summary: dict[str, Any]) -> Table:
    table = _table("microseconds", "read", "write")
    served = [summary["requests"][op] for op in ("read", "write")]
    table.add_row("requests", *(_number(served_op["count"], 0) for served_op in served))
    table.add_row("MiB", *(_number(served_op["bytes"] / 2**20, 1) for served_op in served))
    for title, key in RESPONSE_ROWS.items():
        # nothing is told of these two where nothing waited for them
        if key in ("mapping", "buffer") and not any(served_op["response_us"].get(key) for served_op in served):
            continue
        table.add_row(
            title, *(_number(served_op["response_us"][key], 1) if served_op["count"] else "-" for served_op in served)
        )
        intervals = [served_op.get("response_us_ci95", {}).get(key) for served_op in served]
        if key in ("mean", "p99") and any(intervals):
            halves = zip(served, intervals, strict=True)
            table.add_row(
                "  ± at 95 %", *(_half(served_op["response_us"][key], given, 1) for served_op, given in halves)
            )
    return table


def _half(value: float, interval: list[float] | None, digits: int) -> str:
    """Return by how much a value may be off, as its interval has it."""
    return _number(interval[1] - value, digits) if interval else "-"


def _tails(summary: dict[str, Any]) -> list[Table]:
    """Return the waits of the slowest requests, only the parts that there are; none of an older result."""
    served = {op: summary["requests"][op] for op in ("read", "write")}
    tails = {
        f"{op} {share}": served_op["tail"][name]
        for op, served_op in served.items()
        for share, name in TAIL_COLUMNS.items()
        if served_op["count"] and "tail" in served_op
    }
    if not tails:
        return []
    table = _table("slowest", *tails)
    for title, key in TAIL_ROWS.items():
        if key in TAIL_ALWAYS or any(tail[key] for tail in tails.values()):
            table.add_row(title, *(_number(tail[key], 1) for tail in tails.values()))
    return [table]


def _totals(summary: dict[str, Any]) -> Table:
    table = _table("whole run" + " (partial)" * summary["partial"], "")
    for title, value, digits in (
        ("IOPS", summary["iops"], 0),
        ("bandwidth, MiB/s", summary["bandwidth_mib_s"], 1),
        ("write amplification", summary["write_amplification"], 3),
        *_write_shares(summary.get("page_types", {})),
        ("GC collections", summary["gc"]["collections"], 0),
        ("GC page moves", summary["gc"]["page_moves"], 0),
        *_victims(summary),
        *_mapping(summary.get("mapping", {})),
        ("erases", sum(summary["flash"]["erases"].values()), 0),
        *_backups(summary),
        ("busy channels, %", _mean_percent(summary["utilization"]["channel"]), 1),
        ("busy dies, %", _mean_percent(summary["utilization"]["die"]), 1),
        ("erases a block, mean", summary["wear"]["mean"], 2),
        ("simulated, s", summary["simulated_s"], 2),
        ("wall time, s", summary["simulator"]["wall_s"], 2),
        ("flash transactions/s", summary["simulator"]["transactions_per_s"], 0),
        ("peak memory, MiB", summary["simulator"]["peak_rss_mib"], 0),
    ):
        table.add_row(title, _number(value, digits))
    return table


def _write_shares(page_types: dict[str, Any]) -> list[tuple[str, float | None, int]]:
    """Return the rows on writes by page type, if the device has several."""
    if page_types.get("free_msb") is None:
        return []
    percent = {name: page_types[name] and 100 * page_types[name] for name in ("fast", "medium", "slow")}
    return [(f"{name} writes, %", share, 1) for name, share in percent.items()]


def _victims(summary: dict[str, Any]) -> list[tuple[str, float | None, int]]:
    """Return the rows on what collection found and wasted, and on how writes are spread, as far as there is any."""
    valid, wasted = summary["gc"].get("victim_valid_share"), summary.get("wasted_pages")
    spread = summary.get("page_writes_per_plane_std")
    rows: list[tuple[str, float | None, int]] = []
    if valid is not None:
        rows.append(("  valid in victims, %", 100 * valid, 1))
    if wasted:
        rows.append(("  wasted for parity", wasted, 0))
    if spread is not None:
        rows.append(("page writes a plane, std", spread, 1))
    return rows


def _mapping(mapping: dict[str, Any]) -> list[tuple[str, float | None, int]]:
    """Return the rows on a mapping table that lies in flash, if it does."""
    ratio = mapping.get("hit_ratio")
    if ratio is None:
        return []
    return [
        ("mapping cache hits, %", 100 * ratio, 1),
        ("  translation pages read", mapping["reads"], 0),
        ("  translation pages written", mapping["writes"], 0),
    ]


def _backups(summary: dict[str, Any]) -> list[tuple[str, float | None, int]]:
    """Return the rows on backups and on a loss of power, if there were any."""
    pages, loss = summary.get("backup", {}).get("pages"), summary.get("power_loss")
    rows: list[tuple[str, float | None, int]] = [("backup pages", pages, 0)] if pages else []
    if loss is None:
        return rows
    rows.append(("power cut at, s", loss["at_s"], 6))
    for title, key, digits in (
        ("  acknowledged and lost, pages", "lost_acknowledged", 0),
        ("  lost in flash, pages", "lost_in_flash", 0),
        ("  lost in buffer, pages", "lost_buffered", 0),
        ("  recovered, pages", "recovered", 0),
        ("  read to reboot, pages", "pages_read", 0),
        ("  reboot, ms", "reboot_ms", 2),
    ):
        rows.append((title, loss.get(key), digits))
    return rows


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for title in others:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _folder_name(result: Result) -> str:
    return result.folder.name if result.folder else "-"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _mean_percent(shares: list[float]) -> float | None:
    return 100 * sum(shares) / len(shares) if shares else None
