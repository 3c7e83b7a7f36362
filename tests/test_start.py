"""What is loaded when: nothing by the package alone, by a run nothing that it does not use."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import ssdsim

PROJECT = Path(__file__).parents[1]
RUN = [
    *("precondition=fill", "workload=synthetic", "workload.requests=10"),
    *("hardware.blocks_per_plane=64", "hydra.run.dir=run"),
]
UNUSED = (
    *("altair", "asyncio", "joblib.parallel", "matplotlib", "multiprocessing", "optuna", "pyarrow.dataset", "scipy"),
    *("numpy.ma.", "pandas.", "pyarrow.compute", "rich", "unittest"),
)


def told(tmp_path, code, *argv, **environment):
    """Return the last line that `code` prints in a process of its own."""
    kept = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": str(PROJECT), **environment},
        text=True,
        capture_output=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def loaded(tmp_path, code, *argv):
    return told(tmp_path, f"import sys\n{code}\nprint(*sys.modules)", *argv).split()


def test_the_types_of_the_package_are_those_of_what_it_gives():
    tree = ast.parse((PROJECT / "ssdsim" / "__init__.py").read_text(encoding="utf-8"))
    (typed,) = (node.body for node in tree.body if isinstance(node, ast.If))
    typed_names = {
        (node.module, name)
        for node in typed
        for alias in node.names
        for name in ([alias.asname] if alias.asname else vars(importlib.import_module(node.module)))
    }
    given = {(home, name) for home, names in ssdsim.HOMES.items() for name in names}
    assert given <= typed_names and {name for _, name in given} | {"__version__"} == {*ssdsim.__all__}
    assert set(ssdsim.__all__) <= set(dir(ssdsim))
    for home, name in given:
        assert getattr(ssdsim, name) is getattr(importlib.import_module(home), name)


def test_the_package_loads_what_is_asked_for(tmp_path):
    assert not {"numpy", "attrs", "ssdsim.config"} & {*loaded(tmp_path, "import ssdsim")}
    config = loaded(tmp_path, "from ssdsim import SimulationConfig")
    assert "ssdsim.config" in config and not {"numpy", "pyarrow", "simpy"} & {*config}
    assert {"numpy", "pyarrow", "simpy"} <= {*loaded(tmp_path, "from ssdsim import simulate")}


def test_a_run_loads_nothing_that_it_does_not_use(tmp_path):
    code, words = "from experiments.__main__ import main\nassert main() == 0", [*RUN, "overwrite=true"]
    modules = loaded(tmp_path, code, *words)
    assert (tmp_path / "run" / "summary.json").exists()
    assert not [name for name in modules if name.startswith(UNUSED)]


def test_threads_for_matrices_are_a_matter_of_the_command_and_the_user(tmp_path):
    asked = "print(os.environ.get('OPENBLAS_NUM_THREADS'), 'numpy' in sys.modules)"
    command = f"import os, sys\nfrom experiments.__main__ import main\nmain()\n{asked}"
    assert told(tmp_path, command, "--version") == "1 False"
    assert told(tmp_path, command, "--help", OPENBLAS_NUM_THREADS="3") == "3 False"
    assert told(tmp_path, f"import os, sys, ssdsim, ssdsim.command.runs\n{asked}") == "None True"
