"""Print the headlines of the papers beside ours: the numbers of their abstracts, introductions and conclusions.

SPD prints none there: its headlines are the averages of its evaluation. `headlines.tsv` names the claim of each, and
says in a clause what is the cause where ours does not agree.
"""

import sys
from pathlib import Path

from docs.pictures.claims import TITLES
from docs.stored import FILES, paper
from experiments.study.claims import AGREES, rows_of
from experiments.study.results import claim_cells, measured, stored
from ssdsim.report.text import TextTable


def headlines() -> tuple[TextTable, str]:
    """Return the table of the headlines that are stored, and the sentence that says how many agree."""
    table, verdicts = TextTable("paper", "headline", "where", "paper's", "ours", "95 percent", "", "cause"), []
    held = {
        file.stem: {claim.name: (claim, row) for claim, row in measured(paper(file), stored(file))} for file in FILES
    }
    for line in rows_of(Path(__file__).with_suffix(".tsv")):
        claim, row = held[line["paper"]][line["claim"]]
        what, ours, interval, printed, verdict = claim_cells(claim, row)
        verdicts.append(row["verdict"] == AGREES and not claim.is_trivial)
        table.add_row(TITLES[line["paper"]], what, line["where"], printed, ours, interval, verdict, line["cause"])
    return (
        table,
        f"{sum(verdicts)} of {len(verdicts)} headlines agree without a choice made afterwards and are not trivial.",
    )


if __name__ == "__main__":
    shown, told = headlines()
    sys.stdout.write(f"{shown.markdown()}\n\n{told}\n")
