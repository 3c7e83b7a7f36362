"""The results of a study: one table of numbers, and the page that is made from it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ssdsim.report.text import TextTable, number

from .claims import AFTERWARDS, AGREES, OPEN, RULES, Claim, counted, interval, tally
from .formulas import flat, known, with_mean
from .paper import Choice, Paper, Setting

CLAIMS = "claims"
TYPES = [*[pa.string()] * 3, *[pa.float64()] * 3, pa.string()]
TABLE = pa.schema(zip(("table", "row", "column", "value", "low", "high", "verdict"), TYPES, strict=True))
"""A number a row: of a claim (table «claims», column «ours»), of a claim under a value of a choice, or of a figure."""

Row = dict[str, Any]


def stored(paper: Path) -> list[Row]:
    """Return the results stored beside the module of a paper."""
    return pq.read_table(paper.with_suffix(".parquet"), schema=TABLE).to_pylist()


def of_claims(claims: Iterable[Claim], seeds: Sequence[Setting]) -> list[Row]:
    """Return the rows of the claims that are measured."""
    values = {claim: known([setting.number(claim.formula) for setting in seeds]).tolist() for claim in claims}
    return [_row(CLAIMS, claim, "ours", *interval(given)) for claim, given in values.items() if given]


def of_choice(claims: Iterable[Claim], choice: Choice, ours: Setting) -> list[Row]:
    """Return the rows of the claims that a value other than ours changes, under all values."""
    rows, limits = [], next(iter(choice.values.values()))[0]
    for claim in claims:
        is_changed, values = False, {}
        for value, changes in choice.values.items():
            setting = attrs.evolve(ours, label=f"{choice.name}/{value}", changes=changes, limits=limits)
            if not np.isnan(then := float(setting.number(claim.formula))):
                values[value], is_changed = then, is_changed or setting.is_changed
        if is_changed and next(iter(choice.values)) in values:
            rows += [_row(choice.name, claim, value, then, np.nan, np.nan) for value, then in values.items()]
    return rows


def _row(table: str, claim: Claim, column: str, value: float, low: float, high: float) -> Row:
    verdict = claim.verdict(*((value, value) if np.isnan(low) else (low, high)))
    return dict(zip(TABLE.names, (table, claim.name, column, value, low, high, verdict), strict=True))


def of_figures(paper: Paper, seeds: Sequence[Setting]) -> list[Row]:
    """Return the rows of the figures."""
    rows = []
    for figure in paper.figures:
        for column, formula in figure.columns.items():
            names = figure.named(paper.loads)
            seen = [flat(setting.number(formula)) for setting in seeds]
            columns = [with_mean(numbers) if figure.averaged else numbers for numbers in seen]
            for name, *values in zip(names, *columns, strict=True):
                if given := known(values).tolist():
                    cells = figure.title, name, column, *interval(given), None
                    rows.append(dict(zip(TABLE.names, cells, strict=True)))
    return rows


def measured(paper: Paper, rows: Sequence[Row]) -> list[tuple[Claim, Row]]:
    """Return the claims that were measured, each with its row, whose verdict tells of choices made afterwards."""
    by_name = {claim.name: claim for claim in paper.claims}
    agree = {(row["table"], row["row"], row["column"]) for row in rows if row["verdict"] == AGREES}
    former = {(choice.name, value): next(iter(choice.values)) for choice in paper.choices for value in choice.former}
    fell = set()  # those that agree under ours, and not under what was ours
    for row in rows:
        ours = former.get((row["table"], row["column"]))
        if row["verdict"] != AGREES and (row["table"], row["row"], ours) in agree:
            fell.add(row["row"])
    by_choice = {"verdict": AFTERWARDS}
    return [
        (by_name[row["row"]], row | by_choice if row["verdict"] == AGREES and row["row"] in fell else row)
        for row in rows
        if row["table"] == CLAIMS
    ]


def claim_cells(claim: Claim, row: Row) -> list[str]:
    """Return the cells of a claim on a page: its words, ours, its interval, the paper's number, and the verdict."""
    ends = "-" if row["low"] is None or np.isnan(row["low"]) else f"{number(row['low'])} to {number(row['high'])}"
    verdict = row["verdict"] if row["verdict"] in (AGREES, AFTERWARDS, OPEN) else f"**{row['verdict']}**"
    trivial = ", trivial" if claim.is_trivial else ""
    return [claim.what, f"{number(row['value'])}{claim.unit}", ends, claim.told, f"{verdict}{trivial}"]


def page(paper: Paper, rows: Sequence[Row], made: str) -> str:
    """Return the page of a table of results, which was `made` so: each claim once, figures, and choices."""
    title, *about = cleandoc(paper.names["__doc__"]).split("\n\n")
    units = {claim.name: claim.unit for claim in paper.claims}
    choices = {choice.name: choice for choice in paper.choices}
    held = measured(paper, rows)
    parts = [f"# {title.rstrip('.')}", *about, made, "## All claims", RULES.rstrip(), counted(held)]
    parts += [tally(held).markdown()]
    parts += _claims(held, rows)
    left_out = [f"- {claim.what} ({claim.where}): {claim.note}" for claim in paper.claims if not claim.formula]
    parts += ["Not held against any run:", "\n".join(left_out)] if left_out else []
    for name, of_table in groupby(rows, key=itemgetter("table")):
        if name in choices:
            parts += [f"## Left open: {name}", *_choice(choices[name], units, of_table)]
        elif name != CLAIMS:
            parts += [f"## {name}", _grid("", of_table)]
    return "\n\n".join(parts) + "\n"


def _claims(held: Iterable[tuple[Claim, Row]], rows: Iterable[Row]) -> list[str]:
    """Return the table of claims, with the values of choices under which one agrees that does not under ours."""
    ours: dict[tuple[str, str], str] = {}
    otherwise = defaultdict(list)
    for row in rows:
        if row["verdict"] and row["table"] != CLAIMS:
            first = ours.setdefault((row["table"], row["row"]), row["verdict"])  # our value is the first of a choice
            if row["verdict"] == AGREES != first:
                otherwise[row["row"]].append(f"{row['table']}: {row['column']}")
    parting = ["; ".join(otherwise[claim.name]) for claim, row in held if row["verdict"] not in (AGREES, AFTERWARDS)]
    explained = sum(map(bool, parting))
    table = TextTable("claim", "where", "ours", "95 percent", "paper", "agrees", "verdict", "agrees with")
    for claim, row in held:
        what, *numbers, verdict = claim_cells(claim, row)
        other = "" if row["verdict"] in (AGREES, AFTERWARDS) else "; ".join(otherwise[claim.name])
        table.add_row(f"{what} (`{claim.name}`)", claim.where, *numbers, claim.agrees, verdict, other)
    told = f"Of {len(parting)} claims that do not agree, {explained} agree under another value of a choice, and "
    return [f"{told}{len(parting) - explained} are unexplained.", table.markdown()]


def _choice(choice: Choice, units: Mapping[str, str], rows: Iterable[Row]) -> list[str]:
    loads = next(iter(choice.values.values()))[0].loads
    under = f" Under {', '.join(loads)}." if loads else ""
    values = ((row, f"{number(row['value'])}{units[row['row']]}") for row in rows)
    shown = [{**row, "value": f"**{value}**" if row["verdict"] == AGREES else value} for row, value in values]
    return [f"{choice.told}{under} Ours first, of one seed; what agrees is bold.", _grid("claim", shown)]


def _grid(first: str, rows: Iterable[Row]) -> str:
    """Return rows as a table in Markdown, with a column for each of their columns."""
    cells: dict[str, Row] = defaultdict(dict)
    for row in rows:
        cells[row["row"]][row["column"]] = row["value"]
    columns = dict.fromkeys(column for of_row in cells.values() for column in of_row)
    grid = ([name, *map(of_row.get, columns)] for name, of_row in cells.items())
    return TextTable(first, *columns, rows=grid).markdown()
