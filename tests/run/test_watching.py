"""The bar that `simulate(progress=True)` shows, and that signals end a run from Python."""

import io
import signal

import attrs
import pytest

from ssdsim import simulate
from ssdsim.metrics.result import Result
from ssdsim.run.interrupts import exit_status
from ssdsim.run.progress import Bar, Snapshot


class Ends:
    """Has a batch system end the run as soon as there is a device."""

    def update(self, snapshot):
        if snapshot.phase == "precondition":
            signal.raise_signal(signal.SIGTERM)


def a_run(tiny, listed):
    return attrs.evolve(tiny(), workload=listed(rows=[(n, "write", n % 8 * 4096, 4096) for n in range(50)]))


def test_a_bar_shows_the_share_that_is_done():
    stream = io.StringIO()
    with Bar(stream) as bar:
        bar.update(Snapshot("replay", 0.25, 250, 1000))
        shown = stream.getvalue()
    assert "replay:  25%|" in shown and "250/1000" in shown


@pytest.mark.parametrize("wanted", [True, False])
def test_true_is_a_bar_and_false_none(wanted, tiny, listed, capsys, monkeypatch):
    monkeypatch.setattr("ssdsim.run.progress.INTERVAL_S", 0)
    simulate(a_run(tiny, listed), progress=wanted)
    assert ("building the device" in capsys.readouterr().err) == wanted


def test_a_run_from_python_that_a_batch_system_ends_keeps_its_results(
    tiny, listed, tmp_path, monkeypatch, default_signals
):
    monkeypatch.setattr("ssdsim.run.progress.INTERVAL_S", 0)
    with pytest.raises(KeyboardInterrupt) as stopped:
        simulate(a_run(tiny, listed), tmp_path / "run", Ends())
    assert exit_status(stopped.value) == 128 + signal.SIGTERM
    assert Result.load(tmp_path / "run").summary["partial"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
