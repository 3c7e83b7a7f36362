"""The table of a sweep: what stands in its rows and columns, whatever became of the runs."""

import json

import pytest

from ssdsim import Sweep
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import SCHEMA

TAILS = [{"code": "tail"}, {"code": "backlog"}, {"code": "tail"}]


def job(place, number, overrides, outcome=None, results=True, **fields):
    """Leave the folder of a job, of which `fields` are in the summary."""
    status = {"job": number, "overrides": overrides, "status": "completed", "exit_status": 0}
    with ResultFolder(place / str(number), overwrite=True) as folder:
        if results:
            summary = {"schema": SCHEMA, "validity": [], **fields}
            folder.part("summary.json").write_text(json.dumps(summary))
            folder.commit()
        folder.part("status.json").write_text(json.dumps(status | {"results": results} | (outcome or {})))
        folder.add("status.json")


@pytest.fixture
def sweep(tmp_path):
    """The folder of a sweep of three points, one of which is refused."""
    with ResultFolder(tmp_path / "sweep", kind="sweep") as folder:
        common = ["workload.path=a.csv"]
        found = {
            "write_amplification": None,
            "requests": {"read": {"count": 3}},
            "write_amplification_ci95": [1.0, 2.0],
        }
        job(folder.path, 0, ["seed=1", "ftl/gc=rga", *common], seed=1, workload={"path": "/there/a.csv"}, **found)
        job(folder.path, 1, ["seed=2", "+ftl.gc.options={d: 5}", *common], seed=2, validity=TAILS, iops=2.5)
        refused = {"status": "refused", "message": "no room", "exit_status": 2}
        job(folder.path, 2, ["seed=3", "ftl/gc=rga", "host.queue_depth=1e6"], refused, results=False)
        yield folder


def columns(table, *names):
    return {name: table[name].to_pylist() for name in names}


def test_each_run_has_a_row_of_typed_columns(sweep):
    table = Sweep.load(sweep.path).table
    assert columns(table, "job", "folder", "status", "message", "validity") == {
        "job": [0, 1, 2],
        "folder": ["0", "1", "2"],
        "status": ["completed", "completed", "refused"],
        "message": [None, None, "no room"],
        "validity": [[], ["tail", "backlog"], None],
    }
    assert columns(table, "seed", "ftl/gc", "ftl.gc.options", "host.queue_depth") == {
        "seed": [1, 2, 3],
        "ftl/gc": ["rga", None, "rga"],
        "ftl.gc.options": [None, "{d: 5}", None],
        "host.queue_depth": [None, None, 1e6],
    }
    assert columns(table, "requests.read.count", "iops", "write_amplification") == {
        "requests.read.count": [3, None, None],
        "iops": [None, 2.5, None],
        "write_amplification": [None, None, None],
    }
    types = {name: str(table.schema.field(name).type) for name in ("seed", "iops", "message")}
    assert types == {"seed": "int64", "iops": "double", "message": "string"}
    assert "utilization" not in table.column_names and "validity.0.code" not in table.column_names


def test_an_override_goes_before_a_field_that_is_called_like_it(sweep):
    loaded = Sweep.load(sweep.path)
    assert loaded.table["workload.path"].to_pylist() == ["a.csv", "a.csv", None]
    assert loaded.keys == ["seed", "ftl/gc", "workload.path", "ftl.gc.options", "host.queue_depth"]
    assert loaded.swept["seed"] == [1, 2, 3]


def test_of_runs_of_no_sweep_what_differs_among_their_configurations_stands_for_overrides(tmp_path):
    for system, seed in (("a", 1), ("a", 2), ("b", 1)):
        place = tmp_path / system / f"seed={seed}"
        place.mkdir(parents=True)
        (place / "summary.json").write_text(json.dumps({"schema": SCHEMA, "seed": seed, "validity": []}))
        (place / "config.yaml").write_text(f"seed: {seed}\nhost: {{queue_depth: 4}}\nftl: {{page_type: [{system}]}}\n")
    loaded = Sweep.load(tmp_path)
    assert loaded.swept == {"seed": [1, 2], "ftl.page_type": ["['a']", "['b']"]}
    assert loaded.table["folder"].to_pylist() == ["a/seed=1", "a/seed=2", "b/seed=1"]
    assert loaded.table["status"].to_pylist() == [None] * 3
