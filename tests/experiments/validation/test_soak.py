"""The long run of two stacks, kept short."""

import pytest

from experiments.validation import soak

RUN = {"digest": "a", "early_mib": 100.0, "last_mib": 101.0}


@pytest.mark.parametrize(
    ("change", "told"),
    [({}, ""), ({"digest": "b"}, "summaries differ"), ({"last_mib": 200.0}, "memory has grown by 100 MiB")],
)
def test_two_runs_of_the_same_are_held_against_each_other(change, told):
    assert soak.fault(RUN, RUN | change) == told


@pytest.mark.more
def test_the_command_prints_a_line_for_each_stack(capsys):
    assert soak.main(["--requests", "1500", "baseline"]) == 0
    assert capsys.readouterr().out.endswith("the same\n")
    first, other = (soak.soaked("baseline", requests) for requests in (1500, 1501))
    assert first["collections"] > 0 and first["last_mib"] > 1 and first["digest"] != other["digest"]
