"""What the SPD paper leaves open, and what is run, beside what we take, for each other thing that it could mean."""

from collections.abc import Mapping

from ...study.runs import Runs
from ...study.study import Choice, Held, Results, Value
from .claims import HELD
from .runs import Plan
from .systems import COLLECTING, FOUR_PLANES, FREE, MAPPINGS, key

COLLECTED = "precondition.collected=true"
HOLDS_CHANNEL = "flash.collection_holds=channel"
TURNS = "buffer.replacement=plane_turns"
STRIPE = "ftl.super_page_of=stripe"
ALIGNED = "precondition.whole_blocks=true"

VARIED = ["HM_0", "PRN_1", "RSR_0", "PROJ_3"]
"""Workloads that what is open about device and arrivals is run under."""

BY_BEST = ("fig9.spd.lowest", "fig9.spd.best", "fig14.spd.best", "fig15.superpage.least", "fig17.spd.fewest")
"""Claims that ask all systems."""


def choices(plan: Plan, larger: Plan, rushes: Mapping[str, Plan], fewer_dies: Plan) -> list[Choice]:
    """Return the choices, given what is run, and the same at a larger scale, with other arrivals and fewer dies."""
    return [
        *of_collection(plan, larger),
        *of_rivals(plan),
        *of_device(plan, fewer_dies),
        of_mapping(plan),
        of_arrivals(rushes),
    ]


def of_collection(plan: Plan, larger: Plan) -> list[Choice]:
    """Return the open choices about collection."""
    before, channel = plan.with_all(COLLECTED), plan.with_all(HOLDS_CHANNEL)
    aligned = plan.some(VARIED).with_all(ALIGNED)
    return [
        Choice(
            "Collections of the warm-up",
            "5.1 fills planes to trigger collection immediately, so that what the fill wants is a part of what is "
            "measured.",
            "counted",
            {"collected before": Value(before.collecting() | larger.with_all(COLLECTED).separating())},
        ),
        Choice(
            "What a collection holds",
            "4.4 has writes to its die wait, and 6.2 no reads. In the simulator that the paper builds on (5.1) it "
            "holds its channel, so that reads wait, too.",
            "its die",
            {"its channel": Value(channel.collecting())},
        ),
        Choice(
            "Write points at first",
            "5.1 fills each plane at random; whether the planes of a die have as many pages each is not said.",
            "as they come",
            {"aligned": Value(aligned.free() | aligned.collecting())},
            [*aligned.loads],
        ),
        Choice(
            "Updates that make a page hot",
            "6.5 counts updates in 120 minutes, and says of no number that it is hot.",
            "two",
            {"one": Value(larger.with_all("ftl.hot_updates=1").separating())},
        ),
    ]


def of_rivals(plan: Plan) -> list[Choice]:
    """Return the open choices about the schemes that SPD is compared to."""
    turning = {state: plan.changed(state, "Baseline-P", TURNS) for state in (FREE, COLLECTING)}
    turns = {**turning, FOUR_PLANES: plan.with_all(TURNS).four_planes(["Baseline-P"])}
    stripe = {state: plan.changed(state, "SuperPage", STRIPE) for state in (FREE, COLLECTING)}
    near = {COLLECTING: plan.changed(COLLECTING, "ParaGC", "ftl.gc.chip_margin=0.01")}
    return [
        Choice(
            "Baseline-P evicts",
            "5.3 has dirty pages of different planes of a die evicted at a time, and evenly distributed to the planes.",
            "planes of a die together",
            {"planes in turn": in_place("Baseline-P", turns)},
        ),
        Choice(
            "SuperPage pairs",
            "1 has requests striped over the planes of a die. 5.1 allocates by channel, chip, die and plane, which "
            "puts pages of the planes of a die as far apart as there are dies.",
            "neighbours",
            {"pages a stripe apart": in_place("SuperPage", stripe)},
        ),
        Choice(
            "ParaGC's other plane",
            "6.2 collects it too where its free pages are below the threshold, 3 where its block has many invalid "
            "pages.",
            "below the threshold",
            {"or near it": in_place("ParaGC", near)},
        ),
    ]


def of_device(plan: Plan, fewer_dies: Plan) -> list[Choice]:
    """Return the open choices about the device and its buffer."""
    programmed = plan.some(VARIED).with_all("buffer.slot_free_when=programmed")
    dies = fewer_dies.some(VARIED)
    return [
        Choice(
            "Dies",
            "Table 1 has 128 dies; 4.2.2 counts with 32 of the same capacity in all.",
            "128",
            {"32": Value(dies.free() | dies.collecting())},
            [*dies.loads],
        ),
        Choice(
            "A slot of the buffer is free when its page is",
            "4.2.1 does not say it. In the simulator that the paper builds on it is free from eviction on.",
            "evicted",
            {"programmed": Value(programmed.free() | programmed.collecting())},
            [*programmed.loads],
        ),
    ]


def of_mapping(plan: Plan) -> Choice:
    """Return the choice of how large a cache DFTL has."""
    caches = {f"{kib} KiB": plan.with_all(f"ftl.mapping.cache_kib={kib}").mappings() for kib in (16, 256)}
    others = {size: Value({MAPPINGS: runs}) for size, runs in caches.items()}
    return Choice("DFTL's cache of mapping entries", "6.5 does not say how large it is.", "64 KiB", others)


def of_arrivals(rushes: Mapping[str, Plan]) -> Choice:
    """Return the choice of when requests arrive."""
    told = (
        "The traces of the paper have their own; ours are drawn. Poisson arrivals, or with a share of the requests in "
        "rushes of 290 (`study/msr.py`), are the ends of what pieces of such traces have."
    )
    varied = {name: plan.some(VARIED) for name, plan in rushes.items()}
    others = {name: Value(plan.free() | plan.collecting()) for name, plan in varied.items()}
    return Choice("Arrivals", told, "at two levels", others, [*next(iter(varied.values())).loads])


# One system changed.


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
