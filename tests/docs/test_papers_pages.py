"""The pages about the papers say what the stored results say."""

import re
from pathlib import Path

import pytest

from docs.stored import FILES, claims, counted

PROJECT = Path(__file__).parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)*(?!\w)")
NO_RESULT = re.compile(r"`[^`]*`|\]\([^)]*\)|(?:section|Table|Fig\.) [\d.]+\d|Table \d")


def page_of(stored):
    return (PROJECT / "docs" / "pages" / "papers" / f"{stored.parent.name}.md").read_text(encoding="utf-8")


def section(text, title):
    return text.partition(f"## {title}")[2].partition("\n## ")[0]


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.parent.name)
def test_claims_on_a_page_are_those_stored(stored):
    told, known = ({*claims(text)} for text in (page_of(stored), stored.read_text(encoding="utf-8")))
    assert len(told) >= 5
    assert not told - known


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.parent.name)
def test_how_many_agree_is_what_is_stored(stored):
    assert agreeing(page_of(stored)) == [counted([stored])]


@pytest.mark.parametrize("page", ["docs/pages/papers/index.md", "README.md"])
def test_how_many_agree_in_all_papers(page):
    assert agreeing((PROJECT / page).read_text(encoding="utf-8")) == [counted(FILES)]


def agreeing(page):
    """Return the sentences that say how many claims agree, on a line each."""
    return [" ".join(each.split()) for each in re.findall(r"\d+\s+of\s+\d+\s+claims\s+agree;[^.]*\.", page)]


@pytest.mark.parametrize("stored", FILES, ids=lambda path: path.parent.name)
def test_numbers_that_explain_are_stored(stored):
    known = {*NUMBER.findall(stored.read_text(encoding="utf-8"))}
    told = NUMBER.findall(NO_RESULT.sub("", section(page_of(stored), "What differs and why")))
    assert len(told) >= 5
    assert not {*told} - known
