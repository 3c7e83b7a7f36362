"""Tables and numbers of a report."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.study.output import Output
from ssdsim.report.markdown import markdown, number, write_csv


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0.0, "0"),
        (12345, "12,345"),
        (12345.6, "12,346"),
        (99.95, "100"),
        (0.012345, "0.0123"),
        (-1.5, "-1.5"),
    ],
)
def test_numbers_have_three_digits(value, shown):
    assert number(value) == shown


@given(st.floats(-999, 999))
def test_a_shown_number_is_within_half_of_its_last_digit(value):
    assert float(number(value)) == pytest.approx(value, rel=5.1e-3, abs=1e-300)


def test_tables_are_written_for_reading_and_for_other_programs(tmp_path):
    assert markdown(["a", "b"], [["x", 1.23456], ["y", None]]) == "| a | b |\n| --- | ---: |\n| x | 1.23 |\n| y | - |\n"
    write_csv(tmp_path / "it.csv", [{"a": "x", "b": 1.23456}, {"a": "y", "b": None}])
    with (tmp_path / "it.csv").open() as file:
        assert list(csv.DictReader(file)) == [{"a": "x", "b": "1.23456"}, {"a": "y", "b": ""}]


def test_a_table_with_further_rows_keeps_these_out_of_its_file(tmp_path):
    text = Output(tmp_path, None).table("it", [{"a": "x", "b": 1.5}, {"a": "y", "b": 2.5}], ["mean", 2])
    assert text == "| a | b |\n| --- | ---: |\n| x | 1.5 |\n| y | 2.5 |\n| mean | 2 |\n"
    assert "mean" not in (tmp_path / "it.csv").read_text()
