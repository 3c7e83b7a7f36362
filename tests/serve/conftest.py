"""A drive that is served in a thread of its own."""

import asyncio
import shutil
import subprocess
import threading
from contextlib import contextmanager
from selectors import SelectSelector
from types import SimpleNamespace

import pytest

from ssdsim import Drive, Environment, preset
from ssdsim.serve.address import Address
from ssdsim.serve.data import Data
from ssdsim.serve.server import Server


@contextmanager
def serving(address, folder, slow, *overrides, file=None):
    """Serve a drive of 48 MiB within: its server, and what it tells; its results are in `folder` afterwards."""
    config = preset("baseline", "hardware=tlc_48m", "workload=synthetic", "record=requests", *overrides)
    env, told, ready = Environment(), [], threading.Event()
    drive = Drive(env, config, folder)
    running = SimpleNamespace(told=told, drive=drive, result=None, failure=None)

    async def run():
        with Data(drive.size_bytes, file) as data:
            running.loop = asyncio.get_running_loop()
            running.server = Server(env, drive, data, config.hardware.page_bytes, slow, told.append)
            await running.server.run(Address.parse(address), ready.set)

    def serve():
        try:
            with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(SelectSelector())) as runner:
                runner.run(run())
        except BaseException as error:
            running.failure = error
        finally:
            ready.set()

    thread = threading.Thread(target=serve)
    thread.start()
    ready.wait()
    try:
        yield running
    finally:
        if thread.is_alive():
            running.loop.call_soon_threadsafe(running.server.stop)
        thread.join()
        running.result = drive.finish()
    if running.failure is not None:
        raise running.failure


@pytest.fixture(scope="session")
def client():
    """Run a client of somebody else's, and return what it prints; skip the test where it is not installed."""

    def run(*command, status=0):
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    return run
