"""Run systems side by side, on one device, under the same loads and seeds, and compare them.

Arguments are overrides as of `run`, and hydra.run.dir and overwrite say the same. One with several values sets systems
apart, as in stack=baseline,spd,pa_ssd, or workloads, if its key begins with workload. A system that takes more than one
override has a name: --system "mine: stack=spd ftl/gc=rga". What each system changes is printed first, and what is not
the same for all of them beyond their policies: take the same hardware, buffer and host to compare policies alone.
"""

import re
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa
from attrs import frozen

from ssdsim.config import SimulationConfig, nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import FIELDS, Point, compared, differences, entry, results_table, unfair
from ssdsim.report.text import TextTable, filled

from . import failures, parser
from .compose import own_keys, parse, points, prepared, session
from .experiment import folder_of
from .runs import add_options, count, run_all


@frozen
class Plan:
    """What is to be run: overrides by system and by workload, and those that all have in common."""

    systems: Mapping[str, Sequence[str]]
    workloads: Mapping[str, Sequence[str]]
    common: Sequence[str]

    def configs(self, workload: str, seed: int = 1) -> dict[str, SimulationConfig]:
        """Return the configuration of every system under a workload."""
        common = [*self.common, *self.workloads[workload], f"seed={seed}"]
        with session():
            return {name: prepared([*common, *system]).config for name, system in self.systems.items()}


def planned(overrides: Sequence[str], named: Sequence[str]) -> Plan:
    """Return the plan of `overrides` and of the systems `named`; raise ConfigError where they cannot be understood."""
    with session():
        parsed = parse(overrides)
        swept = [override for override in parsed if override.is_sweep_override()]
        of_loads = [override for override in swept if override.key_or_group.startswith("workload")]
        policies = [override for override in swept if override not in of_loads]
        systems = {" ".join(point): point for point in points(policies) if point}
        common = [str(override.input_line) for override in parsed if override not in swept]
        for text in named:
            name, colon, words = text.strip().partition(":")
            if not colon or "=" in name:  # what has no name may have a colon in a value
                raise ConfigError(f"--system {text}: is written NAME: overrides, as in 'mine: stack=spd ftl/gc=rga'.")
            if name in systems:
                raise ConfigError(f"--system {name}: there is a system of that name already.")
            systems[name] = shlex.split(words)
            parsed += parse(systems[name])
    # ratios are paired by seed, so no system has seeds of its own
    if any(override.key_or_group == "seed" for override in parsed):
        raise ConfigError("seed: is set by --seeds, which gives every system the same ones.")
    if len(systems) < 2:
        raise ConfigError("there is one system to compare: give several, as in stack=baseline,spd, or with --system.")
    workloads = {" ".join(point) or "workload": point for point in points(of_loads)}
    return Plan(systems, workloads, common)


def baseline_of(systems: Sequence[str], asked: str | None) -> str:
    """Return the system that the others are held against: that asked for, by its name or a value, else the first."""
    # a key or a value is enough, if one system alone has it
    matching = [name for name in systems if asked in (None, name, *re.split(r"[ =]", name))]
    if asked is not None and len(matching) != 1:
        problem = "stands for several systems" if matching else f"is no system{nearest(asked, systems)}"
        raise ConfigError(f"--baseline {asked}: {problem}; there are {', '.join(systems)}.")
    return matching[0]


def place_of(workload: str, system: str, seed: int) -> str:
    """Return the path of a run below the folder of its comparison."""
    # other characters may mean something in a path
    return "/".join(re.sub(r"[^\w.=,+-]+", "_", part) for part in (workload, system, f"seed={seed}"))


def points_of(folder: Path) -> dict[str, list[Point]]:
    """Return the systems of the comparison in a folder by workload, with the runs that are finished."""
    described, by_workload = manifest(folder) or {}, dict[str, list[Point]]()
    for workload, system in product(described["workloads"], described["systems"]):
        places = [folder / place_of(workload, system, seed) for seed in range(1, described["seeds"] + 1)]
        runs = [Result.load(place) for place in places if (place / "summary.json").exists()]
        by_workload.setdefault(workload, []).append(Point({"system": system}, runs))
    return by_workload


def main(arguments: Sequence[str]) -> int:
    """Run the jobs not finished yet, compare, and return 0, 1 if one failed, 2 if something given cannot be used."""
    made = parser("compare", __doc__)
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    made.add_argument("--system", action="append", default=[], metavar='"NAME: OVERRIDES"', help="a system by its name")
    made.add_argument("--baseline", metavar="SYSTEM", help="what ratios are over (default: the first system)")
    made.add_argument("--seeds", type=count, default=3, help="seeds, from 1 on (default %(default)s)")
    made.add_argument("--fields", nargs="+", default=[], metavar="FIELD", help="of summary.json, by dotted names")
    add_options(made)
    given = made.parse_intermixed_args(arguments)  # intermixed: options may stand among the overrides
    given.command = shlex.join([*made.prog.split(), *arguments])
    return failures.guarded(lambda: _compare(given), "Interrupted; the same command goes on from here.")


def _compare(given: Namespace) -> int:
    for name in given.fields:
        entry(name)  # refuses what is no field
    with session():
        overrides, own = own_keys(given.overrides)
    plan = planned(overrides, given.system)
    baseline, alarms = baseline_of(list(plan.systems), given.baseline), dict[str, None]()
    for workload in plan.workloads:
        differing = differences(plan.configs(workload).values())
        rows = ([key, *map(str, values)] for key, values in differing.items())
        print(TextTable("key", *plan.systems, title=f"What sets the systems apart under {workload}", rows=rows))
        alarms |= dict.fromkeys(unfair(differing))
    print("".join(f"{filled(alarm)}\n" for alarm in alarms), end="")
    # what two commands for the same comparison have in common
    known = [str(plan), *given.fields, baseline, str(given.seeds)]
    path = Path(own["hydra.run.dir"] or folder_of(known, "comparison"))
    again = (manifest(path) or {}).get("overrides") == known
    with ResultFolder(path, own["overwrite"] or again, "comparison") as folder:
        about = {"baseline": baseline, "alarms": [*alarms], "command": given.command, "fields": given.fields}
        names = {"systems": [*plan.systems], "workloads": [*plan.workloads], "seeds": given.seeds}
        folder.note(kind="comparison", overrides=known, **about, **names)
        compare(plan, folder, given)
    print(filled(f"In brackets the ratio to {baseline}, paired by seed; ± is half of the interval at 95 percent."))
    print(f"The comparison is in {path}")
    return 0


def compare(plan: Plan, folder: ResultFolder, given: Namespace) -> None:
    """Make the runs of a comparison that are not finished, print a table for each workload, and write them as one."""
    configs = {
        place_of(workload, system, seed): config
        for workload, seed in product(plan.workloads, range(1, given.seeds + 1))
        for system, config in plan.configs(workload, seed).items()
    }
    run_all(configs, folder.path, given.jobs, given.quiet)
    rows = []
    for workload, of_workload in points_of(folder.path).items():
        cells = compared(of_workload, given.fields or [*FIELDS], folder.manifest["baseline"])
        print(results_table(of_workload, cells, workload).turned())
        rows += [{"workload": workload, **cell} for cell in cells]
    write_table(pa.Table.from_pylist(rows), folder.part("comparison.parquet"))
    folder.commit()
