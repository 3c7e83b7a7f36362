"""The bar that `simulate(progress=True)` shows, and that signals end a run from Python."""

import io

import attrs
import pytest

from ssdsim import simulate
from ssdsim.run.progress import Bar, Snapshot


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
