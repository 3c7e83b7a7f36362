"""The two reference devices answer as MQSim and SSDSim do: by hand on an idle device, and in every reference file.

What is stored of the others' answers, of two planes too, is held by `tests/docs/test_validation_page.py`.
"""

import pytest

from experiments.validation.agreement import (
    CASES,
    ENOUGH,
    FOLDER,
    SIMULATORS,
    compare,
    files,
    print_checks,
    unloaded,
)
from experiments.validation.agreement_statistics import Check


@pytest.mark.parametrize("kernel", ["compiled", pytest.param("simpy", marks=pytest.mark.more)])
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_idle_device_answers_as_summed_up(case, simulator, kernel):
    assert unloaded(case, simulator, kernel) == case.expected_ns[simulator]


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("path", files(FOLDER) if FOLDER.is_dir() else [None])
def test_response_times_equal_the_reference(path, simulator):
    if path is None:
        pytest.skip("the reference files are not there: ../shared/reference beside the project")
    found = compare(path, simulator, "compiled")
    assert found.equal >= ENOUGH * found.requests
    assert found.our_mean == pytest.approx(found.their_mean, rel=1e-3)


def test_a_table_fails_for_a_figure_that_differs_and_for_none_at_all(capsys):
    right, wrong = Check("a", "mean", "1.000", "1.000", True), Check("a", "p99", "2.000", "2.001", False)
    assert print_checks("two planes", [right])
    assert not print_checks("two planes", [right, wrong])
    assert "p99: 2.001, not 2.000" in capsys.readouterr().out
    assert not print_checks("collection", [])
