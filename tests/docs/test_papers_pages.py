"""The pages about the papers say what the stored results say."""

import re
from pathlib import Path

import pytest

from docs.headlines import headlines
from docs.pictures.papers import FOLDER, drawn, file_of, printed
from docs.stored import FILES, claims, paper, results_page, told

PROJECT = Path(__file__).parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)*(?!\w)")
VERDICTS = ("agrees", "open", "other", "off")
NO_RESULT = re.compile(r"`[^`]*`|\]\([^)]*\)|(?:section|Table|Fig\.) [\d.]+\d|Table \d")


def page_of(stored):
    return (PROJECT / "docs" / "pages" / "papers" / f"{stored.stem}.md").read_text(encoding="utf-8")


def section(text, title):
    return text.partition(f"## {title}")[2].partition("\n## ")[0]


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.stem)
def test_claims_on_a_page_are_those_stored(stored):
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in page_of(stored).splitlines()]
    shown = {row for row in rows if len(row) == 5 and row[4].strip("*").startswith(VERDICTS)}
    assert len(shown) >= 5
    assert not shown - {*claims(stored)}


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.stem)
def test_how_many_agree_is_what_is_stored(stored):
    assert agreeing(page_of(stored)) == [told([stored])]


@pytest.mark.parametrize("page", ["docs/pages/papers/index.md", "README.md"])
def test_how_many_agree_in_all_papers(page):
    assert agreeing((PROJECT / page).read_text(encoding="utf-8")) == [told(FILES)]


def agreeing(page):
    """Return the sentences that say how many claims agree, on a line each."""
    return [" ".join(each.split()) for each in re.findall(r"\d+\s+of\s+\d+\s+claims\s+agree\s+that[^.]*\.", page)]


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.stem)
def test_numbers_that_explain_are_stored(stored):
    known = {*NUMBER.findall(results_page(stored))}
    numbers = NUMBER.findall(NO_RESULT.sub("", section(page_of(stored), "What differs and why")))
    assert len(numbers) >= 5
    assert not {*numbers} - known


def test_the_headlines_are_those_stored():
    table, told = headlines()
    index = (PROJECT / "docs" / "pages" / "papers" / "index.md").read_text(encoding="utf-8")
    assert table.markdown() in index and told in index


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.stem)
def test_each_figure_of_a_paper_is_kept_and_shown_on_its_page(stored):
    names = [file_of(paper(stored), figure) for figure in drawn(paper(stored))]
    assert len({*names}) == len(names) >= 4
    for name in names:
        assert (FOLDER / name).is_file() and f"(../pictures/papers/{name})" in page_of(stored)


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.stem)
def test_numbers_that_a_paper_prints_are_of_its_figures(stored):
    figures = {(figure.number, column): figure for figure in drawn(paper(stored)) for column in figure.columns}
    for (name, number, column), marks in printed().items():
        if name == stored.stem:
            figure = figures[number, column]
            assert {*marks} <= {*figure.named(paper(stored).loads)}
