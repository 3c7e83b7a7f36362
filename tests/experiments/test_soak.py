"""The long run of two stacks, kept short."""

import pytest

from experiments import soak

SAME = {"digest": "a", "early_mib": 100.0, "last_mib": 101.0}


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (SAME, ""),
        (SAME | {"digest": "b"}, "summaries differ"),
        (SAME | {"last_mib": 200.0}, "memory has grown by 100 MiB"),
    ],
)
def test_two_runs_of_the_same_are_held_against_each_other(second, told):
    assert soak.fault(SAME, second) == told


def test_a_run_says_what_it_did():
    done = soak.soaked(("baseline", 3000))
    assert done["transactions"] > 3000 and done["collections"] > 0 and done["last_mib"] > 1
    assert soak.fault(done, soak.soaked(("baseline", 3000))) == ""
    assert soak.soaked(("baseline", 3001))["digest"] != done["digest"]


@pytest.mark.more
def test_the_command_prints_a_line_for_each_stack(capsys):
    assert soak.main(["--transactions", "1e5", "baseline"]) == 0
    assert "the same" in capsys.readouterr().out
