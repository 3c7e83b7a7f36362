"""Every notebook is kept as it is to be opened, and each of its exercises has a solution that holds."""

import importlib
import json
import re

import pytest

from docs.notebooks import NOTEBOOKS

SOLUTIONS = {path.stem: importlib.import_module(f"docs.notebooks.solutions.{path.stem[3:]}") for path in NOTEBOOKS}


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def exercises(path):
    """The numbers of the exercises: the headings of the third level in the last section, of cells of their own."""
    headings = re.findall(r"^##+ .*", "\n".join("".join(cell["source"]) for cell in cells(path)), re.MULTILINE)
    last = headings[headings.index("## Exercises") + 1 :]
    return [int(re.fullmatch(r"### (\d+)\. .+", heading)[1]) for heading in last]


def test_notebooks_are_numbered_one_after_another():
    assert [int(path.stem[:2]) for path in NOTEBOOKS] == [*range(1, len(NOTEBOOKS) + 1)] != []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestKept:
    def test_without_outputs(self, path):
        """As `python -m nbconvert --clear-output` leaves it: the outputs are those of the site."""
        code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
        assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)

    def test_without_what_the_site_cannot_show(self, path):
        """Nothing is fetched for formulas; links are those of a page of the site beside the course's."""
        prose = "\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")
        assert "$" not in prose and "<script" not in prose

    def test_with_a_text_of_its_own_for_each_figure(self, path):
        draw = ("plt.show()", "draw(")
        drawing = [cell for cell in cells(path) if any(word in "".join(cell["source"]) for word in draw)]
        drawing = [cell for cell in drawing if cell["cell_type"] == "code"]
        texts = [cell["metadata"].get("alt", "") for cell in drawing]
        assert texts and all(len(text) > 60 and not set(text) & set("[]\n") for text in texts)
        assert len(set(texts)) == len(texts)
        assert [cell for cell in cells(path) if "alt" in cell["metadata"]] == drawing

    def test_with_exercises_that_have_solutions(self, path):
        asked = exercises(path)
        solved = [name for name in vars(SOLUTIONS[path.stem]) if name.startswith("exercise_")]
        assert asked == [*range(1, len(asked) + 1)] != []
        assert solved == [f"exercise_{number}" for number in asked]


def solved():
    """Each solution; the first of a notebook is quick, and runs with the usual tests."""
    for path in NOTEBOOKS:
        for number in exercises(path):
            marks = [pytest.mark.more] if number > 1 else []
            yield pytest.param(path, number, id=f"{path.stem}-{number}", marks=marks)


@pytest.mark.parametrize(("path", "number"), list(solved()))
def test_the_solution_holds(path, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    getattr(SOLUTIONS[path.stem], f"exercise_{number}")()
