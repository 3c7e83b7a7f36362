"""The command that fits arrivals to traces, and what it found in the pieces that the papers' workloads come from."""

import numpy as np
import pytest

from experiments.study import fit_arrivals as arrivals
from experiments.study import traces
from experiments.study.arrivals import FITTED, PIECES
from experiments.study.traces import write_trace
from ssdsim.command.compose import composed
from ssdsim.config import SyntheticConfig
from ssdsim.workload import Chunk, open_workload
from ssdsim.workload.arrival_fit import fit


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """A thousand reads, and 1200 writes in rushes of half a second, at 100 requests a second."""
    asked = SyntheticConfig(
        requests=2200,
        read_share=10 / 22,
        arrival="levels",
        rate_iops=100.0,
        levels=[{"share": 0.5, "traffic": 0.6, "length_s": 1.0}],
        write_levels=[{"share": 0.2, "traffic": 0.9, "length_s": 0.5}],
    )
    path = tmp_path_factory.mktemp("traces") / "trace.csv.zst"
    write_trace(open_workload(asked, 1 << 30, 4096, 3).chunks(), path)
    return path


def test_a_trace_is_fitted_and_its_arrivals_can_be_given_to_another_workload(trace, capsys):
    assert arrivals.main([str(trace)]) == 0
    told = capsys.readouterr().out
    assert "1,000 reads" in told and "1,200 writes" in told and "autocorrelation" in told and "queue, load 0.5" in told
    overrides = next(line for line in told.splitlines() if line.startswith("workload.arrival=levels")).split()
    found = composed(["workload=synthetic", "workload.rate_iops=100", *overrides]).workload
    assert found.levels and found.write_levels


def test_a_trace_that_is_too_short_ends_in_a_sentence(tmp_path, capsys):
    ops = np.zeros(50, np.uint8)
    at = np.arange(50) * 10**8
    write_trace([Chunk(at, ops, at * 0, at * 0 + 4096)], tmp_path / "short.csv")
    (tmp_path / "short.csv").rename(tmp_path / "short.csv.zst")
    assert arrivals.main([str(tmp_path / "short.csv.zst")]) == 2
    assert "50 requests in 4.9 s are too few to fit" in capsys.readouterr().err


def test_overrides_say_the_same_as_the_keys():
    for each in FITTED.values():
        found = composed(["workload=synthetic", "workload.rate_iops=100", *each.overrides()]).workload
        keys = each.keys()
        assert {name: getattr(found, name) for name in keys} == keys
        assert each.on(SyntheticConfig(rate_iops=100.0)).levels == found.levels


def test_what_was_found_in_a_piece_is_found_again():
    file, options = PIECES["MSR 20-80"]
    if not (traces.PIECES / file).is_file():
        pytest.skip("the piece of the trace is not beside the project")
    config = composed([*traces.replayed(traces.PIECES / file), *options]).workload
    fitted = {kind: fit(times) for kind, times in arrivals.times_by_kind(config).items()}
    assert arrivals.rounded(fitted) == FITTED["MSR 20-80"]
