"""Published traces, where they are at hand beside the project: counts and averages against their index."""

import re
from pathlib import Path

import pytest

from ssdsim.config import TraceConfig
from ssdsim.workload import TRIM, open_workload
from support.workloads import whole

TRACES = Path(__file__).parents[3] / "shared" / "traces"
INDEX = TRACES / "INDEX.md"

SIZES_IN_4_KIB = ("flashsim.disksim", "Financial1.rows3-50002.disksim", "WebSearch1.first50000.disksim")
ARRIVAL_IS_NOT_AS_INDEXED = {
    "blkparse_java_ext4.txt": "its clock jumps",
    "biotracer_nexus5_booting.txt": "its clock jumps",
    "tencent_cbs_sample50k.csv": "its requests are spread over the last second",
    "msps_MSNStorageFileServer.sample.csv": "the index takes completions",
}


def indexed() -> list[list[str]]:
    if not INDEX.exists():
        return []
    table = [line for line in INDEX.read_text().splitlines() if re.match(r"\| \w+[.]?\w*.* \| [AB] \|", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


DESCRIBED = {
    "msr_rsrch_1.full.4col.txt": {
        "columns": {"arrival": "c1", "op": "c2", "offset": "c3", "size": "c4"},
        "time_unit": "100ns",
    },
    "tencent_flashnet_50k.rw_60_40.csv": {
        "columns": {"arrival": "c1", "op": "c3", "size": "c4", "offset": "c5"},
        "time_unit": "ms",
        "read_op": "1",
    },
    "diskmon_mayun2.txt": {
        "columns": {"arrival": "c2", "device": "c4", "op": "c5", "offset": "c6*512", "size": "c7*512"},
        "time_unit": "s",
    },
    "wiscsee_sqlitewal_ext4.events.txt": {
        "pattern": r"D (?P<op>\w+) (?P<offset>\d+) (?P<size>\d+) (?P<arrival>\d+\.\d+)",
        "time_unit": "s",
    },
}
"""How those are described that are of no format known."""


def options(name: str) -> dict:
    if name.endswith(SIZES_IN_4_KIB):
        columns = {"arrival": "c1", "device": "c2", "offset": "c3*512", "size": "c4*4096", "op": "c5"}
        return {"columns": columns, "time_unit": "ms", "read_op": "1"}
    return {"time_unit": "us"} if "DTRS" in name else DESCRIBED.get(name, {})


@pytest.mark.skipif(not INDEX.exists(), reason=f"no published traces at {TRACES}")
@pytest.mark.parametrize("row", indexed(), ids=lambda row: row[0])
def test_trace_reads_as_its_index_says(row):
    name, _, count, span_s, write_share, read_kib, write_kib, *_, disorder, devices = row
    path = TRACES / "data" / f"{name}.xz"
    workload = open_workload(TraceConfig(path=str(path), **options(name)), 8 << 30, 4096, seed=1)
    seen = workload.describe()
    reads, writes = seen["reads"], seen["writes"]

    assert reads + writes == int(count)
    assert 100 * writes / (reads + writes) == pytest.approx(float(write_share), abs=0.051)
    assert seen["bytes"]["read"] / max(reads, 1) / 1024 == pytest.approx(float(read_kib), abs=0.0051)
    assert seen["bytes"]["write"] / max(writes, 1) / 1024 == pytest.approx(float(write_kib), abs=0.0051)
    assert seen["devices"] == int(devices)
    if name not in ARRIVAL_IS_NOT_AS_INDEXED:
        assert seen["span_s"] == pytest.approx(float(span_s), abs=0.00051)
    if "MSN" not in name:
        assert seen["reordered_rows"] == int(disorder)

    chunk = whole(workload)
    assert len(chunk) == workload.requests
    assert (chunk.op == TRIM).sum() == seen["trims"]
    assert chunk.arrival_ns[0] == 0
    assert (chunk.arrival_ns[1:] >= chunk.arrival_ns[:-1]).all()
    assert chunk.arrival_ns[-1] <= seen["span_s"] * 1e9 + 1
    assert chunk.offset_bytes.min() >= 0
    assert (chunk.offset_bytes + chunk.size_bytes).max() <= 8 << 30


@pytest.mark.skipif(not INDEX.exists(), reason=f"no published traces at {TRACES}")
def test_every_published_trace_is_in_the_list_above():
    assert {f"{row[0]}.xz" for row in indexed()} == {path.name for path in (TRACES / "data").iterdir()}
