"""The long run of two stacks, kept short."""

import pytest

from experiments.validation import soak

SHORT = {"digest": "a", "transactions": 10**7, "early_mib": 100.0, "last_mib": 101.0}
LONG = SHORT | {"transactions": 10**8}


@pytest.mark.parametrize(
    ("first", "change", "told"),
    [
        (LONG, {}, ""),
        (LONG, {"digest": "b"}, "summaries differ"),
        (LONG, {"last_mib": 117.0}, "memory has grown by 17 MiB"),
        (SHORT, {"last_mib": 117.0}, ""),
        (SHORT, {"last_mib": 200.0}, "memory has grown by 100 MiB"),
    ],
)
def test_two_runs_of_the_same_are_held_against_each_other(first, change, told):
    assert soak.fault(first, first | change) == told


def test_a_run_says_what_it_did():
    done = soak.soaked(("baseline", 3000, None))
    assert done["transactions"] > 3000 and done["collections"] > 0 and done["last_mib"] > 1
    assert soak.fault(done, soak.soaked(("baseline", 3000, None))) == ""
    assert soak.soaked(("baseline", 3001, None))["digest"] != done["digest"]


@pytest.mark.more
def test_the_command_prints_a_line_for_each_stack(capsys):
    assert soak.main(["--transactions", "1e5", "baseline"]) == 0
    assert "the same" in capsys.readouterr().out
