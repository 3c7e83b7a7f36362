"""The results of a study: one table of numbers, and the page that is made from it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ssdsim.report.text import TextTable, number

from .claims import RULES, Claim, counted, interval
from .formulas import flat, known
from .paper import Choice, Paper, Setting

CLAIMS, OURS = "claims", "ours"

WORDS, NUMBERS = ("table", "row", "column"), ("value", "low", "high")
TABLE = pa.schema({**dict.fromkeys(WORDS, pa.string()), **dict.fromkeys(NUMBERS, pa.float64()), "verdict": pa.string()})
"""A number a row: of a claim (table «claims», column «ours»), of a claim under a value of a choice, or of a figure."""

Row = dict[str, Any]


def stored(paper: Path) -> list[Row]:
    """Return the results stored beside the module of a paper."""
    return pq.read_table(paper.with_suffix(".parquet"), schema=TABLE).to_pylist()


def of_claims(claims: Iterable[Claim], seeds: Sequence[Setting]) -> list[Row]:
    """Return the rows of the claims that are measured."""
    values = {claim: known([setting.number(claim.formula) for setting in seeds]).tolist() for claim in claims}
    return [_row(CLAIMS, claim, OURS, *interval(given)) for claim, given in values.items() if given]


def of_choice(claims: Iterable[Claim], choice: Choice, ours: Setting) -> list[Row]:
    """Return the rows of the claims that a value other than ours changes, under all values."""
    limited = attrs.evolve(ours, loads=choice.loads, systems=choice.systems)
    rows = []
    for claim in claims:
        values, is_changed = {}, False
        for value, changes in choice.values.items():
            setting = attrs.evolve(limited, label=f"{choice.name}/{value}", changes=changes)
            if not np.isnan(ours_then := float(setting.number(claim.formula))):
                values[value] = ours_then
                is_changed |= setting.is_changed
        if is_changed and next(iter(choice.values)) in values:
            rows += [_row(choice.name, claim, value, then, np.nan, np.nan) for value, then in values.items()]
    return rows


def _row(table: str, claim: Claim, column: str, value: float, low: float, high: float) -> Row:
    verdict = claim.verdict(*((value, value) if np.isnan(low) else (low, high)))
    return dict(zip(TABLE.names, (table, claim.name, column, value, low, high, verdict), strict=True))


def of_figures(paper: Paper, setting: Setting) -> list[Row]:
    """Return the rows of the figures."""
    return [
        dict.fromkeys(TABLE.names) | {"table": figure.title, "row": row, "column": column, "value": float(value)}
        for figure in paper.figures
        for column, formula in figure.columns.items()
        for row, value in zip(figure.rows or paper.loads, flat(setting.number(formula)), strict=True)
        if not np.isnan(value)
    ]


def told(claims: Iterable[Claim], rows: Iterable[Row]) -> str:
    """Return the sentence that says how many claims agree."""
    by_name = {claim.name: claim.is_trivial for claim in claims}
    return counted((row["verdict"], by_name[row["row"]]) for row in rows if row["table"] == CLAIMS)


def claim_cells(claim: Claim, row: Row) -> list[str]:
    """Return the cells of a claim on a page: its words, ours, its interval, the paper's number, and the verdict."""
    ends = "-" if row["low"] is None or np.isnan(row["low"]) else f"{number(row['low'])} to {number(row['high'])}"
    verdict = row["verdict"] if row["verdict"] in ("agrees", "open") else f"**{row['verdict']}**"
    trivial = ", trivial" if claim.is_trivial else ""
    return [claim.what, f"{number(row['value'])}{claim.unit}", ends, claim.told, f"{verdict}{trivial}"]


def page(paper: Paper, rows: Sequence[Row], made: str) -> str:
    """Return the page of a table of results, which was `made` so: each claim once, figures, and choices."""
    title, *about = cleandoc(paper.names["__doc__"]).split("\n\n")
    claims = {claim.name: claim for claim in paper.claims}
    choices = {choice.name: choice for choice in paper.choices}
    by_table = {CLAIMS: list[Row]()}
    for row in rows:
        by_table.setdefault(row["table"], []).append(row)
    parts = [f"# {title.rstrip('.')}", *about, made, "## All claims", RULES.rstrip(), told(paper.claims, rows)]
    parts.append(_claims(claims, by_table.pop(CLAIMS), _agreeing_values(rows)))
    left_out = [f"- {claim.what} ({claim.where}): {claim.note}" for claim in paper.claims if not claim.formula]
    parts += ["Not held against any run:", "\n".join(left_out)] if left_out else []
    for name, of_table in by_table.items():
        if name in choices:
            parts += [f"## Left open: {name}", _choice(choices[name], claims, of_table)]
        else:
            parts += [f"## {name}", _grid("", of_table)]
    return "\n\n".join(parts) + "\n"


def _agreeing_values(rows: Iterable[Row]) -> Mapping[str, Sequence[str]]:
    """Return, by claim, the values of choices under which it agrees where it does not under ours, the first."""
    by_claim = defaultdict(list)
    ours: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row["verdict"] and row["table"] != CLAIMS:
            first = ours.setdefault((row["table"], row["row"]), row)
            if row["verdict"] == "agrees" and first["verdict"] != "agrees":
                by_claim[row["row"]].append(f"{row['table']}: {row['column']}")
    return by_claim


def _claims(claims: Mapping[str, Claim], rows: Sequence[Row], otherwise: Mapping[str, Sequence[str]]) -> str:
    parting = [row["row"] for row in rows if row["verdict"] != "agrees"]
    explained = len({*parting} & {*otherwise})
    told = (
        f"Of {len(parting)} claims that do not agree, {explained} agree under another value of a choice, and "
        f"{len(parting) - explained} are unexplained.\n\n"
    )
    table = TextTable("claim", "where", "ours", "95 percent", "paper", "agrees", "verdict", "agrees with")
    for row in rows:
        claim = claims[row["row"]]
        what, ours, ends, paper, verdict = claim_cells(claim, row)
        other = "; ".join(otherwise.get(claim.name, ())) if claim.name in parting else ""
        table.add_row(f"{what} (`{claim.name}`)", claim.where, ours, ends, paper, claim.agrees, verdict, other)
    return told + table.markdown()


def _choice(choice: Choice, claims: Mapping[str, Claim], rows: Sequence[Row]) -> str:
    under = f" Under {', '.join(choice.loads)}." if choice.loads else ""
    shown = []
    for row in rows:
        value = f"{number(row['value'])}{claims[row['row']].unit}"
        shown.append({**row, "value": f"**{value}**" if row["verdict"] == "agrees" else value})
    return f"{choice.told}{under} Ours first, of one seed; what agrees is bold.\n\n{_grid('claim', shown)}"


def _grid(first: str, rows: Iterable[Row]) -> str:
    """Return rows as a table in Markdown, with a column for each of their columns."""
    cells: dict[str, Row] = {}
    for row in rows:
        cells.setdefault(row["row"], {})[row["column"]] = row["value"]
    columns = [*dict.fromkeys(column for of_row in cells.values() for column in of_row)]
    grid = ([name, *map(of_row.get, columns)] for name, of_row in cells.items())
    return TextTable(first, *columns, rows=grid).markdown()
