"""Reading a run's folder back, and what is said when it cannot be read."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ssdsim.errors import InputError
from ssdsim.metrics.result import SCHEMA, Result
from support.made_up import summary_of

SUMMARY = summary_of({"count": 500}, {"count": 1234})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps(SUMMARY))
    pq.write_table(pa.table({"time_s": [0.0, 0.5]}), tmp_path / "timeseries.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["requests", "commands"])
@pytest.mark.parametrize("loaded", [True, False])
def test_a_table_that_was_not_recorded_says_how_to_record_it(folder, name, loaded):
    result = Result.load(folder) if loaded else Result(SUMMARY)
    with pytest.raises(InputError, match=rf"{name} were not recorded; run with record={name}\.$"):
        getattr(result, name)


@pytest.mark.parametrize("place", ["nowhere", "."])
def test_a_folder_that_is_no_result_is_told(tmp_path, place):
    with pytest.raises(InputError, match=r"there is no summary\.json"):
        Result.load(tmp_path / place)


@pytest.mark.parametrize("schema", [SCHEMA - 1, SCHEMA + 1])
def test_another_schema_is_refused_by_number(tmp_path, schema):
    (tmp_path / "summary.json").write_text(json.dumps(SUMMARY | {"schema": schema}))
    with pytest.raises(InputError, match=rf"has schema {schema}, .*reads schema {SCHEMA};"):
        Result.load(tmp_path)


def test_a_partial_untimed_result_shows_what_it_has():
    untimed = {"count": 3, "response_us": {"mean": None}}
    requests = {"read": {"count": 0, "response_us": {"mean": None}}, "write": untimed}
    summary = SUMMARY | {"requests": requests, "iops": None, "write_amplification": None, "partial": True}
    assert repr(Result(summary)) == "<Result requests 3 (partial)>"
