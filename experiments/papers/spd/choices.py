"""What the SPD paper leaves open (`choices.tsv`), and what is run for each other thing that it could mean."""

from collections.abc import Mapping

from ...study.runs import Runs
from ...study.study import Choice, Held, Results, Value, left_open
from .claims import HELD
from .runs import FOUR_PLANES, MAPPINGS, Plan
from .systems import COLLECTING, FREE, key

OPEN = left_open(__file__)
TURNS = "buffer.replacement=plane_turns"

VARIED = ["HM_0", "PRN_1", "RSR_0", "PROJ_3"]  # workloads that what is open about device and arrivals is run under

BY_BEST = ("fig9.spd.lowest", "fig9.spd.best", "fig14.spd.best", "fig15.superpage.least", "fig17.spd.fewest")
"""Claims that ask all systems."""


def choices(plan: Plan, larger: Plan, rushes: Mapping[str, Plan], fewer_dies: Plan) -> list[Choice]:
    """Return the choices, given what is run, and the same at a larger scale, with other arrivals and fewer dies."""
    few, dies, at_first = plan.some(VARIED), fewer_dies.some(VARIED), "precondition.collected=true"
    before = plan.with_all(at_first).collecting() | larger.with_all(at_first).separating()
    varied = {name: made.some(VARIED) for name, made in rushes.items()}
    caches = {f"{kib} KiB": plan.with_all(f"ftl.mapping.cache_kib={kib}").mappings() for kib in (16, 256)}
    others = {
        "Collections of the warm-up": {"collected before": Value(before)},
        "What a collection holds": {"its channel": Value(plan.with_all("flash.collection_holds=channel").collecting())},
        "Updates that make a page hot": {"one": Value(larger.with_all("ftl.hot_updates=1").separating())},
        **of_rivals(plan),
        "DFTL's cache of mapping entries": {size: Value({MAPPINGS: runs}) for size, runs in caches.items()},
    }
    of_few = {
        "Write points at first": {"aligned": both_states(few.with_all("precondition.whole_blocks=true"))},
        "Dies": {"32": both_states(dies)},
        "A slot of the buffer is free when its page is": {
            "programmed": both_states(few.with_all("buffer.slot_free_when=programmed"))
        },
        "Arrivals": {name: both_states(made) for name, made in varied.items()},
    }
    workloads = {"Dies": dies.loads, "Arrivals": next(iter(varied.values())).loads}
    made = {name: OPEN[name].between(values) for name, values in others.items()}
    made |= {name: OPEN[name].between(values, workloads.get(name, few.loads)) for name, values in of_few.items()}
    return [made[name] for name in OPEN]


def both_states(plan: Plan) -> Value:
    """Return the value of a choice that is run without and with collection."""
    return Value(plan.free() | plan.collecting())


def of_rivals(plan: Plan) -> dict[str, dict[str, Value]]:
    """Return the open choices about the schemes that SPD is compared to."""

    def changed(system: str, *more: str, states: tuple[str, ...] = (FREE, COLLECTING)) -> dict[str, Runs]:
        return {state: plan.changed(state, system, *more) for state in states}

    turns = changed("Baseline-P", TURNS) | {FOUR_PLANES: plan.with_all(TURNS).four_planes(["Baseline-P"])}
    stripe = changed("SuperPage", "ftl.super_page_of=stripe")
    near = changed("ParaGC", "ftl.gc.chip_margin=0.01", states=(COLLECTING,))
    return {
        "Baseline-P evicts": {"planes in turn": in_place("Baseline-P", turns)},
        "SuperPage pairs": {"pages a stripe apart": in_place("SuperPage", stripe)},
        "ParaGC's other plane": {"or near it": in_place("ParaGC", near)},
    }


def in_place(system: str, changed: Mapping[str, Runs]) -> Value:
    """Return the value of a choice under which one system runs otherwise: its claims, and those that ask all."""
    parts = {part: f"{part}, {system}" for part in changed}
    names = [name for name in HELD if key(system) in name.split(".") or name in BY_BEST]
    return Value(
        {parts[part]: runs for part, runs in changed.items()}, {name: overlaid(HELD[name], parts) for name in names}
    )


def overlaid(held: Held, changed: Mapping[str, str]) -> Held:
    """Return the measure `held` of results in which some parts stand in the places of others."""

    def measure(results: Results) -> float | None:
        both = {part: {**results[part], **results[other]} for part, other in changed.items()}
        return held({**results, **both})

    return measure
