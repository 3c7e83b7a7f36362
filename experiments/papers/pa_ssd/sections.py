"""The sections of the report, with a CSV file and a picture for each figure."""

from collections.abc import Iterable, Iterator, Mapping

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
    """Show fast, medium and slow writes where page types are blind."""
    rows = [_blind_row(pages, result) for pages, result in enumerate(report.first[BLIND].values(), 1)]
    report.out.csv("fig06", rows)
    shown = [[row["pages"], *(f"{row[f'{speed}_form']:.2f} / {row[speed]:.2f}" for speed in SPEEDS)] for row in rows]
    return (
        "## Fig. 6: fast, medium and slow writes where page types are blind\n\n"
        "Aligned writes at random places of the baseline, in percent: closed form / simulated. They go to a twentieth "
        "of the device, so that collection finds blocks without valid pages: moved pages would take turns of their own "
        "in the active block, which the closed forms do not know.\n\n"
        + markdown(["pages", *SPEEDS], shown)
        + "\n"
        + report.out.picture("fig06", rows)
        + report.table("fig6")
    )


def _blind_row(pages: int, result: Result) -> Row:
    types, forms = result.summary["page_types"], zip(SPEEDS, closed_forms(pages), strict=True)
    simulated = {speed: 100 * types[speed] for speed in SPEEDS}
    return {"pages": pages, **simulated, **{f"{speed}_form": 100 * form for speed, form in forms}}


def figure_13(run: Iterable[Measured], op: str, report: Report) -> str:
    """Show the mean response times over the baseline's."""
    name = {"write": "fig13a", "read": "fig13b"}[op]
    rows: list[Row] = [
        {"workload": each.workload, "baseline ms": base / 1000, **{of: _over(each, of, op, base) for of in SCHEMES}}
        for each in run
        if (base := each.response("baseline", op)) is not None
    ]
    if not rows:
        return ""
    of_paper = [row for row in rows if row["workload"] in paper.WORKLOADS]
    average = ["average of the paper's", "", *(mean(row[of] for row in of_paper) for of in SCHEMES)]
    return (
        f"## Fig. 13{name[-1]}: mean {op} response time over the baseline's\n\n"
        + report.out.table(name, rows, average)
        + "\n"
        + report.out.picture(name, rows)
        + report.table(name)
    )


def _over(measured: Measured, system: str, op: str, base: float) -> float | None:
    return ratio(measured.response(system, op), base)


def figure_14(run: Iterable[Measured], report: Report) -> str:
    """Show fast, medium and slow writes of tDAP."""
    found = [each for each in run if each.workload == "tDAP"]
    if not found:
        return ""
    rows: list[Row] = [{"system": name, **found[0].shares(name)} for name in SYSTEMS]
    return (
        "## Fig. 14: fast, medium and slow writes of tDAP\n\nPercent.\n\n"
        + report.out.table("fig14", rows)
        + "\n"
        + report.out.picture("fig14", [row for row in rows if not row["system"].endswith("+PAS")])
        + report.table("fig1", "fig14")
    )


def figure_15(run: Iterable[Measured], report: Report) -> str:
    """Show the success rates of sub-requests: the shares that got the page type specified for them."""
    rows: list[Row] = [
        {"workload": each.workload, **{system: each.success(system) for system in SCHEMES}} for each in run
    ]
    return (
        "## Fig. 15: sub-requests given the page type specified\n\nPercent.\n\n"
        + report.out.table("fig15", rows)
        + "\n"
        + report.out.picture("fig15", rows)
        + report.table("fig15")
    )


def table_3(run: Iterable[Measured], report: Report) -> str:
    """Show by how much PAS lowers the write response time."""
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
    """Show the number of collections of each system."""
    rows: list[Row] = [{"workload": each.workload, **each.collections()} for each in run]
    return "## Garbage collections\n\n" + report.out.table("collections", rows) + "\n" + report.table("collections")


def figure_16(run: Iterable[Measured], report: Report) -> str:
    """Show write response time and free LSB pages over time."""
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


def _course(result: Result) -> list[Row]:
    columns = ["time_s", "window_s", "writes", "write_response_us", "free_lsb", "free_csb", "free_msb", "queue_depth"]
    rows: list[Row] = result.timeseries.select(columns).to_pylist()
    return rows


def figure_17(report: Report) -> str:
    """Show workload tMSFS several times over."""
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
