"""Results in the shape of fio's JSON: the numbers are those of the requests."""

import json

import attrs
import numpy as np
import pytest

from ssdsim import simulate
from ssdsim.command.cli import main
from ssdsim.config import FioConfig
from ssdsim.report.fio_json import PERCENTILES, fio_json
from support.tiny_stacks import configured

JOBS = """
[global]
filename=x
size=256k
ioengine=libaio
iodepth=4
group_reporting
[reader]
rw=randread
numjobs=2
[writer]
stonewall
rw=randrw
fsync=8
"""
SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=100"),
    "precondition=fill",
]


def test_jobs_are_groups_with_the_times_of_their_requests(tmp_path, capsys):
    path = tmp_path / "jobs.fio"
    path.write_text(JOBS)
    config = attrs.evolve(configured(*SMALL, "record=[requests]"), workload=FioConfig(path=str(path)))
    result = simulate(config, tmp_path / "run")
    assert main(["report", str(tmp_path / "run"), "--fio-json", str(tmp_path / "fio.json")]) == 0
    told = json.loads((tmp_path / "fio.json").read_text())
    assert told == json.loads(json.dumps(fio_json(result)))
    reader, writer = told["jobs"]
    assert [(job["jobname"], job["groupid"]) for job in (reader, writer)] == [("reader", 0), ("writer", 1)]
    assert reader["job options"] | {"rw": "randread", "iodepth": "4", "numjobs": "2"} == reader["job options"]
    table = result.requests
    stream, op = table["stream"].to_numpy(), np.array(table["op"].to_pylist())
    arrival, response = table["arrival_ns"].to_numpy(), table["response_ns"].to_numpy()
    chosen = stream < 2
    times = response[chosen]
    length_s = ((arrival + response)[chosen].max() - arrival[chosen].min()) / 1e9
    read = reader["read"]
    assert (read["total_ios"], read["io_bytes"]) == (2 * 64, 2 * 256 * 1024)  # each clone has read all of the file
    assert read["iops"] == pytest.approx(128 / length_s)
    assert read["bw"] == pytest.approx(512 / length_s, abs=1)
    assert read["lat_ns"]["mean"] == pytest.approx(times.mean())
    assert (read["lat_ns"]["min"], read["lat_ns"]["max"], read["lat_ns"]["N"]) == (times.min(), times.max(), 128)
    for percent in PERCENTILES:
        value = read["clat_ns"]["percentile"][f"{percent:.6f}"]
        assert (times < value).mean() * 100 <= percent <= (times <= value).mean() * 100
    assert writer["sync"]["total_ios"] == (op == "flush").sum() == (op == "write").sum() // 8
    assert writer["trim"]["total_ios"] == 0 and "percentile" not in writer["trim"]["clat_ns"]
