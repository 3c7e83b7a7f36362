"""The results of a study: one table of numbers, the page that is made from it, and where both are stored."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ssdsim.report.text import TextTable, number

from .claims import RULES, Claim, counted, interval
from .formulas import flat
from .paper import Choice, Paper, Setting

CLAIMS, OURS = "claims", "ours"

TABLE = pa.schema(
    [
        *((name, pa.string()) for name in ("table", "row", "column")),
        *((name, pa.float64()) for name in ("value", "low", "high")),
        ("verdict", pa.string()),
    ]
)
"""A number a row: of a claim (table «claims», column «ours»), of a claim under a value of a choice, or of a figure."""

Row = dict[str, Any]


def stored(paper: Path) -> pa.Table:
    """Return the results stored beside the module of a paper."""
    return pq.read_table(paper.with_suffix(".parquet"), schema=TABLE)


def of_claims(claims: Iterable[Claim], seeds: Sequence[Setting]) -> list[Row]:
    """Return the rows of the claims that are measured."""
    values = {claim: [setting.number(claim.formula) for setting in seeds] for claim in claims if claim.formula}
    known = {claim: [float(value) for value in given if not np.isnan(value)] for claim, given in values.items()}
    return [_row(CLAIMS, claim, OURS, *interval(given)) for claim, given in known.items() if given]


def of_choice(claims: Iterable[Claim], choice: Choice, values: Mapping[str, Setting]) -> list[Row]:
    """Return the rows of the claims that a value other than ours changes, under all values."""
    rows = []
    for claim in claims:
        if claim.formula:
            for setting in values.values():
                setting.is_changed = False
            numbers = {value: setting.number(claim.formula) for value, setting in values.items()}
            known = {value: float(ours) for value, ours in numbers.items() if not np.isnan(ours)}
            ours, *others = values
            is_changed = any(values[value].is_changed and value in known for value in others)
            if is_changed and ours in known:
                rows += [_row(choice.name, claim, value, of_value, np.nan, np.nan) for value, of_value in known.items()]
    return rows


def _row(table: str, claim: Claim, column: str, value: float, low: float, high: float) -> Row:
    ends = (value, value) if np.isnan(low) else (low, high)
    numbers = {"value": value, "low": low, "high": high}
    return {"table": table, "row": claim.name, "column": column, **numbers, "verdict": claim.verdict(*ends)}


def of_figures(paper: Paper, setting: Setting) -> list[Row]:
    """Return the rows of the figures."""
    rows = []
    for figure in paper.figures:
        for column, formula in figure.columns.items():
            for row, value in zip(figure.rows or paper.loads, flat(setting.number(formula)), strict=True):
                if not np.isnan(value):
                    rows.append({"table": figure.title, "row": row, "column": column, "value": float(value)})
    return rows


def told(claims: Iterable[Claim], table: pa.Table) -> str:
    """Return the sentence that says how many claims agree."""
    by_name = {claim.name: claim.is_trivial for claim in claims}
    return counted((row["verdict"], by_name[row["row"]]) for row in table.to_pylist() if row["table"] == CLAIMS)


def claim_cells(claim: Claim, row: Row) -> list[str]:
    """Return the cells of a claim on a page: its words, ours, its interval, the paper's number, and the verdict."""
    ends = "-" if row["low"] is None or np.isnan(row["low"]) else f"{number(row['low'])} to {number(row['high'])}"
    verdict = row["verdict"] if row["verdict"] in ("agrees", "open") else f"**{row['verdict']}**"
    trivial = ", trivial" if claim.is_trivial else ""
    return [claim.what, f"{number(row['value'])}{claim.unit}", ends, claim.told, f"{verdict}{trivial}"]


def page(paper: Paper, table: pa.Table, made: str) -> str:
    """Return the page of a table of results, which was `made` so: each claim once, figures, and choices."""
    title, *about = cleandoc(paper.names["__doc__"]).split("\n\n")
    by_table: dict[str, list[Row]] = {}
    for row in table.to_pylist():
        by_table.setdefault(row["table"], []).append(row)
    claims = {claim.name: claim for claim in paper.claims}
    parts = [f"# {title.rstrip('.')}", *about, made, "## All claims", RULES.rstrip(), told(paper.claims, table)]
    parts.append(_claims(claims, by_table.get(CLAIMS, []), agreeing_values(table)))
    left_out = [f"- {claim.what} ({claim.where}): {claim.note}" for claim in paper.claims if not claim.formula]
    parts += ["Not held against any run:", "\n".join(left_out)] if left_out else []
    choices = {choice.name: choice for choice in paper.choices}
    for name, rows in by_table.items():
        if name in choices:
            parts += [f"## Left open: {name}", _choice(choices[name], claims, rows)]
        elif name != CLAIMS:
            parts += [f"## {name}", _grid("", rows)]
    return "\n\n".join(parts) + "\n"


def agreeing_values(table: pa.Table) -> dict[str, list[str]]:
    """Return, by claim, the values of choices under which it agrees where it does not under ours, the first."""
    by_choice: dict[tuple[str, str], list[Row]] = {}
    for row in table.to_pylist():
        if row["verdict"] and row["table"] != CLAIMS:
            by_choice.setdefault((row["table"], row["row"]), []).append(row)
    by_claim: dict[str, list[str]] = {}
    for (choice, claim), (ours, *others) in by_choice.items():
        if ours["verdict"] != "agrees":
            agreeing = [f"{choice}: {row['column']}" for row in others if row["verdict"] == "agrees"]
            by_claim[claim] = by_claim.get(claim, []) + agreeing
    return by_claim


def _claims(claims: Mapping[str, Claim], rows: Sequence[Row], otherwise: Mapping[str, Sequence[str]]) -> str:
    parting = [row["row"] for row in rows if row["verdict"] != "agrees"]
    explained = sum(bool(otherwise.get(name)) for name in parting)
    told = (
        f"Of {len(parting)} claims that do not agree, {explained} agree under another value of a choice, and "
        f"{len(parting) - explained} are unexplained.\n\n"
    )
    cells = []
    for row in rows:
        claim = claims[row["row"]]
        what, ours, ends, paper, verdict = claim_cells(claim, row)
        other = "; ".join(otherwise.get(claim.name, ())) if claim.name in parting else ""
        cells.append([f"{what} (`{claim.name}`)", claim.where, ours, ends, paper, claim.agrees, verdict, other])
    header = ("claim", "where", "ours", "95 percent", "paper", "agrees", "verdict", "agrees with")
    return told + TextTable(*header, rows=cells).markdown()


def _choice(choice: Choice, claims: Mapping[str, Claim], rows: Sequence[Row]) -> str:
    under = f" Under {', '.join(choice.loads)}." if choice.loads else ""
    shown = [{**row, "cell": f"{number(row['value'])}{claims[row['row']].unit}"} for row in rows]
    shown = [{**row, "cell": f"**{row['cell']}**" if row["verdict"] == "agrees" else row["cell"]} for row in shown]
    return f"{choice.told}{under} Ours first, of one seed; what agrees is bold.\n\n{_grid('claim', shown)}"


def _grid(first: str, rows: Iterable[Row]) -> str:
    """Return rows as a table in Markdown, with a column for each of their columns."""
    cells: dict[str, dict[str, Any]] = {}
    for row in rows:
        cells.setdefault(row["row"], {})[row["column"]] = row.get("cell", row["value"])
    columns = [*dict.fromkeys(column for of_row in cells.values() for column in of_row)]
    grid = ([name, *(of_row.get(key) for key in columns)] for name, of_row in cells.items())
    return TextTable(first, *columns, rows=grid).markdown()
