"""The tables show what the summary holds, in the right place."""

import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.report.comparison import FIELDS, Point, compared, results_table
from ssdsim.report.summary import CLEAN, codes_of, summary_text, validity_lines
from ssdsim.report.text import GAP as BETWEEN
from ssdsim.report.text import LEAST_WIDTH, TextTable, half, number
from support.requests import GAP, reads, writes


def text_with(result, **changes):
    return summary_text(attrs.evolve(result, summary=result.summary | changes))


@pytest.mark.parametrize(
    ("title", "values"),
    [
        ("requests", ["1,000", "1,000"]),
        ("MiB", ["7.8", "7.8"]),
        ("response mean", ["100.0", "2,000.0"]),
        ("p99.9", ["105.0", "2,005.0"]),
        ("max", ["107.0", "2,007.0"]),
        ("GC", ["111.0", "2,011.0"]),
        ("IOPS", ["4,321"]),
        ("write amplification", ["1.625"]),
        ("GC page moves", ["625"]),
        ("erases", ["777"]),
        ("busy channels, %", ["50.0"]),
        ("flash transactions/s", ["654,321"]),
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


def test_rows_of_the_whole_run_are_left_out_where_nothing_is_known(result):
    titles = re.compile(r" (fast writes, %|medium writes, %|valid in victims, %|IOPS|busy dies, %) +(\S+)")
    assert titles.findall(text_with(result, iops=None)) == [("busy dies, %", "12.5")]
    known = {
        "page_types": {"fast": 0.5, "medium": 0.0},
        "gc": {"victim_valid_share": 0.177},
        "utilization": {"die": []},
    }
    found = dict(titles.findall(text_with(result, **known)))
    assert found == {"IOPS": "4,321", "fast writes, %": "50.0", "valid in victims, %": "17.7"}


def test_what_speaks_against_a_run_is_told_in_a_line_and_if_asked_in_sentences():
    finding = {"code": "on_its_way", "numbers": {"capacities_written": 0.5}, "sentence": "Too little was written."}
    summary = {"validity": [finding, finding | {"code": "backlog"}, finding | {"code": "backlog"}]}
    assert validity_lines({"validity": []}) == [CLEAN]
    assert validity_lines(summary) == ["What speaks against these numbers: on its way, backlog (-v says why)."]
    assert validity_lines(summary, verbose=True)[1] == "  on its way: Too little was written."
    short = {"code": "too_short", "numbers": {"requests": 34_000}, "sentence": "Too short."}
    assert "too short; some 34,000 requests would do (-v" in validity_lines({"validity": [short]})[0]
    assert codes_of(summary) == ["on_its_way", "backlog"]


def test_intervals_stand_below_the_mean_as_far_as_there_are_any(result):
    titles = re.compile(r"^ *± at 95 % +(\S+) +(\S+) ", re.M)
    assert titles.findall(summary_text(result)) == []
    result.summary["requests"]["write"]["response_us_ci95"] = {"mean": [1990.0, 2010.0]}
    assert titles.findall(summary_text(result)) == [("-", "10.0")]


CELLS = st.text("ab 1", max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS, st.text("ab 1", max_size=90)), max_size=5), st.integers(1, 90))
def test_a_table_that_is_folded_has_all_words_and_fits_if_its_first_columns_do(rows, width):
    table = TextTable("a first", "second", "third", rows=rows)
    assert len(table.lines()) == 2 + len(rows)
    words = "".join(cell for row in [table.header, *rows] for cell in row).replace(" ", "")
    lines = table.lines(width)
    assert sorted(re.sub("[ ─]", "", "".join(lines))) == sorted(words)
    assert max(map(len, lines)) <= max(width, 12 + 12 + LEAST_WIDTH + 2 * len(BETWEEN) + 2)


def test_one_table_is_a_text_and_markdown_and_turned():
    table = TextTable("name", "value", rows=[["a", 0.12345], ["b", None]])
    assert table.lines() == [" name   value", f" {'─' * 12}", " a      0.123", " b          -"]
    assert table.markdown() == "| name | value |\n| --- | ---: |\n| a | 0.123 |\n| b | - |\n"
    assert table.turned().lines()[2] == " value   0.123   -"


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (1234.5, 4, "1,234"),
        (0.012346, 4, "0.01235"),
        (12.3, 2, "12"),
        (5.594e-05, 2, "5.6e-05"),
        (None, 4, "-"),
        (7, 3, "7"),
    ],
)
def test_numbers_have_the_digits_that_count(value, digits, told):
    assert number(value, digits) == told


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
