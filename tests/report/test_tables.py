"""The tables show what the summary holds, in the right place."""

import re

import attrs
import pytest

from ssdsim.report.comparison import FIELDS, Point, compared, results_table
from ssdsim.report.summary import CLEAN, codes_of, summary_text, validity_lines
from ssdsim.report.text import TextTable, half
from support.requests import GAP, reads, writes


@pytest.mark.parametrize(
    ("title", "values"),
    [
        ("requests", ["1,000", "1,000"]),
        ("response mean", ["100.0", "2,000.0"]),
        ("GC", ["111.0", "2,011.0"]),
        ("IOPS", ["4,321"]),
        ("write amplification", ["1.625"]),
        ("busy channels, %", ["50.0"]),
    ],
)
def test_each_value_stands_beside_its_title(result, title, values):
    assert re.search(
        rf"(^| ) *{re.escape(title)} +{' +'.join(map(re.escape, values))}( |$)", summary_text(result), re.M
    )


def test_streams_and_blame_are_shown_if_there_are_several_and_it_was_recorded(experiment):
    """A read waits for the rest of a write of another stream, of 104.296 us."""
    streams = [{"rows": writes(0, 1, gap=GAP)}, {"rows": reads(0, at=GAP + 296)}]
    text = summary_text(experiment(streams, {"metrics": {"blame": True}}).result)
    assert re.search(r"^ +blamed on other writes +104.0 +0.0 ", text, re.M)
    assert re.search(r"^ second +read +1 +118.2 ", text, re.M) and " mapping " not in text
    text = summary_text(experiment(streams[:1]).result)
    assert "blamed on" not in text and "stream" not in text


def test_what_speaks_against_a_run_is_told_in_a_line_and_if_asked_in_sentences():
    finding = {"code": "on_its_way", "numbers": {"capacities_written": 0.5}, "sentence": "Too little was written."}
    summary = {"validity": [finding, finding | {"code": "backlog"}, finding | {"code": "backlog"}]}
    assert validity_lines({"validity": []}) == [CLEAN]
    assert validity_lines(summary) == ["What speaks against these numbers: on its way, backlog (-v says why)."]
    assert validity_lines(summary, verbose=True)[1] == "  on its way: Too little was written."
    short = {"code": "too_short", "numbers": {"requests": 34_000}, "sentence": "Too short."}
    assert "too short; some 34,000 requests would do (-v" in validity_lines({"validity": [short]})[0]
    assert codes_of(summary) == ["on_its_way", "backlog"]


def test_one_table_is_a_text_and_markdown_and_turned():
    table = TextTable("name", "value", rows=[["a", 0.12345], ["b", None]])
    assert table.lines() == [" name   value", f" {'─' * 12}", " a      0.123", " b          -"]
    assert table.markdown() == "| name | value |\n| --- | ---: |\n| a | 0.123 |\n| b | - |\n"
    assert table.turned().lines()[2] == " value   0.123   -"


def test_runs_that_differ_by_their_seeds_have_their_mean_and_its_interval(result):
    """Of 4320, 4321 and 4322 the deviation is 1: 4.303 / sqrt(3)."""
    runs = [attrs.evolve(result, summary=result.summary | {"iops": 4321.0 + step, "seed": step}) for step in (-1, 0, 1)]
    points = [
        Point({"gc": "rga"}, runs),
        Point({"gc": "fifo"}, runs[:1]),
        Point({"gc": "mine"}, [], ["refused: no room"]),
    ]
    lines = results_table(points, compared(points, [*FIELDS])).lines()
    assert re.match(r" gc +IOPS +mean read +p99 read ", lines[0])
    assert re.match(r" rga +4,321 ± 2.5 +100 ± 0 +104 ± 0 .* 3   nothing$", lines[2])
    assert re.match(r" fifo +4,320 +100 +104 .* 1   nothing$", lines[3])
    assert re.match(r" mine +- .* 0   refused$", lines[4])
    assert half(1.0, 3.0) == " ± 1" and half(None, None) == ""
