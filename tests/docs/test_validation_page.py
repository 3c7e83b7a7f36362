"""What the validation page shows is what runs give."""

import pytest

from docs.pictures.agreement import replays
from docs.power_cuts import CUTS, STACKS, cut, stored

CHECKED = (("page_ftl", 200), ("flex_ftl", 800))
"""Of the cuts, one that loses pages and one whose pages are restored; all others with -m more."""


def test_first_requests_answer_as_mqsim_and_ssdsim_did():
    found = list(replays())
    assert len(found) == 10
    assert [(each.workload, each.simulator) for each in found if each.equal < len(each.ours) or each.equal < 450] == []


def test_every_cut_is_stored():
    assert [(each.stack, each.after_programs) for each in stored()] == [(stack, at) for stack in STACKS for at in CUTS]


@pytest.mark.parametrize(
    ("stack", "after_programs"),
    [
        pytest.param(stack, after, marks=() if (stack, after) in CHECKED else pytest.mark.more)
        for stack in STACKS
        for after in CUTS
    ],
)
def test_stored_cuts_are_what_runs_give(stack, after_programs):
    (kept,) = [each for each in stored() if (each.stack, each.after_programs) == (stack, after_programs)]
    assert cut(stack, after_programs) == kept
