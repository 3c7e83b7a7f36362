"""Claims of a paper beside ours: the interval of the mean by hand, verdicts that can fail, and what is trivial."""

from types import SimpleNamespace

import pytest

from experiments.study.claims import AFTERWARDS, Claim, claim_of, counted, interval, rows_of, tally
from experiments.study.paper import Change, Choice
from experiments.study.results import measured


def claim(paper, **given):
    return Claim("it", "It", "Fig. 1", paper, "%", "one()", **given)


def test_the_interval_of_the_mean_by_hand():
    """Of 9, 10 and 11 the deviation is 1; with two degrees of freedom t is 4.303."""
    mean, low, high = interval([9.0, 10.0, 11.0])
    assert (mean, low, high) == pytest.approx((10, 10 - 4.303 / 3**0.5, 10 + 4.303 / 3**0.5))
    assert interval([9.0, 11.0]) == pytest.approx((10, float("nan"), float("nan")), nan_ok=True)


@pytest.mark.parametrize(
    ("claim", "ends", "verdict"),
    [
        (claim(30), (28, 32), "agrees"),
        (claim(30), (50, 52), "off"),
        (claim(30), (-11, -9), "other direction"),
        (claim(-6), (2, 2), "other direction"),
        (claim(0), (0.3, 0.3), "agrees"),
        (claim(99), (91.5, 91.5), "agrees"),
        (claim(99, rule="reduces"), (91.5, 91.5), "off"),  # what is left is 8.5 for 1
        (claim(99, rule="reduces"), (98.7, 99.3), "agrees"),
        (claim(10, rule="reduces"), (7, 13), "agrees"),  # a third of 10 is the narrower
        (claim(-6, rule="reduces"), (2, 2), "other direction"),
        (claim(98, rule="at least"), (99, 99.2), "agrees"),
        (claim(1, rule="at most"), (-0.2, 2.2), "open"),
        (claim(1, rule="at most"), (-2.6, -2.6), "off"),
        (claim(0, rule="more than"), (0, 0), "off"),
        (claim(0, rule="less than"), (0, 0), "off"),
    ],
)
def test_verdicts(claim, ends, verdict):
    assert claim.verdict(*ends) == verdict


@pytest.mark.parametrize(
    ("claim", "trivial"),
    [
        (claim(30), False),
        (claim(0.3), True),
        (claim(100, null=100.0), True),
        (claim(5, rule="at most"), True),
        (claim(4, counts=True), True),
    ],
)
def test_what_would_agree_if_nothing_happened_is_trivial(claim, trivial):
    assert claim.is_trivial == trivial


def test_a_table_says_what_agrees(tmp_path):
    rows = [
        "claim\twhat\twhere\tpaper\tformula\tband\tnull\tnote",
        "a\tA\t4.2\t-16.5 points\tone()\twithin 2\t\t",
        "b\tB\t4.2\t98%\tone()\tat least 0.5\tbuilt\tof all",
        "c\tC\t4.2\t5\t\tat most 0.5\t1.5\tis not modelled",
        "d\tD\t4.2\t0%\tone()\tmore than\t0\t",
    ]
    (tmp_path / "it.claims.tsv").write_text("\n".join(rows) + "\n")
    a, b, c, d = (claim_of(**row) for row in rows_of(tmp_path / "it.claims.tsv"))
    assert (a.paper, a.unit, a.rule, a.slack, a.null, a.counts) == (-16.5, " points", "within", 2, None, False)
    assert [each.told for each in (a, b, c, d)] == ["-16.5 points", "at least 98%", "at most 5", "more than 0%"]
    assert [each.agrees for each in (a, b, c, d)] == ["-22 to -11", "97.5 and more", "-5.5 to 5.5", "more than"]
    assert (b.counts, c.null, c.formula, c.note) == (True, 1.5, "", "is not modelled")


def test_claims_are_counted_by_verdict_and_values_bounds_and_trivial_ones_apart():
    trivial, value, bound = claim(0.3), claim(30), claim(30, rule="at least", null=0.0)
    verdicts = [(trivial, "agrees"), (value, "agrees"), (value, AFTERWARDS), (value, "open"), (bound, "off")]
    held = [(claim, {"verdict": verdict}) for claim, verdict in verdicts]
    assert counted(held) == (
        "1 of 4 claims agree that are not trivial: 1 of 3 values and 0 of 1 bounds; 1 more agree by a choice made "
        "afterwards, and 1 are trivial."
    )
    assert tally(held).markdown().splitlines()[2:4] == [
        "| agrees | 1 | 0 | 1 |",
        "| agrees by a choice made afterwards | 1 | 0 | 0 |",
    ]


@pytest.mark.parametrize(("before", "verdict"), [("off", AFTERWARDS), ("agrees", "agrees")])
def test_what_agrees_by_ours_and_not_by_what_a_choice_was_before_is_told_from_the_rest(before, verdict):
    values = {"now": [Change()], "then": [Change()]}
    paper = SimpleNamespace(claims=[claim(30)], choices=[Choice("Times", "", values, former={"then"})])
    columns = [("claims", "ours", "agrees"), ("Times", "now", "agrees"), ("Times", "then", before)]
    rows = [{"table": table, "row": "it", "column": column, "verdict": each} for table, column, each in columns]
    assert [row["verdict"] for _, row in measured(paper, rows)] == [verdict]
