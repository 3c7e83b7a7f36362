"""A stand-in for the simulator, so that the command line is tested by itself and at once."""

import json
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ssdsim.command.cli import main
from ssdsim.errors import SimulationError
from ssdsim.metrics.result import SCHEMA
from ssdsim.metrics.summary import provenance

TIMES = ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", "queue", "bus", "array", "gc")


def summary(seed, partial=False):
    """Return the summary of a run whose numbers follow from its seed."""
    served = {"count": 500, "bytes": 500 * 4096, "response_us": dict.fromkeys(TIMES, 100.0 * seed)}
    return {
        "schema": SCHEMA,
        "seed": seed,
        "requests": {"read": served, "write": served, "trim": {"count": 0}, "flush": {"count": 0}},
        "iops": 1000.0 * seed,
        "bandwidth_mib_s": 4.0,
        "write_amplification": 1.25,
        "flash": {name: {"host": 7, "gc": 3} for name in ("reads", "programs", "erases", "copybacks")},
        "gc": {"collections": 3, "page_moves": 125},
        "utilization": {"channel": [0.25], "die": [0.5], "plane": [0.5]},
        "wear": {"mean": 0.1, "std": 0.0, "max": 1},
        "simulated_s": 1.0,
        "simulator": {"wall_s": 0.5, "transactions_per_s": 2000.0},
        "partial": partial,
        "validity": [],
        "workload": {"path": "some.csv"},
        "workloads": {},
    }


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
