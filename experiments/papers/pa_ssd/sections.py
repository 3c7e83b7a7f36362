"""The sections of the report, with a CSV file and a picture for each figure."""

from collections.abc import Iterator, Mapping

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, markdown, table

from ...study.figure import AVERAGE
from ...study.measures import Grid, collections, mean, ratio, traffic
from ...study.report import Report
from . import measures
from .claims import WORKLOADS
from .differences import differences
from .measures import SPEEDS, closed_forms, response_us, share, success, waiting
from .parts import BLIND, FULL, FULL_SIZE, ROUNDS
from .systems import COMBINED, REORDERED, SYSTEMS
from .workloads import Load

COURSES = ("baseline", "sU", "sLF", "sQD+sU", "sQD+sUB")  # systems shown over time (Fig. 16)

SCHEMES = [*COMBINED, *(f"{name}+PAS" for name in REORDERED)]


def sections(loads: Mapping[str, Load], report: Report) -> Iterator[str]:
    """Yield the sections of the report, in order; those of what was not run are empty."""
    runs = Grid({run: result for name in loads for run, result in report.first[name].items()}, WORKLOADS)
    yield setup(loads, runs, report)
    yield figure_6(report)
    yield "## Fig. 11: orders of three writes\n\n" + report.table("fig11")
    yield figure_13(runs, "fig13a", "write", report)
    yield figure_13(runs, "fig13b", "read", report)
    yield figure_14(runs, report)
    yield figure_15(runs, report)
    yield table_3(runs, report)
    yield collection_table(runs, report)
    yield figure_16(runs, report)
    yield figure_17(report)
    yield full_size(runs, report)
    yield differences(runs, report)


def setup(loads: Mapping[str, Load], runs: Grid, report: Report) -> str:
    """Describe the device, the workloads and the seeds."""
    scale = report.options.scale
    text = (
        f"{report.heading('PA-SSD')}. The device is that of the paper's Table 1, with {scale} of its size: with fewer "
        "planes a chip, and from two on fewer blocks a plane. A chip does one thing at a time, so that its planes are "
        f"capacity alone. The workloads of Table 2 send it {scale} of their requests at their own rate, so that pages "
        "of a type run out at the same point of a trace. A workload called synthetic has the counts, sizes and shares "
        "of Table 2, and arrivals fitted to pieces of real traces by a rule that was stated before they were run; it "
        "is not the trace of that name. `experiments/papers/pa_ssd/workloads.py` says how each was made, and "
        "`python -m experiments.study.fit_arrivals` holds the arrivals against the pieces. A real trace is cut to the "
        "part that is most like the whole. Pieces of real traces are run whole, under the first seed.\n\n"
        "Workload, device and each scheme are drawn anew under each seed. Tables of workloads and pictures show the "
        "first seed; claims of the paper stand beside the mean over all.\n\n"
    )
    rows = [
        {"workload": name, "": load.kind, **traffic(runs.summary(name, "baseline"))} for name, load in loads.items()
    ]
    return text + table(rows)


def figure_6(report: Report) -> str:
    """Show fast, medium and slow writes where page types are blind."""
    rows = [_blind_row(pages, result) for pages, result in enumerate(report.first[BLIND].values(), 1)]
    report.out.csv("fig06", rows)
    cells = [[row["pages"], *(f"{row[f'{speed}_form']:.2f} / {row[speed]:.2f}" for speed in SPEEDS)] for row in rows]
    return (
        "## Fig. 6: fast, medium and slow writes where page types are blind\n\n"
        "Aligned writes at random places of the baseline, in percent: closed form / simulated. They go to a twentieth "
        "of the device, so that collection finds blocks without valid pages: moved pages would take turns of their own "
        "in the active block, which the closed forms do not know.\n\n"
        f"{markdown(['pages', *SPEEDS], cells)}\n{report.out.picture('fig06', rows)}{report.table('fig6')}"
    )


def _blind_row(pages: int, result: Result) -> Row:
    types, forms = result.summary["page_types"], zip(SPEEDS, closed_forms(pages), strict=True)
    simulated = {speed: 100 * types[speed] for speed in SPEEDS}
    return {"pages": pages, **simulated, **{f"{speed}_form": 100 * form for speed, form in forms}}


def figure_13(runs: Grid, name: str, op: str, report: Report) -> str:
    """Show the mean response times over the baseline's."""
    response = response_us(op)
    rows: list[Row] = [
        {
            "workload": workload,
            "baseline ms": base / 1000,
            **{system: ratio(runs.value(response, workload, system), base) for system in SCHEMES},
        }
        for workload in runs.workloads
        if (base := runs.value(response, workload, "baseline")) is not None
    ]
    if not rows:
        return ""
    of_paper = [row for row in rows if row["workload"] in runs.of_paper]
    average = [AVERAGE, "", *(mean(row[system] for row in of_paper) for system in SCHEMES)]
    title = f"mean {op} response time over the baseline's"
    picture = report.out.picture(name, f"{title.capitalize()} (Fig. {name[3:]})", "times", rows, drawer="bars")
    return f"## Fig. {name[3:]}: {title}\n\n{report.shown(name, rows, picture=picture, below=[average])}"


def figure_14(runs: Grid, report: Report) -> str:
    """Show fast, medium and slow writes of tDAP."""
    if "tDAP" not in runs.workloads:
        return ""
    rows: list[Row] = [
        {"system": system, **{speed: runs.value(share(speed), "tDAP", system) for speed in SPEEDS}}
        for system in SYSTEMS
    ]
    picture = report.out.picture("fig14", [row for row in rows if not row["system"].endswith("+PAS")])
    shown = report.shown("fig14", rows, "fig1", "fig14", picture=picture)
    return f"## Fig. 14: fast, medium and slow writes of tDAP\n\nPercent.\n\n{shown}"


def figure_15(runs: Grid, report: Report) -> str:
    """Show the success rates of sub-requests: the shares that got the page type specified for them."""
    rows = runs.rows({system: (success, system) for system in SCHEMES})
    title = "Sub-requests given the page type specified (Fig. 15)"
    shown = report.shown("fig15", rows, picture=report.out.picture("fig15", title, "percent", rows, drawer="bars"))
    return f"## Fig. 15: sub-requests given the page type specified\n\nPercent.\n\n{shown}"


def table_3(runs: Grid, report: Report) -> str:
    """Show by how much PAS lowers the write response time."""
    rows = [
        {
            "workload": name,
            "waiting under sU": runs.value(waiting, name, "sU"),
            **{f"{base}+PAS": runs.reduction(response_us(), name, f"{base}+PAS", base) for base in REORDERED},
        }
        for name in runs.workloads
    ]
    return (
        "## Table 3: reduction of the write response time by PAS\n\n"
        "Percent. PAS changes the order of those that wait and nothing else, so the share of a write's time that is "
        "waiting is the most that it can save.\n\n" + report.shown("table3", rows)
    )


def collection_table(runs: Grid, report: Report) -> str:
    """Show the number of collections of each system."""
    rows = runs.rows({system: (collections, system) for system in SYSTEMS})
    return "## Garbage collections\n\n" + report.shown("collections", rows)


def figure_16(runs: Grid, report: Report) -> str:
    """Show write response time and free LSB pages over time."""
    names = [name for name in runs.workloads if name in ("tFin", "tMSFS")]
    if not names:
        return ""
    courses = {name: {system: runs.results[f"{name}/{system}"] for system in COURSES} for name in names}
    columns = ["time_s", "window_s", "writes", "write_response_us", "free_lsb", "free_csb", "free_msb", "queue_depth"]
    rows: list[Row] = [
        {"workload": name, "system": system, **row}
        for name, by_system in courses.items()
        for system, result in by_system.items()
        for row in result.timeseries.select(columns).to_pylist()
    ]
    report.out.csv("fig16", rows)
    shown = report.out.picture("fig16", courses) + report.table("fig16a", "fig16b")
    return f"## Fig. 16: write response time and free LSB pages over time\n\n{shown}"


def figure_17(report: Report) -> str:
    """Show workload tMSFS several times over."""
    if ROUNDS not in report.first:
        return ""
    means = {name.rpartition("/")[2]: measures.round_means(result) for name, result in report.first[ROUNDS].items()}
    rows: list[Row] = [
        {"system": name, **{f"round {count} ms": ms for count, ms in enumerate(rounds, 1)}}
        for name, rounds in means.items()
    ]
    picture = report.out.picture("fig17", {name: rounds[-1] for name, rounds in means.items()})
    shown = report.shown("fig17", rows, picture=picture)
    return f"## Fig. 17: tMSFS three times over\n\nMean write response time.\n\n{shown}"


def full_size(runs: Grid, report: Report) -> str:
    """Show a workload at the paper's size beside the same scaled."""
    if FULL_SIZE not in report.first:
        return ""
    full = Grid(report.first[FULL_SIZE])
    rows = [
        _size_row(f"{FULL}, {scale}", made, system)
        for system in full.systems
        for scale, made in (("1", full), (str(report.options.scale), runs))
    ]
    return (
        "## At the paper's size\n\n"
        "A workload with all of its requests on the whole device, beside the same at the scale of this report.\n\n"
        + report.out.table("full", rows)
    )


def _size_row(name: str, runs: Grid, system: str) -> Row:
    return {
        "workload, scale": name,
        "system": system,
        "write ms": (runs.value(response_us(), FULL, system) or 0.0) / 1000,
        "below the baseline %": runs.reduction(response_us(), FULL, system, "baseline"),
        "reads below %": runs.reduction(response_us("read"), FULL, system, "baseline"),
        "success %": runs.value(success, FULL, system),
        "collections": runs.value(collections, FULL, system),
    }
