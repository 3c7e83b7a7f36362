"""What is stored of the papers' experiments, the tables `experiments/papers/NAME.parquet`, and the pages made of it."""

from importlib import import_module
from pathlib import Path

from experiments.study.claims import counted
from experiments.study.paper import Paper
from experiments.study.results import claim_cells, measured, page, stored

FILES = sorted((Path(__file__).parents[1] / "experiments" / "papers").glob("*.parquet"))

Claim = tuple[str, ...]
"""Claim, ours, its interval, the paper's number, verdict."""


def paper(file: Path) -> Paper:
    """Return the paper whose results a file has."""
    found: Paper = import_module(f"experiments.papers.{file.stem}").PAPER
    return found


def claims(file: Path) -> list[Claim]:
    """Return the claims that were measured, as the pages show them."""
    return [tuple(claim_cells(claim, row)) for claim, row in measured(paper(file), stored(file))]


def results_page(file: Path) -> str:
    """Return the page of all numbers of a paper."""
    of = paper(file)
    command = f"python -m experiments.papers.{file.stem} --scale {of.scale} --seeds {of.seeds}"
    return page(of, stored(file), f"Made by `{command}`; a figure that is drawn without whiskers is of the first seed.")


def told(files: list[Path]) -> str:
    """Return the sentence that says how many of the claims in `files` agree."""
    return counted(held for file in files for held in measured(paper(file), stored(file)))
