"""Numbers of results that may be missing, and formulae of them."""

from statistics import fmean

import pytest

from experiments.study.numbers import Number, computed, largest, least, mean, of_all, others, run_value, summary_value
from experiments.study.study import left_open
from ssdsim.metrics.result import Result

RESULTS = {"part": {"a/x": Result({"size": 4}), "b/x": Result({"size": 5})}}


def number(value):
    return Number(lambda _: value)


def test_a_run_that_a_part_lacks_has_no_number_and_a_part_that_was_not_run_is_told():
    sizes = {name: summary_value("part", name, "x", lambda summary: summary["size"]) for name in "abc"}
    assert [size(RESULTS) for size in sizes.values()] == [4, 5, None]
    assert run_value("part", "a", "x", lambda result: result.summary["size"])(RESULTS) == 4
    with pytest.raises(KeyError):
        summary_value("other", "a", "x", len)(RESULTS)
    assert [size(RESULTS) for size in others(sizes, "a", "c")] == [5]


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (lambda one, other: one - other, 3),
        (lambda one, other: -one, -5),
        (lambda one, other: one.over(other), 2.5),
        (lambda one, other: one.above(other), 150),
        (lambda one, other: one.below(other), -150),
        (lambda one, other: computed(max, one, other), 5),
    ],
)
def test_a_formula_needs_all_of_its_numbers(formula, value):
    assert formula(number(5), number(2))({}) == pytest.approx(value)
    assert formula(number(None), number(2))({}) is None


def test_a_quotient_by_nothing_is_no_number():
    assert number(5).over(number(0))({}) is number(5).above(number(0))({}) is None


def test_means_and_extremes_are_of_those_known_or_of_all():
    numbers = [number(3), number(None), number(1)]
    assert [of(numbers)({}) for of in (mean, least, largest)] == [2, 1, 3]
    assert of_all(fmean, numbers)({}) is None and of_all(fmean, numbers[::2])({}) == 2
    assert mean([number(None)])({}) is mean([])({}) is None


def test_what_is_left_open_is_read_with_the_numbers_that_its_words_name(tmp_path):
    (tmp_path / "choices.tsv").write_text("name\ttold\tdefault\nDepth\tNot more than {most}.\t{depth}\n")
    choice = left_open(str(tmp_path / "choices.py"))["Depth"].between({}, ["a"], depth=256, most=10)
    assert (choice.told, choice.default, choice.workloads) == ("Not more than 10.", "256", ["a"])
