"""Claims of a paper beside ours: the interval of the mean by hand, verdicts that can fail, and what is trivial."""

import pytest

from experiments.study.claims import Claim, Comparison, beginning, comparison_table, counted


def claim(paper, *seeds, **given):
    return Comparison(Claim("it", "It", paper, "Fig. 1", **given), seeds)


def test_the_interval_of_the_mean_by_hand():
    """Of 9, 10 and 11 the deviation is 1; with two degrees of freedom t is 4.303."""
    assert claim(1, 9.0, 10.0, 11.0).range == pytest.approx((10 - 4.303 / 3**0.5, 10 + 4.303 / 3**0.5))
    assert claim(1, 9.0, 11.0).range is None


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (claim(30, 28.0, 30.0, 32.0), "agrees"),
        (claim(30, 20.0, 30.0, 40.0), "open"),
        (claim(30, 50.0, 51.0, 52.0), "**off by more than a third**"),
        (claim(30, 1.0, 1.0, 1.0), "**off by more than a third**"),
        (claim(30, -9.0, -10.0, -11.0), "**other direction**"),
        (claim(-30, -29.0, -30.0, -31.0), "agrees"),
        (claim(-6, 2.0), "**other direction**"),
        (claim(30), "not measured"),
        (claim(30, 20.0), "agrees"),
        (claim(30, 40.1), "**off by more than a third**"),
        (claim(0, 0.3, 0.3, 0.3), "agrees"),
        (claim(0, 0.6, 0.6, 0.6), "**off by more than a third**"),
        (claim(98, 99.0, 99.1, 99.2, rule="at least"), "agrees"),
        (claim(98, 97.0, 97.1, 97.2, rule="at least"), "**beyond the bound**"),
        (claim(1, 0.5, 1.0, 1.5, rule="at most"), "open"),
        (claim(1, 2.5, 2.6, 2.7, rule="at most"), "**beyond the bound**"),
        (claim(1, -2.6, rule="at most"), "**beyond the bound**"),
        (claim(0, -2.6, rule="at most"), "agrees"),
        (claim(0, 0.0, rule="more than"), "**beyond the bound**"),
        (claim(0, 1e-300, rule="more than"), "agrees"),
        (claim(0, 0.0, rule="less than"), "**beyond the bound**"),
        (claim(0, -0.1, rule="less than"), "agrees"),
    ],
)
def test_verdicts(claim, verdict):
    assert claim.verdict == verdict
    assert claim.agrees == (verdict == "agrees")


@pytest.mark.parametrize(
    ("claim", "trivial"),
    [
        (claim(30), False),
        (claim(0.3), True),
        (claim(0.3, slack=0.1), False),
        (claim(100, null=100.0), True),
        (claim(0, null=None), False),
        (claim(5, rule="at most"), True),
        (claim(5, rule="at least"), False),
        (claim(0, rule="more than"), False),
        (claim(4, counts=True), True),
    ],
)
def test_what_would_agree_if_nothing_happened_is_trivial(claim, trivial):
    assert claim.claim.is_trivial == trivial


def test_the_table_says_what_agrees():
    lines = comparison_table(
        [
            claim(30, 10.0, 10.0, 10.0),
            claim(98, 99.0, rule="at least"),
            claim(5, rule="at most"),
            claim(0, rule="more than"),
        ]
    ).splitlines()
    assert lines[0] == "| claim |  | where | ours | 95 percent | paper | agrees | verdict |"
    assert lines[2] == "| it | It | Fig. 1 | 10% | 10 to 10 | 30% | 20 to 40 | **off by more than a third** |"
    assert lines[3] == "| it | It | Fig. 1 | 99% | - | at least 98% | 97.5 and more | agrees |"
    assert lines[4] == "| it | It | Fig. 1 | - | - | at most 5% | -5.5 to 5.5 | not measured, trivial |"
    assert lines[5].endswith("| more than 0% | more than | not measured |")


def test_claims_are_found_by_the_beginning_of_their_names():
    found = [Comparison(Claim(name, "", 1, ""), ()) for name in ("fig1", "fig1.a", "fig10.a", "fig2.b")]
    assert [each.claim.name for each in beginning(found, "fig1")] == ["fig1", "fig1.a"]
    assert [each.claim.name for each in beginning(found, "fig10.a", "fig2")] == ["fig10.a", "fig2.b"]


def test_what_is_trivial_is_counted_apart():
    verdicts = [(True, True), (True, False), (False, False), (False, True)]
    assert counted(verdicts) == "2 of 4 claims agree; of the 2 that are not trivial, 1 do."
