"""The two reference devices answer as MQSim and SSDSim do: by hand on an idle device, and in every reference file."""

import pytest

from experiments.validation.agreement import CASES, ENOUGH, FOLDER, SIMULATORS, compare, files, unloaded


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
