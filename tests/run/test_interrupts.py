"""Signals that end a run: which are taken, which are left alone, and that they can be made to wait."""

import signal

import pytest

from ssdsim.run.interrupts import ENDING, Terminated, exit_status, held_back, stoppable

pytestmark = pytest.mark.usefixtures("default_signals")


@pytest.mark.parametrize("number", ENDING)
def test_each_ends_a_run_and_gives_a_shell_its_status(number):
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt) as stopped, stoppable():
        signal.raise_signal(number)
    assert exit_status(stopped.value) == 128 + number
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("number", ENDING)
def test_what_is_ignored_stays_ignored(number):
    signal.signal(number, signal.SIG_IGN)  # as nohup does, and a shell without job control in the background
    with stoppable(), held_back():
        signal.raise_signal(number)


def test_held_back_signals_come_afterwards():
    done = []
    with pytest.raises(Terminated), stoppable():
        with held_back():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")
        done.append("not this")
    assert done == ["all of it"]


def test_an_error_goes_before_what_was_held_back():
    with pytest.raises(ValueError), held_back():
        signal.raise_signal(signal.SIGINT)
        raise ValueError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
