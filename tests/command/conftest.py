"""A stand-in for the simulator, so that the command line is tested by itself and at once."""

import json
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ssdsim.command.cli import main
from ssdsim.errors import SimulationError
from ssdsim.metrics.summary import provenance
from support.made_up import TIMES, summary_of


def summary(seed, partial=False):
    """Return the summary of a run whose numbers follow from its seed."""
    served = {"count": 500, "bytes": 500 * 4096, "response_us": dict.fromkeys(TIMES, 100.0 * seed)}
    given = {"workload": {"path": "some.csv"}, "workloads": {}}
    return summary_of(served, served, seed=seed, iops=1000.0 * seed, partial=partial, **given)


class Simulator:
    """Stands in for `simulate`: writes a run's folder, and goes wrong with `failures[seed]` if there is one."""

    def __init__(self):
        self.configs = []
        self.failures = {}
        self.trims = 0

    def __call__(self, config, folder, progress):
        self.configs.append(config)
        failure = self.failures.get(config.seed)
        if failure is None or isinstance(failure, KeyboardInterrupt):
            told = summary(config.seed, partial=failure is not None) | provenance(config)
            told["requests"]["trim"]["count"] = self.trims
            self._write(folder, told)
        if failure is not None:
            raise failure

    @staticmethod
    def _write(folder, content):
        folder.part("config.yaml").write_text("seed: 1\n")
        pq.write_table(pa.table({"time_s": [0.0, 1.0], "iops": [500.0, 500.0]}), folder.part("timeseries.parquet"))
        folder.part("summary.json").write_text(json.dumps(content))
        folder.commit()


@pytest.fixture
def simulator(monkeypatch, tmp_path):
    """The stand-in, in an empty working directory, with pictures left blank."""
    monkeypatch.chdir(tmp_path)
    stand_in = Simulator()
    monkeypatch.setattr("ssdsim.command.runs.simulation.simulate", stand_in)
    monkeypatch.setattr("ssdsim.report.run.overview", lambda result, path: path.touch())
    return stand_in


@pytest.fixture
def cli(simulator, cli_alone):
    """Run the command line in this process; returns exit status, standard output and standard error."""
    return cli_alone


@pytest.fixture
def cli_alone(capsys):
    """The same without the stand-in."""

    def run(*argv):
        status = main([*argv])
        return SimpleNamespace(status=status, **dict(zip(("out", "err"), capsys.readouterr(), strict=True)))

    return run


@pytest.fixture
def lost():
    return SimulationError("Request 7 was never completed: it waits for die 3.")
