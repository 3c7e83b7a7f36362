"""Systems side by side, on one device, under the same loads and seeds.

Arguments are overrides as of `run`, and hydra.run.dir and overwrite say the same. One with
several values sets systems apart, as in stack=baseline,spd,pa_ssd, or workloads, if its key begins with workload. A
system that takes more than one override has a name: --system "mine: stack=spd ftl/gc=rga". What each system changes is
printed first, and what is not the same for all of them beyond their policies: take the same hardware, buffer and host
for all to compare policies alone.
"""

import argparse
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
from hydra.core.override_parser.types import Override

from ssdsim.config import SimulationConfig, nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.confidence import across
from ssdsim.metrics.fields import SUMMARY
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.report.comparison import FIELDS, Comparison, blame_fields, compared, differences, unfair
from ssdsim.report.markdown import markdown, number, write_csv
from ssdsim.report.summary import validity_of_runs
from ssdsim.report.text import TextTable, filled

from . import failures, parser
from .compose import own_keys, parse, prepared, session
from .compose import points as points_of
from .diagnosis import COMMAND_LINE_DEFAULTS
from .experiment import folder_of
from .runs import Means, add_options, count, run_all

FILE = "comparison.parquet"

Overrides = list[str]
# no = before the colon, as that would be an override
NAME = re.compile(r"\s*([^:=\s][^:=]*?)\s*:\s*(.*)", re.DOTALL)
# a value may have spaces, within quotes or brackets: what follows them and is no key belongs to it
OVERRIDE = re.compile(r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\s+(?!\s*[+~]*[\w./@]+=)|\S)+""")


@attrs.frozen
class Plan:
    """What is to be run: overrides by system and by workload, and those that all have in common."""

    systems: Mapping[str, Overrides]
    workloads: Mapping[str, Overrides]
    common: Overrides
    seeds: range

    def runs(self) -> dict[str, Overrides]:
        """Return the overrides of every run by the path of its folder."""
        return {
            place_of(workload, system, seed): [*self.overrides(workload, system), f"seed={seed}"]
            for workload, system, seed in product(self.workloads, self.systems, self.seeds)
        }

    def overrides(self, workload: str, system: str) -> Overrides:
        """Return the overrides of a system under a workload."""
        return [*self.common, *self.workloads[workload], *self.systems[system]]

    def configs(self, workload: str) -> dict[str, SimulationConfig]:
        """Return the configuration of every system under a workload."""
        with session():
            return {name: prepared(self.overrides(workload, name)).config for name in self.systems}


def place_of(workload: str, system: str, seed: int) -> str:
    """Return the path of a run below the folder of its comparison."""
    # other characters may mean something in a path
    return "/".join(re.sub(r"[^\w.=,+-]+", "_", part) for part in (workload, system, f"seed={seed}"))


def planned(overrides: Sequence[str], named: Sequence[str], seeds: int) -> Plan:
    """Return the plan of `overrides` and of the systems `named`; raise ConfigError where they cannot be understood."""
    with session():
        parsed = parse(overrides)
        given = [named_system(text) for text in named]
        own = parse([override for _, words in given for override in words])
    # ratios are paired by seed, so no system has seeds of its own
    if any(override.key_or_group == "seed" for override in (*parsed, *own)):
        raise ConfigError("seed: is set by --seeds, which gives every system the same ones.")
    for override in own:
        if override.key_or_group.startswith("hydra") or override.key_or_group in COMMAND_LINE_DEFAULTS:
            raise ConfigError(f"{override.input_line}: is of the whole comparison; give it beside --system, not in it.")
    swept: dict[bool, list[Override]] = {True: [], False: []}
    for override in parsed:
        if override.is_sweep_override():
            swept[override.key_or_group.startswith("workload")].append(override)
    points = {of_loads: points_of(group) for of_loads, group in swept.items() if group}
    systems = {" ".join(point): point for point in points.get(False, ())}
    for name, words in given:
        if name in systems:
            raise ConfigError(f"--system {name}: there is a system of that name already.")
        systems[name] = words
    if len(systems) < 2:
        raise ConfigError("there is one system to compare: give several, as in stack=baseline,spd, or with --system.")
    # without a choice of workloads there is one, called just so
    workloads = {" ".join(point): point for point in points.get(True, ())} or {"workload": []}
    common = [str(override.input_line) for override in parsed if not override.is_sweep_override()]
    return Plan(systems, workloads, common, range(1, seeds + 1))


def named_system(text: str) -> tuple[str, Overrides]:
    """Return the name and the overrides of a system; raise ConfigError if it has no name."""
    match = NAME.fullmatch(text)
    if not match:
        raise ConfigError(f"--system {text}: is written NAME: overrides, as in 'mine: stack=spd ftl/gc=rga'.")
    return match[1], [override.strip() for override in OVERRIDE.findall(match[2])]


def baseline_of(plan: Plan, asked: str | None) -> str:
    """Return the system that the others are held against: that asked for, by its name or a value, else the first."""
    if asked is None:
        return next(iter(plan.systems))
    # a key or a value is enough, if one system alone has it
    matching = [name for name in plan.systems if asked == name or asked in re.split(r"[ =]", name)]
    if len(matching) != 1:
        there = ", ".join(plan.systems)
        problem = "stands for several systems" if matching else f"is no system{nearest(asked, plan.systems)}"
        raise ConfigError(f"--baseline {asked}: {problem}; there are {there}.")
    return matching[0]


def fields_of(asked: Sequence[str]) -> list[str]:
    """Return the fields to compare; raise ConfigError for one that no summary has."""
    for name in asked:
        if not any(field.covers(name) for field in SUMMARY):
            names = [spelled for field in SUMMARY for spelled in field.spelled()]
            raise ConfigError(f"--fields {name}: no field is called so{nearest(name, names)}; see fields.")
    return list(asked or FIELDS)


def difference_table(differing: Mapping[str, Mapping[str, Any]], systems: Sequence[str], flagged: Any) -> TextTable:
    """Return a row for each key that is not the same for all systems; those that make it unfair are marked."""
    rows = [
        [key + " (!)" * (key in flagged), *("-" if values[name] is None else str(values[name]) for name in systems)]
        for key, values in differing.items()
    ]
    return TextTable("key", *systems, title="What sets the systems apart", rows=rows)


def warnings(flagged: Mapping[str, str]) -> list[str]:
    """Return a sentence for each way in which the comparison is not one of policies alone, with its keys."""
    return [
        f"Not a comparison of policies alone: {reason} ({', '.join(key for key in flagged if flagged[key] == reason)})."
        for reason in dict.fromkeys(flagged.values())
    ]


def by_system(comparisons: Sequence[Comparison], workload: str, baseline: str) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table of a workload for readers: a row a field, a column a system."""
    cells = [cell for cell in comparisons if cell.workload == workload]
    systems = list(dict.fromkeys(cell.system for cell in cells))
    by_place = {(cell.field, cell.system): _cell(cell, cell.system == baseline) for cell in cells}
    rows = [
        [field, *(by_place.get((field, system), "-") for system in systems)]
        for field in dict.fromkeys(cell.field for cell in cells)
    ]
    codes = {cell.system: " ".join(cell.validity) or "nothing" for cell in cells}
    return [workload, *systems], [*rows, ["what speaks against it", *(codes[system] for system in systems)]]


def _cell(cell: Comparison, alone: bool) -> str:
    text = _spread(cell.values, cell.mean)
    if alone:
        return text
    return f"{text} (-)" if cell.ratio is None else f"{text} ({_spread(cell.ratios, cell.ratio)}x)"


def _spread(values: Sequence[float], middle: float) -> str:
    """Return a mean with half of its interval."""
    interval = across(values)  # None of a single seed
    return number(float(middle), 4) + (f" ± {number((interval[1] - interval[0]) / 2, 2)}" if interval else "")


def latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table for LaTeX's booktabs."""
    escaped = [
        [re.sub(r"([&%$#_{}])", r"\\\1", cell).replace("±", r"$\pm$") for cell in row] for row in (header, *rows)
    ]
    lines = [" & ".join(row) + r" \\" for row in escaped]
    columns = "l" + "r" * (len(header) - 1)
    body = "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule", *lines[1:]])
    return f"{body}\n\\bottomrule\n\\end{{tabular}}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the jobs not finished yet, compare, and return 0, 1 if one failed, 2 if something given cannot be used."""
    made = parser("compare", __doc__)
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    made.add_argument("--system", action="append", default=[], metavar='"NAME: OVERRIDES"', help="a system by its name")
    made.add_argument("--baseline", metavar="SYSTEM", help="what ratios are over (default: the first system)")
    made.add_argument("--seeds", type=count, default=3, help="seeds, from 1 on (default %(default)s)")
    made.add_argument("--fields", nargs="+", default=[], metavar="FIELD", help="of summary.json, by dotted names")
    add_options(made)
    given = made.parse_intermixed_args(arguments)  # intermixed: options may stand among the overrides
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    given.command = shlex.join([*made.prog.split(), *words])
    return failures.guarded(lambda: _compare(given), "Interrupted; the same command goes on from here.")


def _compare(given: argparse.Namespace) -> int:
    fields = fields_of(given.fields)
    with session():
        overrides, own = own_keys(given.overrides)
    plan = planned(overrides, given.system, given.seeds)
    baseline, systems, told = baseline_of(plan, given.baseline), list(plan.systems), list[str]()
    for workload in plan.workloads:
        differing = differences(plan.configs(workload))
        flagged = unfair(differing)
        if flagged or not told:
            print(difference_table(differing, systems, flagged))
        told += [warning for warning in warnings(flagged) if warning not in told]
    for warning in told:
        print(filled(warning))
    known = [str(word) for word in (plan, fields, baseline)]  # what two commands for the same comparison have in common
    path = Path(own["hydra.run.dir"] or folder_of(known, "comparison"))
    again = (manifest(path) or {}).get("overrides") == known
    with ResultFolder(path, own["overwrite"] or again, "comparison") as folder:
        folder.note(kind="comparison", overrides=known, finished=False)
        with session():
            configs = {name: prepared(words).config for name, words in plan.runs().items()}
        runs = run_all(configs, path, Means.from_options(given))
        # runs in the order of seeds, by which ratios are paired
        results = {
            workload: {
                system: [runs[place_of(workload, system, seed)] for seed in plan.seeds] for system in plan.systems
            }
            for workload in plan.workloads
        }
        if not given.fields:
            fields += blame_fields([run.summary for run in runs.values()])
        comparisons = compared(results, fields, baseline)
        write(folder, comparisons, told, baseline, given.command)
        folder.note(finished=True)
    for workload in plan.workloads:
        header, rows = by_system(comparisons, workload, baseline)
        print(TextTable(*header, rows=rows[:-1]))
        against = {cell.system: cell.validity for cell in comparisons if cell.workload == workload}
        print(*map(filled, validity_of_runs(against)), sep="\n")
    print(filled(explained(baseline)))
    print(f"The comparison is in {path}")
    return 0


def explained(baseline: str) -> str:
    """Return a sentence that explains the tables."""
    return (
        f"In brackets the ratio to {baseline}, paired by seed, or - if that is next to nothing; ± is half of the "
        "interval at 95 percent."
    )


def write(
    folder: ResultFolder,
    comparisons: Sequence[Comparison],
    told: Sequence[str],
    baseline: str,
    command: str,
) -> None:
    """Write the comparison as CSV and Parquet, a row a field, and as Markdown and LaTeX for readers."""
    long = [comparison.row() for comparison in comparisons]
    write_csv(folder.part("comparison.csv"), long)
    table = pa.Table.from_pylist(long).replace_schema_metadata({"baseline": baseline, "command": command})
    pq.write_table(table, folder.part(FILE))
    workloads = dict.fromkeys(comparison.workload for comparison in comparisons)
    tables = [by_system(comparisons, workload, baseline) for workload in workloads]
    sentences = [f"{sentence}\n" for sentence in (*told, explained(baseline))]
    text = "\n".join([*(markdown(*table) for table in tables), *sentences])
    folder.part("comparison.md").write_text(text, encoding="utf-8")
    folder.part("comparison.tex").write_text("\n".join(latex(*table) for table in tables), encoding="utf-8")
    folder.commit()
