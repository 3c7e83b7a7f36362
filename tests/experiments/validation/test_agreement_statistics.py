"""Two planes as in MQSim and SSDSim: the same requests, and figures that equal theirs to the digit that is printed."""

import pyarrow as pa
import pytest

from experiments.validation.agreement import FOLDER, files, print_checks, reference
from experiments.validation.agreement_statistics import (
    NAME,
    Check,
    joined_commands,
    requests_of,
    statistics,
    tables,
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


def test_tables_are_read_by_the_names_of_their_columns(tmp_path):
    page = tmp_path / NAME
    page.write_text(
        "text\n\n| run | mean |\n|---|:-:|\n| a | 1.5 |\n| b | 2 |\n\n|  | WAF |\n|---|---|\n| MQSim | 2 |\n"
    )
    assert list(tables(page)) == [{"run": "a", "mean": "1.5"}, {"run": "b", "mean": "2"}, {"": "MQSim", "WAF": "2"}]


def test_statistics_are_printed_as_theirs_are():
    found = statistics(pa.array([3000, 1000, 2000, 4000]).to_numpy())
    assert found["n"] == "4" and found["mean"] == "2.500" and found["min"] == "1.000" and found["max"] == "4.000"
    assert found["p50"] == "3.000" and found["p99"] == "4.000" and found["std"] == "1.118"


def programs(*commands):
    """Return a table of commands: the planes of a die that each programs, one command after another."""
    rows = [
        {"op": "program", "array_start_ns": start, "channel": 0, "chip": 0, "die": 0, "plane": plane}
        for start, planes in enumerate(commands)
        for plane in planes
    ]
    return pa.Table.from_pylist(rows)


def test_commands_are_counted_by_their_planes():
    assert joined_commands(programs([0], [0, 1], [1])) == {("program", 1): 2, ("program", 2): 1}


def test_a_table_fails_for_a_figure_that_differs_and_for_none_at_all(capsys):
    right, wrong = Check("a", "mean", "1.000", "1.000", True), Check("a", "p99", "2.000", "2.001", False)
    assert print_checks("two planes", [right])
    assert not print_checks("two planes", [right, wrong])
    assert "p99: 2.001, not 2.000" in capsys.readouterr().out
    assert not print_checks("collection", [])
