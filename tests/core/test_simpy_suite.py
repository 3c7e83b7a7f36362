"""SimPy's own test suite, from its source distribution, run on the compiled kernel."""

import importlib.metadata
import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import ssdsim

CANNOT_PASS = {
    "tests.test_exceptions.test_exception_chaining": "expects the lines of simpy/core.py in the text of a traceback",
}

# Gives SimPy a clock that only sleep moves on: a busy machine misses the 20 ms that its tests of real time allow.
# Puts the compiled classes in SimPy's place, makes its dependent modules anew, and runs the tests found here.
# "rebuilt" also has the requests of simpy.resources derive from the compiled Event.
RUNNER = """
import time

seconds = 0.0

def sleep(duration):
    global seconds
    seconds += duration + 1e-6

time.monotonic, time.sleep = lambda: seconds, sleep

import importlib, sys
import pytest, simpy
from ssdsim._core import kernel

resources = [sys.modules[f"simpy.resources.{name}"] for name in ("base", "resource", "container", "store")]
simpy.core.Environment = kernel.Environment
if sys.argv[1] == "rebuilt":
    simpy.events.Event, simpy.events.Timeout, simpy.events.Process = kernel.Event, kernel.Timeout, kernel.Process
    for module in resources:
        importlib.reload(module)
for module in (simpy.rt, simpy):
    importlib.reload(module)
assert simpy.Environment is kernel.Environment and issubclass(simpy.RealtimeEnvironment, kernel.Environment)
assert issubclass(simpy.resources.base.Put, kernel.Event) == (sys.argv[1] == "rebuilt")
sys.exit(pytest.main(["tests", "-p", "no:cacheprovider", "--junit-xml", sys.argv[2]]))
"""


@pytest.fixture(scope="module")
def simpy_source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    version = importlib.metadata.version("simpy")
    cache = getattr(request.config, "cache", None)  # there is none with -p no:cacheprovider
    kept = tmp_path_factory.mktemp("archive") if cache is None else cache.mkdir("simpy")
    archive = kept / f"simpy-{version}.tar.gz"
    if not archive.exists():
        what = ["--no-binary", "simpy", "--no-deps", f"simpy=={version}", "--dest", str(archive.parent)]
        fetch = subprocess.run([sys.executable, "-m", "pip", "download", *what], capture_output=True, text=True)
        if fetch.returncode:
            pytest.skip(f"the source of SimPy {version} could not be fetched: {fetch.stderr.strip()[-300:]}")
    folder = tmp_path_factory.mktemp("simpy")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / f"simpy-{version}"


@pytest.mark.parametrize("resources", [pytest.param("stock", marks=pytest.mark.more), "rebuilt"])
def test_simpy_suite_passes(simpy_source: Path, tmp_path: Path, resources: str):
    report = tmp_path / "report.xml"
    run = subprocess.run(
        [sys.executable, "-c", RUNNER, resources, str(report)],
        cwd=simpy_source,
        env=os.environ | {"PYTHONPATH": str(Path(ssdsim.__path__[0]).parent)},
        capture_output=True,
        text=True,
    )
    assert report.exists(), run.stdout + run.stderr
    cases = {f"{case.get('classname')}.{case.get('name')}": case for case in ElementTree.parse(report).iter("testcase")}
    passed = {name for name, case in cases.items() if not len(case)}
    assert cases.keys() - passed == CANNOT_PASS.keys(), run.stdout
    assert len(passed) > 130
