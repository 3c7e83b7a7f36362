"""Claims of a paper beside ours: the interval of the mean by hand, and verdicts that can fail."""

import pytest

from experiments.study.claims import Comparison, comparison_table, interval, over_seeds


def test_the_interval_of_the_mean_by_hand():
    """Of 9, 10 and 11 the deviation is 1; with two degrees of freedom t is 4.303."""
    assert interval([9.0, 10.0, 11.0]) == pytest.approx((10 - 4.303 / 3**0.5, 10 + 4.303 / 3**0.5))
    assert interval([5.0] * 40) == (5.0, 5.0)
    assert interval([9.0, 11.0]) is None


def seeded(paper, *seeds, **given):
    """Return the claim of runs of which each gave one of `seeds`."""
    (found,) = over_seeds([Comparison("it", ours, paper, **given)] for ours in seeds)
    return found


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (seeded(30, 28.0, 30.0, 32.0), "agrees"),
        (seeded(30, 20.0, 30.0, 40.0), "open"),
        (seeded(30, 50.0, 51.0, 52.0), "**off by more than a third**"),
        (seeded(30, 1.0, 1.0, 1.0), "**off by more than a third**"),
        (seeded(30, -9.0, -10.0, -11.0), "**other direction**"),
        (seeded(-30, -29.0, -30.0, -31.0), "agrees"),
        (seeded(30, None, None, None), "not measured"),
        (seeded(30, 35.0), "agrees"),
        (seeded(30, 41.0), "**off by more than a third**"),
        (seeded(0, 0.3, 0.3, 0.3), "agrees"),
        (seeded(0, 0.6, 0.6, 0.6), "**off by more than a third**"),
        (seeded(98, 99.0, 99.1, 99.2, rule="at least"), "agrees"),
        (seeded(98, 97.0, 97.1, 97.2, rule="at least"), "**beyond the bound**"),
        (seeded(1, 0.5, 1.0, 1.5, rule="at most"), "open"),
        (seeded(1, 2.5, 2.6, 2.7, rule="at most"), "**beyond the bound**"),
    ],
)
def test_verdicts(claim, verdict):
    assert claim.verdict == verdict
    assert claim.agrees == (verdict == "agrees")


def test_a_seed_without_a_case_does_not_count():
    claim = seeded(30, 28.0, None, 30.0, 32.0)
    assert claim.ours == 30 and len(claim.seeds) == 3


def test_the_table_has_ours_its_interval_and_the_papers():
    claims = [seeded(30, 10.0, 10.0, 10.0), seeded(98, 99.0, rule="at least"), seeded(5, None)]
    lines = comparison_table(claims).splitlines()
    assert lines[2] == "| it | 10% | 10 to 10 | 30% | **off by more than a third** |"
    assert lines[3] == "| it | 99% | - | at least 98% | agrees |"
    assert lines[4] == "| it | - | - | 5% | not measured |"
