"""The two reference devices answer as MQSim and SSDSim do: by hand on an idle device, and in every reference file."""

import gzip
import lzma
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.validation import agreement
from experiments.validation.agreement import CASES, ENOUGH, FOLDER, SIMULATORS, compare, files, main, unloaded
from ssdsim.command.compose import composed

KERNELS = ("compiled", "simpy")


@pytest.mark.parametrize("kernel", ["compiled", pytest.param("simpy", marks=pytest.mark.more)])
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_idle_device_answers_as_summed_up(case, simulator, kernel):
    assert unloaded(case, simulator, kernel) == case.expected_ns[simulator]


@pytest.mark.parametrize(("simulator", "us"), [("mqsim", 0.22), ("ssdsim", 0.0)])
def test_the_command_of_an_erase_takes_what_it_takes_there(simulator, us):
    assert composed([f"hardware=reference_{simulator}"]).hardware.erase_command_us == us


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


@pytest.mark.parametrize(
    ("given", "kernels"),
    [([], KERNELS), (["--kernel", "both"], KERNELS), *((["--kernel", each], (each,)) for each in KERNELS)],
)
def test_every_case_and_every_column_of_every_file_is_replayed_on_each_kernel(tmp_path, replayed, given, kernels):
    reference_file(tmp_path / "a.csv", "mqsim", "ssdsim")
    reference_file(tmp_path / "b.csv.xz", "ssdsim", compress=lzma.compress)
    reference_file(tmp_path / "c.csv.gz", "mqsim", compress=gzip.compress)
    assert main(["--folder", str(tmp_path), *given]) == 0
    columns = [("a.csv", "mqsim"), ("a.csv", "ssdsim"), ("b.csv.xz", "ssdsim"), ("c.csv.gz", "mqsim")]
    assert sorted(replayed.files) == sorted((*column, kernel) for column in columns for kernel in kernels)
    assert len(replayed.cases) == len(set(replayed.cases)) == len(CASES) * len(SIMULATORS) * len(kernels)


@pytest.mark.parametrize(("off", "status"), [(0, 0), (1, 0), (2, 1)])
def test_one_response_time_in_a_thousand_may_differ(tmp_path, replayed, off, status):
    """By whatever, and be it too short."""
    reference_file(tmp_path / "a.csv", "mqsim")
    replayed.off = off
    assert main(["--folder", str(tmp_path)]) == status
    assert compare(tmp_path / "a.csv", "mqsim", "simpy").largest == min(off, 1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_command_fails_where_an_idle_device_answers_otherwise(tmp_path, replayed, kernel):
    reference_file(tmp_path / "a.csv", "mqsim")
    replayed.unloaded_off = (CASES[-1].name, "ssdsim", kernel)
    assert main(["--folder", str(tmp_path)]) == 1


def test_response_times_are_those_of_the_requests_in_the_order_of_their_arrival(tmp_path):
    """A write of 524,937 ns by MQSim's rules, and a read on the next channel that has long been complete then."""
    rows = ["arrival_ns,op,offset_bytes,size_bytes,mqsim_ns", "0,W,0,8192,524937", "1000,R,8192,8192,99886"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    assert compare(tmp_path / "a.csv", "mqsim", "compiled").equal == 2


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01"])
def test_a_folder_that_cannot_be_used_is_refused(tmp_path, capsys, replayed, content):
    if content is not None:
        (tmp_path / "broken.csv").write_bytes(content)
    assert main(["--folder", str(tmp_path), "--kernel", "compiled"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
