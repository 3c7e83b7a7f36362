"""Two planes as in MQSim and SSDSim: the same requests, and figures that equal theirs to the digit that is printed."""

import pytest

from experiments.validation.agreement import FOLDER, files, print_checks, reference
from experiments.validation.agreement_statistics import (
    NAME,
    Check,
    requests_of,
    two_plane_checks,
)

there = pytest.mark.skipif(not (FOLDER / NAME).is_file(), reason=f"no {NAME} in ../shared/reference beside the project")


@pytest.mark.parametrize("path", files(FOLDER) if FOLDER.is_dir() else [None])
def test_the_requests_are_those_of_the_reference_files(path):
    if path is None:
        pytest.skip("the reference files are not there: ../shared/reference beside the project")
    name, seed = path.name.partition(".")[0].split("_")
    columns = [reference(path)[column].to_pylist() for column in ("arrival_ns", "op", "offset_bytes", "size_bytes")]
    made = [(at, op, page * 8192, pages * 8192) for at, op, page, pages in requests_of(name, int(seed))]
    assert made == list(zip(*columns, strict=True))


@there
@pytest.mark.parametrize("run", ["mq_B_W2b_11", "ss_B20_W2b_11", "mq_B_R2b_11"])
def test_two_planes_answer_as_theirs_do(run):
    found = list(two_plane_checks(FOLDER, "compiled", run))
    assert {check.name for check in found} >= {"n", "mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max", "std"}
    assert [check for check in found if not check.agrees] == []


def test_a_table_fails_for_a_figure_that_differs_and_for_none_at_all(capsys):
    right, wrong = Check("a", "mean", "1.000", "1.000", True), Check("a", "p99", "2.000", "2.001", False)
    assert print_checks("two planes", [right])
    assert not print_checks("two planes", [right, wrong])
    assert "p99: 2.001, not 2.000" in capsys.readouterr().out
    assert not print_checks("collection", [])
