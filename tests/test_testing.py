"""What users are given for tests of their own: it accepts what holds, on drawn devices, and refuses what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import FtlConfig, GarbageCollectionConfig, SimulationConfig, simulate
from ssdsim.testing import RequestList, check_requests, devices, requests

FTL = FtlConfig(gc=GarbageCollectionConfig(victim="rga", soft_threshold=2, hard_threshold=2))


@given(devices(), st.data())
def test_the_example_of_the_module(hardware, data):
    load = RequestList(rows=data.draw(requests(hardware.capacity_bytes, hardware.page_bytes)))
    config = SimulationConfig(hardware=hardware, ftl=FTL, workload=load, integrity="on", record=["requests"])
    result = simulate(config)
    check_requests(result.requests.to_pylist(), [load])


@pytest.fixture(scope="module")
def run():
    hardware = SimulationConfig().hardware
    load = RequestList(rows=[(0, "write", page * hardware.page_bytes, hardware.page_bytes) for page in range(600)])
    result = simulate(SimulationConfig(hardware=hardware, workload=load, record=["requests"]))
    return load, result.requests.to_pylist()


def test_a_request_that_is_missing_or_another_is_refused(run):
    load, rows = run
    check_requests(rows, [load])
    for wrong in (rows[:-1], [*rows[:-1], rows[-1] | {"size_bytes": 512}], [*rows[:-1], rows[-1] | {"arrival_ns": 7}]):
        with pytest.raises(AssertionError):
            check_requests(wrong, [load])
