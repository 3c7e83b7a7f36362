"""Hypothesis profiles, and the tiny device as fixtures."""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from ssdsim.testing import RequestList
from support.interpreted import interpreted_package
from support.tiny_device import Run, run_streams, tiny_config

OWN_FILES = tempfile.TemporaryDirectory(prefix="ssdsim-")
if "PYTEST_XDIST_WORKER" not in os.environ:  # for all that take part in a run
    # matplotlib's list of fonts stays where it is
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    os.environ.setdefault("MPLCONFIGDIR", str(caches / "matplotlib"))
    os.environ["XDG_CACHE_HOME"] = OWN_FILES.name

gc.set_threshold(100_000, 50, 20)  # a fifth of the time to compose an experiment goes into looking for cycles

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=5000)
settings.register_profile("mutations", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish() -> None:
    """Have the collector leave thousands of collected tests, and all modules, alone: there is no garbage in them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def run() -> Callable[..., Run]:
    """Run a list of requests on the tiny device; that kernels are alike is for `test_properties`."""
    return lambda rows, changes=None, **load: run_streams([{"rows": rows, **load}], changes)


@pytest.fixture(scope="session")
def experiment() -> Callable[..., Run]:
    """Run one or more streams on the tiny device: `run_streams`."""
    return run_streams


@pytest.fixture(scope="session")
def interpreted() -> dict[str, ModuleType]:
    """Give the modules of ssdsim once more, interpreted from their source."""
    modules = interpreted_package()
    modules["ssdsim.workload"].open_workload.register(RequestList, lambda load, *_: load)
    return modules


@pytest.fixture(scope="session", params=["compiled", "interpreted"])
def modules(request: pytest.FixtureRequest) -> Mapping[str, ModuleType]:
    """Give the modules of ssdsim, once as they are imported and once interpreted."""
    return sys.modules if request.param == "compiled" else request.getfixturevalue("interpreted")


@pytest.fixture
def default_signals() -> Iterator[None]:
    """Have signals do what they do by default: a suite that was started in the background begins with some ignored."""
    defaults = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def tiny() -> Callable[..., Any]:
    """Make the tiny device's configuration, with changes: `tiny_config`."""
    return tiny_config


@pytest.fixture(scope="session")
def listed() -> type[RequestList]:
    """Give the config class of a workload that is written out."""
    return RequestList
