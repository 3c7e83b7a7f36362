"""What holds for the experiments of every paper: claims, choices, runs and stored results fit together."""

from importlib import import_module
from pathlib import Path

import attrs
import numpy as np
import pytest

import experiments.papers
from experiments.study import trace_files
from experiments.study.paper import Given, Run
from experiments.study.results import CLAIMS, stored
from ssdsim.workload import Chunk
from support.studies import asked
from support.tiny_stacks import configured

NAMES = sorted(file.stem.partition(".")[0] for file in Path(experiments.papers.__file__).parent.glob("*.claims.tsv"))


@pytest.fixture(params=NAMES, scope="module")
def paper(request):
    return import_module(f"experiments.papers.{request.param}").PAPER


def test_there_are_five_papers():
    assert NAMES == ["flexftl", "pa_ssd", "pcftl", "spd", "tbm"]


def test_every_claim_is_told_once_and_asks_for_runs_or_says_why_not(paper):
    names = [claim.name for claim in paper.claims]
    assert len({*names}) == len({claim.what for claim in paper.claims}) == len(names)
    for claim in paper.claims:
        assert asked(paper, claim.formula) if claim.formula else claim.note


def test_every_value_of_a_choice_changes_a_claim_but_ours(paper):
    for choice in paper.choices:
        assert len(choice.values) >= 2 and choice.told
        (limits,) = next(iter(choice.values.values()))
        assert {*limits.loads} <= {*paper.loads}
        made = [name for claim in paper.claims for name in asked(paper, claim.formula or "0", limits=limits)]
        assert made and all(not limits.loads or name.split("/")[2] in limits.loads for name in made)
        for value, changes in [*choice.values.items()][1:]:
            for change in changes:
                assert {*change.parts} <= {*paper.parts}
                systems = {system for part in change.parts or paper.parts for system in paper.parts[part].systems}
                assert {*change.systems} <= systems and {*change.loads} <= {*paper.loads}
            runs = [asked(paper, claim.formula, changes=changes, label="it") for claim in paper.claims if claim.formula]
            has_runs = any(name.startswith("it/") for of_claim in runs for name in of_claim)
            assert has_runs or any(change.instead for change in changes), (choice.name, value)


def test_stored_results_are_of_the_claims_choices_and_figures_that_there_are(paper):
    choices = {choice.name: choice for choice in paper.choices}
    figures = {figure.title: figure for figure in paper.figures}
    rows = stored(paper.path)
    assert [row["row"] for row in rows if row["table"] == CLAIMS] == [
        claim.name for claim in paper.claims if claim.formula
    ]
    for row in rows:
        if row["table"] in figures:
            figure = figures[row["table"]]
            assert row["column"] in figure.columns and row["row"] in [
                *(figure.rows or paper.loads),
                *["average"] * figure.averaged,
            ]
        elif row["table"] != CLAIMS:
            assert row["column"] in choices[row["table"]].values
            assert row["row"] in {claim.name for claim in paper.claims}


def test_every_system_of_every_part_can_be_composed(paper, tmp_path, monkeypatch):
    """Of one load each, some of the systems of a part; traces are of one request."""
    write, one = (
        trace_files.write_trace,
        Chunk(np.zeros(1, np.int64), np.ones(1, np.uint8), np.zeros(1, np.int64), np.array([4096])),
    )
    monkeypatch.setattr(trace_files, "write_trace", lambda chunks, path: write([one], path))
    given = Given(paper.scale, 3, tmp_path)
    options = [
        {},
        *(
            {"seen": "", **change.options}
            for choice in paper.choices
            for changes in choice.values.values()
            for change in changes
            if change.options
        ),
    ]
    for name, part in paper.parts.items():
        load = next(iter(part.loads or paper.loads))
        for system in [*part.systems][-2:]:
            config = configured(*paper.overrides(Run(name, load, system), given))
            assert config.seed == 3 or load in paper.names.get("WRITE_ORDERS", ())
        for more in options:
            more = {key: value for key, value in more.items() if key != "scale"}
            assert paper.overrides(Run(name, load, part.systems[0]), attrs.evolve(given, options=more))
