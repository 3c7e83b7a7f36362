"""The benchmark's parts run; how fast is not for a test."""

import pytest

from experiments.validation import bench, equal_work
from ssdsim import Simulation, simulate


@pytest.mark.parametrize("config", [bench.write_config(3000), bench.modern_drive(1000)])
def test_a_replay_counts_transactions(config):
    assert bench.replay(Simulation(config)) > 0


@pytest.mark.parametrize("name", equal_work.WORK)
def test_equal_work_is_what_it_says(name, tmp_path):
    """Reads find their pages written, M1 collects nothing, and G1 does."""
    result = simulate(equal_work.WORK[name](8000, tmp_path))
    counts = {op: result.summary["requests"][op]["count"] for op in ("read", "write")}
    flash = result.summary["flash"]
    collecting = name.startswith("G1")
    assert sum(counts.values()) == 8000 and (result.summary["gc"]["collections"] > 0) == collecting
    assert abs(counts["read"] - 4000) < 300 or (collecting and not counts["read"])
    assert collecting or flash["reads"]["host"] == counts["read"]
