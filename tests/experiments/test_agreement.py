"""The two reference devices answer as MQSim and SSDSim do: by hand on an idle device, and in every reference file."""

import pytest

from experiments.agreement import CASES, ENOUGH, FOLDER, SIMULATORS, compare, files, main, unloaded
from experiments.compose import prepared, session

KERNELS = ("compiled", "simpy")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_idle_device_answers_as_summed_up(case, simulator, kernel):
    assert unloaded(case, simulator, kernel) == case.expected_ns[simulator]


@pytest.mark.parametrize(("simulator", "us"), [("mqsim", 0.22), ("ssdsim", 0.0)])
def test_the_command_of_an_erase_takes_what_it_takes_there(simulator, us):
    with session():
        assert prepared([f"hardware=reference_{simulator}"]).config.hardware.erase_command_us == us


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("path", files(FOLDER) if FOLDER.is_dir() else [None])
def test_response_times_equal_the_reference(path, simulator):
    if path is None:
        pytest.skip("the reference files are not there: ../shared/reference beside the project")
    found = compare(path, simulator, "compiled")
    assert found.equal >= ENOUGH * found.requests
    assert found.our_mean == pytest.approx(found.their_mean, rel=1e-3)


def test_the_command_compares_whatever_files_a_folder_holds(tmp_path, capsys):
    rows = ["arrival_ns,op,offset_bytes,size_bytes,mqsim_ns", "0,R,0,8192,99886", "900000,W,8192,8192,524937"]
    (tmp_path / "mine_3.csv").write_text("\n".join(rows) + "\n")
    assert main(["--folder", str(tmp_path), "--kernel", "compiled"]) == 0
    assert "mine_3" in capsys.readouterr().out


def test_the_command_fails_where_response_times_differ(tmp_path):
    rows = ["arrival_ns,op,offset_bytes,size_bytes,ssdsim_ns", "0,R,0,8192,99598"]
    (tmp_path / "off.csv").write_text("\n".join(rows) + "\n")
    assert main(["--folder", str(tmp_path), "--kernel", "compiled"]) == 1


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01"])
def test_a_folder_that_cannot_be_used_is_refused(tmp_path, capsys, content):
    if content is not None:
        (tmp_path / "broken.csv").write_bytes(content)
    assert main(["--folder", str(tmp_path), "--kernel", "compiled"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
