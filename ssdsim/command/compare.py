"""Run systems side by side, on one device, under the same loads and seeds, and compare them.

Arguments are overrides as of `run`, and hydra.run.dir and overwrite say the same. Each combination of listed values is
a system, as in stack=baseline,spd,pa_ssd. A system that takes more than one override has a name:
--system "mine: stack=spd ftl/gc=rga". What each system changes is printed first, and what is not the same for all of
them beyond their policies: take the same hardware, buffer, host and workload to compare policies alone.
"""

import re
import shlex
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa

from ssdsim.config import nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import manifest
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import FIELDS, Point, compared, differences, entry, results_table, unfair
from ssdsim.report.text import TextTable, filled

from . import parser
from .compose import compose, composed, of_experiment, parse, points, session
from .runs import add_options, count, named_folder, run_all


def systems_of(overrides: Sequence[str], named: Sequence[str]) -> dict[str, list[str]]:
    """Return the overrides of each system, by its name: of combinations of listed values, and of those `named`."""
    with session():
        parsed = parse(overrides)
        swept = [word for word in parsed if word.is_sweep_override()]
        systems = {" ".join(point): point for point in points(swept) if point}
        for text in named:
            name, colon, words = text.strip().partition(":")
            if not colon or "=" in name or name in systems:  # what has no name may have a colon in a value
                raise ConfigError(f"--system {text}: is written 'NAME: OVERRIDES', and each name is given once.")
            systems[name] = shlex.split(words)
            parsed += parse(systems[name])
    # ratios are paired by seed, so no system has seeds of its own
    if any(word.key_or_group == "seed" for word in parsed):
        raise ConfigError("seed: is set by --seeds, which gives every system the same ones.")
    if len(systems) < 2:
        raise ConfigError("there is one system to compare: give several, as in stack=baseline,spd, or with --system.")
    common = [word for word, override in zip(overrides, parsed, strict=False) if override not in swept]
    return {name: [*common, *words] for name, words in systems.items()}


def place_of(system: str, seed: int) -> str:
    """Return the path of a run below the folder of its comparison."""
    return re.sub(r"[^\w.=,+-]+", "_", system) + f"/seed={seed}"


def points_of(folder: Path) -> list[Point]:
    """Return the systems of the comparison in a folder, with the runs that are finished."""
    described, systems = manifest(folder) or {}, []
    for system in described["systems"]:
        places = [folder / place_of(system, seed) for seed in range(1, described["seeds"] + 1)]
        runs = [Result.load(place) for place in places if (place / "summary.json").exists()]
        systems.append(Point({"system": system}, runs))
    return systems


def main(arguments: Sequence[str]) -> int:
    """Print the keys that set the systems apart, make the runs that are not finished, compare them, and return 0."""
    made = parser("compare", __doc__, "what all systems have, or several values that set them apart")
    made.add_argument("--system", action="append", default=[], metavar='"NAME: OVERRIDES"', help="a system by its name")
    made.add_argument("--baseline", metavar="SYSTEM", help="what ratios are over (default: the first system)")
    made.add_argument("--seeds", type=count, default=3, help="seeds, from 1 on (default %(default)s)")
    made.add_argument("--fields", nargs="+", default=[*FIELDS], metavar="FIELD", help="of summary.json, dotted")
    add_options(made)
    given = made.parse_intermixed_args(arguments)  # intermixed: options may stand among the overrides
    for name in given.fields:
        entry(name)  # refuses a name of no field
    systems = systems_of(given.overrides, given.system)
    baseline = given.baseline or next(iter(systems))
    if baseline not in systems:
        near = nearest(baseline, systems)
        raise ConfigError(f"--baseline {baseline}: is no system{near}; there are {', '.join(systems)}.")
    configs = {
        (name, seed): composed([*words, f"seed={seed}"])
        for (name, words), seed in product(systems.items(), range(1, given.seeds + 1))
    }
    differing = differences(configs[name, 1] for name in systems)
    rows = ([key, *map(str, values)] for key, values in differing.items())
    print(TextTable("key", *systems, title="What sets the systems apart", rows=rows))
    alarms = unfair(differing)
    print("".join(f"{filled(alarm)}\n" for alarm in alarms), end="")
    facts = {"baseline": baseline, "fields": given.fields, "seeds": given.seeds, "systems": [*systems]}
    known = [shlex.join(of_experiment(words)) for words in systems.values()] + [*map(str, facts.values())]
    with session():
        folder, _ = named_folder(compose(*systems[baseline]), given.overrides, known, "comparison")
    with folder:
        about = {"alarms": alarms, "command": shlex.join(["ssdsim", "compare", *arguments])}
        folder.note(overrides=known, **about, **facts)
        run_all({place_of(*key): config for key, config in configs.items()}, folder.path, given.jobs, given.quiet)
        systems_run = points_of(folder.path)
        cells = compared(systems_run, given.fields, baseline)
        print(results_table(systems_run, cells).turned())
        write_table(pa.Table.from_pylist(cells), folder.part("comparison.parquet"))
        folder.commit()
    print(filled(f"In brackets the ratio to {baseline}, paired by seed; ± is half of the interval at 95 percent."))
    print(f"The comparison is in {folder.path}")
    return 0
