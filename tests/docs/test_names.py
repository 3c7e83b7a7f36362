"""Names in inline code are those that are declared, and a wrong one is told."""

import re

import pytest

from docs.names import PAGES, PROJECT, wrong_names
from ssdsim.command.compose import session
from ssdsim.command.help import default_of
from ssdsim.config.keys import keys

WRONG = {
    "ftl.gc.victim=greedyy": "did you mean 'greedy'",
    "workload.read_share=1.5": "must be a number, 0 to 1",
    "host.queue_dept": "no key, field or module",
    "stack=pa_ssd hardware=pa_sd": "no preset pa_sd",
    "python -m experiments.comparing": "no such module",
    "Collector.considers": "no class has this method",
    "rule.py": "no such file",
    "ssdsim comapre": "no command",
}
RIGHT = (
    *("ftl.gc.victim=mine.Own", "hardware=pa_ssd stack=baseline", "gc.cost_us", "requests.read.response_us.p99"),
    *("--baseline", "ssdsim compare --seeds 5", "Collector.consider", "rules.py", "any word"),
    *("seed=range(1,9)", "workloads.b.queue_depth=4", "scheduler.options.pass_limit", "hydra.run.dir=run"),
)


@pytest.fixture(scope="module", autouse=True)
def _configurations():
    with session():
        yield


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_every_name_on_a_page_is_declared(page):
    assert not wrong_names(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_name_is_told_with_its_line(code):
    (told,) = wrong_names(f"Words.\n\nMore words, and `{code}`.\n")
    assert told.startswith(f"3: `{code}`: ")
    assert WRONG[code] in told


@pytest.mark.parametrize("code", RIGHT)
def test_a_right_name_is_not(code):
    assert not wrong_names(f"`{code}`")


def defaults(text):
    """Yield key and default of each row of a table that has columns called so."""
    columns = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not (cells and columns):
            columns = cells
        elif {"key", "default"} <= {*columns}:
            row = dict(zip(columns, cells, strict=True))
            if found := re.match(r"`(\w+(?:\.\w+)+)[=`]", row["key"]):
                yield found[1], row["default"]


def stated(default, declared):
    """Whether the text of a cell begins with the declared default, or says nothing, as in a row on another value."""
    values, words = (re.findall(r"[\w.]+", text) for text in (default_of(declared), default.replace("and", "")))
    return not words or words[: len(values)] == values


def test_defaults_in_tables_are_those_declared():
    every = [pair for page in PAGES for pair in defaults(page.read_text(encoding="utf-8"))]
    assert len(every) > 60
    assert not [(key, default) for key, default in every if not stated(default, declared_as(key))]
    assert not stated("5", declared_as("ftl.gc.soft_threshold"))


def declared_as(name):
    return [key for key in keys() if key.name == name]
