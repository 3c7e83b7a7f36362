"""The sections of the report, with a CSV file and a picture for each figure."""

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt

import attrs

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, markdown, table

from ...study.measures import mean, ratio, traffic
from ...study.report import Report
from . import measures, paper
from .differences import differences, summary
from .held import BLIND, ROUNDS
from .measures import SPEEDS, Measured, closed_forms
from .systems import COMBINED, REORDERED, SYSTEMS

COURSES = ("baseline", "sU", "sLF", "sQD+sU", "sQD+sUB")
"""Systems shown over time (Fig. 16)."""

FULL = "tRA"
"""The workload that is run at the paper's size, too."""

SCHEMES = [*COMBINED, *(f"{name}+PAS" for name in REORDERED)]


@attrs.frozen
class Load:
    """A workload: its overrides, and whether it is synthetic, a real trace or a piece of one."""

    overrides: list[str]
    kind: str


def sections(loads: Mapping[str, Load], report: Report) -> Iterator[str]:
    """Yield the sections of the report, in order; those of what was not run are empty."""
    run = [Measured(name, report.first[name]) for name in loads]
    yield setup(loads, run, report)
    yield figure_6(report)
    yield "## Fig. 11: orders of three writes\n\n" + report.table("fig11")
    yield figure_13(run, "write", report)
    yield figure_13(run, "read", report)
    yield figure_14(run, report)
    yield figure_15(run, report)
    yield table_3(run, report)
    yield collections(run, report)
    yield figure_16(run, report)
    yield figure_17(report)
    yield full_size(run, report)
    yield differences(run, report)


def setup(loads: Mapping[str, Load], run: Iterable[Measured], report: Report) -> str:
    """Describe the device, the workloads and the seeds."""
    options = report.options
    text = (
        "# PA-SSD: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {options.scale} --seed {options.seed} --seeds {options.seeds}`. The "
        f"device is that of the paper's Table 1, with {options.scale} of its size: with fewer planes a chip, and from "
        "two on fewer blocks a plane. A chip does one thing at a time, so that its planes are capacity alone. The "
        f"workloads of Table 2 send it {options.scale} of their requests at their own rate, so that pages of a type "
        "run out at the same point of a trace. A workload called synthetic has the counts, sizes and shares of Table "
        "2, and arrivals fitted to pieces of real traces by a rule that was stated before they were run; it is not the "
        "trace of that name. `experiments/papers/pa_ssd/workloads.py` says how each was made, and "
        "`python -m experiments.study.fit_arrivals` holds the arrivals against the pieces. A real trace is cut to the "
        "part that is most like the whole. Pieces of real traces are run whole, under the first seed.\n\n"
        "Workload, device and each scheme are drawn anew under each seed. Tables of workloads and pictures show the "
        "first seed; claims of the paper stand beside the mean over all.\n\n"
    )
    return text + table([_load(each, loads[each.workload].kind) for each in run])


def _load(measured: Measured, kind: str) -> Row:
    return {"workload": measured.workload, "": kind, **traffic(summary(measured))}


def figure_6(report: Report) -> str:
    """Fast, medium and slow writes where page types are blind."""
    rows = [_blind_row(pages, result) for pages, result in enumerate(report.first[BLIND].values(), 1)]
    report.out.csv("fig06", rows)
    cell = "{0[%s_form]:.2f} / {0[%s]:.2f} [{0[%s_low]:.2f}, {0[%s_high]:.2f}]"
    shown = [[row["pages"], *((cell % ((speed,) * 4)).format(row) for speed in SPEEDS)] for row in rows]
    return (
        "## Fig. 6: fast, medium and slow writes where page types are blind\n\n"
        "Aligned writes at random places of the baseline, in percent: closed form / simulated [95 percent interval]. "
        "They go to a twentieth of the device, so that collection finds blocks without valid pages: moved pages would "
        "take turns of their own in the active block, which the closed forms do not know.\n\n"
        + markdown(["pages", *SPEEDS], shown)
        + "\n"
        + report.out.picture("fig06", rows)
        + report.table("fig6")
    )


def _blind_row(pages: int, result: Result) -> Row:
    types, writes = result.summary["page_types"], result.summary["requests"]["write"]["count"]
    row: Row = {"pages": pages}
    for speed, form in zip(SPEEDS, closed_forms(pages), strict=True):
        low, high = interval(types[speed], writes)
        row |= {speed: 100 * types[speed], f"{speed}_low": 100 * low, f"{speed}_high": 100 * high}
        row[f"{speed}_form"] = 100 * form
    return row


def interval(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 percent interval of a probability, from the share seen in `count` trials."""
    z = 1.96
    middle = share + z * z / (2 * count)
    spread = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - spread) / (1 + z * z / count), (middle + spread) / (1 + z * z / count)


def figure_13(run: Iterable[Measured], op: str, report: Report) -> str:
    """Mean response times over the baseline's."""
    name = {"write": "fig13a", "read": "fig13b"}[op]
    rows: list[Row] = [
        {"workload": each.workload, "baseline ms": base / 1000, **{of: _over(each, of, op, base) for of in SCHEMES}}
        for each in run
        if (base := each.response("baseline", op)) is not None
    ]
    if not rows:
        return ""
    report.out.csv(name, rows)
    of_paper = [row for row in rows if row["workload"] in paper.WORKLOADS]
    average = ["average of the paper's", "", *(mean(row[of] for row in of_paper) for of in SCHEMES)]
    return (
        f"## Fig. 13{name[-1]}: mean {op} response time over the baseline's\n\n"
        + table(rows, average)
        + "\n"
        + report.out.picture(name, rows)
        + report.table(name)
    )


def _over(measured: Measured, system: str, op: str, base: float) -> float | None:
    return ratio(measured.response(system, op), base)


def figure_14(run: Iterable[Measured], report: Report) -> str:
    """Fast, medium and slow writes of tDAP."""
    found = [each for each in run if each.workload == "tDAP"]
    if not found:
        return ""
    rows: list[Row] = [{"system": name, **(found[0].shares(name) or {})} for name in SYSTEMS]
    report.out.csv("fig14", rows)
    return (
        "## Fig. 14: fast, medium and slow writes of tDAP\n\n"
        + markdown(["percent", *SPEEDS], [row.values() for row in rows])
        + "\n"
        + report.out.picture("fig14", [row for row in rows if not row["system"].endswith("+PAS")])
        + report.table("fig1", "fig14")
    )


def figure_15(run: Iterable[Measured], report: Report) -> str:
    """How often a sub-request got the page type specified for it."""
    rows: list[Row] = [
        {"workload": each.workload, **{system: each.success(system) for system in SCHEMES}} for each in run
    ]
    report.out.csv("fig15", rows)
    return (
        "## Fig. 15: sub-requests given the page type specified\n\n"
        + markdown(["percent", *SCHEMES], [row.values() for row in rows])
        + "\n"
        + report.out.picture("fig15", rows)
        + report.table("fig15")
    )


def table_3(run: Iterable[Measured], report: Report) -> str:
    """By how much PAS lowers the write response time."""
    rows: list[Row] = [
        {
            "workload": each.workload,
            "waiting under sU": each.waiting("sU"),
            **{f"{name}+PAS": each.reduction(f"{name}+PAS", against=name) for name in REORDERED},
        }
        for each in run
    ]
    return (
        "## Table 3: reduction of the write response time by PAS\n\n"
        "Percent. PAS changes the order of those that wait and nothing else, so the share of a write's time that is "
        "waiting is the most that it can save.\n\n" + report.out.table("table3", rows) + "\n" + report.table("table3")
    )


def collections(run: Iterable[Measured], report: Report) -> str:
    """How often each system collected."""
    counts = {each.workload: each.collections() for each in run}
    report.out.csv("collections", [{"workload": name, **of} for name, of in counts.items()])
    rows = [[name, of["baseline"], _farthest(of)] for name, of in counts.items()]
    return (
        "## Garbage collections\n\n"
        + markdown(["", "baseline", "largest difference, %"], rows)
        + "\n"
        + report.table("collections")
    )


def _farthest(counts: Mapping[str, int]) -> str:
    base = counts["baseline"]
    differences = {system: 100 * (count / base - 1) if base else 0.0 for system, count in counts.items()}
    system = max(differences, key=lambda name: abs(differences[name]))
    return f"{differences[system]:+.2f} {system}" if differences[system] else "0"


def figure_16(run: Iterable[Measured], report: Report) -> str:
    """Write response time and free LSB pages over time."""
    found = [each for each in run if each.workload in ("tFin", "tMSFS")]
    if not found:
        return ""
    rows = [
        {"workload": each.workload, "system": system, **row}
        for each in found
        for system in COURSES
        for row in _course(each.of(system))
    ]
    report.out.csv("fig16", rows)
    return (
        "## Fig. 16: write response time and free LSB pages over time\n\n"
        + report.out.picture("fig16", found, COURSES)
        + report.table("fig16a", "fig16b")
    )


def _course(result: Result | None) -> list[Row]:
    columns = ["time_s", "window_s", "writes", "write_response_us", "free_lsb", "free_csb", "free_msb", "queue_depth"]
    rows: list[Row] = result.timeseries.select(columns).to_pylist() if result else []
    return rows


def figure_17(report: Report) -> str:
    """Workload tMSFS several times over."""
    if ROUNDS not in report.first:
        return ""
    found = {name.rpartition("/")[2]: result for name, result in report.first[ROUNDS].items()}
    means = {name: measures.round_means(result) for name, result in found.items()}
    rows: list[Row] = [
        {"system": name, **{f"round {at} ms": ms for at, ms in enumerate(of, 1)}} for name, of in means.items()
    ]
    return (
        "## Fig. 17: tMSFS three times over\n\nMean write response time.\n\n"
        + report.out.table("fig17", rows)
        + "\n"
        + report.out.picture("fig17", {name: of[-1] for name, of in means.items()})
        + report.table("fig17")
    )


def full_size(run: Iterable[Measured], report: Report) -> str:
    """Show a workload at the paper's size beside the same scaled."""
    found = [each for each in run if each.workload == FULL]
    if "full size" not in report.first:
        return ""
    full = Measured(FULL, report.first["full size"])
    rows = [
        _at(f"{FULL}, {scale}", each, system)
        for system in full.systems
        for scale, each in (("1", full), (str(report.options.scale), found[0]))
    ]
    return (
        "## At the paper's size\n\n"
        "A workload with all of its requests on the whole device, beside the same at the scale of this report.\n\n"
        + report.out.table("full", rows)
    )


def _at(what: str, measured: Measured, system: str) -> Row:
    return {
        "workload, scale": what,
        "system": system,
        "write ms": (measured.response(system) or 0.0) / 1000,
        "below the baseline %": measured.reduction(system),
        "reads below %": measured.reduction(system, "read"),
        "success %": measured.success(system),
        "collections": measured.collections()[system],
    }
