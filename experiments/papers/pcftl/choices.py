"""What the paper leaves open (`choices.tsv`), and what else it could mean."""

import attrs

from ...study.study import Choice, Value, left_open
from .claims import FEWEST, carried, responses, responses_by_page
from .measures import served_ms
from .parts import Plan
from .systems import BASE, BY_DIE, CACHES, EXTRA, KEPT, LATE, OURS, PAGES, RIVAL, SEARCH_NS, Setting

OPEN = left_open(__file__)
ALWAYS = ["ftl.gc.background_threshold=1"]  # collection in idle time, however many blocks are free


def choices(plan: Plan) -> list[Choice]:
    """Return the choices that the paper leaves open, with the runs of each other value."""
    short, small_map = plan.short(), plan.device.map_cache(64)
    names = [*short.loads]
    return [
        OPEN["Cache of DFTL's map"].between(
            {
                **{f"{kib} KiB": Value(plan.parts(PAGES, [BASE], [plan.device.map_cache(kib)])) for kib in (64, 512)},
                "the whole map in memory": Value(plan.parts(PAGES, [BASE], ["ftl.mapping.scheme=page"])),
            }
        ),
        OPEN["Planes of a die"].between(
            {
                "one command a die": Value(short.parts(PAGES, more=BY_DIE)),
                "one command a die, 64 KiB of cache for DFTL's map": Value(
                    short.parts(PAGES, [BASE], [*BY_DIE, small_map]) | short.parts(PAGES, [RIVAL, OURS], BY_DIE)
                ),
            },
            names,
        ),
        OPEN["DLOOP's places"].between(
            {"channels before planes": Value(short.parts(PAGES, [RIVAL], ["ftl.plane_allocation=CWDP"]))}, names
        ),
        of_chips(plan),
        of_search(plan),
        of_idle_time(plan, small_map),
        of_extra_blocks(short),
        OPEN["What the device holds at first"].between(
            {"what is read": Value(short.parts(PAGES, more=["precondition.valid_share=0"]))}, names
        ),
        of_workloads(plan),
        OPEN["What waits for a collection"].between(
            {"what comes to its plane": Value(held=responses(carried(served_ms)))}
        ),
    ]


def of_chips(plan: Plan) -> Choice:
    """Return the choice of the places that DFTL writes to."""
    by_plane = ["ftl.plane_allocation=CWDP", "ftl.gc.scope=unit", "ftl.gc.moves=controller"]
    others = {"one a plane, by logical addresses": Value(plan.parts(PAGES, [BASE], by_plane))}
    return OPEN["DFTL's places"].between(others)


def of_search(plan: Plan) -> Choice:
    """Return the choice of the time of a step of the search in the write cache."""
    steps = {ns: plan.parts(PAGES | CACHES, [OURS], [plan.device.search(ns)]) for ns in (0, 5)}
    others = {f"{ns} ns a page": Value(parts) for ns, parts in steps.items()}
    return OPEN["Search of the write cache"].between(others, ns=SEARCH_NS)


def of_idle_time(plan: Plan, small_map: str) -> Choice:
    """Return the choice of collection in idle time, also along with a small mapping cache."""
    both = plan.parts(PAGES, [BASE, OURS], ALWAYS)
    small = plan.parts(PAGES, [BASE], [*ALWAYS, small_map])
    # what is collected in idle time makes no write wait
    beside = responses_by_page(carried(served_ms))
    return OPEN["Collection in idle time"].between(
        {
            "DFTL and PCFTL": Value(both, beside),
            "all": Value(both | plan.parts(PAGES, [RIVAL], ALWAYS), beside),
            "DFTL and PCFTL, 64 KiB of cache for DFTL's map": Value(both | small, beside),
        }
    )


def of_extra_blocks(plan: Plan) -> Choice:
    """Return the choice of the use of extra blocks."""

    def pooled(pool: str) -> Value:
        fewest = {FEWEST: Setting()}  # all of which are kept in any case
        others = {name: attrs.evolve(setting, pool=pool) for name, setting in EXTRA.items()}
        return Value(plan.parts(others | fewest))

    others = {
        "four fifths there, all kept": pooled(KEPT),
        "four fifths free at first, as many kept as of 3 %": pooled(LATE),
    }
    return OPEN["Extra blocks"].between(others, plan.loads)


def of_workloads(plan: Plan) -> Choice:
    """Return the choice of workloads beyond the numbers of Table 2."""
    alike, soon = plan.made(even_places=True), plan.made(reused=True)
    return OPEN["Workloads"].between(
        {
            "places alike": Value(alike.parts(PAGES)),
            "written again as soon as in the piece of Fin1": Value(soon.parts(PAGES) | soon.parts(CACHES, [OURS])),
        }
    )
