"""The verb that serves a drive: what it refuses, and how it ends."""

import os
import re
import signal
import threading
import time
from contextlib import suppress

import pytest

from ssdsim import Result, load_config, simulate
from ssdsim.command.cli import main
from support.nbd_client import WRITE, Client

DRIVE = ("hardware=tlc_48m", "hydra.run.dir=results")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--listen", "0.0.0.0:1"], "--listen 0.0.0.0:1: is no loopback address"),
        (["--listen", "unix:s", "--slow", "0"], "--slow 0.0: must be above 0"),
        (["--listen", "unix:s", "workload=trace"], "workload=trace: the load of a served drive is what its clients"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(cli_alone, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    done = cli_alone("serve", *DRIVE, *words)
    assert done.status == 2 and done.err.splitlines()[-1].startswith(told), done.err
    assert not (tmp_path / "s").exists()


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(("ending", "before"), [(signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.SIG_IGN)])
def test_a_signal_ends_it_with_results_and_a_load_to_repeat(capsys, tmp_path, monkeypatch, ending, before):
    """A background job of a script begins with SIGINT ignored."""
    monkeypatch.chdir(tmp_path)
    signal.signal(ending, before)

    def connected():
        while True:
            with suppress(FileNotFoundError, ConnectionRefusedError):  # not there yet, or there and not yet listened at
                return Client(tmp_path / "s")
            time.sleep(0.01)

    def write_and_end():
        client = connected()
        try:
            for number in range(5):
                assert client.ask(WRITE, 4096 * number, payload=bytes(4096)) == (0, b"")
        finally:  # or this would wait for ever
            client.close()
            os.kill(os.getpid(), ending)

    thread = threading.Thread(target=write_and_end)
    thread.start()
    assert main(["serve", "--listen", "unix:s", *DRIVE, "record=requests"]) == 0
    thread.join()
    told = capsys.readouterr()
    assert re.search(r"Serving [\d,]+ bytes at nbd\+unix:///\?socket=s", told.err)
    assert "Of 5 requests half were complete within" in told.err and "Results are in results" in told.out
    result = Result.load("results")
    assert result.summary["requests"]["write"]["count"] == 5 and not (tmp_path / "s").exists()
    assert simulate(load_config("results")).requests.equals(result.requests)
    assert signal.getsignal(ending) == before
