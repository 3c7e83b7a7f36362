"""The tables show what the summary holds, in the right place."""

import re
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.metrics.result import Result
from ssdsim.report.summary import CLEAN, TAIL_COLUMNS, codes_of, summary_text, validity_lines, validity_of_runs
from ssdsim.report.tables import comparison_table, seeds_table
from ssdsim.report.text import TextTable
from support.requests import GAP, reads, writes


def test_response_times_stand_beside_their_operation(result):
    text = summary_text(result, 100)
    for title, read, write in (
        ("requests", "1,000", "1,000"), ("MiB", "7.8", "7.8"), ("response mean", "100.0", "2,000.0"),
        ("p50", "102.0", "2,002.0"), ("p99.9", "105.0", "2,005.0"), ("max", "107.0", "2,007.0"),
        ("queue", "108.0", "2,008.0"), ("array", "110.0", "2,010.0"), ("GC", "111.0", "2,011.0"),
    ):  # fmt: skip
        assert re.search(rf"^ *{re.escape(title)} +{re.escape(read)} +{re.escape(write)} ", text, re.MULTILINE), title


def test_what_the_slowest_waited_for_is_shown_as_far_as_there_was_anything(result):
    assert "slowest" not in summary_text(result, 100)  # of a version that did not know
    parts = {"response_us": 900.0, "queue": 100.0, "bus": 20.0, "array": 30.0, "gc": 750.0, "urgent_gc": 700.0}
    tail = {name: {"requests": 1, **parts, "mapping": 0.0, "buffer": 0.0} for name in TAIL_COLUMNS.values()}
    requests = {op: of | {"tail": tail} for op, of in result.summary["requests"].items()}
    requests["write"] = requests["write"] | {"count": 0}
    text = summary_text(attrs.evolve(result, summary=result.summary | {"requests": requests}), 100)
    assert re.search(r"^ slowest +read 1 % +read 0.1 % *$", text, re.MULTILINE)
    for title, value in (("mean", "900.0"), ("GC", "750.0"), ("urgent", "700.0")):
        assert re.search(rf"^ +{title} +{value} +{value} *$", text, re.MULTILINE), title
    assert "mapping" not in text


def test_streams_and_what_requests_waited_for_are_shown_if_there_are_several_and_it_was_recorded(experiment):
    """A read waits for the rest of a write of another stream, of 104.296 us."""
    streams = [{"rows": writes(0, 1, gap=GAP)}, {"rows": reads(0, at=GAP + 296)}]
    text = summary_text(experiment(streams, {"metrics": {"blame": True}}).result, None)
    assert re.search(r"^ other writes +104.0 +104.0 +104.0 +0.0 +0.0 +0.0 *$", text, re.MULTILINE)
    assert re.search(r"^ second +read +1 +118.2 ", text, re.MULTILINE) and " mapping " not in text
    text = summary_text(experiment(streams[:1]).result, None)
    assert "blamed on" not in text and "stream" not in text


def test_totals_are_of_the_whole_run(result):
    text = summary_text(result, 100)
    for title, value in (
        ("IOPS", "4,321"), ("write amplification", "1.625"), ("GC collections", "11"), ("GC page moves", "625"),
        ("erases", "777"), ("busy channels, %", "50.0"), ("busy dies, %", "12.5"), ("flash transactions/s", "654,321"),
    ):  # fmt: skip
        assert re.search(rf" {re.escape(title)} +{re.escape(value)} ", text), title


@pytest.mark.parametrize("medium", [None, 0.25])
def test_writes_by_page_type_are_shown_where_there_are_several(result, medium):
    titles = re.compile(r" (fast|medium|slow) writes, % +(\S+) ")
    one = {"fast": 1.0, "medium": 0.0, "slow": 0.0, "free_lsb": 9, "free_csb": None, "free_msb": None}
    several = one | {"fast": 0.5, "medium": medium, "slow": 0.25, "free_msb": 0}
    for page_types, shown in (({}, []), (one, []), (several, ["50.0", "-" if medium is None else "25.0", "25.0"])):
        text = summary_text(attrs.evolve(result, summary=result.summary | {"page_types": page_types}), 100)
        assert [share for _, share in titles.findall(text)] == shown


def test_victims_and_the_spread_of_writes_are_shown_where_they_are_known(result):
    titles = re.compile(r" (valid in victims, %|wasted for parity|page writes a plane, std) +(\S+) ")
    assert titles.findall(summary_text(result, 100)) == []
    gc = result.summary["gc"] | {"victim_valid_share": 0.177}
    known = result.summary | {"gc": gc, "wasted_pages": 1234, "page_writes_per_plane_std": 5.25}
    found = titles.findall(summary_text(attrs.evolve(result, summary=known), 100))
    assert [value for _, value in found] == ["17.7", "1,234", "5.2"]


def test_what_speaks_against_a_run_is_told_in_a_line_and_if_asked_in_sentences(result):
    finding = {"code": "on_its_way", "numbers": {"capacities_written": 0.5}, "sentence": "Too little was written."}
    drift = finding | {"code": "backlog"}
    assert validity_lines(result.summary) == []
    assert validity_lines(result.summary | {"validity": []}) == [CLEAN]
    summary = result.summary | {"validity": [finding, drift, drift]}
    assert validity_lines(summary) == ["What speaks against these numbers: on its way, backlog (-v says why)."]
    assert validity_lines(summary, verbose=True)[1] == "  on its way: Too little was written."
    assert len(validity_lines(summary, verbose=True)) == 4
    short = {"code": "too_short", "numbers": {"requests": 34_000}, "sentence": "Too short."}
    assert "too short; some 34,000 requests would do (-v" in validity_lines(result.summary | {"validity": [short]})[0]
    assert codes_of(summary) == ("on_its_way", "backlog") and codes_of(result.summary) is None


def test_runs_with_the_same_against_them_share_a_line():
    clean, both = (), ("on_its_way", "backlog")
    told = ["What speaks against a: nothing.", "What speaks against b: on its way, backlog."]
    assert validity_of_runs({"old": None, "a": clean, "b": both}) == told[::-1]
    others = "What speaks against the others: nothing."
    assert validity_of_runs({"a": clean, "b": both, "c": clean}) == [told[1], others]
    assert validity_of_runs({"a": clean, "b": clean}) == ["What speaks against all 2: nothing."]
    assert validity_of_runs({"a": both, "b": both}) == ["What speaks against all 2: on its way, backlog."]


@given(st.lists(st.lists(st.text("ab 1", max_size=12), min_size=3, max_size=3), max_size=5), st.integers(1, 60))
def test_a_table_that_is_folded_has_all_words_whole_and_fits_if_they_do(rows, width):
    table = TextTable("a first", "second", "third", rows=rows)
    assert len(table.lines()) == 2 + len(rows)
    folded = table.lines(width)
    words = sorted(word for row in [table.header, *rows] for cell in row for word in cell.split())
    assert sorted(word for line in folded for word in line.split() if "─" not in word) == words
    longest = [max(map(len, " ".join(column).split())) for column in zip(table.header, *rows, strict=True)]
    assert {len(line) for line in folded} == {len(folded[0])}
    assert len(folded[0]) <= max(width, sum(longest) + 2 * len("   ") + 2)


def test_intervals_stand_below_the_mean_and_the_99th_percentile_as_far_as_there_are_any(result):
    titles = re.compile(r"^ *± at 95 % +(\S+) +(\S+) ", re.MULTILINE)
    assert titles.findall(summary_text(result, 100)) == []
    result.summary["requests"]["write"]["response_us_ci95"] = {"mean": [1990.0, 2010.0], "p99": [2000.0, 2054.0]}
    assert titles.findall(summary_text(result, 80)) == [("-", "10.0"), ("-", "50.0")]


def test_runs_that_differ_by_their_seeds_have_their_mean_and_its_interval(result):
    """Of 4320, 4321 and 4322 the deviation is 1: 4.303 / sqrt(3)."""
    runs = [attrs.evolve(result, summary=result.summary | {"iops": 4321.0 + step}) for step in (-1, 0, 1)]
    text = str(seeds_table({"gc=rga": runs, "gc=fifo": runs[:1]}))
    assert re.search(r"^ gc=rga +3 +4,321 ± 2 +100.0 ± 0.0 +104.0 ± 0.0 ", text, re.MULTILINE)
    assert re.search(r"^ gc=fifo +1 +4,320 +100.0 +104.0 ", text, re.MULTILINE)


def test_the_totals_stand_beside_the_response_times_where_there_is_room(result):
    beside, below = (summary_text(result, width).splitlines() for width in (80, 60))
    assert max(map(len, beside)) <= 80 and max(map(len, below)) <= 60
    assert re.fullmatch(r" microseconds .* whole run *", beside[1]) and re.fullmatch(r" (─+)      (─+) ", beside[2])
    assert len(below) > len(beside) and sum("whole run" in line for line in below) == 1
    assert sorted(" ".join(beside).split()) == sorted(" ".join(below).split())


def test_what_was_not_measured_is_a_dash(result):
    summary = result.summary
    summary["requests"]["read"] |= {
        "count": 0,
        "response_us": dict.fromkeys(summary["requests"]["read"]["response_us"]),
    }
    summary |= {"iops": None, "write_amplification": None, "utilization": {"channel": [], "die": [], "plane": []}}
    text = summary_text(result, 100)
    assert re.search(r"p50 +- +2,002.0", text)
    for title in ("IOPS", "write amplification", "busy dies, %"):
        assert re.search(rf" {title} +- ", text), title
    assert re.search(r"^ one +- ", str(comparison_table({"one": result})), re.MULTILINE)


def test_runs_are_compared_by_name_in_the_order_given(result):
    partial = attrs.evolve(result, summary=result.summary | {"partial": True, "iops": 1.0})
    text = str(comparison_table({"gc=rga": result, "gc=fifo": partial}))
    rows = [line.split() for line in text.splitlines() if "gc=" in line]
    numbers = ["33.7", "100.0", "104.0", "2,000.0", "2,004.0", "1.625"]
    assert rows == [["gc=rga", "4,321", *numbers], ["gc=fifo", "(partial)", "1", *numbers]]


def test_runs_without_a_name_are_named_by_their_folder(result):
    placed = Result(result.summary, Path("results/of/mine"))
    assert re.search(r"^ mine +4,321 ", str(comparison_table([placed])), re.MULTILINE)
