"""The report, section by section in the order of the paper."""

from ...study.former.claims import RULES, Comparison
from ...study.former.figure import Figure, section
from ...study.former.report import Output
from ...study.measures import erases, traffic
from ...study.tables import Row, table
from . import comparisons, measures, paper
from .evidence import explained, loads, variants, whole
from .measures import PLUS, READ, WRITE
from .report import Study, figure_2, figure_11, figure_15, figure_21, planes_held
from .systems import BASE, FREE

WITHOUT_GC = [
    Figure("fig09", "Fig. 9: write latency without GC", WRITE, "ms", BASE, comparisons.write_comparisons),
    Figure(
        "fig10",
        "Fig. 10: page writes by multi-plane commands",
        measures.joined,
        "percent",
        compare=comparisons.joined_comparisons,
    ),
    Figure(
        "table3",
        "Table 3: read latency without GC",
        READ,
        "ms",
        BASE,
        lambda grid: comparisons.read_comparisons(grid, paper.READ_REDUCTION),
    ),
    Figure(
        "fig12", "Fig. 12: hit ratio of the buffer", measures.hit_ratio, "percent", compare=comparisons.hit_comparisons
    ),
]
WITH_GC = [
    Figure("fig13", "Fig. 13: write latency with GC", WRITE, "ms", BASE, comparisons.gc_write_comparisons),
    Figure("fig14", "Fig. 14: total cost of collection", measures.gc_cost, "s", BASE, comparisons.gc_cost_comparisons),
    Figure(
        "table4",
        "Table 4: read latency with GC",
        READ,
        "ms",
        BASE,
        lambda grid: comparisons.read_comparisons(grid, paper.READ_REDUCTION_WITH_GC),
    ),
]
OF_GC = [
    Figure(
        "fig16",
        "Fig. 16: collections",
        measures.collections,
        "collections",
        BASE,
        comparisons.gc_count_comparisons,
        note="Over Baseline-D's; blocks that are collected together are one collection.",
    ),
    Figure("fig17", "Fig. 17: erased blocks", erases, "erases", BASE, comparisons.erase_comparisons),
    Figure(
        "fig18",
        "Fig. 18: time of page writes that collection blocks",
        measures.blocked,
        "percent",
        compare=comparisons.blocked_comparisons,
        note="In percent of the time of all page writes of the host.",
    ),
    Figure(
        "fig19", "Fig. 19: write latency of SPD+", WRITE, "ms", "SPD", comparisons.plus_comparisons, systems=(PLUS,)
    ),
    Figure(
        "fig20",
        "Fig. 20: mean time of a blocked page write under SPD+",
        measures.blocked_each,
        "ms",
        "SPD",
        comparisons.plus_blocked_comparisons,
        systems=(PLUS,),
    ),
]
FOUR_PLANES = Figure(
    "fig22",
    "Fig. 22: write latency with four planes a die",
    WRITE,
    "ms",
    BASE,
    comparisons.four_plane_comparisons,
    note="Without GC, over Baseline-D's. The paper: Baseline-P is like Baseline-D.",
)
SEPARATED = Figure(
    "fig24",
    "Fig. 24: write latency with and without hot and cold blocks",
    WRITE,
    "ms",
    BASE,
    comparisons.separation_comparisons,
    note="Over Baseline-D's, with the footprints and buffers of the other figures.",
)


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    held = [
        *(each for figure in WITHOUT_GC for each in figure.held(study.free)),
        *planes_held(study),
        *(each for figure in (*WITH_GC, *OF_GC) for each in figure.held(study.collecting)),
        *FOUR_PLANES.held(study.four_planes),
        *SEPARATED.held(study.separated),
    ]
    return [
        setup(study),
        figure_2(study, out),
        *(section(figure, study.free, out) for figure in WITHOUT_GC),
        figure_11(study, out),
        *(section(figure, study.collecting, out) for figure in WITH_GC),
        figure_15(study, out),
        *(section(figure, study.collecting, out) for figure in OF_GC),
        figure_21(study, out),
        section(FOUR_PLANES, study.four_planes, out),
        section(SEPARATED, study.separated, out),
        variants(study, out),
        whole(study, out),
        explained(study, held, under(study)),
        loads(study, out),
    ]


def under(study: Study) -> dict[str, list[Comparison]]:
    """Return the claims under each variant, by its name."""
    found = {}
    for name, grid in study.variants.items():
        figures = WITHOUT_GC if name.startswith(FREE) else [*WITH_GC, *OF_GC]
        found[name] = [each for figure in figures for each in figure.held(grid)]
        if name.startswith(FREE):
            found[name] += comparisons.plane_comparisons(grid, grid_planes(study, name))
    return found


def grid_planes(study: Study, name: str) -> int:
    """Return the planes of the device of a variant: with fewer dies a quarter."""
    return study.planes // 4 if name.endswith("32 dies") else study.planes


def setup(study: Study) -> str:
    """Say what was run under what."""
    rows = [_load(study, name) for name in study.free.workloads]
    seeds = f"{study.seed} to {study.seed + study.seeds - 1}" if study.seeds > 1 else f"{study.seed}"
    return (
        "# SPD: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {study.scale} --seed {study.seed} --seeds {study.seeds}`, of seeds "
        f"{seeds}. The device is that of the paper's Table 1, with {study.blocks} of its 2048 blocks a plane. A run is "
        f"the first {study.scale} of a trace, over the whole footprint and with the paper's buffer, 1 percent of that "
        f"(but at least two pages of every plane's, {study.planes} planes x 2). A slot of the buffer is free from "
        "eviction on, as in SSDSim, which the paper builds on; the buffer is full when a run begins. A workload "
        "called synthetic has the means of Table 2, the rate of its volume, sizes and places as in pieces of such "
        "volumes, and arrivals at two levels fitted to such pieces by a rule stated before any run; it is not the "
        "trace of that name. `workloads.py` here, and `msr.py` and `arrivals.py` in `experiments/study`, say how each "
        "was made, and where Table 2 contradicts itself. Pieces of real traces are run whole. Without GC the device is "
        "half full, give or take 2 percent of a plane; with GC it is warmed up as in Section 5.1, and "
        "what collection wants because of that alone is done before: all that is counted follows the host's writes. "
        "Figures are means over the seeds, claims of the paper's workloads only.\n\n" + RULES + "\n" + table(rows)
    )


def _load(study: Study, name: str) -> Row:
    return {
        "workload": name,
        "": study.kinds[name],
        **traffic(study.free.summary(name, BASE)),
        "buffer MiB": study.buffer_mib[name],
    }
