"""What the progress shows, on a terminal and elsewhere."""

import io
from types import SimpleNamespace

import pytest

from ssdsim.command.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def snapshot(**changed):
    state = {
        "requests_done": 500, "requests_total": 1000, "simulated_ns": 2_500_000_000, "iops": 1234.5,
        "write_amplification": 1.25, "phase": "replay", "fraction": 0.5,
    }  # fmt: skip
    return SimpleNamespace(**state | changed)


def test_a_terminal_sees_requests_time_iops_write_amplification_and_time_left():
    stream = Terminal()
    with Progress("Running", stream) as progress:
        progress.update(snapshot())
        shown = stream.getvalue()
    assert " 50%|" in shown
    assert "left, replay 500/1,000 requests, 2.5 s simulated, 1,234 IOPS, WA 1.25" in shown


def test_a_run_without_a_known_end_shows_no_share():
    stream = Terminal()
    with Progress("Running", stream) as progress:
        progress.update(snapshot(fraction=None, requests_total=None))
        shown = stream.getvalue()
    assert "%" not in shown
    assert "so far, replay 500 requests" in shown


def test_each_phase_has_its_own_bar():
    stream = Terminal()
    with Progress("Running", stream) as progress:
        progress.update(snapshot(phase="precondition", fraction=0.9))
        progress.update(snapshot(fraction=0.1))
    assert " 90%|" in stream.getvalue()
    assert " 10%|" in stream.getvalue()


def test_elsewhere_only_start_and_end_are_told():
    stream = io.StringIO()
    with Progress("Running", stream) as progress:
        progress.update(snapshot())
    start, end = stream.getvalue().splitlines()
    assert start == "Running"
    assert end.startswith("Done after ")


def test_a_failed_run_is_not_told_as_done():
    stream = io.StringIO()
    with pytest.raises(ValueError), Progress("Running", stream):
        raise ValueError
    assert stream.getvalue() == "Running\n"
