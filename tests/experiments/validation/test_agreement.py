"""The two reference devices answer as MQSim and SSDSim do: by hand on an idle device, and in every reference file."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.validation import agreement
from experiments.validation.agreement import CASES, ENOUGH, FOLDER, SIMULATORS, compare, files, main, unloaded


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


@pytest.fixture
def replayed(monkeypatch):
    """Give the replays that the command asks for; these take no time, and at first every response time is right."""
    found = SimpleNamespace(cases=[], files=[], off=0, unloaded_off=None)

    def unloaded(case, simulator, kernel):
        found.cases.append((case.name, simulator, kernel))
        return case.expected_ns[simulator] + (found.cases[-1] == found.unloaded_off)

    def responses(path, simulator, kernel):
        found.files.append((path.name, simulator, kernel))
        return np.arange(1000) + (np.arange(1000) < found.off) * -1

    monkeypatch.setattr(agreement, "STORED", Path("nowhere"))
    monkeypatch.setattr(agreement, "unloaded", unloaded)
    monkeypatch.setattr(agreement, "responses", responses)
    return found


def reference_file(path, *simulators, compress=bytes):
    rows = (f"{at},R,0,8192" + f",{at}" * len(simulators) for at in range(1000))
    header = ",".join(["arrival_ns,op,offset_bytes,size_bytes", *(f"{each}_ns" for each in simulators)])
    path.write_bytes(compress("\n".join([header, *rows, ""]).encode()))


@pytest.mark.parametrize(("off", "status"), [(0, 0), (1, 0), (2, 1)])
def test_one_response_time_in_a_thousand_may_differ(tmp_path, replayed, off, status):
    """By whatever, and be it too short."""
    reference_file(tmp_path / "a.csv", "mqsim")
    replayed.off = off
    assert main(["--folder", str(tmp_path)]) == status
    assert compare(tmp_path / "a.csv", "mqsim", "simpy").largest == min(off, 1)
